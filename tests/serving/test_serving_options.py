"""What a server is told: checked at once, with a token where strangers could knock, with limits where it is public."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import trustkit.serving.options
from trustkit.serving.options import Serving
from trustkit.serving.room import _full
from trustkit.serving.spoken import chosen, sentences, told

SHIPPED = json.loads((Path(trustkit.serving.options.__file__).parent / "voila.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("told", "complaint"),
    [
        ({"theme": "blue"}, "theme must be light or dark, got 'blue'"),
        ({"theme": "light --Voila.ip=0.0.0.0"}, "theme must be light or dark, got"),
        ({"base_url": "trust"}, "base_url must be a path between slashes, as /trust/, got 'trust'"),
        ({"base_url": "/a b/"}, "base_url must be a path between slashes"),
        ({"pool": -1}, "pool must be at least 0, got -1"),
        ({"idle": 0}, "idle must be at least 1, got 0"),
        ({"public": True, "pool": 9, "visitors": 4}, "pool must be at most the 4 visitors, got 9"),
        ({"memory": 100}, "memory must be 0 or at least the 768 MB of an idle page, got 100"),
        ({"language": "tlh"}, "language must be one of de, en, got 'tlh'"),
        ({"token": "short"}, "token must be empty or at least 8 printable ASCII characters"),
    ],
)
def test_what_does_not_fit_is_refused(told: dict[str, Any], complaint: str) -> None:
    """Before anything is started, in one sentence."""
    with pytest.raises(ValueError, match=complaint):
        Serving(**told)


@pytest.mark.parametrize(
    ("address", "locked"),
    [("127.0.0.1", False), ("localhost", False), ("::1", False), ("127.3.2.1", False),
     ("0.0.0.0", True), ("", True), ("192.168.1.5", True), ("::", True), ("room.example", True)],
)  # fmt: skip
def test_a_token_is_made_up_where_strangers_could_knock(address: str, locked: bool) -> None:
    """And a given one is kept, also the empty one, as behind a proxy that asks for names itself."""
    token = Serving(address=address).with_token().token
    assert bool(token) is locked
    assert token != Serving(address=address).with_token().token or not locked
    assert Serving(address=address, token="").with_token().token == ""
    assert Serving(address=address, token="open-sesame").with_token().url(80).endswith("/?token=open-sesame")


def test_a_public_server_has_limits_and_a_private_one_a_choice_of_look() -> None:
    """Caps reach the kernels by their environment."""
    public, private = Serving(public=True, visitors=12, memory=900), Serving()
    assert public.environment() == {
        "TRUSTKIT_PUBLIC": "1", "TRUSTKIT_MEMORY": "900", "ARROW_DEFAULT_MEMORY_POOL": "system",
    }  # fmt: skip
    assert private.environment() == {}
    assert public.configuration(1)["Room"]["visitors"] == 12
    assert private.configuration(1)["Room"]["visitors"] == 0
    assert public.configuration(1)["VoilaConfiguration"]["allow_theme_override"] == "NO"
    assert private.configuration(1)["VoilaConfiguration"]["allow_theme_override"] == "YES"
    assert not public.configuration(1)["Voila"]["open_browser"]
    assert Serving(address="192.168.1.5").environment() == {"VOILA_APP_IP": "192.168.1.5"}
    assert Serving(address="fe80::1").url(7) == "http://[fe80::1]:7/"
    assert Serving(language="de").environment() == {"TRUSTKIT_LANGUAGE": "de"}


def test_what_is_shipped_is_the_strict_side() -> None:
    """No override, no traceback, no file, no restart, idle kernels ended, and only widgets' extensions."""
    voila = SHIPPED["VoilaConfiguration"]
    assert voila["allow_template_override"] == voila["allow_theme_override"] == "NO"
    assert (voila["show_tracebacks"], voila["strip_sources"]) == (False, True)
    assert (voila["file_allowlist"], voila["file_denylist"]) == ([], [".*"])
    assert voila["progressive_rendering"] is False  # Voilà cannot draw in advance with it
    assert SHIPPED["MappingKernelManager"]["cull_connected"] is False
    assert SHIPPED["KernelRestarter"]["restart_limit"] == 0
    assert SHIPPED["Voila"]["port_retries"] == 0
    assert "unsafe-eval" not in json.dumps(SHIPPED)


def test_what_is_said_without_a_kernel_is_chosen_as_the_page_chooses(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the address, else by the server's environment, else English; for an unknown language English."""
    monkeypatch.delenv("TRUSTKIT_LANGUAGE", raising=False)
    assert [chosen(each) for each in ("", "de", "DE-at", "en", "tlh", "<b>")] == ["en", "de", "de", "en", "en", "en"]
    monkeypatch.setenv("TRUSTKIT_LANGUAGE", "de")
    assert [chosen(each) for each in ("", "en", "tlh")] == ["de", "en", "en"]
    assert Serving().language == ""
    monkeypatch.setenv("TRUSTKIT_LANGUAGE", "tlh")
    assert chosen("") == "en"
    with pytest.raises(ValueError, match="language must be one of de, en, got 'tlh'"):
        Serving()
    with pytest.raises(ValueError, match="language must be one of de, en, got 'fr'"):
        Serving(language="fr")


def test_a_full_room_says_so_in_the_visitors_language() -> None:
    """A whole page, as the catalogue has it."""
    page = _full("de", 12)
    assert page.startswith('<!doctype html><html lang="de">')
    assert "Alle 12 Plätze dieses Raums sind belegt" in page
    assert "All 12 places of this room are taken" in _full("en", 12)
    assert told({"baseUrl": "/"})["trustkit"]["sentences"]["de"] == sentences()["de"]
