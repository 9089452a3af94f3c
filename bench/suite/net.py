"""The node: what it answers, refuses, holds and survives, beside servers of others."""
import subprocess

import programs
from table import Plain, Question, Row, Times

PEERS = programs.peers_present()


def beside(program, peers, *arguments):
    """Ours and, where they are there, the peers'."""
    names = ["weir", *(peers if PEERS else [])]
    return [("net", program, name, *arguments) for name in names]


QUESTIONS = [
    Question("http1", beside("http1", ["epoll", "h2o", "hyper", "nginx", "go"]), cpu_only=True),
    Question("http2", beside("http2", ["h2o", "hyper", "nginx", "go"]), cpu_only=True),
    Question("overload 2x", beside("overload", ["hyper", "go", "epoll"], "2")),
    Question("overload 4x", beside("overload", ["hyper", "go", "epoll"], "4")),
    Question("deadline", [("net", "deadline")]),
    Question("drain", [("net", "drain")]),
    Question("idle keep-alive", [("net", "idle", "keepalive")]),
    Question("idle long polls", [("net", "idle", "poll")]),
    Question("start", [("net", "start")]),
    Question("threads", [("net", "threads", "1"), ("net", "threads", "2")]),
    Question("handshake", [("net", "handshake")]),
    Question("mcp call", [("net", "mcp")]),
    Question("chaos", [("net", "chaos")], once=True),
]

PACKAGES = {"hyper": "librust-hyper-dev", "h2o": "libh2o-evloop-dev", "nginx": "nginx-light",
            "wrk": "wrk", "h2load": "nghttp2-client"}


def version(package):
    """Debian's, without its own suffix."""
    said = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package], text=True,
                          capture_output=True).stdout
    return said.partition("-")[0].partition("+")[0] or "?"


# Besides --http-addr and --data.
FLAGS = {
    "one core": "--threads 1",
    "HTTP/2": "--rate-requests-per-s 100000 --rate-requests-burst 200000",
    "overload": "--workers-count 32 --max-conns 4096",
    "deadline": "--workers-count 256",
    "drain": "--workers-count 32",
    "chaos": "--workers-count 20",
    "idle": "--max-conns 10200",
    "handshake": "--max-conns 2048 --tls",
}
SAID = [
    "Every limit and every metric is on: GET /v1/hello passes the check of who asks, "
    "admission, the queue node.work, a worker, its deadline and the metrics. Each connection "
    "of wrk and h2load has an address of its own; other load has 100 connections from each.",
    "Flags of the node: " + "; ".join(f"{what} {flags}" for what, flags in FLAGS.items()) + ".",
    ", ".join(f"{name} {version(package)}" for name, package in PACKAGES.items()) + ".",
    *([] if PEERS else ["No peers were found, so no row compares with them."]),
]


def http(version, metric):
    return {"h2o": f"h2o_{version}_{metric}", "hyper": f"hyper_{version}_{metric}",
            "nginx": f"nginx_{version}_{metric}"}


def overload(times):
    over = f"over{times}x"
    return [
        Row(f"{times}x overload: time to 429, p99", "us", f"weir_{over}_busy_p99_us",
            {"hyper": f"hyper_{over}_busy_p99_us"}, less=True, must=Times(0.5),
            beside={"Go": f"go_{over}_busy_p99_us",
                    "bare epoll, all at once": f"epoll_{over}_p99_us"}),
        Row(f"{times}x overload: time to 429, p50", "us", f"weir_{over}_busy_p50_us",
            {"hyper": f"hyper_{over}_busy_p50_us"}, less=True, must=Plain(60),
            beside={"Go": f"go_{over}_busy_p50_us",
                    "bare epoll, all at once": f"epoll_{over}_p50_us"}),
        # what waits behind 512 others and 32 workers of 5 ms each is done in 85 ms
        Row(f"{times}x overload: accepted work, p99", "ms", f"weir_{over}_done_p99_ms",
            {"hyper": f"hyper_{over}_done_p99_ms"}, less=True, must=Plain(100),
            beside={"Go": f"go_{over}_done_p99_ms"}),
        Row(f"{times}x overload: work done", "requests/s", f"weir_{over}_done_per_s",
            {"hyper": f"hyper_{over}_done_per_s"}, less=False,
            beside={"Go": f"go_{over}_done_per_s"}),
        Row(f"{times}x overload: dropped from node.work", "requests", f"weir_{over}_dropped",
            {}, less=True, must=Plain(0), worst=True),
    ]


