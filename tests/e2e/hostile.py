"""Requests that are wrong on purpose, over HTTP/1: refused, and nothing grows."""
import contextlib
import gzip
import time
import zlib

import raw
from case import case, expect, require

FLAT = 8 << 20          # bytes: what a server may grow by under an attack, in all
HOST = b"Host: 127.0.0.1\r\n"
SECOND = b"GET /v1/hello HTTP/1.1\r\n" + HOST + b"\r\n"
POST = b"POST /api/v1/debug/sleep?ms=0 HTTP/1.1\r\n" + HOST


def refused(node, data, *allowed):
    """One answer, of these statuses, and then the end: what follows is no request."""
    seen, closed = raw.ask(node, data + SECOND, within=4)
    require(len(seen) == 1, f"answers: {seen}")
    expect(seen[0], *allowed)
    require(closed, "the connection goes on after it")


SMUGGLING = {
    "Content-Length and Transfer-Encoding":
        POST + b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "Transfer-Encoding and Content-Length":
        POST + b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
    "two Content-Lengths that differ":
        POST + b"Content-Length: 3\r\nContent-Length: 0\r\n\r\nabc",
    "a Content-Length that is a list": POST + b"Content-Length: 0, 3\r\n\r\n",
    "a Content-Length with a sign": POST + b"Content-Length: +3\r\n\r\nabc",
    "a Content-Length in hexadecimal": POST + b"Content-Length: 0x3\r\n\r\nabc",
    "a Content-Length beyond 64 bits": POST + b"Content-Length: 18446744073709551617\r\n\r\na",
    "a Transfer-Encoding that does not end in chunked":
        POST + b"Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
    "a Transfer-Encoding nobody knows": POST + b"Transfer-Encoding: xchunked\r\n\r\n",
    "a space before the colon of Transfer-Encoding":
        POST + b"Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
    "a line that ends in a bare LF":
        b"GET /v1/hello HTTP/1.1\nHost: 127.0.0.1\n\n",
    "a header that ends in a bare LF":
        b"GET /v1/hello HTTP/1.1\r\n" + HOST + b"X: y\nContent-Length: 0\r\n\r\n",
    "a header that ends in a bare CR":
        b"GET /v1/hello HTTP/1.1\r\n" + HOST + b"X: y\rContent-Length: 0\r\n\r\n",
    "a folded header": b"GET /v1/hello HTTP/1.1\r\n" + HOST + b"X: y\r\n z\r\n\r\n",
    "Host with a space before its colon":
        b"GET /v1/hello HTTP/1.1\r\nHost : 127.0.0.1\r\n\r\n",
    "no Host": b"GET /v1/hello HTTP/1.1\r\n\r\n",
    "two Hosts": b"GET /v1/hello HTTP/1.1\r\n" + HOST + HOST + b"\r\n",
    "a target that names another host than Host":
        b"GET http://127.0.0.2/v1/hello HTTP/1.1\r\n" + HOST + b"\r\n",
    "two Authorizations":
        b"GET /v1/hello HTTP/1.1\r\n" + HOST + 2 * b"Authorization: Bearer a\r\n" + b"\r\n",
    "a header without a name": b"GET /v1/hello HTTP/1.1\r\n" + HOST + b": y\r\n\r\n",
    "a zero byte in a header": b"GET /v1/hello HTTP/1.1\r\n" + HOST + b"X: a\0b\r\n\r\n",
    "a chunk size that is no number":
        POST + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n\r\n",
    "a chunk size beyond 64 bits":
        POST + b"Transfer-Encoding: chunked\r\n\r\n11111111111111111\r\na\r\n0\r\n\r\n",
    "a chunk longer than it says":
        POST + b"Transfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n0\r\n\r\n",
}


def smuggled(claim, data):
    def function(node):
        refused(node, data, 400, 501)
    case(f"{claim}: refused once, what follows is no request")(function)


for what, bytes_of_it in SMUGGLING.items():
    smuggled(what, bytes_of_it)


@case("a version of HTTP that does not exist is refused")
def version(node):
    refused(node, b"GET /v1/hello HTTP/9.9\r\n" + HOST + b"\r\n", 400, 505)


@case("a target of 100 KB is refused before it is whole")
def long_target(node):
    refused(node, b"GET /" + b"a" * 100000 + b" HTTP/1.1\r\n" + HOST + b"\r\n", 414, 431)


@case("a head of 1 MB is refused before it is whole")
def long_head(node):
    lines = b"".join(b"X-%d: %s\r\n" % (i, b"y" * 1000) for i in range(1000))
    refused(node, b"GET /v1/hello HTTP/1.1\r\n" + HOST + lines + b"\r\n", 431)


@case("a body of 1 TB is refused before it is sent")
def long_body(node):
    refused(node, POST + b"Content-Length: 1099511627776\r\n\r\n", 413)


