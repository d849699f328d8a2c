"""Functions that return matplotlib Figures: the same picture in a notebook, a panel and a report.

Every function takes ``figure=``: the picture it returned before. Its artists are then moved instead of made anew, which
is what lets a slider redraw it in some ten milliseconds.
"""

from trustkit.plot.columns import correlation_blocks
from trustkit.plot.exchange import exchange_trend
from trustkit.plot.fairness import client_fairness
from trustkit.plot.labels import label_shares
from trustkit.plot.parties import party_shares, pcor_heatmap
from trustkit.plot.plane import PlanePoint, icor_gauge, split_plane
from trustkit.plot.radar import pillar_radar
from trustkit.plot.rounds import accuracy_by_round
from trustkit.plot.style import to_svg

__all__ = [
    "PlanePoint", "accuracy_by_round", "client_fairness", "correlation_blocks", "exchange_trend", "icor_gauge",
    "label_shares", "party_shares", "pcor_heatmap", "pillar_radar", "split_plane", "to_svg",
]  # fmt: skip
