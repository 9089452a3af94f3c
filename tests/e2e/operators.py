"""What operators see and do: the admin plane with curl, and `weir bench`."""
import json
import pathlib
import re
import shlex
import tempfile
import threading
import time

import live
from case import case, expect, require
from clients import tool, url


def curl(node, path, *options):
    """Status, type and body of an answer."""
    status, said = tool("curl", "-sS", "-w", "\n%{http_code} %{content_type}", *options,
                        url(node, path))
    expect(status, 0)
    body, _, last = said.rpartition("\n")
    code, _, kind = last.partition(" ")
    return int(code), kind, body


def page(node, path, *options):
    code, kind, body = curl(node, path, *options)
    expect((code, kind), (200, "application/json"))
    return json.loads(body)


@case("an error of the admin plane is a problem, one of a service is not")
def problems(node):
    code, kind, body = curl(node, "/api/v1/nothing")
    expect((code, kind), (404, "application/problem+json"))
    problem = json.loads(body)
    require({"type", "title", "status", "detail", "instance"} <= set(problem), body)
    expect(problem["status"], 404)
    code, kind, _ = curl(node, "/version", "-X", "POST", "-d", "")
    expect((code, kind), (405, "application/problem+json"))
    code, kind, body = curl(node, "/v1/nothing")
    expect((code, kind), (404, "application/json"))
    require("error" in json.loads(body), body)


@case("the machine has no rates at first and plausible ones 0.3 s later")
def machine(node):
    page(node, "/api/v1/system/summary")
    time.sleep(0.3)
    seen = page(node, "/api/v1/system/summary")
    require(0 <= seen["cpuPercent"] <= 100, seen)
    require(0 < seen["ramUsedBytes"] < seen["ramTotalBytes"], seen)
    require(seen["netRxBps"] >= 0 and seen["netTxBps"] >= 0, seen)


@case("the node counts the bytes that curl has taken from it")
def traffic(node):
    before = page(node, "/api/v1/system/net/accounting")["total"]["txBytes"]
    size = len(curl(node, "/metrics")[2])
    after = page(node, "/api/v1/system/net/accounting")
    require(after["total"]["txBytes"] >= before + size, f"{before} + {size}: {after['total']}")
    expect([len(after["series"][ring]["rxBytes"])
            for ring in ("second", "minute", "hour", "day", "month")], [60, 60, 24, 30, 12])


@case("the disk below the data is shown, and no path")
def storage(node):
    seen = page(node, "/api/v1/storage/summary")
    require(0 < seen["fsAvailableBytes"] <= seen["fsTotalBytes"], seen)
    require(str(node.folder) not in json.dumps(seen), seen)
    own, = page(node, "/api/v1/storage/databases")["databases"]
    expect((own["name"], own["owner"], own["mode"], own["health"]),
           ("weir", "node", "wal", "healthy"))
    expect(curl(node, "/api/v1/storage/databases/x")[0], 404)


@case("curl starts a run, a second one is refused, and the first has a result", alone=True)
def run(node):
    wish = '{"suite":"admin_plane","durationSecs":1,"concurrency":4}'
    code, _, body = curl(node, "/api/v1/bench/run", "-d", wish)
    expect(code, 202)
    place = f"/api/v1/bench/runs/{json.loads(body)['runId']}"
    expect(curl(node, "/api/v1/bench/run", "-d", wish)[0], 429)
    until = time.monotonic() + 20
    while page(node, place)["status"] != "done":
        require(time.monotonic() < until, page(node, place))
        time.sleep(0.05)
    result = page(node, f"{place}/result")
    expect(result["errors"], 0)
    require(result["requests"] > 100, result)
    for row in result["endpoints"]:
        require(0 < row["p50Ms"] <= row["p95Ms"] <= row["p99Ms"], row)


@case("weir bench measures a node that runs", alone=True)
def bench_at(node):
    status, said = tool(node.command[0], "bench", "--at", f"127.0.0.1:{node.port}",
                        "--duration", "300ms", "--json", "-")
    expect(status, 0)
    result = json.loads(said)
    expect((result["errors"], result["refused"]), (0, 0))
    expect([row["endpoint"] for row in result["endpoints"]],
           ["/healthz", "/readyz", "/version", "/metrics"])