def idle(kind, name):
    return [
        Row(f"10,000 {name}: memory of each", "bytes", f"idle_{kind}_bytes", {}, less=True,
            must=Plain(12 * 1024)),
        Row(f"10,000 {name}: p99 of other traffic", "us", f"idle_{kind}_p99_us",
            {"without them": f"idle_{kind}_alone_p99_us"}, less=True, must=Times(1.25)),
    ]


def threads(what):
    return Row(f"10,000 requests/s on two workers, {what}", "us", f"threads2_{what}_us",
               {"one worker": f"threads1_{what}_us"}, less=True)


ROWS = [
    Row("HTTP/1.1 on one core", "requests/CPU s", "weir_h1_per_cpu_s",
        {"bare epoll": "epoll_h1_per_cpu_s"}, less=False, must=Times(0.8), aim=Times(0.9)),
    Row("HTTP/1.1 on one core, beside servers", "requests/CPU s", "weir_h1_per_cpu_s",
        http("h1", "per_cpu_s"), less=False, must=Times(1),
        beside={"Go": "go_h1_per_cpu_s"}),
    Row("HTTP/1.1 on one core, by the clock", "requests/s", "weir_h1_per_s",
        http("h1", "per_s"), less=False,
        beside={"bare epoll": "epoll_h1_per_s", "Go": "go_h1_per_s"}),
    Row("HTTP/1.1 on one core, p99", "us", "weir_h1_p99_us", http("h1", "p99_us"), less=True,
        beside={"bare epoll": "epoll_h1_p99_us", "Go": "go_h1_p99_us"}),
    Row("HTTP/2 on one core", "requests/CPU s", "weir_h2_per_cpu_s",
        {"hyper": "hyper_h2_per_cpu_s"}, less=False, must=Times(1.1),
        beside={"nginx": "nginx_h2_per_cpu_s", "Go": "go_h2_per_cpu_s"}),
    Row("HTTP/2 on one core, beside h2o", "requests/CPU s", "weir_h2_per_cpu_s",
        {"h2o": "h2o_h2_per_cpu_s"}, less=False, aim=Times(0.5)),
    *overload(2),
    *overload(4),
    Row("distance of 504 from the handler's deadline, p99", "ms", "deadline_p99_ms", {},
        less=True, must=Plain(5), beside={"largest": "deadline_max_ms"}),
    Row("drain under load: the longest of 20", "ms", "drain_exit_max_ms", {}, less=True,
        must=Plain(3000), worst=True),
    Row("drain under load: requests without their answer", "requests", "drain_lost", {},
        less=True, must=Plain(0), worst=True,
        beside={"answered 2xx": "drain_done", "answered 503": "drain_refused",
                "asked too late": "drain_late", "answered otherwise": "drain_other"}),
    Row("chaos: GET answered 5xx", "%", "chaos_get_5xx_percent", {}, less=True,
        must=Plain(0), once=True,
        beside={"workers killed": "chaos_killed", "% answered 4xx": "chaos_busy_percent",
                "dropped from node.work": "chaos_dropped"}),
    Row("chaos: POST answered 5xx", "%", "chaos_post_5xx_percent", {}, less=True,
        must=Plain(0.1), once=True),
    Row("chaos: ready, degraded, ready", "seen", "chaos_ready_again", {}, less=False,
        must=Plain(1), once=True),
    Row("tools/call over HTTP, beyond a bare round trip, p50", "us", "mcp_http_over_p50_us", {},
        less=True, must=Plain(150),
        beside={"bare": "mcp_http_bare_p50_us", "whole": "mcp_http_call_p50_us"}),
    Row("tools/call over pipes, beyond a bare round trip, p50", "us", "mcp_stdio_over_p50_us",
        {}, less=True, must=Plain(150),
        beside={"bare": "mcp_stdio_bare_p50_us", "whole": "mcp_stdio_call_p50_us"}),
    *idle("keepalive", "idle connections"),
    *idle("poll", "long polls"),
    Row("start to ready", "ms", "start_ms", {}, less=True, must=Plain(100)),
    threads("p50"),
    threads("p99"),
    Row("half a TLS handshake: the longest of 25,000", "ms", "handshake_max_ms", {},
        less=True, must=Plain(2100), worst=True, beside={"p50": "handshake_p50_ms"}),
    Row("half a TLS handshake: not counted", "clients", "handshake_uncounted", {}, less=True,
        must=Plain(0), worst=True),
    Row("half a TLS handshake: memory that the fifth 1,000 adds", "%",
        "handshake_growth_percent", {}, less=True, must=Plain(5),
        beside={"KB each": "handshake_kb"}),
]
