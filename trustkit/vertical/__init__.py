"""Training over columns: parties hold different features of the same rows."""

from trustkit.vertical.channel import Channel
from trustkit.vertical.splitnn import splitnn
from trustkit.vertical.table import ColumnTable, laid_out
from trustkit.vertical.trainer import SplitTrainer

__all__ = ["Channel", "ColumnTable", "SplitTrainer", "laid_out", "splitnn"]
