"""Past one run: many experiments on many cores, here or on a cluster, with what has finished kept.

>>> sorted(__all__)
['Failure', 'dask', 'processes', 'rows_of', 'sweep']
"""

from trustkit.scale.outcome import Failure, rows_of
from trustkit.scale.processes import processes
from trustkit.scale.scheduler import dask
from trustkit.scale.sweeping import sweep

__all__ = ["Failure", "dask", "processes", "rows_of", "sweep"]
