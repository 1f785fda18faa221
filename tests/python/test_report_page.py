"""The report as a file: it stands alone, escapes what it shows, and a browser draws it."""

import base64
import gzip
import html.parser
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from gossamer.report import vega, write_report
from gossamer.results import Results, ResultsError
from synthetic_results import EXPERIMENT, lively_run, record, write_folder

CHROMIUM = next(
    (path for name in ("chromium", "chromium-browser", "google-chrome", "chrome") if (path := shutil.which(name))), None
)
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--enable-logging=stderr",
    "--virtual-time-budget=600000",
]
LOADS = {  # what a browser would fetch, by element
    "script": ("src",),
    "link": ("href",),
    "img": ("src", "srcset"),
    "iframe": ("src",),
    "source": ("src", "srcset"),
    "object": ("data",),
    "video": ("src",),
    "audio": ("src",),
    "use": ("href", "xlink:href"),
    "image": ("href", "xlink:href"),
}


class Elements(html.parser.HTMLParser):
    """The elements of a page, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data

    def named(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for each, attributes in self.found if each == tag]


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report of two variants at two loads, one run of which stalled."""
    runs = []
    for name, harm in (("newreno", 3.0), ("dctcp", 1.2)):
        for load in (0.2, 0.8):
            tables = lively_run(f"{name},load={load}", load, harm, flows=1200)
            runs.append(
                record(f"{name},load={load}", variant=name, sweep={"workload.0.load": load}, tables=tables, seed=1)
            )
    runs[0] |= {"status": "stalled", "message": "flows 3 and 7 wait for <acknowledgements> & time"}
    folder = write_folder(tmp_path_factory.mktemp("results"), runs, overrides=["seed=1"])
    return write_report(Results.open(folder), folder / "report.html")


def unpacked(text: str, name: str) -> str:
    found = re.search(rf'<script type="text/plain" id="{name}">([^<]*)</script>', text)
    assert found
    return gzip.decompress(base64.b64decode(found[1])).decode()


def test_nothing_is_fetched(report: Path) -> None:
    text = report.read_text(encoding="utf-8")
    elements = Elements(text)
    for tag, names in LOADS.items():
        for attributes in elements.named(tag):
            for name in names:
                assert (attributes.get(name) or "data:").startswith("data:"), (tag, attributes)
    styles = re.findall(r"<style>(.*?)</style>", text, flags=re.DOTALL)
    assert styles
    assert not any("url(" in style or "@import" in style for style in styles)
    figures = json.loads(unpacked(text, "figures"))
    assert not any("url" in source for figure in figures["figures"].values() for source in figure["data"])
    # What is left are names, not addresses: the namespaces of SVG and XLink.
    addresses = set(re.findall(r"https?://[\w./-]+", text + unpacked(text, "vega") + unpacked(text, "figures")))
    assert addresses <= {
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/2000/xmlns/",
        "http://www.w3.org/1999/xlink",
    }


def test_it_is_small(report: Path) -> None:
    text = report.read_text(encoding="utf-8")
    packed = len(re.search(r'id="vega">([^<]*)<', text)[1])  # type: ignore[index]
    assert 150_000 < packed < 290_000  # of Vega
    assert report.stat().st_size < 600_000


def test_what_it_says(report: Path) -> None:
    text = report.read_text(encoding="utf-8")
    elements = Elements(text)
    assert "<title>Synthetic &lt;comparison&gt; &amp; more</title>" in text
    for words in (
        "Synthetic <comparison> & more",
        "As load goes from 0.2 to 0.8, the throughput per host",
        "run newreno,load=0.2 stalled: flows 3 and 7 wait for <acknowledgements> & time",
        "gossamer run synthetic.toml --set seed=1",
        "Slowdown of a flow is its completion time over its ideal completion time",
        "Example CPU, Linux",
        EXPERIMENT,
    ):
        assert words in elements.text, words
    saved = next(attributes for attributes in elements.named("a") if "download" in attributes)
    assert saved["download"] == "synthetic.toml"
    assert base64.b64decode(str(saved["href"]).split(",")[1]).decode() == EXPERIMENT


