"""How the app is served: for oneself on this machine, or for a room, with limits; written as Voilà's configuration."""

from __future__ import annotations

import ipaddress
import os
import secrets
from dataclasses import dataclass, replace
from typing import Any

from trustkit.serving.spoken import sentences
from trustkit.serving.stem import forks

__all__ = ["Serving"]

_LEAST_MEMORY = 768


@dataclass(frozen=True)
class Serving:
    """What a server of the app is told.

    Parameters
    ----------
    port : int
        0 picks a free one.
    address : str
        To listen on; the default is this machine only.
    base_url : str
        The path that the app lies under, for a reverse proxy.
    browser : bool
        Whether to open a window; a public server opens none.
    theme : str
        "light" or "dark".
    language : str
        Of the page, as "en"; by default what TRUSTKIT_LANGUAGE says, else English.
    token : str, optional
        Without which nobody is let in; ``None`` makes one up where the address is another than this machine's, and an
        empty one lets everybody in.
    public : bool
        Whether strangers come: caps on work and memory, and no choice of look.
    pool : int
        Pages that are drawn before anybody asks for them.
    visitors : int
        The most at a time, if public; 0 sets no bound.
    memory : int
        Megabytes that a visitor's kernel may allocate, if public; 0 sets no bound.
    idle : int
        Seconds after which a kernel that no page is connected to is ended.
    sweep : int
        Seconds between looks for such kernels.
    """

    port: int = 8866
    address: str = "127.0.0.1"
    base_url: str = "/"
    browser: bool = True
    theme: str = "light"
    language: str = ""
    token: str | None = None
    public: bool = False
    pool: int = 1
    visitors: int = 30
    memory: int = 1536
    idle: int = 600
    sweep: int = 60

    def __post_init__(self) -> None:
        if self.theme not in ("light", "dark"):
            raise ValueError(f"theme must be light or dark, got {self.theme!r}")
        if not (self.base_url.startswith("/") and self.base_url.endswith("/")) or set(self.base_url) & set("?# \\"):
            raise ValueError(f"base_url must be a path between slashes, as /trust/, got {self.base_url!r}")
        for name, least in (("pool", 0), ("visitors", 0), ("idle", 1), ("sweep", 1)):
            if getattr(self, name) < least:
                raise ValueError(f"{name} must be at least {least}, got {getattr(self, name)}")
        if 0 < self.visitors < self.pool and self.public:
            raise ValueError(f"pool must be at most the {self.visitors} visitors, got {self.pool}")
        if self.memory and self.memory < _LEAST_MEMORY:
            raise ValueError(f"memory must be 0 or at least the {_LEAST_MEMORY} MB of an idle page, got {self.memory}")
        language = self.language or os.environ.get("TRUSTKIT_LANGUAGE", "")
        if language and language not in sentences():
            raise ValueError(f"language must be one of {', '.join(sentences())}, got {language!r}")
        if self.token and (len(self.token) < 8 or not self.token.isascii() or not self.token.isprintable()):
            raise ValueError("token must be empty or at least 8 printable ASCII characters")

    def with_token(self) -> Serving:
        """Return the same with the token decided.

        Returns
        -------
        Serving
            With a new token where strangers could knock and none was given.
        """
        if self.token is not None:
            return self
        return replace(self, token="" if _only_here(self.address) else secrets.token_urlsafe(24))

    def url(self, port: int) -> str:
        """Return where the app is.

        Parameters
        ----------
        port : int
            That was found free.

        Returns
        -------
        str
            With the token, if there is one.
        """
        host = f"[{self.address}]" if ":" in self.address else self.address or "127.0.0.1"
        return f"http://{host}:{port}{self.base_url}{f'?token={self.token}' if self.token else ''}"

    def configuration(self, port: int) -> dict[str, Any]:
        """Return what Voilà is told beyond ``voila.json``.

        Parameters
        ----------
        port : int
            A free one.

        Returns
        -------
        dict
            By class and trait; it may hold the token, so only this user may read it.
        """
        look = "NO" if self.public else "YES"
        return {
            "Voila": {
                "port": port,
                "ip": self.address,
                "base_url": self.base_url,
                "open_browser": self.browser and not self.public,
                "token": self.token or "",
            },
            "Room": {"visitors": self.visitors if self.public else 0, "forks": forks(), "open": not self.public},
            "VoilaConfiguration": {
                "theme": self.theme,
                "allow_theme_override": look,
                "preheat_kernel": self.pool > 0,
                "default_pool_size": self.pool,
            },
            "MappingKernelManager": {"cull_interval": self.sweep, "cull_idle_timeout": self.idle},
        }

    def environment(self) -> dict[str, str]:
        """Return what server and kernels find in their environment.

        Returns
        -------
        dict of str to str
            The caps of a public page, the language, and where a waiting kernel reaches the server.
        """
        found = {}
        if self.public:  # Arrow's own allocator would reserve a gigabyte of what a visitor may have, to read one table
            found = {"TRUSTKIT_PUBLIC": "1", "TRUSTKIT_MEMORY": str(self.memory), "ARROW_DEFAULT_MEMORY_POOL": "system"}
        if self.language:
            found["TRUSTKIT_LANGUAGE"] = self.language
        if self.address not in ("", "0.0.0.0", "::", "127.0.0.1", "localhost"):
            found["VOILA_APP_IP"] = f"[{self.address}]" if ":" in self.address else self.address
        return found


def _only_here(address: str) -> bool:
    """Whether only this machine can reach an address."""
    try:
        return address == "localhost" or ipaddress.ip_address(address).is_loopback
    except ValueError:  # a name
        return False
