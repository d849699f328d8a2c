"""Training over rows: models, strategies, privacy, and the engines beneath them."""

from trustkit.horizontal.convnet import Convnet, convnet
from trustkit.horizontal.models import Dense, logistic, mlp
from trustkit.horizontal.privacy import Gaussian, gaussian
from trustkit.horizontal.strategies import fedavg, fedmedian, fedprox, trimmed
from trustkit.horizontal.trainer import RowTrainer

__all__ = [
    "Convnet", "Dense", "Gaussian", "RowTrainer",
    "convnet", "fedavg", "fedmedian", "fedprox", "gaussian", "logistic", "mlp", "trimmed",
]  # fmt: skip
