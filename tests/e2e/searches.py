"""weir check with a real web search behind it: searx, which has one engine, our own shelf."""
import pathlib
import re
import shutil
import signal
import subprocess
import urllib.error
import urllib.request

import live
from case import Skipped, case, expect, require
from papers import INVENTED, KNOWN, Desk, judged, wait_for

PACKAGED = pathlib.Path("/usr/share/doc/searx/examples/settings.yml")
PYTHON = "/usr/bin/python3"         # the one that Debian's packages are for
ENGINE = """
engines:
  - name: shelf
    engine: json_engine
    shortcut: sh
    categories: general
    search_url: {base}/web_search/search?q={{query}}
    results_query: results
    url_query: url
    title_query: title
    content_query: title
    enable_http: true
"""


class Searx:
    """The packaged settings, with no other engine than the one at this base."""

    def __init__(self, folder, base):
        self.port = live.free_port()
        parts = re.split(r"(?m)^(?=\w+:)", PACKAGED.read_text())
        text = "".join(part for part in parts if not part.startswith("engines:"))
        text = re.sub(r"(?m)^(\s+port\s*:).*", rf"\1 {self.port}", text)
        text = text.replace("ultrasecretkey", "of a test")
        self.settings = folder / "settings.yml"
        self.settings.write_text(text + ENGINE.format(base=base))
        self.url = f"http://127.0.0.1:{self.port}"

    def __enter__(self):
        env = {"SEARX_SETTINGS_PATH": str(self.settings), "PATH": "/usr/bin:/bin",
               "HOME": str(self.settings.parent)}
        self.process = subprocess.Popen([PYTHON, "-m", "searx.webapp"], env=env,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                        cwd=self.settings.parent)
        wait_for(self.answers)
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=20)

    def answers(self):
        require(self.process.poll() is None, "searx has ended")
        try:
            return urllib.request.urlopen(f"{self.url}/healthz").status == 200
        except (urllib.error.URLError, ConnectionError):
            return False


def searching(program, faults=()):
    """A desk whose catalogues know nothing and whose web knows what they would."""
    if not PACKAGED.exists() or not shutil.which("searx-run"):
        raise Skipped("searx is not installed")
    blind = [{"source": slug, "do": "none", "every": 1}
             for slug in ("crossref", "dblp", "europe_pmc", "pubmed", "openreview",
                          "open_library", "openalex")]
    return Desk(program, [*blind, *faults])


@case("a work that only the web knows is verified by a real web search, its authors unjudged")
def web_knows(program):
    with searching(program) as desk, Searx(desk.folder, desk.base) as searx:
        status, found = judged(desk, KNOWN + INVENTED, "--searxng", searx.url)
        quiet, attic = found["quiet"], found["attic"]
        expect((quiet["verdict"], quiet["flags"]), ("verified", ["authors_unjudged"]))
        expect(quiet["evidence"][0]["source"], "Web Search")
        expect((attic["verdict"], status), ("not_found", 1))


@case("a real web search whose only engine fails leaves a work undecided")
def web_fails(program):
    faults = [{"source": "web_search", "do": "500", "every": 1}]
    with searching(program, faults) as desk, Searx(desk.folder, desk.base) as searx:
        status, found = judged(desk, INVENTED, "--searxng", searx.url)
        expect((found["attic"]["verdict"], status), ("inconclusive", 3))
        require("Web Search" in found["attic"]["reason"], found["attic"]["reason"])
