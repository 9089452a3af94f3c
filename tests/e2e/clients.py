"""The tools people use, and those that attack: curl, wrk, h2load, nghttp, slowhttptest,
testssl, promtool."""
import http.client
import re
import subprocess
import time

import raw
from case import case, expect, require

FLAT = 8 << 20


def tool(*command, within=40, stdin=None):
    """Run it; its exit status and what it said."""
    done = subprocess.run([str(word) for word in command], input=stdin, text=True,
                          errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=within)
    return done.returncode, done.stdout


def url(node, path="/v1/hello"):
    return f"{'https' if node.tls else 'http'}://127.0.0.1:{node.port}{path}"


def curl(node, *options, path="/v1/hello"):
    """Exit status of curl, status and version of the answer."""
    trust = ["--cacert", node.cert] if node.tls else []
    status, said = tool("curl", "-sS", "-o", "/dev/null", "-w", "%{http_code} %{http_version}",
                        *trust, *options, url(node, path))
    return status, said.strip()


@case("curl is answered over HTTP/1.1")
def curl_h1(node):
    expect(curl(node), (0, "200 1.1"))


@case("curl is answered over HTTP/2, begun without asking")
def curl_h2(node):
    expect(curl(node, "--http2-prior-knowledge"), (0, "200 2"))


@case("curl is answered over TLS, and HTTP/2 is agreed upon in the handshake")
def curl_tls(tls):
    expect(curl(tls), (0, "200 2"))


@case("curl is answered over TLS in HTTP/1.1 when it wants that")
def curl_tls_h1(tls):
    expect(curl(tls, "--http1.1"), (0, "200 1.1"))


@case("curl gets no connection with TLS 1.2")
def curl_old_tls(tls):
    status, _ = curl(tls, "--tls-max", "1.2")
    expect(status, 35)


@case("curl sends a body in chunks after 100 Continue")
def curl_expect(node):
    expect(curl(node, "-H", "Transfer-Encoding: chunked", "-H", "Expect: 100-continue",
                "-d", "x" * 2000, path="/api/v1/debug/sleep?ms=0"), (0, "200 1.1"))


@case("curl asks with HEAD and gets no body")
def curl_head(node):
    expect(curl(node, "-I"), (0, "200 1.1"))


