"""Past one run on one core: many experiments here or on a cluster, and one run whose clients are spread over workers.

>>> sorted(__all__)
['Failure', 'dask', 'play_sharded', 'processes', 'rows_of', 'sweep']
"""

from trustkit.scale.cohort import play_sharded
from trustkit.scale.outcome import Failure, rows_of
from trustkit.scale.processes import processes
from trustkit.scale.scheduler import dask
from trustkit.scale.sweeping import sweep

__all__ = ["Failure", "dask", "play_sharded", "processes", "rows_of", "sweep"]
