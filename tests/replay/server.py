#!/usr/bin/env python3
"""A server on loopback that answers like the sources, counts who comes when, and misbehaves
by plan.

    server.py --works works.json [--recorded FOLDER] [--plan plan.json] [--port 0]

Each source has its own first part of the path: a driver's base is http://127.0.0.1:PORT/<slug>.
With --recorded, real items (one folder for each source, as unwrapped lists) are searched
beside the works.  It prints its port, then serves until standard input ends.

    GET /_log       {"crossref": [seconds, ...], ...}: when requests arrived
    GET /_over      {"crossref": n, ...}: how many came too early, by the limits in LIMITS

A plan is a list of faults: {"source": "crossref", "do": "429", "retry_after": "2", "at": [3]}
for those requests of it (from 0), or "every": n.  What can be done: 429, 500, 503, slow
(seconds), truncated, malformed, page, error, wrong_type, reset; none: it knows nothing.
"""
import argparse
import http.server
import json
import pathlib
import re
import socket
import struct
import sys
import threading
import time
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import records      # noqa: E402

# Requests in so many seconds, without a key, as published.
LIMITS = {
    "crossref": (1, 1), "arxiv": (1, 3), "dblp": (1, 1), "semantic_scholar": (1, 3),
    "openalex": (10, 1), "acl": (2, 1), "europe_pmc": (2, 1), "pubmed": (3, 1), "doi": (3, 1),
    "open_library": (1, 1), "openreview": (1, 1), "eprint": (1, 1), "rfc_editor": (1, 1),
    "govinfo": (10, 1), "wayback": (1, 1), "web_search": (2, 1),
}


def over(times, count, seconds):
    """How many arrivals find more than count - 1 others in the `seconds` before them."""
    return sum(1 for number in range(count, len(times))
               if times[number] - times[number - count] < seconds)