def test_tables_are_accessible(report: Path) -> None:
    elements = Elements(report.read_text(encoding="utf-8"))
    heads = elements.named("th")
    assert all(attributes.get("scope") in ("col", "row", "colgroup") for attributes in heads)
    assert elements.named("caption")
    assert all(attributes.get("aria-sort") == "none" for attributes in heads if attributes["scope"] == "col")
    labelled = [attributes["aria-labelledby"] for attributes in elements.named("figure")]
    assert set(labelled) <= {attributes.get("id") for _, attributes in elements.found}
    assert len(labelled) == 16
    assert next(iter(elements.named("html")))["lang"] == "en"


def test_the_same_results_give_the_same_bytes(report: Path) -> None:
    before = report.read_bytes()
    write_report(Results.open(report.parent), report)
    assert report.read_bytes() == before


def test_a_folder_with_nothing_in_it_still_gives_a_report(tmp_path: Path) -> None:
    folder = write_folder(tmp_path, [record("a", status="failed", message="the disk is full")], experiment=None)
    text = write_report(Results.open(folder), tmp_path / "report.html").read_text(encoding="utf-8")
    words = Elements(text).text
    assert "No run left a summary; everything that is available is below." in words
    assert "run a failed: the disk is full" in words
    assert "The experiment file was not kept with the results." in words
    assert (
        "FCT slowdown, flow completion times, throughput per flow, distribution of throughput: run a has no flows"
        in words
    )
    assert "<figure" not in text


def test_where_it_cannot_be_written(report: Path, tmp_path: Path) -> None:
    with pytest.raises(ResultsError, match=r"no/report.html cannot be written: No such file or directory$"):
        write_report(Results.open(report.parent), tmp_path / "no" / "report.html")


def test_from_another_carrier_vega_is_taken_with_all_around_it(report: Path) -> None:
    known, other = unpacked(report.read_text(encoding="utf-8"), "vega"), vega.bundled("1.10.0")
    assert len(known) < 0.7 * len(other)
    assert "window.vega=" in known
    assert "window.vega=" in other
    assert "https://cdn" not in known + other


