"""A public room over plain HTTP: what it answers, what it refuses, and what its kernels may do."""

from __future__ import annotations

import os
import re
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from websockets.exceptions import InvalidStatus

from tests.serving.visiting import Served, config, end, room, unshared, until, visitor
from trustkit import Experiment, use
from trustkit.sharelink import Shared, encode

OUTSIDE = [
    "/../../../../etc/passwd",
    "/voila/static/../../../../../../../etc/passwd",
    "/voila/static/..%2f..%2f..%2f..%2f..%2f..%2f..%2fetc%2fpasswd",
    "/voila/static/%2e%2e/%2e%2e/%2e%2e/%2e%2e/%2e%2e/%2e%2e/etc/passwd",
    "/voila/static//etc/passwd",
    "/voila/files/../../../../etc/passwd",
    "/voila/files/..%2f..%2f..%2fetc%2fpasswd",
    "/voila/files/%2fetc%2fpasswd",
    "/voila/files/app.ipynb",
    "/voila/files/settings/voila.json",
    "/voila/files/picture.png",
    "/voila/templates/../static/x",
    "/voila/templates/..%2f..%2f..%2fetc/static/passwd",
    "/voila/templates/trustkit/static/../index.html.j2",
    "/voila/templates/trustkit/static/..%2findex.html.j2",
    "/voila/templates/nothing/static/x.js",
    "/voila/templates/x",
    "/voila/labextensions/..%2f..%2f..%2f..%2fetc%2fpasswd",
    "/voila/api/themes/..%2f..%2f..%2f..%2fetc%2fpasswd",
    "/voila/api/contents/",
    "/voila/tree",
    "/voila/render/app.ipynb",
    "/api/contents/",
    "/api/sessions",
    "/api/terminals",
    "/api/kernels",
    "/api/kernels/00000000-0000-0000-0000-000000000000",
    "/app.ipynb",
    "/settings/voila.json",
]


@pytest.mark.parametrize("path", OUTSIDE)
def test_no_file_leaves_the_room(served: Served, path: str) -> None:
    """Neither this machine's, nor the notebook, nor the token's; and no answer says how the server is made."""
    status, text, _ = served.ask(path)
    assert 400 <= status < 600
    assert status != 500 or "Traceback" not in text
    for word in ("root:x", '"cells"', "Traceback", "site-packages", ".py&quot;"):
        assert word not in text


def test_what_a_browser_may_do_is_said_with_every_answer(served: Served) -> None:
    """No script but the server's own files, nothing from elsewhere, no frame on another site."""
    for path in ("/health", "/voila/static/voila.js", "/nothing"):
        _, _, headers = served.ask(path)
        policy = {part.split()[0]: part.split()[1:] for part in headers["Content-Security-Policy"].split(";")}
        assert policy["default-src"] == ["'none'"]
        assert policy["script-src"] == ["'self'", "blob:"]  # blob: is how anywidget loads a widget's own script
        assert policy["connect-src"] == ["'self'"]
        assert policy["frame-ancestors"] == ["'self'"]
        assert "unsafe-eval" not in headers["Content-Security-Policy"]
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert "Server" not in headers
    assert "max-age" in served.ask("/voila/static/voila.js")[2]["Cache-Control"]


def test_the_page_asks_for_nothing_elsewhere_and_has_no_script_inside(served: Served) -> None:
    """Whoever asks for another template or theme gets the same page."""
    status, page, headers = served.ask("/?template=reveal&theme=dark")
    assert status == 200
    assert 'data-jp-theme-light="true"' in page
    assert 'id="tk-picture"' in page
    assert "no-store" in headers["Cache-Control"]
    scripts = re.findall(r"<script([^>]*)>(.*?)</script>", page, re.DOTALL)
    assert all("src=" in how or "json" in how for how, _ in scripts)
    assert all(body.strip() == "" for how, body in scripts if "json" not in how)
    assert not re.findall(r"""(?:src|href)=["']?(?:https?:)?//""", page)
    assert not re.search(r"\son\w+=", re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL))
    extensions = [each["name"] for each in config(page)["federated_extensions"]]
    assert set(extensions) <= {"anywidget", "@jupyter-widgets/jupyterlab-manager", "@voila-dashboards/widgets-manager8"}