@case("weir bench starts a node of its own, says how, and none is refused", alone=True)
def bench_alone(node):
    status, said = tool(node.command[0], "bench")
    expect(status, 0)
    lines = said.splitlines()
    expect(len(lines), 7)
    require(lines[0].startswith("weir --http-addr 127.0.0.1:0 "), said)
    require(lines[0].endswith(" --rate-control-burst 1000000"), said)
    name, requests, errors, refused = lines[-1].split()[:4]
    expect((name, errors, refused), ("all", "0", "0"))
    require(int(requests) > 100, said)


@case("weir bench tells what a limit refuses from what goes wrong", alone=True)
def bench_limited(node):
    with live.Node("--rate-control-per-s", "100", "--rate-control-burst", "200",
                   program=node.command[0]) as slow:
        status, said = tool(node.command[0], "bench", "--at", f"127.0.0.1:{slow.port}",
                            "--duration", "500ms", "--json", "-")
    expect(status, 0)
    result = json.loads(said)
    expect(result["errors"], 0)
    require(0 < result["requests"] < 1000 and result["refused"] > 0, said)


@case("weir bench says of a port of TLS that it asks in clear only")
def bench_tls(node, tls):
    status, said = tool(node.command[0], "bench", "--at", f"127.0.0.1:{tls.port}")
    expect(status, 1)
    require("in clear only, not over TLS" in said, said)


@case("weir bench says in a sentence what it was told wrong, and who does not answer")
def bench_wrong(node):
    status, said = tool(node.command[0], "bench", "--concurrency", "65")
    expect(status, 2)
    require('--concurrency is "65"; it takes a number from 1 to 64' in said, said)
    status, said = tool(node.command[0], "bench", "--at", "127.0.0.1:1")
    expect(status, 1)
    require("127.0.0.1:1 refuses connections" in said, said)


@case("weir --help names every command and --keep")
def names(node):
    status, said = tool(node.command[0], "--help")
    expect(status, 0)
    for word in ("bench", "run", "doctor", "--keep"):
        require(f"\n  {word} " in said, said)


# ---- what it says at the start ----

def copied(said, *trust):
    """Run every call that a node says may be tried, as it stands; the console's place too."""
    calls = [shlex.split(line) for line in re.findall(r"^(?:  try)? +(curl .*)$", said, re.M)]
    expect(len(calls), 3)
    console = re.search(r"^  console  (.*)$", said, re.M)[1]
    for call in [*calls, ["curl", *shlex.split(console)]]:
        expect((tool(*call, *trust, "-sS", "-o", "/dev/null", "-w", "%{http_code}"), call),
               ((0, "200"), call))


def start_of(server):
    """What it says until it is ready: it may be up before that, and say much after it."""
    until = time.monotonic() + live.UP_WITHIN
    while True:
        said, end, _ = pathlib.Path(server.log).read_text(errors="replace").partition("Ctrl-C")
        if end:
            return said
        require(time.monotonic() < until, said)
        time.sleep(0.01)


@case("what a node says at the start can be copied: in clear, over TLS, over a Unix socket")
def banner(node, tls):
    copied(start_of(node))
    copied(start_of(tls), "--cacert", tls.cert)
    with tempfile.TemporaryDirectory(prefix="weir-") as folder:
        path, log = f"{folder}/own.sock", f"{folder}/log"
        command = [node.command[0], "--http-addr", f"unix:{path}", "--data", f"{folder}/data"]
        own = live.Server(command, 0, log=log)
        try:
            said = start_of(own)
            require(f"--unix-socket {path}" in said, said)
            copied(said)
        finally:
            expect(own.stop(), 0)


@case("a node that is told to stop warns of nothing, however long its last answer takes")
def quiet_end(node):
    with live.Node("--workers-count", "2", program=node.command[0]) as own:
        last = threading.Thread(target=own.get, args=("/api/v1/debug/sleep?ms=1400",))
        last.start()
        time.sleep(0.2)
        own.process.terminate()
        last.join()
        expect(own.process.wait(10), 0)
        said = own.said()
    require(" of 2 run" in said and '"level":"warn"' not in said, said)