@pytest.fixture
def bundled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is bundled from now on, by something that is quicker than vl-convert."""
    programs: list[str] = []

    def bundle(program: str) -> str:
        programs.append(program)
        return f"bundle of {program}"

    monkeypatch.setattr("vl_convert.javascript_bundle", bundle)
    return programs


def test_vega_is_bundled_once_for_a_version(
    bundled: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = vega.vega.__wrapped__  # what a process does at its first report
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    first = taken("1.9.0")
    assert gzip.decompress(base64.b64decode(first)).decode() == f"bundle of {bundled[0]}"
    assert taken("1.9.0") == first
    assert len(bundled) == 1
    assert taken("1.10.0") != first
    assert len(bundled) == 2
    files = sorted((tmp_path / "gossamer").iterdir())
    assert len(files) == 2
    for damaged in (b"", b"\xff", files[0].read_bytes()[:-1]):
        for file in files:
            file.write_bytes(damaged)
        assert taken("1.9.0") == first
    assert len(bundled) == 5


def test_vega_needs_no_place_where_it_is_kept(
    bundled: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = vega.vega.__wrapped__
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert taken("1.9.0") == taken("1.9.0")
    monkeypatch.setenv("XDG_CACHE_HOME", "not/absolute")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert taken("1.9.0") == taken("1.9.0")
    assert [file.parent for file in tmp_path.rglob("vega-*")] == [tmp_path / "home" / ".cache" / "gossamer"]

    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", homeless)
    assert taken("1.9.0") == taken("1.9.0")
    assert len(bundled) == 5


def browse(path: Path, profile: Path) -> tuple[str, list[str]]:
    """The page after its scripts have run, and what the console said."""
    assert CHROMIUM
    done = subprocess.run(
        [CHROMIUM, *FLAGS, f"--user-data-dir={profile}", "--dump-dom", path.as_uri()],
        capture_output=True,
        text=True,
        timeout=200,
        check=True,
    )
    return done.stdout, [line for line in done.stderr.splitlines() if "CONSOLE" in line]


PROBE = """
<script>
(async () => {
  const root = document.documentElement;
  while (!root.dataset.drawn && !root.dataset.failed) await new Promise(done => setTimeout(done, 50));
  const settle = () => new Promise(done => setTimeout(done, 500));
  const found = {drawn: root.dataset.drawn, failed: root.dataset.failed, theme: root.dataset.theme};
  const all = (selector, within) => [...(within ?? document).querySelectorAll(selector)];
  const lines = name => all(`#${name} .mark-line path`).map(each => each.getAttribute("opacity"));
  const order = () => [...all("table.sortable")[0].tBodies[0].rows].map(row => row.cells[3].textContent);
  const squares = () => all("#link-map .mark-rect path").map(each => each.getAttribute("fill")).join();
  const cdf = () => all("#fct-cdf .mark-line path")[0].getAttribute("d");
  found.shown = lines("latency");
  const before = [squares(), cdf()];
  document.querySelector('[data-label="dctcp"]').click(); await settle();
  found.isolated = lines("latency");
  found.map = squares() !== before[0];
  found.list = document.querySelector('select[data-figure="link-map"]').value;
  const point = document.getElementById("point");
  point.value = "load=0.2"; point.dispatchEvent(new Event("change")); await settle();
  found.point = cdf() !== before[1];
  document.querySelectorAll("thead button")[3].click();
  found.up = order();
  document.querySelectorAll("thead button")[3].click();
  found.down = order();
  document.getElementById("theme").click(); await settle();
  found.after = root.dataset.theme;
  found.kept = lines("latency");
  found.width = root.scrollWidth <= innerWidth;
  const files = {}, blobs = {};
  URL.createObjectURL = blob => { const name = `blob:${Object.keys(blobs).length}`; blobs[name] = blob; return name; };
  HTMLAnchorElement.prototype.click = function () { files[this.download] = this.getAttribute("href"); };
  for (const form of ["csv", "svg", "png"]) {
    document.querySelector(`[data-save="fct-cdf"][data-form="${form}"]`).click();
    while (!files[`fct-cdf.${form}`]) await settle();  // an image takes real time
  }
  found.csv = await blobs[files["fct-cdf.csv"]].text();
  found.svg = (await blobs[files["fct-cdf.svg"]].text()).slice(1, 4);
  found.png = files["fct-cdf.png"].slice(0, 22);
  document.body.innerHTML = `<pre id="found">${JSON.stringify(found)}</pre>`;
})();
</script></body>"""


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium or Chrome is on the path")
def test_a_browser_draws_it_without_a_word_on_the_console(report: Path, tmp_path: Path) -> None:
    dom, said = browse(report, tmp_path / "profile")
    assert said == []
    assert 'data-drawn="16"' in dom
    assert "data-failed" not in dom
    assert dom.count("<svg") == 16
    assert dom.count('aria-roledescription="line mark"') > 20
    assert '<p id="trouble" class="trouble" hidden=""></p>' in dom


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium or Chrome is on the path")
def test_a_reader_can_isolate_choose_sort_and_dim(report: Path, tmp_path: Path) -> None:
    probed = tmp_path / "probed.html"
    probed.write_text(report.read_text(encoding="utf-8").replace("</body>", PROBE), encoding="utf-8")
    dom, said = browse(probed, tmp_path / "profile")
    assert said == []
    text = re.search(r'<pre id="found">(.*?)</pre>', dom)
    assert text, dom[:2000]
    found: dict[str, Any] = json.loads(text[1])
    assert (found["drawn"], found.get("failed")) == ("16", None)
    assert found["shown"] == ["1", "1"]
    assert sorted(found["isolated"]) == ["0.08", "1"]
    assert found["list"] == "dctcp"
    assert found["map"]
    assert found["point"]
    values = [float(value.split()[0]) for value in found["up"]]
    assert values == sorted(values)
    assert len(set(values)) > 1
    assert found["down"] == found["up"][::-1]
    assert {found["theme"], found["after"]} == {"light", "dark"}
    assert sorted(found["kept"]) == ["0.08", "1"]  # a change of theme keeps the choice
    assert found["width"]
    assert (found["svg"], found["png"]) == ("svg", "data:image/png;base64,")
    head, *lines = found["csv"].splitlines()
    assert head == "label,point,fct,share"
    assert len(lines) > 100
    assert {line.split(",")[1] for line in lines} == {"load=0.2"}  # the point that is chosen
