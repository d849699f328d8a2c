"""A room that is really served, and visitors without a browser: plain HTTP, and widgets over the kernel's websocket."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from tests.browser.driving import free_port, serve, stop

State = dict[str, Any]


@dataclass(frozen=True)
class Served:
    """A running server."""

    process: subprocess.Popen[bytes]
    port: int
    base: str
    folder: Path

    @property
    def url(self) -> str:
        """Where the app is."""
        return f"http://127.0.0.1:{self.port}{self.base}"

    @property
    def log(self) -> str:
        """What the server has written."""
        return (self.folder / "server.log").read_text(errors="replace")

    def health(self) -> dict[str, int]:
        """What the server says about itself."""
        with urllib.request.urlopen(f"{self.url}health", timeout=120) as answer:
            return dict(json.load(answer))

    def visitors(self) -> int:
        """How many kernels have a visitor, as the server counts."""
        return self.health()["visitors"]

    def ask(self, path: str, method: str = "GET", headers: dict[str, str] | None = None) -> tuple[int, str, Any]:
        """Ask for a path as it is written: nothing is resolved before it is sent. Return status, text, headers."""
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=240)
        line.request(method, path, headers=headers or {})
        answer = line.getresponse()
        text = answer.read().decode(errors="replace")
        line.close()
        return answer.status, text, answer.headers

    def picture(self) -> tuple[float, str]:
        """Ask for the page; return after how many seconds its picture was there to be painted, and the whole page."""
        began = time.monotonic()
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=240)
        line.request("GET", self.base)
        answer = line.getresponse()
        assert answer.status == 200
        text, painted = b"", float("nan")
        while piece := answer.read1(65_536):
            text += piece
            if painted != painted and b"</template></div>" in text:
                painted = time.monotonic() - began
        line.close()
        return painted, text.decode(errors="replace")

    def kernels(self) -> list[int]:
        """Return the processes that branched off the server's stem."""
        stems = [pid for pid in _below(_below([self.process.pid])) if _is_stem(pid)]
        return _below(stems)


def _below(parents: list[int]) -> list[int]:
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1]) in parents:
                found.append(int(folder.name))
    return found


def _is_stem(pid: int) -> bool:
    return b"trustkit.serving.stem" in Path(f"/proc/{pid}/cmdline").read_bytes()


