#!/usr/bin/env python3
"""A web on loopback: several domains, each with its own port and its own robots.txt, that have
made-up pages and everything that a crawler meets.

    serve.py [--seconds 900]        prints {"town": "http://127.0.0.1:PORT", ...} and serves
                                    until standard input ends, or so many seconds have passed

    with Site() as site:
        site.bases["town"] + "/page/3"
        site.log                    [{"domain", "path", "at", "agent", "status", "host"}, ...]

    /                   links to what follows            /robots.txt      by domain, see DOMAINS
    /page/N             made up (generate.py), ETag, 304 /topic/SLUG      stated facts, which
    /paper/N            leads to /paper/N.pdf                             differ by domain
    /redirect/N         N hops; loop, relative, nowhere, away/DOMAIN/PATH, inside/NAME
    /slow/S             in S seconds; never              /busy/S/N        429 N times, come in S
    /fail/STATUS/N      N times; without N always; reset /huge/BYTES      length told; silent
    /bomb               gzip; nested, broken             /script          text by script; fetch
    /type/NAME          not what it says it is           /hostile/NAME    made to hurt
    /gate/NAME          a CAPTCHA or login; /gate/NAME/open opens it for all, /shut shuts it
    /private/X          for what robots.txt says         /log             all requests, as JSON
    /search?q=          {"results": [{url, title, content}]}: topics and pages with such words
    /search/captcha     what an engine says that wants a CAPTCHA; denied, late (429), broken
    /search/gate        a CAPTCHA until /search/gate/open was asked for

Everything has a bound: bodies 64 MiB, slowness 60 s, the log 100,000 lines.
"""
import argparse
import http.server
import json
import pathlib
import re
import select
import socket
import struct
import sys
import threading
import time
import urllib.parse

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import answers          # noqa: E402
import generate         # noqa: E402
from answers import Answer          # noqa: E402

LOG_MAX, SEARCHED = 100_000, 40
# What robots.txt says: a text, or a status.
DOMAINS = {
    "town": "User-agent: *\nAllow: /\n",
    "press": "User-agent: *\nCrawl-delay: 1\nDisallow: /private/\n",
    "record": 404,
    "critic": "",
    "shy": "User-agent: *\nDisallow: /private/\nAllow: /private/open/\nDisallow: /*.pdf$\n",
    "picky": "User-agent: weir\nDisallow: /private/\n\nUser-agent: *\nDisallow: /\n",
    "closed": "User-agent: *\nDisallow: /\n",
    "unwell": 503,
    "long": "User-agent: *\nDisallow: /private/\n" + "# nothing\n" * 60_000,
    "odd": "\ufeffUSER-AGENT:*\r\nDISALLOW : /private/\r\n\0\0<html>\r\n",
}
TROUBLE = {
    "captcha": (503, '<script src="https://www.google.com/recaptcha/api.js"></script>'),
    "denied": (403, "forbidden"), "late": (429, "too many requests"), "broken": (500, "oh"),
}


