"""The report as a page, in a real browser: Chromium, which prints it.  Scripts cannot run in
it: there are none, and its own policy forbids them."""
import http.server
import re
import shutil
import subprocess
import threading

from case import Skipped, case, expect, require
from papers import BARE, INVENTED, KNOWN, Desk

QUIET = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
         "--no-first-run", "--disable-background-networking", "--disable-component-update",
         "--disable-default-apps", "--disable-sync", "--disable-extensions",
         "--enable-logging=stderr",
         "--proxy-bypass-list=<-loopback>", "--no-pdf-header-footer")
OWN = re.compile(r"(//|^)[\w.]*\bgoogle(apis)?\.com\b")      # what the browser wants for itself
HOSTILE = r"""@article{hostile,
  title = {<img src=http://leak.example/a><script src="http://leak.example/b"></script> Rivers},
  author = {Eve </style><link rel=stylesheet href=//leak.example/c> Mallory},
  year = 2001
}
"""


class Proxy(http.server.ThreadingHTTPServer):
    """Everything that would leave the browser comes here, and is counted."""
    daemon_threads = True

    def __init__(self):
        self.wanted = []
        super().__init__(("127.0.0.1", 0), Wanted)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, request, client_address):
        pass


class Wanted(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def refuse(self):
        self.server.wanted.append(self.path)
        self.send_error(403)

    do_GET = do_POST = do_HEAD = do_CONNECT = refuse


def in_browser(desk, page):
    """The text of the page as printed, what the browser complained of, what it asked for."""
    if not shutil.which("chromium"):
        raise Skipped("chromium is not installed")
    proxy = Proxy()
    done = subprocess.run(["chromium", *QUIET, f"--user-data-dir={desk.folder}/profile",
                           f"--proxy-server=127.0.0.1:{proxy.server_address[1]}",
                           f"--print-to-pdf={desk.folder}/page.pdf",
                           f"file://{desk.folder}/{page}"], text=True, errors="replace",
                          capture_output=True, timeout=60)
    proxy.shutdown()
    expect(done.returncode, 0)
    text = subprocess.run(["pdftotext", "-layout", desk.folder / "page.pdf", "-"], text=True,
                          capture_output=True, check=True).stdout
    complaints = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    return " ".join(text.split()), complaints, proxy.wanted


@case("the page of a report is whole in a browser, runs no script, and asks for nothing")
def page_in_browser(program):
    with Desk(program) as desk:
        wrong_year = KNOWN.replace("2019", "1977").replace("{quiet", "{year")
        desk.write("refs.bib", KNOWN + INVENTED + wrong_year + BARE + HOSTILE)
        expect(desk.check("refs.bib", "--html", "report.html").returncode, 1)
        page = (desk.folder / "report.html").read_text()
        require("<script" not in page and "default-src 'none'" in page, "scripts may run")
        text, complaints, wanted = in_browser(desk, "report.html")
        for part in ("Elephants in the Attic of Category Theory", "not found", "1977", "2019",
                     "Quiet Rivers of the Northern Plain", "3 of 5 need a look"):
            require(part in text, f"{part!r} is not on the page: {text}")
        expect(complaints, [])
        expect([one for one in wanted if not OWN.search(one)], [])