class Sources:
    """What is known, and how each source is asked for it."""

    def __init__(self, works, recorded=None):
        self.works = works
        self.by = {name: {str(work[name]).lower(): work for work in works if work.get(name)}
                   for name in ("doi", "arxiv", "pmid", "rfc", "eprint", "acl", "forum")}
        self.by["paper"] = {records.paper_id(work): work for work in works}
        self.by["work"] = {records.work_id(work).lower(): work for work in works}
        self.shelf = records.Shelf(works, lambda work: work["title"])
        self.real = {}
        for name, title in records.TITLES.items():
            folder = pathlib.Path(recorded or "/nonexistent") / name
            items = []
            for path in sorted(folder.glob("*.json")) if folder.is_dir() else ():
                read = json.loads(path.read_text())
                items += read if isinstance(read, list) else [read]
            self.real[name] = records.Shelf(items, title)

    def listed(self, slug, shape, query, count):
        items = [shape(work) for work in self.shelf.search(query, count)]
        if slug in self.real:
            items += self.real[slug].search(query, count - len(items))
        return records.ENVELOPES[slug](items)

    def one(self, shape, key, name, wrap=lambda item: item):
        work = self.by[key].get(name.lower())
        return wrap(shape(work)) if work else None

    def crossref(self, path, query, _):
        if path.startswith("/works/"):
            return self.one(records.crossref, "doi", path[7:], lambda item: {"message": item})
        return self.listed("crossref", records.crossref, query["query.title"], 5)

    def doi(self, path, _query, _):
        return self.one(records.csl, "doi", path[1:])

    def dblp(self, _path, query, _):
        return self.listed("dblp", records.dblp, query["q"], 10)

    def cited(self, work):
        return [self.by["doi"][doi] for doi in work.get("cites", ()) if doi in self.by["doi"]]

    def citing(self, work):
        return [other for other in self.works if work.get("doi") in other.get("cites", ())]

    def semantic_scholar(self, path, query, _):
        name = path.removeprefix("/graph/v1/paper/")
        count = min(int(query.get("limit", 10)), 100)
        if name == "search":
            return self.listed("semantic_scholar", records.semantic_scholar, query["query"],
                               count)
        name, links = re.fullmatch(r"(.*?)(?:/(references|citations))?", name).groups()
        kind, colon, value = name.partition(":")
        key = {"doi": "doi", "arxiv": "arxiv", "pmid": "pmid"}.get(kind.lower(), "paper")
        work = self.by[key].get((value if colon else name).lower())
        if not work or not links:
            return work and records.semantic_scholar(work)
        role, found = ("citedPaper", self.cited) if links == "references" else \
            ("citingPaper", self.citing)
        return {"offset": 0, "data": [{role: records.semantic_scholar(other)}
                                      for other in found(work)[:count]]}

    def openalex(self, path, query, _):
        def shape(work):
            return records.openalex(work, self.works)
        count = min(int(query.get("per-page", 5)), 200)
        if path.startswith("/works/"):
            name = path.removeprefix("/works/").removeprefix("https://openalex.org/")
            doi = name.removeprefix("doi:").removeprefix("https://doi.org/")
            pmid = name.removeprefix("pmid:")
            for key, value in (("work", name), ("doi", doi), ("pmid", pmid)):
                if value.lower() in self.by[key]:
                    return shape(self.by[key][value.lower()])
            return None
        kind, _, wanted = query.get("filter", "").partition(":")
        if kind == "cites":
            work = self.by["work"].get(wanted.lower())
            found = self.citing(work)[:count] if work else []
        elif kind in ("openalex", "openalex_id", "ids.openalex"):
            names = [name.rpartition("/")[2].lower() for name in wanted.split("|")]
            found = [self.by["work"][name] for name in names if name in self.by["work"]]
        else:
            return self.listed("openalex", shape, query.get("search", wanted), count)
        return records.ENVELOPES["openalex"]([shape(work) for work in found[:count]])

    def europe_pmc(self, _path, query, _):
        if query["query"].startswith("DOI:"):
            work = self.by["doi"].get(query["query"][5:-1])
            items = [records.europe_pmc(work)] if work else []
            return records.ENVELOPES["europe_pmc"](items)
        return self.listed("europe_pmc", records.europe_pmc, query["query"], 15)

    def pubmed(self, path, query, _):
        if path.endswith("esummary.fcgi"):
            found = {number: records.pubmed(self.works[int(number)])
                     for number in query["id"].split(",")}
            return {"result": {"uids": list(found), **found}}
        term = query["term"].replace("[Title]", " ").replace(" AND ", " ")
        if term.endswith("[doi]"):
            works = [self.by["doi"][term[:-5]]] if term[:-5] in self.by["doi"] else []
        else:
            works = self.shelf.search(term, 10)
        return {"esearchresult": {"idlist": [str(self.works.index(work)) for work in works]}}

    def open_library(self, _path, query, _):
        return self.listed("open_library", records.open_library, query["title"], 5)

    def openreview(self, path, query, _):
        if path == "/notes":
            return self.one(records.openreview, "forum", query["id"],
                            lambda note: records.ENVELOPES["openreview"]([note]))
        return self.listed("openreview", records.openreview, query["term"], 5)

    def rfc_editor(self, path, _query, _):
        number = path.removeprefix("/rfc/rfc").removesuffix(".json")
        return self.one(records.rfc, "rfc", number)

    def govinfo(self, _path, _query, body):
        return self.listed("govinfo", records.govinfo, json.loads(body)["query"], 10)

    def arxiv(self, path, query, _):
        if path.startswith("/e-print/"):
            return None
        if "id_list" in query:
            names = [name.split("v")[0] for name in query["id_list"].split(",")]
            return records.atom([self.by["arxiv"][name] for name in names
                                 if name in self.by["arxiv"]])
        return records.atom(self.shelf.search(query["search_query"].removeprefix("all:"), 5))

    def eprint(self, _path, query, _):
        return records.oai(self.by["eprint"].get(query["identifier"].split(":")[-1]))

    def acl(self, path, _query, _):
        return self.one(records.mods, "acl", path[1:].removesuffix(".xml"))

    def wayback(self, _path, _query, _):
        return {"archived_snapshots": {}}

    def web_search(self, _path, query, _):
        pages = [{"title": work["title"], "url": "https://a.example/"}
                 for work in self.shelf.search(query["q"], 5)]
        return {"results": pages}