def test_a_page_can_move_widgets_but_run_no_code(served: Served, tmp_path: Path) -> None:
    """What Jupyter calls ``execute_request`` is dropped on its way, whichever channel it comes by."""
    trace = tmp_path / "was-here"
    with visitor(served) as somebody:
        somebody.open()
        code = {"code": f"open({str(trace)!r}, 'w').close()", "silent": False, "user_expressions": {}}
        for channel in ("shell", "control"):
            somebody.send("execute_request", code, channel)
        somebody.send("input_reply", {"value": "1"}, "stdin")
        somebody.send("complete_request", {"code": "import os; os.", "cursor_pos": 14})
        asked = somebody.send("kernel_info_request", {})
        somebody.wait(lambda: any(each["parent_header"].get("msg_id") == asked for each in somebody.others), 240)
        kinds = {each["header"]["msg_type"] for each in somebody.others}
        assert not kinds & {"execute_reply", "execute_input", "complete_reply", "error"}
        assert not trace.exists()
        assert not [state for state in somebody.models.values() if "FileUpload" in str(state.get("_model_name"))]
        before = somebody.text("tk-v-split")
        somebody.move("tk-c-clients", 4)
        assert somebody.wait(lambda: somebody.text("tk-v-split") != before and somebody.text("tk-v-split"))
    assert "execute_request" in served.log
    assert "not allowed" in served.log


def test_a_link_above_the_caps_is_cut_and_says_so(served: Served) -> None:
    """200 rounds become 100; the address then carries what is really asked for."""
    experiment = Experiment("wine", use("iid", parties=5), model="logistic", rounds=200)
    with visitor(served, f"?s={encode(Shared(experiment))}") as somebody:
        somebody.open()
        assert "rounds 200 → 100" in somebody.text("tk-limits") + somebody.text("tk-v-limits")
        stops = somebody.models[somebody.find("tk-c-rounds")]["texts"]
        assert stops[-1] == "100"
        assert "running 200" not in somebody.text("tk-v-status")


def test_a_link_to_too_many_rows_opens_on_a_part_of_them(served: Served) -> None:
    """In one sentence, on the page; nothing is red."""
    experiment = Experiment("cces", use("iid", parties=5), model="logistic", rounds=2)
    with visitor(served, f"?s={encode(Shared(experiment))}") as somebody:
        somebody.open()
        assert "so it has limits: data: 20,000 of 58,079 rows" in somebody.text("tk-v-limits")
        assert somebody.text("tk-v-problem") == ""


def test_a_visitors_kernel_is_small_and_bounded(served: Served) -> None:
    """It shares what is loaded, may allocate so much and no more, and stands back behind the server."""
    with visitor(served) as somebody:
        somebody.open()
        kernels = served.kernels()
        assert kernels
        for pid in kernels:
            lines = Path(f"/proc/{pid}/limits").read_text().splitlines()
            limit = next(line for line in lines if line.startswith("Max data size"))
            assert limit.split()[3:5] == [str(1536 << 20)] * 2
            assert unshared(pid) < 160
            assert Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[16] == str(os.nice(0) + 2)


def test_a_killed_kernel_is_gone_and_a_waiting_one_is_replaced(tmp_path: Path) -> None:
    """None comes back empty under the same name; the next visitor is served from the pool all the same."""
    with room(tmp_path, pool=1) as served:
        (waiting,) = until(lambda: served.kernels() if len(served.kernels()) == 1 else [])
        end(waiting)
        (replaced,) = until(lambda: [pid for pid in served.kernels() if pid != waiting], 240)
        until(lambda: served.log.count("is filled with") >= 2, 240)
        with visitor(served) as somebody:
            somebody.open()
            assert served.ask(f"/api/kernels/{somebody.kernel}")[0] == 200
            assert served.visitors() == 1
            end(replaced)
            until(lambda: served.ask(f"/api/kernels/{somebody.kernel}")[0] == 404)
            assert served.visitors() == 0
        stem_and_kernels = until(served.kernels)  # the pool is filled again, some seconds after the last visitor
    until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in stem_and_kernels), 240)


