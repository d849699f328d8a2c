"""The recipes of the documentation are read by what would read them, as far as that is here."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
from traitlets.config import Config
from traitlets.config.loader import PyFileConfigLoader
from typer.testing import CliRunner

from tests.serving.test_serving_nginx import RECIPES, recipe
from trustkit.cli import cli
from trustkit.serving.options import Serving

INSTRUCTIONS = {"ARG", "FROM", "RUN", "COPY", "USER", "WORKDIR", "ENV", "EXPOSE", "HEALTHCHECK", "CMD"}


def test_the_hubs_configuration_is_python_that_the_hub_can_read(tmp_path: Path) -> None:
    """By the loader that JupyterHub uses; the notebook that it opens is one that we ship."""
    (tmp_path / "jupyterhub_config.py").write_text(recipe("python"), encoding="utf-8")
    config: Config = PyFileConfigLoader("jupyterhub_config.py", str(tmp_path)).load_config()
    assert config.Spawner.default_url.rsplit("/", 1)[1] == "app.ipynb"
    assert config.Spawner.environment["TRUSTKIT_PUBLIC"] == "1"
    assert config.JupyterHub.active_server_limit == 30


def test_the_containers_file_is_well_formed() -> None:
    """Known instructions only; it starts no server as root, and what it starts is a command that we have."""
    lines = [line for line in recipe("dockerfile").splitlines() if line.strip()]
    words = [line.split(" ", 1) for line in lines]
    assert {first for first, _ in words} <= INSTRUCTIONS
    assert words[0][0] == "FROM"
    order = [first for first, _ in words]
    assert order.index("USER") < order.index("CMD")
    lists = [re.findall(r"\[.*\]", rest)[0] for first, rest in words if first in ("CMD", "HEALTHCHECK")]
    for text in lists:
        assert isinstance(json.loads(text), list)
    for first, rest in words:
        if first == "RUN":
            assert shlex.split(rest)


@pytest.mark.parametrize("line", sorted(set(re.findall(r"trustkit app[^\n`&]*", RECIPES))))
def test_every_command_that_is_shown_exists(line: str) -> None:
    """Its options are known to the command line; nothing is started, since ``--help`` is asked with it."""
    options = [word for word in shlex.split(line)[2:] if word.startswith("--")]
    done = CliRunner().invoke(cli, ["app", "--help"], env={"COLUMNS": "200", "TERM": "dumb"})
    assert done.exit_code == 0
    assert all(option in done.output for option in options)


def test_the_numbers_that_are_named_are_the_defaults() -> None:
    """Pool, places, idle seconds and memory."""
    public = Serving(public=True)
    for text in (f"--visitors {public.visitors}", f"--memory {public.memory}", f"--idle {public.idle}"):
        assert f"`{text}`" in RECIPES
