"""Training over columns: parties hold different features of the same rows."""

from trustkit.vertical.al import al
from trustkit.vertical.blindfl import blindfl
from trustkit.vertical.channel import Channel
from trustkit.vertical.cvfl import cvfl
from trustkit.vertical.defences.column_noise import ColumnNoise, column_noise
from trustkit.vertical.defences.randomised_labels import LabelFlips, randomised_labels
from trustkit.vertical.fedtree import fedtree
from trustkit.vertical.gal import gal
from trustkit.vertical.networks.split_training import SplitTrainer
from trustkit.vertical.overheard import Heard, Overheard, by_row, listening
from trustkit.vertical.pivot import pivot
from trustkit.vertical.pooled import pooled
from trustkit.vertical.secureboost import secureboost
from trustkit.vertical.solo import solo
from trustkit.vertical.splitnn import splitnn
from trustkit.vertical.table import ColumnTable, laid_out
from trustkit.vertical.tree_yardsticks import pooled_trees, solo_trees
from trustkit.vertical.vf2boost import vf2boost

__all__ = [
    "Channel", "ColumnNoise", "ColumnTable", "Heard", "LabelFlips", "Overheard", "SplitTrainer", "al", "blindfl",
    "by_row", "column_noise", "cvfl", "fedtree", "gal", "laid_out", "listening", "pivot", "pooled", "pooled_trees",
    "randomised_labels", "secureboost", "solo", "solo_trees", "splitnn", "vf2boost",
]  # fmt: skip