def test_a_kernel_without_a_page_is_ended(tmp_path: Path) -> None:
    """Whose page never connected, or was closed; one that is connected stays, and so does one that waits."""
    with room(tmp_path, "--idle", "6", "--sweep", "1", pool=1) as served:
        with visitor(served) as somebody:
            somebody.open()
            status, page, _ = served.ask("/")  # as a robot asks: it starts no script
            assert status == 200
            robots = f"/api/kernels/{config(page)['kernelId']}"
            assert (served.ask(robots)[0], served.visitors()) == (200, 2)
            until(lambda: served.health()["waiting"] == 1)
            until(lambda: served.ask(robots)[0] == 404)
            assert served.visitors() == 1
            assert served.ask(f"/api/kernels/{somebody.kernel}")[0] == 200
            before = somebody.text("tk-v-split")
            somebody.move("tk-c-clients", 4)
            somebody.wait(lambda: somebody.text("tk-v-split") not in ("", before))
        left = served.kernels()
        until(lambda: served.visitors() == 0)
        (waiting,) = until(lambda: served.kernels() if len(served.kernels()) == 1 else [])
        assert waiting in left  # nobody has replaced it
        assert served.health() == {"visitors": 0, "places": 30, "waiting": 1}
        with visitor(served) as somebody:  # and it is as good as new
            somebody.open()
            assert " ".join(somebody.text("tk-v-summary").split()).startswith("Trust 0.")


def test_a_full_room_says_so(tmp_path: Path) -> None:
    """One place: the second visitor is told to wait."""
    with room(tmp_path, "--visitors", "1") as served, visitor(served) as somebody:
        somebody.open()
        status, text, headers = served.ask("/")
        assert status == 503
        assert "All 1 places of this room are taken" in text
        assert headers["Retry-After"] == "60"
        assert "Traceback" not in text


def test_with_a_token_nobody_else_comes_in(tmp_path: Path) -> None:
    """Neither to the page, nor to a kernel whose name was guessed; with it, a cookie is enough from then on."""
    with room(tmp_path, "--token", "open-sesame") as served:
        assert "open-sesame" not in Path(f"/proc/{served.process.pid}/environ").read_text()
        status, _, headers = served.ask("/")
        assert status == 302
        assert headers["Location"].startswith("/login")
        login = served.ask(headers["Location"])[1]
        assert not re.findall(r"""<(?:script|link|img|iframe)[^>]*(?:src|href)=["']?(?:https?:)?//""", login)
        status, page, headers = served.ask("/?token=open-sesame")
        assert status == 200
        kernel = config(page)["kernelId"]
        assert served.ask(f"/api/kernels/{kernel}")[0] == 403
        with pytest.raises(InvalidStatus, match="403"), visitor(served, page=page):
            pass
        cookies = "; ".join(each.split(";")[0] for each in headers.get_all("Set-Cookie"))
        assert served.ask(f"/api/kernels/{kernel}", headers={"Cookie": cookies})[0] == 200
        assert served.ask("/?token=open-sesamf")[0] in (302, 403)


def test_looking_after_the_server_starts_no_kernel(served: Served) -> None:
    """The health page, static files and odd methods cost nothing."""
    before = served.visitors()
    found = served.health()
    assert (found["visitors"], found["places"]) == (before, 30)
    for method in ("HEAD", "POST", "PUT", "DELETE", "OPTIONS"):
        assert served.ask("/", method)[0] >= 400
    with pytest.raises(urllib.error.HTTPError):
        urllib.request.urlopen(f"{served.url}favicon.ico", timeout=30)
    assert served.visitors() == before
