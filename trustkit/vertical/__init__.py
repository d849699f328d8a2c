"""Training over columns: parties hold different features of the same rows."""

from trustkit.vertical.channel import Channel
from trustkit.vertical.splitnn import splitnn
from trustkit.vertical.trainer import ColumnTrainer

__all__ = ["Channel", "ColumnTrainer", "splitnn"]
