"""Dask's workers as an executor: those of a scheduler that runs, or of one that is started on this machine."""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any

from trustkit.scale.processes import cores, no_main

__all__ = ["DaskWorkers", "dask"]


def dask(address: str | None = None, workers: int | None = None, timeout: float = 10.0) -> DaskWorkers:
    """Return Dask's workers, as an executor.

    Parameters
    ----------
    address : str, optional
        Of a scheduler, as ``tcp://host:8786``. By default a scheduler and its workers are started on this machine, for
        as long as the executor lives: processes of one thread each.
    workers : int, optional
        How many to start, at least 1; by default one a core. Not together with an address.
    timeout : float
        Seconds to wait for the scheduler.

    Returns
    -------
    DaskWorkers
        To be left with ``with`` or `shutdown`.

    Raises
    ------
    TypeError, ValueError
        If Dask is not installed, no scheduler answers, or the arguments do not fit.

    Notes
    -----
    Workers elsewhere need the same versions of trustkit and NumPy; data go to them once a worker.
    """
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise ValueError("Dask's workers need distributed (pip install 'trustkit[cluster]')") from None
    if address is not None and workers is not None:
        raise ValueError(f"workers must stay unset with the address of a scheduler, got {workers}")
    if address is not None:
        try:
            return DaskWorkers(Client(address, timeout=timeout, set_as_default=False))
        except (OSError, TypeError, ValueError):
            raise ValueError(f"address must be that of a Dask scheduler that answers, as tcp://127.0.0.1:8786, "
                             f"got {address!r}") from None  # fmt: skip
    wanted = cores() if workers is None else workers
    if isinstance(wanted, bool) or not hasattr(wanted, "__index__"):
        raise TypeError(f"workers must be a whole number, got {workers!r}")
    if wanted < 1:
        raise ValueError(f"workers must be at least 1, got {workers}")
    with no_main():
        cluster = LocalCluster(
            n_workers=int(wanted), threads_per_worker=1, processes=True, host="127.0.0.1",
            dashboard_address="127.0.0.1:0", silence_logs=logging.CRITICAL,
        )  # fmt: skip
    return DaskWorkers(Client(cluster, set_as_default=False), cluster)


class DaskWorkers(Executor):
    """A `concurrent.futures.Executor` over a Dask client.

    Parameters
    ----------
    client : distributed.Client
        Connected; closed with the executor.
    cluster : distributed.LocalCluster, optional
        Closed with the executor.
    """

    def __init__(self, client: Any, cluster: Any = None) -> None:
        self.client = client
        self._cluster = cluster
        self._inner = client.get_executor(pure=False)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future:
        """Ask for a call on a worker.

        Parameters
        ----------
        fn : callable
            A function of a module that workers can import.
        *args, **kwargs
            What it is called with; where one is what `scatter` returned, the worker gets the value itself.

        Returns
        -------
        concurrent.futures.Future
            A call whose worker ends goes to another one, a few times.
        """
        asked: Future = self._inner.submit(fn, *args, **kwargs)
        return asked

    def scatter(self, value: Any) -> Any:
        """Send a value to all workers, once each.

        Parameters
        ----------
        value : object
            Plain values and arrays.

        Returns
        -------
        distributed.Future
            Stands for the value in `submit`.
        """
        return self.client.scatter([value], broadcast=True, hash=False)[0]  # a bare dict would be taken for many

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Leave the scheduler, and end it if it was started here.

        Parameters
        ----------
        wait : bool
            Whether to wait for what is being done.
        cancel_futures : bool
            Whether to cancel what waits.
        """
        self._inner.shutdown(wait and not cancel_futures)  # without waiting Dask cancels
        self.client.close()
        if self._cluster is not None:
            self._cluster.close()