class Plan:
    """Which request of which source goes wrong, and how."""

    def __init__(self, faults):
        self.faults = faults

    def fault(self, source, number):
        for fault in self.faults:
            if fault["source"] in (source, "*"):
                every = fault.get("every")
                if number in fault.get("at", ()) or (every and number % every == every - 1):
                    return fault
        return {"do": None}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 30
    disable_nagle_algorithm = True      # head and body are two writes

    def log_message(self, *_):
        pass

    def send(self, status, body, headers=(), length=None):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        self.wfile.write(body)

    def about(self, path):
        server = self.server
        with server.lock:
            log = {source: list(times) for source, times in server.log.items()}
        if path == "/_over":
            log = {source: over(times, *LIMITS[source]) for source, times in log.items()}
        self.send(200, json.dumps(log).encode())

    def parse_request(self):
        self.arrived = time.monotonic()     # before anything else takes time
        return super().parse_request()

    def answer(self, body=b""):
        url = urllib.parse.urlsplit(self.path)
        if url.path in ("/_log", "/_over"):
            return self.about(url.path)
        _, source, *rest = url.path.split("/", 2)
        if source not in LIMITS:
            return self.send(404, b"no such source")
        with self.server.lock:
            times = self.server.log.setdefault(source, [])
            number = len(times)
            times.append(self.arrived)
        query = dict(urllib.parse.parse_qsl(url.query))
        path = urllib.parse.unquote("/" + "/".join(rest))
        fault = self.server.plan.fault(source, number)
        known = self.server.nothing if fault["do"] == "none" else self.server.sources
        reply = self.server.files.get(f"/{source}{path}")
        if reply is None:
            reply = getattr(known, source)(path, query, body)
        status = 404 if reply is None else 200
        if not isinstance(reply, bytes):
            reply = (reply if isinstance(reply, str) else json.dumps(reply)).encode()
        return self.misbehave(fault, status, reply)

    def misbehave(self, fault, status, text):
        match fault["do"]:
            case "429" | "500" | "503":
                wait = fault.get("retry_after")
                headers = [("Retry-After", wait)] if wait else []
                return self.send(int(fault["do"]), b"later", headers)
            case "slow":
                time.sleep(fault.get("seconds", 1))
            case "truncated":
                self.close_connection = True
                return self.send(200, text[:len(text) // 2], length=len(text))
            case "malformed":
                text = text[:len(text) // 2]
            case "page":
                text = b"<!DOCTYPE html><html><body>We are sorry.</body></html>"
            case "error":
                text = b'{"error": "internal", "code": 500}'
            case "wrong_type":
                text = b'[7, "x", {"message": {"items": 7}}]'
            case "reset":
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                                           struct.pack("ii", 1, 0))
                self.close_connection = True
                return self.connection.close()
        return self.send(status, text)

    def do_GET(self):
        self.answer()

    def do_POST(self):
        self.answer(self.rfile.read(int(self.headers.get("Content-Length", 0))))


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, works, recorded=None, faults=(), port=0):
        sys.setswitchinterval(1e-4)     # nobody's arrival waits for another one's answer
        super().__init__(("127.0.0.1", port), Handler)
        self.sources, self.nothing = Sources(works, recorded), Sources([])
        self.plan = Plan(list(faults))
        self.log, self.lock = {}, threading.Lock()
        self.files = {}                 # by path, with the source's: what is there as it is

    def handle_error(self, request, client_address):
        pass                            # a client that went away

    def begin(self):
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{self.server_address[1]}"


def main():
    parser = argparse.ArgumentParser(description="Answer like the sources.")
    parser.add_argument("--works", required=True)
    parser.add_argument("--recorded")
    parser.add_argument("--plan")
    parser.add_argument("--port", type=int, default=0)
    args = parser.parse_args()
    faults = json.loads(pathlib.Path(args.plan).read_text()) if args.plan else []
    works = json.loads(pathlib.Path(args.works).read_text())
    server = Server(works, args.recorded, faults, args.port)
    server.begin()
    print(server.server_address[1], flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
