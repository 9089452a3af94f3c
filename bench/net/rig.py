"""What the scripts of the network suite share: servers by name, and load upon them.

A server has the first core, what brings load upon it the second.
"""
import contextlib
import json
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent.parent / "tools")]

import build            # noqa: E402
import live             # noqa: E402
import programs         # noqa: E402

SERVER_CORE, LOAD_CORE = 0, 1
PEERS = programs.PEERS
HELLO = "/v1/hello"
# As it comes, but on one core.  No limit is off.
ONE_CORE = ["--threads", "1"]
# Where each peer answers {"message":"Hello, World!"}: command, port, port of HTTP/2.
HELLO_PEERS = {
    "epoll": ([PEERS / "c/bin/epoll_http", "9010"], 9010, None),
    "h2o": ([PEERS / "c/bin/h2o_http", "9004"], 9004, 9004),
    "hyper": ([PEERS / "rust/target/release/http", "9001", "1"], 9001, 9001),
    "nginx": (["nginx", "-p", PEERS / "conf", "-c", "nginx.conf"], 9003, 9013),
    "go": ([PEERS / "go/bin/http", "9002", "1"], 9002, 9002),
}
# A queue of 512 before 32 workers that take 5 ms for each request.
OVERLOAD_PEERS = {
    "hyper": ([PEERS / "rust/target/release/overload", "9101", "1", "32"], 9101),
    "go": ([PEERS / "go/bin/overload", "9102", "1", "32"], 9102),
}


def hello_server(name, *flags, http2=False):
    """A server and the address of its small JSON answer; the flags are for ours."""
    if name == "weir":
        node = live.Node(*ONE_CORE, *flags, core=SERVER_CORE)
        return node, f"http://127.0.0.1:{node.port}{HELLO}"
    command, port, port2 = HELLO_PEERS[name]
    server = live.Server(command, port2 if http2 else port, core=SERVER_CORE)
    return server, f"http://127.0.0.1:{server.port}/"


def load(*command, core=LOAD_CORE, env=None):
    """Run a program that brings load, and return what it printed."""
    return load_with(None, *command, core=core, env=env)


def load_with(given, *command, core=LOAD_CORE, env=None):
    """... which reads this."""
    pin = ["taskset", "-c", str(core)] if core is not None else []
    done = subprocess.run([*pin, *map(str, command)], text=True, input=given,
                          capture_output=True, timeout=100, env={**os.environ, **(env or {})})
    if done.returncode != 0:
        fail(f"{' '.join(map(str, command))}: {done.stderr[-1000:]}{done.stdout[-1000:]}")
    return done.stdout


def foreign_load(*command):
    """The same for a program of others, whose connections each get an address."""
    return load(*command, env={"LD_PRELOAD": str(programs.LOAD / "source.so")})


def numbers(text):
    """Lines `metric value`, of one of our own load programs."""
    return {name: float(value) for name, value in map(str.split, text.splitlines())}


def called(tool, **arguments):
    """A call of a tool, as a message of the Model Context Protocol."""
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": tool, "arguments": arguments, "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {}}}}, separators=(",", ":"))


def posted(call, tool):
    """... and as a request over HTTP."""
    return (f"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            f"MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\n"
            f"Mcp-Name: {tool}\r\nContent-Length: {len(call)}\r\n\r\n{call}")


def trip(question, *words):
    """How long it and its answer take, and bare ones of their size: over a port, or ("-") the
    pipes of a program."""
    return numbers(load_with(question, programs.LOAD / "trip", *words))


def open_load(port, rate, seconds, connections, *targets, options=(), core=LOAD_CORE, first=()):
    return numbers(load(*first, programs.LOAD / "open", *options, port, rate, seconds,
                        connections, *targets, core=core))


# Before others on its core: how long it waits for that is nothing that the server did.
AT_ONCE = ("chrt", "--fifo", "1")


def bare_load(*words, **options):
    """The same load upon a loop of epoll that answers as soon as it can: what this machine adds
    to any answer.  Nothing where there are no peers."""
    if not programs.peers_present():
        return {}
    command, port, _ = HELLO_PEERS["epoll"]
    with live.Server(command, port, core=SERVER_CORE) as server:
        return open_load(server.port, *words, "GET /", **options)


@contextlib.contextmanager
def held(port, count, first, answers=False):
    """Connections that do nothing any more; their program, which tells at its end."""
    process = subprocess.Popen(
        ["taskset", "-c", str(LOAD_CORE), str(programs.LOAD / "hold"),
         *(["-a"] if answers else []), str(port), str(count), first.hex()],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        if process.stdout.readline() != f"held {count}\n":
            fail(f"{count} connections could not be held")
        yield process
    finally:
        process.stdin.close()
        process.wait()


def micros(text):
    """A time as wrk prints it."""
    value, unit = re.fullmatch(r"([\d.]+)(us|ms|s|m)", text).groups()
    return float(value) * {"us": 1, "ms": 1e3, "s": 1e6, "m": 60e6}[unit]


def say(**metrics):
    for name, value in metrics.items():
        print(f"{name} {value:.6g}")


def fail(why):
    sys.exit(why)
