"""Functions that return matplotlib Figures: the same picture in a notebook, a panel and a report.

Every function takes ``figure=``: the picture it returned before. Its artists are then moved instead of made anew, which
is what lets a slider redraw it in some ten milliseconds.
"""

from trustkit.plot.attack import accuracy_under_attack
from trustkit.plot.audited import model_bars, sensitive_shares
from trustkit.plot.bands import score_bands
from trustkit.plot.behind import data_of, to_csv
from trustkit.plot.budget import privacy_utility
from trustkit.plot.bysplit import quality_by_split
from trustkit.plot.changed import local_federated, value_changes
from trustkit.plot.clientdots import client_dots
from trustkit.plot.columns import correlation_blocks
from trustkit.plot.curves import quality_curves
from trustkit.plot.exchange import exchange_trend
from trustkit.plot.exposed import exposure_points
from trustkit.plot.fairness import client_fairness
from trustkit.plot.front import pareto_front
from trustkit.plot.gapbars import client_gaps
from trustkit.plot.ghosts import pillar_ghosts
from trustkit.plot.grouprates import group_rates
from trustkit.plot.labelgaps import label_gaps
from trustkit.plot.labels import label_shares
from trustkit.plot.multiples import run_multiples
from trustkit.plot.participation import participation_raster
from trustkit.plot.parties import party_shares, pcor_heatmap
from trustkit.plot.plane import PlanePoint, icor_gauge, split_plane
from trustkit.plot.radar import pillar_radar
from trustkit.plot.rounds import accuracy_by_round
from trustkit.plot.strategies import strategy_dots
from trustkit.plot.style import to_svg
from trustkit.plot.traffic import traffic_bars
from trustkit.plot.trail import pillar_trail
from trustkit.plot.waterfall import trust_waterfall

__all__ = [
    "PlanePoint", "accuracy_by_round", "accuracy_under_attack", "client_dots", "client_fairness", "client_gaps",
    "correlation_blocks", "data_of", "exchange_trend", "exposure_points", "group_rates", "icor_gauge", "label_gaps",
    "label_shares", "local_federated", "model_bars", "pareto_front", "participation_raster", "party_shares",
    "pcor_heatmap", "pillar_ghosts", "pillar_radar", "pillar_trail", "privacy_utility", "quality_by_split",
    "quality_curves", "run_multiples", "score_bands", "sensitive_shares", "split_plane", "strategy_dots", "to_csv",
    "to_svg", "traffic_bars", "trust_waterfall", "value_changes",
]  # fmt: skip
