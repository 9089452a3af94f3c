"""A real web search on loopback: searx as Debian packages it, whose engines ask a local site.

    with Searx(folder, {"mojeek": base + "/search?q={query}"}) as searx:
        searx.url + "/search?q=ferry&format=json&engines=mojeek"

Its settings are the packaged ones with no other engine than these.
"""
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request

PACKAGED = pathlib.Path("/usr/share/doc/searx/examples/settings.yml")
PYTHON = "/usr/bin/python3"         # the one that Debian's packages are for
UP_WITHIN = 60                      # seconds
ENGINE = """\
  - name: {name}
    engine: json_engine
    shortcut: e{number}
    categories: general
    search_url: "{url}"
    results_query: results
    url_query: url
    title_query: title
    content_query: content
    enable_http: true
"""


def missing():
    """Why there is no searx here; None when there is."""
    if not PACKAGED.exists() or not shutil.which("searx-run"):
        return "searx is not installed"
    return None


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return probe.getsockname()[1]


class Searx:
    def __init__(self, folder, engines, port=None):
        self.port = port or free_port()
        parts = re.split(r"(?m)^(?=\w+:)", PACKAGED.read_text())
        text = "".join(part for part in parts if not part.startswith("engines:"))
        text = re.sub(r"(?m)^(\s+port\s*:).*", rf"\1 {self.port}", text)
        text = text.replace("ultrasecretkey", "of a test")
        rows = "".join(ENGINE.format(name=name, number=number, url=url)
                       for number, (name, url) in enumerate(engines.items()))
        self.settings = pathlib.Path(folder) / "settings.yml"
        self.settings.write_text(f"{text}\nengines:\n{rows}")
        self.url = f"http://127.0.0.1:{self.port}"

    def __enter__(self):
        env = {"SEARX_SETTINGS_PATH": str(self.settings), "PATH": "/usr/bin:/bin",
               "HOME": str(self.settings.parent)}
        self.process = subprocess.Popen([PYTHON, "-m", "searx.webapp"], env=env,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                        cwd=self.settings.parent)
        end = time.monotonic() + UP_WITHIN
        while not self.answers():
            if self.process.poll() is not None or time.monotonic() > end:
                self.__exit__()
                raise OSError(f"searx is not up after {UP_WITHIN} s")
            time.sleep(0.02)
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=20)

    def again(self):
        """End and start: it leaves an engine that wanted a CAPTCHA alone for a day."""
        self.__exit__()
        self.__enter__()

    def answers(self):
        try:
            return urllib.request.urlopen(f"{self.url}/healthz", timeout=5).status == 200
        except OSError:          # not yet, or not in time
            return False