class Domain:
    def __init__(self, name, robots):
        self.name, self.robots = name, robots


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 30
    disable_nagle_algorithm = True      # head and body are two writes

    def log_message(self, *_):
        pass

    def parse_request(self):
        self.at = time.monotonic()          # before anything else takes time
        return super().parse_request()

    @property
    def site(self):
        return self.server.site

    @property
    def domain(self):
        return self.server.domain

    def times(self):
        """How often this path was asked for here, this time with it."""
        key = (self.domain.name, self.path)
        with self.site.lock:
            self.site.asked[key] = self.site.asked.get(key, 0) + 1
            return self.site.asked[key]

    def answer(self):
        url = urllib.parse.urlsplit(self.path)
        if url.path == "/robots.txt":
            return self.robots()
        if url.path == "/log":
            return Answer(json.dumps(self.site.log), kind="application/json")
        first, *rest = [urllib.parse.unquote(part) for part in url.path.split("/")[1:]]
        if first == "search":
            return self.site.search(urllib.parse.parse_qs(url.query).get("q", [""])[0], rest)
        route = answers.ROUTES.get(first)
        return route(self, rest) if route else Answer("no such page", 404)

    def robots(self):
        robots = self.domain.robots
        if isinstance(robots, int):
            return Answer("nothing here", robots, kind="text/plain")
        return Answer(robots, kind="text/plain")

    def do_GET(self):
        answer = self.answer()
        self.site.note(self, answer.status if answer else 0)
        if answer is None:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                                       struct.pack("ii", 1, 0))
            self.close_connection = True
            return self.connection.close()
        self.send_response(answer.status)
        if answer.kind and answer.status != 304:
            self.send_header("Content-Type", answer.kind)
        for name, value in answer.headers:
            self.send_header(name, value)
        if answer.parts is not None:
            return self.drip(answer)
        if answer.status != 304:
            self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        return None if self.command == "HEAD" else self.wfile.write(answer.body)

    def drip(self, answer):
        """A body in parts; it ends with the connection where no length is told."""
        if not any(name == "Content-Length" for name, _ in answer.headers):
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.flush()
        for wait, part in () if self.command == "HEAD" else answer.parts:
            if wait and self.gone(wait):
                break
            self.wfile.write(part)
        self.close_connection = True

    def gone(self, seconds):
        """Wait; True when the client has left, or everybody is to leave."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if self.site.ending.is_set() or select.select([self.connection], [], [],
                                                          min(left, 0.2))[0]:
                return True
        return False

    def do_POST(self):
        self.rfile.read(min(int(self.headers.get("Content-Length", 0)), 1 << 20))
        self.do_GET()

    do_HEAD = do_GET


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def __init__(self, site, domain, port=0):
        self.site, self.domain = site, domain
        super().__init__(("127.0.0.1", port), Handler)

    def handle_error(self, request, client_address):
        pass                                # a client that went away


class Site:
    """All domains; closed when it is left."""

    def __init__(self, domains=None):
        self.lock, self.ending = threading.Lock(), threading.Event()
        self.log, self.asked, self.opened = [], {}, set()
        self.servers = [Server(self, Domain(name, robots))
                        for name, robots in (domains or DOMAINS).items()]
        self.bases = {server.domain.name: f"http://127.0.0.1:{server.server_address[1]}"
                      for server in self.servers}
        self.found = None
        for server in self.servers:
            threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.ending.set()
        for server in self.servers:
            server.shutdown()
            server.server_close()

    def note(self, request, status):
        with self.lock:
            if len(self.log) < LOG_MAX:
                self.log.append({"domain": request.domain.name, "path": request.path,
                                 "at": request.at, "status": status,
                                 "agent": request.headers.get("User-Agent", ""),
                                 "host": request.headers.get("Host", "")})

    def arrivals(self, domain):
        """When pages of a domain were asked for, its robots.txt apart."""
        with self.lock:
            return [line["at"] for line in self.log
                    if line["domain"] == domain and line["path"] != "/robots.txt"]

    def warm(self, domain, count):
        """Make up the first pages of a domain now, so that they are only sent afterwards."""
        for number in range(count):
            answers.made(domain, number)

    def shelf(self):
        """Everything that a search finds: (words, result)."""
        rows = []
        for slug, topic in answers.TOPICS.items():
            rows += [(" ".join([topic["title"], *facts]),
                      {"title": f"{topic['title']} ({name})", "content": facts[0],
                       "url": f"{self.bases[name]}/topic/{slug}"})
                     for name, facts in topic["facts"].items() if name in self.bases]
        for name in [name for name in ("town", "press") if name in self.bases]:
            for number in range(SEARCHED):
                _, truth = generate.page(name, number)
                rows.append((truth.title, {"title": truth.title,
                                           "content": truth.blocks[0]["text"][:200],
                                           "url": f"{self.bases[name]}/page/{number}"}))
        return [(set(re.findall(r"\w+", text.casefold())), row) for text, row in rows]

    def search(self, query, rest):
        """At least half of the words; the more the better."""
        trouble = rest[0] if rest else None
        if rest == ["gate", "open"]:
            self.opened.add("search")
        if trouble == "gate":
            trouble = None if "search" in self.opened else "captcha"
        if trouble in TROUBLE:
            status, text = TROUBLE[trouble]
            return Answer(text, status)
        with self.lock:
            self.found = self.found or self.shelf()
        wanted = set(re.findall(r"\w+", query.casefold()))
        hits = [(len(wanted & words), at, row) for at, (words, row) in enumerate(self.found)
                if 2 * len(wanted & words) >= len(wanted) > 0]
        best = [row for _, _, row in sorted(hits, key=lambda hit: (-hit[0], hit[1]))]
        return Answer(json.dumps({"results": best[:20]}), kind="application/json")


def main():
    options = argparse.ArgumentParser(description="Serve a web of made-up pages on loopback.")
    options.add_argument("--seconds", type=float, default=900)
    given = options.parse_args()
    with Site() as site:
        print(json.dumps(site.bases), flush=True)
        end = time.monotonic() + given.seconds
        while (left := end - time.monotonic()) > 0:
            if select.select([sys.stdin], [], [], left)[0] and not sys.stdin.buffer.read1(4096):
                break


if __name__ == "__main__":
    main()
