"""Research on loopback: strangers' pages, catalogues, a real web search, nodes that explore.

    with Lab(program) as lab, lab.node() as node:
        task = Task(node, "Tides pay")
        task.queue([lab.site.bases["town"] + "/topic/tidal"])
        status = task.drained()
        node.tool("query_sql", sql="select url from pages")["rows"]

Sites are asked without a pause; every wait has an end.
"""
import base64
import json
import pathlib
import shutil
import sys
import tempfile
import time

import live
from case import Refuted, Skipped, expect

HERE = pathlib.Path(__file__).resolve().parent
sys.path += [str(HERE.parent / name) for name in ("site", "replay")]

import engine       # noqa: E402
import serve        # noqa: E402
import server       # noqa: E402

CITED = json.loads((HERE.parent / "replay/cited.json").read_text())
ERA = "2026-07-28"
META = {"io.modelcontextprotocol/protocolVersion": ERA,
        "io.modelcontextprotocol/clientCapabilities": {}}
DRAINED_WITHIN = 60     # seconds
WAIT = 10               # seconds, of one that waits for a change


class Node(live.Node):
    """One that can be asked as agents and scripts do."""

    def json(self, method, path, body=None, within=60):
        """The status and the answer."""
        status, _, text = self.ask(method, path, body and json.dumps(body), within=within)
        return status, json.loads(text)

    def rpc(self, method, name, params, within=60):
        body = {"jsonrpc": "2.0", "id": 1, "method": method,
                "params": {**params, "_meta": META}}
        status, headers, text = self.ask("POST", "/mcp", json.dumps(body), {
            "Content-Type": "application/json", "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": ERA, "Mcp-Method": method, "Mcp-Name": name}, within=within)
        if headers["content-type"].startswith("text/event-stream"):     # it has waited
            text = text.decode().rpartition("\ndata:")[2]
        answer = json.loads(text)
        if "result" not in answer:
            raise Refuted(f"{method} {name}: {status} {answer}")
        return answer["result"]

    def tool(self, name, **arguments):
        """What it says; an error is the error's own words."""
        result = self.rpc("tools/call", name, {"name": name, "arguments": arguments})
        if result.get("isError"):
            return json.loads(result["content"][0]["text"])
        return result["structuredContent"]

    def read(self, uri):
        return self.rpc("resources/read", uri, {"uri": uri})["contents"][0]

    def blob(self, cid):
        """The bytes of a page."""
        content = self.read(f"weir://blob/{cid}")
        return base64.b64decode(content["blob"]) if "blob" in content else \
            content["text"].encode()

    def rows(self, sql, *names):
        """What a question to the evidence says, row by row."""
        answer = self.tool("query_sql", sql=sql, options={"limit": 200})
        if not answer["ok"]:
            raise Refuted(f"{sql}: {answer}")
        return [tuple(row[name] for name in names or row) for row in answer["rows"]]

    def kill(self):
        """As a machine ends that loses its power."""
        self.process.kill()
        self.process.wait()


class Lab:
    def __init__(self, program, domains=None, faults=()):
        self.program, self.faults = program, faults
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="weir-lab-"))
        self.site = serve.Site(domains)
        self.sources = server.Server(CITED, faults=faults)
        self.base = self.sources.begin()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.sources.shutdown()
        self.sources.server_close()
        self.site.close()
        shutil.rmtree(self.folder)

    def searx(self, **engines):
        """A web search whose engines ask the site: mojeek="/search"."""
        if why := engine.missing():
            raise Skipped(why)
        town = self.site.bases["town"]
        return engine.Searx(self.folder, {name: f"{town}{path}?q={{query}}"
                                          for name, path in engines.items()}, live.free_port())

    def node(self, *flags, kind=Node, env=None):
        bases = ",".join(f"{slug}={self.base}/{slug}" for slug in server.LIMITS
                         if slug != "web_search")
        # a key, so that a catalogue is asked as often as it allows at most
        return kind("--queue-fetch-interval", "0ms", "--queue-fetch-allow", "127.0.0.1",
                    f"--check-bases={bases}", *flags, program=self.program.path,
                    env={"S2_API_KEY": "of a test", **(env or {})})


class Task:
    def __init__(self, node, hypothesis, **budget):
        self.node = node
        made = node.tool("create_task", hypothesis=hypothesis,
                         **({"config": {"budget": budget}} if budget else {}))
        if not made["ok"]:
            raise Refuted(str(made))
        self.id = made["task_id"]

    def queue(self, targets, **options):
        said = self.node.tool("queue_targets", task_id=self.id, targets=targets,
                              **({"options": options} if options else {}))
        expect(said["ok"], True)
        return said

    def status(self, wait=0, since=None, full=False, node=None):
        return (node or self.node).tool("get_status", task_id=self.id, wait=wait,
                                        detail="full" if full else "summary",
                                        **({"since": since} if since else {}))

    def until(self, holds, within=DRAINED_WITHIN, full=False, node=None):
        """The first status of which it holds, told by change."""
        end, since = time.monotonic() + within, None
        while True:
            status = self.status(0 if since is None else WAIT, since, full, node)
            if holds(status):
                return status
            if time.monotonic() > end:
                raise Refuted(f"it takes too long: {json.dumps(status)[:3000]}")
            since = status["change"]

    def drained(self, within=DRAINED_WITHIN, full=True, node=None):
        return self.until(lambda status: not open_jobs(status), within, full, node)


def open_jobs(status):
    """Those that are queued or run; what waits for a person is not counted."""
    return sum(phase[state] for phase in status["progress"]["jobs_by_phase"].values()
               for state in ("queued", "running"))


def jobs(status):
    """Of a full status: how each target ended, by the target: its state, and its error."""
    return {item["query"]: (item["status"], item.get("error", {}).get("error_code"))
            for item in status["queue_items"] if item["kind"] == "target_queue"}
