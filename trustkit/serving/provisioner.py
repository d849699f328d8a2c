"""How the server gets kernels from the stem: Jupyter's local provisioner, with ``fork`` in place of a new Python."""

from __future__ import annotations

import asyncio
import os
import select
import signal
from pathlib import Path
from typing import Any

from jupyter_client.provisioning import LocalProvisioner

from trustkit.serving.stem import order

__all__ = ["STEM", "Branch", "Provisioner"]

STEM = "TRUSTKIT_STEM"
"""The environment variable of the server that says where the stem's socket is."""


class Branch:
    """A kernel that is no child of this process, as `subprocess.Popen` would show it.

    Parameters
    ----------
    pid : int
        Of the kernel.
    watch : int
        A file descriptor that can be read once it has ended.
    """

    stdin = stdout = stderr = None

    def __init__(self, pid: int, watch: int) -> None:
        self.pid, self._watch = pid, watch
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """Tell whether it has ended.

        Returns
        -------
        int or None
            ``None`` while it runs; 1 after that, since its status goes to its parent only.
        """
        if self.returncode is None and select.select([self._watch], [], [], 0)[0]:
            os.close(self._watch)
            self.returncode = 1
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end.

        Parameters
        ----------
        timeout : float, optional
            In seconds.

        Returns
        -------
        int
            1.

        Raises
        ------
        TimeoutError
            If it still runs.
        """
        if self.returncode is None and not select.select([self._watch], [], [], timeout)[0]:
            raise TimeoutError(f"kernel {self.pid} still runs after {timeout} s")
        return self.poll() or 1

    def send_signal(self, number: int) -> None:
        """Send a signal, unless it has ended: its number may be another process's by then.

        Parameters
        ----------
        number : int
            Of the signal.
        """
        if self.poll() is None:
            signal.pidfd_send_signal(self._watch, number)

    def kill(self) -> None:
        """End it at once."""
        self.send_signal(signal.SIGKILL)

    def terminate(self) -> None:
        """Ask it to end."""
        self.send_signal(signal.SIGTERM)


class Provisioner(LocalProvisioner):  # type: ignore[misc]
    """Starts kernels by asking the stem for them."""

    async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> Any:
        """Start a kernel.

        Parameters
        ----------
        cmd : list of str
            Its command.
        **kwargs
            Its environment and folder, among what `subprocess.Popen` takes.

        Returns
        -------
        dict
            How to connect to it.
        """
        folder = str(kwargs.get("cwd") or Path.cwd())
        path = Path(os.environ[STEM])
        try:
            pid, watch = await asyncio.to_thread(order, path, cmd, kwargs.get("env") or os.environ, folder)
        except OSError as error:
            self.log.warning("no kernel from the stem (%s): starting one by itself", error)
            return await super().launch_kernel(cmd, **kwargs)
        self.process = Branch(pid, watch)
        self.pid = self.pgid = pid  # a kernel leads a session of its own
        self.cwd = folder
        return self.connection_info
