"""The kernels of the room: a dead one is forgotten and not restarted empty, and each waiting one is replaced."""

from __future__ import annotations

import asyncio
import contextlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

from jupyter_client.provisioning import KernelProvisionerFactory
from jupyter_core.utils import ensure_async
from jupyter_server.services.kernels.kernelmanager import AsyncMappingKernelManager

from trustkit.serving.pace import Pace
from trustkit.serving.provisioner import STEM

__all__ = ["VisitorKernels", "stem"]

_LONGEST = 60
"""Seconds after which a page counts as drawn in any case."""


class VisitorKernels(AsyncMappingKernelManager):
    """Kernels by id; those that wait for a visitor are in the pools that Voilà adds to this class.

    Parameters
    ----------
    **more
        As Jupyter gives it.
    """

    def __init__(self, **more: Any) -> None:
        self.pace = Pace(os.cpu_count() or 1, lambda: any(task.done() for task in self._pooled()))
        self._drawing: dict[str, asyncio.TimerHandle] = {}
        super().__init__(**more)  # type: ignore[no-untyped-call]

    def _pooled(self) -> list[asyncio.Task[Any]]:
        """The kernels that wait for a visitor, or will."""
        return [task for pool in getattr(self, "_pools", {}).values() for task in pool]

    def visit(self) -> AbstractContextManager[None]:
        """Note that a visitor comes, who is given a page that is drawn, if there is one.

        Returns
        -------
        context manager
            Which lasts until the page is sent.
        """
        for pool in getattr(self, "_pools", {}).values():
            pool.sort(key=lambda task: not task.done())
        return self.pace.visit()

    def drawn(self, kernel_id: str) -> None:
        """Note that a kernel has drawn its page, or never will.

        Parameters
        ----------
        kernel_id : str
            Any.
        """
        timer = self._drawing.pop(kernel_id, None)
        if timer is not None:
            timer.cancel()
            self.pace.drawing -= 1

    def visitors(self) -> int:
        """Count the kernels that somebody has.

        Returns
        -------
        int
            Without those that wait.
        """
        return len(self._kernels) - int(sum(task.done() for task in self._pooled()))

    async def start_kernel(self, *given: Any, **more: Any) -> Any:
        """Start a kernel.

        Parameters
        ----------
        *given, **more
            As Jupyter does it.

        Returns
        -------
        str
            Its id.
        """
        environment = more.get("env")
        if not environment or environment.get("VOILA_PREHEAT") != "True":
            return await ensure_async(super().start_kernel(*given, **more))
        environment.pop("VOILA_REQUEST_URL", None)  # of whoever came last: not this visitor's business
        await self.pace.turn()
        try:
            name: str = await ensure_async(super().start_kernel(*given, **more))
        except BaseException:
            self.pace.drawing -= 1
            raise
        self._drawing[name] = asyncio.get_running_loop().call_later(_LONGEST, self.drawn, name)
        return name

    async def shutdown_all(self, now: bool = False) -> None:
        """End all kernels; none is started any more.

        Parameters
        ----------
        now : bool
            Whether at once.
        """
        self.pace.closed = True
        await ensure_async(super().shutdown_all(now=now))

    async def _async_shutdown_kernel(self, kernel_id: str, now: bool = False, restart: bool = False) -> Any:
        """End a kernel; one that is only starting while the server closes is ended with its pool."""
        self.drawn(kernel_id)
        if kernel_id in self._kernels:
            return await super()._async_shutdown_kernel(kernel_id, now=now, restart=restart)  # type: ignore[no-untyped-call]
        return None

    def _handle_kernel_died(self, kernel_id: str) -> None:
        """Forget a kernel; one that was waiting for a visitor leaves its pool, which is filled up again."""
        super()._handle_kernel_died(kernel_id)  # type: ignore[no-untyped-call]
        self.drawn(kernel_id)
        for notebook, pool in getattr(self, "_pools", {}).items():
            for task in list(pool):
                if task.done() and not task.exception() and task.result()["kernel_id"] == kernel_id:
                    pool.remove(task)
                    self.fill_if_needed(notebook_name=notebook)


@contextlib.contextmanager
def stem(module: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run a stem, and let Jupyter get its kernels there, until the block ends.

    Parameters
    ----------
    module : str
        What it loads, by a function ``warm()``.

    Yields
    ------
    subprocess.Popen
        The stem; it loads for some seconds, and orders wait for it.
    """
    factory = KernelProvisionerFactory.instance()
    before = factory.default_provisioner_name
    with tempfile.TemporaryDirectory(prefix="trustkit-stem-") as folder:  # nobody else may enter it
        path = Path(folder) / "line"
        command = [sys.executable, "-m", "trustkit.serving.stem", str(path), module]
        one = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")  # no other may fork
        environment = {**os.environ, **one}
        process = subprocess.Popen(command, stdin=subprocess.PIPE, env=environment, start_new_session=True)
        os.environ[STEM] = str(path)
        entry = EntryPoint("trustkit-stem", "trustkit.serving.provisioner:Provisioner", factory.GROUP_NAME)
        factory.provisioners[entry.name], factory.default_provisioner_name = entry, entry.name
        try:
            yield process
        finally:
            factory.default_provisioner_name = before
            del os.environ[STEM]
            if process.stdin is not None:
                process.stdin.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(5)
            if process.poll() is None:
                process.kill()
                process.wait()