def unshared(pid: int) -> float:
    """Return the megabytes of a process that it shares with no other."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("Private_")) / 1024


@contextlib.contextmanager
def room(folder: Path, *options: str, port: int = 0, base: str = "/", pool: int = 1) -> Iterator[Served]:
    """Serve the app to strangers; the first pages are drawn when the block begins, and nobody is left when it ends."""
    port = port or free_port()
    command = [sys.executable, "-m", "trustkit", "app", "--public", "--port", str(port), "--base-url", base,
               "--pool", str(pool), *options]  # fmt: skip
    process = serve(command, f"http://127.0.0.1:{port}{base}health", folder, 240)
    served = Served(process, port, base, folder)
    try:
        until(lambda: served.health()["waiting"] >= pool, 300)
        yield served
    finally:
        stop(process)


def until(holds: Callable[[], Any], seconds: float = 120) -> Any:
    """Wait until something holds; return it."""
    end = time.monotonic() + seconds
    while not (found := holds()):
        if time.monotonic() > end:
            raise TimeoutError(f"not within {seconds} s")
        time.sleep(0.05)
    return found


def config(page: str) -> dict[str, Any]:
    """Read what a page tells its script: base URL and kernel."""
    found = re.search(r'<script id="jupyter-config-data" type="application/json">(.*?)</script>', page, re.DOTALL)
    assert found is not None, page[-500:]
    return dict(json.loads(found[1]))


@dataclass
class Visitor:
    """Somebody with the page open, who has no browser."""

    served: Served
    kernel: str
    line: ClientConnection
    models: dict[str, State] = field(default_factory=dict)
    others: list[dict[str, Any]] = field(default_factory=list)

    def send(self, kind: str, content: dict[str, Any], channel: str = "shell", **metadata: str) -> str:
        """Send a message of any kind; return its id."""
        name = uuid.uuid4().hex
        header = {"msg_id": name, "msg_type": kind, "username": "", "session": self.kernel, "version": "5.3"}
        words = {"channel": channel, "header": header, "parent_header": {}, "metadata": metadata, "content": content}
        self.line.send(json.dumps({**words, "buffers": []}))
        return name

    def hear(self, seconds: float = 0.2) -> bool:
        """Take one message in, if one comes; return whether one did."""
        try:
            raw = self.line.recv(timeout=seconds)
        except TimeoutError:
            return False
        message = _read(raw)
        content = message["content"]
        if message["header"]["msg_type"] == "comm_msg" and "data" in content:
            data = content["data"]
            if data.get("method") == "update_states":
                self.models.update({name: dict(model["state"]) for name, model in data["states"].items()})
            elif data.get("method") == "update":
                self.models.setdefault(content["comm_id"], {}).update(data["state"])
        elif message["header"]["msg_type"] == "comm_open":
            self.models[content["comm_id"]] = dict(content["data"].get("state", {}))
        self.others.append(message)
        return True

    def open(self) -> None:
        """Ask for the state of all widgets, as the page's script does first."""
        answered: list[str] = []
        while "kernel_info_reply" not in answered:  # what comes before the server has connected both ends is lost
            self.send("kernel_info_request", {})
            self.hear(2)
            answered = [each["header"]["msg_type"] for each in self.others]
        control = uuid.uuid4().hex
        opened = {"comm_id": control, "target_name": "jupyter.widget.control", "data": {}}
        self.send("comm_open", opened, version="1.0.0")
        self.send("comm_msg", {"comm_id": control, "data": {"method": "request_states"}})
        self.wait(lambda: bool(self.models), 120)

    def wait(self, holds: Callable[[], Any], seconds: float = 60) -> Any:
        """Listen until something holds; return it."""
        end = time.monotonic() + seconds
        while not (found := holds()):
            if time.monotonic() > end:
                raise TimeoutError(f"not within {seconds} s: {self.text('tk-v-status')}")
            self.hear()
        return found

    def find(self, css: str) -> str:
        """Return the id of the model with a CSS class."""
        return next(name for name, state in self.models.items() if css in state.get("_dom_classes", ()))

    def text(self, css: str) -> str:
        """Return the text of an HTML widget."""
        with contextlib.suppress(StopIteration):
            return re.sub("<[^>]*>", " ", str(self.models[self.find(css)].get("value", ""))).strip()
        return ""

    def move(self, css: str, index: int) -> None:
        """Put a slider on a stop and let it go."""
        name = self.find(css)
        released = self.models[name]["released"] + 1
        self.models[name].update(index=index, released=released)
        for state in ({"index": index}, {"released": released}):
            self.send("comm_msg", {"comm_id": name, "data": {"method": "update", "state": state, "buffer_paths": []}})

    def press(self, css: str) -> None:
        """Press a button."""
        content = {"method": "custom", "content": {"event": "click"}}
        self.send("comm_msg", {"comm_id": self.find(css), "data": content})


def _read(raw: str | bytes) -> dict[str, Any]:
    """Read a message; one with buffers is binary: how many parts, where they begin, and the parts."""
    if isinstance(raw, bytes):
        count = int.from_bytes(raw[:4], "big")
        starts = [int.from_bytes(raw[4 * k + 4 : 4 * k + 8], "big") for k in range(count)]
        raw = raw[starts[0] : starts[1] if count > 1 else None].decode()
    return dict(json.loads(raw))


@contextlib.contextmanager
def visitor(served: Served, query: str = "", page: str = "") -> Iterator[Visitor]:
    """Open the page and its kernel's line, and leave both as a closed browser does."""
    if not page:
        status, page, _ = served.ask(f"{served.base}{query}")
        assert status == 200, page[:500]
    kernel = config(page)["kernelId"]
    url = f"ws://127.0.0.1:{served.port}{served.base}api/kernels/{kernel}/channels?session_id={uuid.uuid4().hex}"
    origin = Origin(f"http://127.0.0.1:{served.port}")
    with connect(url, max_size=None, open_timeout=60, origin=origin) as line:
        yield Visitor(served, kernel, line)


def end(pid: int) -> None:
    """End a process at once, as the system does that has run out of memory."""
    os.kill(pid, signal.SIGKILL)