@case("what is spoken to the TLS port without TLS is closed within 2 s")
def plain_to_tls(tls):
    with raw.Link(tls, tls=False) as link:
        link.send(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        _, closed = link.read_to_end(within=2.5)
    require(closed, "it is still open")


@case("half a TLS handshake is dropped after 2 s, and counted")
def half_handshake(tls):
    counted = 'io_timeouts_total{op="handshake"}'
    before, began = tls.metric(counted), time.monotonic()
    with raw.Link(tls, tls=False) as link:
        link.send(bytes.fromhex("1603010200010001fc0303"))
        _, closed = link.read_to_end(within=4)
    took = time.monotonic() - began
    require(closed and 1.9 < took < 3, f"closed after {took:.1f} s")
    expect(tls.metric(counted) - before, 1)


@case("nghttp is answered")
def nghttp(node):
    status, said = tool("nghttp", "-n", "-s", url(node))
    expect(status, 0)
    require(re.search(r"\s200\s+\d+\s+/v1/hello", said), said[-500:])


@case("nghttp is answered over TLS")
def nghttp_tls(tls):
    status, said = tool("nghttp", "-n", "-s", "--no-verify-peer", url(tls))
    expect(status, 0)
    require(re.search(r"\s200\s+\d+\s+/v1/hello", said), said[-500:])


def h2load_all(node):
    status, said = tool("h2load", "-n2000", "-c4", "-m16", url(node))
    expect(status, 0)
    require("2000 succeeded, 0 failed, 0 errored" in said and "2000 2xx" in said, said[-800:])


@case("h2load: 2,000 requests on 4 connections are all answered")
def h2load(node):
    h2load_all(node)


@case("h2load over TLS: 2,000 requests on 4 connections are all answered")
def h2load_tls(tls):
    h2load_all(tls)


@case("a hundred streams that ask for metrics leave /healthz of others below 50 ms, p99",
      alone=True)
def metrics_flood(node):
    command = ["h2load", "-c1", "-m100", "-D3", url(node, "/metrics")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as load:
        time.sleep(0.5)
        # of another address: each has a share of its own, and that one's is used up
        link = http.client.HTTPConnection("127.0.0.1", node.port, timeout=10,
                                          source_address=("127.0.5.1", 0))
        took = []
        until = time.monotonic() + 2
        while time.monotonic() < until:
            began = time.monotonic()
            link.request("GET", "/healthz")
            answer = link.getresponse()
            answer.read()
            took.append(time.monotonic() - began)
            expect(answer.status, 200)
            time.sleep(0.002)
        link.close()
        said = load.communicate(timeout=20)[0]
    took.sort()
    p99 = took[len(took) * 99 // 100]
    require(len(took) > 30 and p99 < 0.05, f"{len(took)} answers, p99 {p99 * 1000:.1f} ms")
    require(re.search(r"status codes: \d{3,} 2xx, 0 3xx, \d+ 4xx, 0 5xx", said), said[-800:])


@case("wrk: 16 connections for a second get 2xx and nothing else")
def wrk(node):
    status, said = tool("wrk", "-t1", "-c16", "-d1", url(node))
    expect(status, 0)
    require("Non-2xx" not in said and "Socket errors" not in said, said)


@case("a full queue is answered 429 at once, and what has priority is answered still",
      alone=True)
def saturated(node):
    # from four addresses: one alone may not have so many connections
    links = [raw.Link(node, source=f"127.0.2.{i % 4 + 1}") for i in range(600)]
    try:
        began = time.monotonic()
        for link in links:
            link.send(b"GET /api/v1/debug/sleep?ms=1000 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        time.sleep(0.2)
        answers = [raw.statuses(link.read_now()) for link in links]
        took = time.monotonic() - began
        # four are with a worker, 512 wait
        require(answers.count([429]) >= 80 and took < 0.9,
                f"{answers.count([429])} of 600 in {took:.1f} s")
        for path in ("/healthz", "/readyz", "/version", "/metrics"):
            began = time.monotonic()
            expect(node.get(path)[0], 200)
            took = time.monotonic() - began
            require(took < 0.5, f"{path} took {took:.1f} s")
    finally:
        for link in links:
            link.socket.close()
    ends = time.monotonic() + 10            # what nobody waits for is given up, and others come
    while node.get("/v1/hello")[0] == 429:
        require(time.monotonic() < ends, "the queue is still full though nobody waits")
        time.sleep(0.1)                     # who comes by the hundred is turned away unheard
    expect(node.metric('queue_dropped_total{queue="node.work"}'), 0)


def slow(node, *options):
    """slowhttptest for a few seconds: whether others were served all the time."""
    before = node.memory()
    status, said = tool("slowhttptest", "-c", "50", "-r", "50", "-p", "2", "-l", "12", *options)
    said = re.sub(r"\x1b\[[\d;]*[mHJ]", "", said)
    require("service available:" in said, said[-800:])
    require(not re.search(r"service available:\s+NO", said), "others were not served")
    require(node.memory() - before < FLAT, f"grown by {node.memory() - before} bytes")
    return said


@case("slowhttptest -H (slow heads): closed after 5 s, others are served, nothing grows")
def slow_head(node):
    said = slow(node, "-H", "-i", "1", "-t", "GET", "-u", url(node))
    require("No open connections left" in said, said[-300:])


@case("slowhttptest -B (slow bodies): closed after 5 s, others are served, nothing grows")
def slow_body(node):
    said = slow(node, "-B", "-i", "1", "-s", "8192", "-t", "POST", "-u",
                url(node, "/api/v1/debug/sleep?ms=0"))
    require("No open connections left" in said, said[-300:])


@case("slowhttptest -R (many ranges): others are served, nothing grows")
def ranges(node):
    slow(node, "-R", "-a", "10", "-b", "3000", "-t", "HEAD", "-u", url(node))


@case("slowhttptest -X (slow readers): others are served, nothing grows")
def slow_read(node):
    slow(node, "-X", "-w", "10", "-y", "20", "-n", "1", "-z", "5", "-k", "3", "-t", "GET",
         "-u", url(node, "/metrics"))


@case("testssl: TLS 1.3 and nothing older")
def testssl(tls):
    _, said = tool("testssl", "--protocols", "--color", "0", "--warnings", "off", "--quiet",
                   f"127.0.0.1:{tls.port}", within=60)
    for line in said.splitlines():
        if found := re.match(r"\s+(SSLv2|SSLv3|TLS 1|TLS 1\.1|TLS 1\.2|TLS 1\.3)\s+(.*)", line):
            offered = not found[2].startswith("not offered")
            require(offered == (found[1] == "TLS 1.3"), line.strip())
    require(re.search(r"TLS 1\.3\s+offered", said), said[-1500:])


@case("promtool finds nothing to say about /metrics after all this")
def promtool(node):
    status, _, page = node.get("/metrics")
    expect(status, 200)
    status, said = tool("promtool", "check", "metrics", stdin=page.decode())
    require(status == 0 and not said.strip(), said[-1500:])