@case("a body in chunks is refused when it gets too long")
def long_chunks(node):
    chunk = b"10000\r\n" + b"a" * 65536 + b"\r\n"
    with raw.Link(node) as link:
        link.send(POST + b"Transfer-Encoding: chunked\r\n\r\n")
        for _ in range(256):
            if not link.send(chunk):
                break
        got, closed = link.read_to_end()
    # what was in flight when it closed may have taken the answer with it
    require(closed and raw.statuses(got) in ([413], []), f"answers: {raw.statuses(got)}")


@case("a request for another host is refused: the node is not the proxy of a web page")
def other_host(node):
    seen, _ = raw.ask(node, b"GET /v1/hello HTTP/1.1\r\nHost: example.org\r\n"
                            b"Connection: close\r\n\r\n")
    expect(seen, [403])


@case("a request from another origin is refused")
def other_origin(node):
    expect(node.get("/v1/hello", headers={"Origin": "http://example.org"})[0], 403)


@case("a request that comes byte by byte is answered")
def byte_by_byte(node):
    with raw.Link(node) as link:
        for byte in b"GET /v1/hello HTTP/1.1\r\n" + HOST + b"Connection: close\r\n\r\n":
            link.send(bytes([byte]))
            time.sleep(0.001)
        got, closed = link.read_to_end()
    expect(raw.statuses(got), [200])
    require(closed, "it was asked to close")


@case("100 clients that send a byte now and then get 408 after 5 s, and nothing grows")
def too_slow(node):
    before = node.memory()
    links = [raw.Link(node, within=10) for _ in range(100)]
    began = time.monotonic()
    try:
        for link in links:
            link.send(b"GET /v1/hello HTTP/1.1\r\n" + HOST)
        while time.monotonic() - began < 4:
            for link in links:
                link.send(b"X")
            time.sleep(0.5)
        for link in links:
            got, closed = link.read_to_end(within=4)
            expect(raw.statuses(got), [408])
            require(closed, "the connection goes on")
    finally:
        for link in links:
            link.socket.close()
    took = time.monotonic() - began
    require(4.5 < took < 6.5, f"closed after {took:.1f} s")
    require(node.memory() - before < FLAT, f"grown by {node.memory() - before} bytes")


def zstd_bomb(blocks):
    """A frame of blocks, each of which says: 128 KB of one byte."""
    block = ((128 << 10) << 3 | 1 << 1).to_bytes(3, "little") + b"a"
    last = ((128 << 10) << 3 | 1 << 1 | 1).to_bytes(3, "little") + b"a"
    return b"\x28\xb5\x2f\xfd\x00\x58" + block * (blocks - 1) + last


BOMBS = {
    "gzip": gzip.compress(b"a" * (100 << 20)),
    "deflate": zlib.compress(b"a" * (100 << 20)),
    "zstd": zstd_bomb(10000),
}


def bomb(coding, body):
    @case(f"a {coding} bomb of {len(body)} bytes is refused 20 times, and nothing grows")
    def bombed(node):
        counted = 'rejected_total{reason="decompress_cap"}'
        before, refusals = node.memory(), node.metric(counted)
        for _ in range(20):
            status, _, text = node.post("/api/v1/debug/sleep?ms=0", body,
                                        headers={"Content-Encoding": coding})
            expect(status, 400)
        expect(node.metric(counted) - refusals, 20)
        require(node.memory() - before < FLAT, f"grown by {node.memory() - before} bytes")


for name, packed in BOMBS.items():
    bomb(name, packed)


@case("a body packed twice is refused")
def packed_twice(node):
    body = gzip.compress(gzip.compress(b"a" * 1000))
    status, _, _ = node.post("/api/v1/debug/sleep?ms=0", body,
                             headers={"Content-Encoding": "gzip, gzip"})
    expect(status, 400, 415)


@case("a coding nobody knows is refused")
def unknown_coding(node):
    status, _, _ = node.post("/api/v1/debug/sleep?ms=0", b"abc",
                             headers={"Content-Encoding": "br"})
    expect(status, 415)


def crowd(node, count, source):
    """Connections of one address; without those that were reset before they could be used."""
    links = []
    for _ in range(count):
        with contextlib.suppress(ConnectionResetError):
            links.append(raw.Link(node, within=2, source=source))
    return links


@case("300 connections from one address: 256 are served, and so are other addresses")
def one_address(node):
    links = crowd(node, 300, "127.0.0.78")
    try:
        with raw.Link(node, source="127.0.0.77") as other:
            other.send(SECOND.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
            expect(raw.statuses(other.read_to_end()[0]), [200])
        for link in links:
            link.send(SECOND)
        time.sleep(0.3)
        answers = [raw.statuses(link.read_now()) for link in links]
    finally:
        for link in links:
            link.socket.close()
    served = answers.count([200])
    require(200 < served <= 256, f"{served} of 300 were served")
