"""Training over rows: models, algorithms, privacy, and the engines beneath them."""

from trustkit.horizontal.adversary import Attack, Trigger
from trustkit.horizontal.afa import afa
from trustkit.horizontal.afl import afl
from trustkit.horizontal.attacks import ATTACKS
from trustkit.horizontal.convnet import Convnet, convnet
from trustkit.horizontal.ditto import ditto
from trustkit.horizontal.fairfed import fairfed
from trustkit.horizontal.faults import Faults, faults, rates, reliability
from trustkit.horizontal.fedbn import fedbn
from trustkit.horizontal.fedem import fedem
from trustkit.horizontal.fedfb import fedfb
from trustkit.horizontal.fedopt import fedopt
from trustkit.horizontal.gifair import gifair
from trustkit.horizontal.gossip import gossip
from trustkit.horizontal.models import Dense, logistic, mlp
from trustkit.horizontal.pfedme import pfedme
from trustkit.horizontal.privacy import Gaussian, gaussian
from trustkit.horizontal.puffle import puffle
from trustkit.horizontal.qfedavg import qfedavg
from trustkit.horizontal.reweighing import reweighing
from trustkit.horizontal.robust import bulyan_rows, krum_rows, multi_krum_rows, rfout
from trustkit.horizontal.scaffold import scaffold
from trustkit.horizontal.secure import secure_counts, secure_sum
from trustkit.horizontal.strategies import fedavg, fedmedian, fedprox, trimmed
from trustkit.horizontal.summing import word_sum
from trustkit.horizontal.thresholds import group_thresholds
from trustkit.horizontal.trainer import RowTrainer
from trustkit.horizontal.unreliable import dropout, stragglers

__all__ = [
    "ATTACKS", "Attack", "Convnet", "Dense", "Faults", "Gaussian", "RowTrainer", "Trigger",
    "afa", "afl", "bulyan_rows", "convnet", "ditto", "dropout", "fairfed", "faults", "fedavg", "fedbn", "fedem",
    "fedfb", "fedmedian", "fedopt", "fedprox", "gaussian", "gifair", "gossip", "group_thresholds", "krum_rows",
    "logistic", "mlp", "multi_krum_rows", "pfedme", "puffle", "qfedavg", "rates", "reliability", "reweighing",
    "rfout", "scaffold", "secure_counts", "secure_sum", "stragglers", "trimmed", "word_sum",
]  # fmt: skip
