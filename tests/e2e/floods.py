"""HTTP/2 by hand: frames that are right one by one and an attack all together."""
import contextlib
import socket
import struct
import time

import raw
from case import case, expect, require

FLAT = 8 << 20
PATIENCE = 4            # seconds: less than a slow head, or a slow reader, is given
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, CONTINUATION = 0, 1, 3, 4, 6, 7, 9
END_STREAM, END_HEADERS, ACK = 1, 4, 1
ENHANCE_YOUR_CALM = 11


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) \
        + struct.pack(">I", stream) + payload


def literal(index, value):
    """A header whose name is in the static table, and which is not remembered."""
    return bytes([index, len(value)]) + value


# GET, http, the path and the authority
STATUS_200 = b"\x88"
REQUEST = b"\x82\x86" + literal(4, b"/v1/hello") + literal(1, b"127.0.0.1")


class Peer(raw.Link):
    """A client of HTTP/2 without a conscience."""

    def __init__(self, node, settings=b"", source=""):
        super().__init__(node, source=source)
        self.send(PREFACE + frame(SETTINGS, 0, 0, settings))

    def greet(self):
        """One request as it should be, so that what follows meets a living connection."""
        self.send(frame(HEADERS, END_STREAM | END_HEADERS, 1, REQUEST))
        got = b""
        while not any(kind == HEADERS and stream == 1 and payload[:1] == STATUS_200
                      for kind, _, stream, payload in frames(got)):
            part = self.socket.recv(65536)
            require(part, "the connection ended before the first answer")
            got += part

    def flood(self, parts):
        """Send until it is all sent or the server has had enough; whether that was so."""
        self.socket.settimeout(5)
        for part in parts:
            try:
                if not self.send(part):
                    return True
            except TimeoutError:
                return False
        return False


def frames(data):
    """(kind, flags, stream, payload) of each whole frame."""
    while len(data) >= 9:
        length = int.from_bytes(data[:3], "big")
        if len(data) < 9 + length:
            return
        yield data[3], data[4], int.from_bytes(data[5:9], "big"), data[9:9 + length]
        data = data[9 + length:]


def goodbye(data):
    """The error of a GOAWAY; None when there is none."""
    for kind, _, _, payload in frames(data):
        if kind == GOAWAY:
            return int.from_bytes(payload[4:8], "big")
    return None


def attack(node, parts, errors=None):
    """The server says goodbye and closes, before it would have lost its patience with
    anybody, does not grow, and serves others."""
    before = node.memory()
    for _ in range(5):
        began = time.monotonic()
        with Peer(node) as peer:
            peer.greet()
            enough = peer.flood(parts())
            got, closed = peer.read_to_end(within=5)
        took = time.monotonic() - began
        require(closed or enough, "the server goes on listening to it")
        require(took < PATIENCE, f"the server listened to it for {took:.1f} s")
        # what was in flight when it closed may have taken the goodbye with it
        if errors and goodbye(got) is not None:
            expect(goodbye(got), *errors)
    expect(node.get("/v1/hello")[0], 200)
    grown = node.memory() - before
    require(grown < FLAT, f"grown by {grown} bytes")


@case("a request in hand-made frames is answered")
def by_hand(node):
    with Peer(node) as peer:
        peer.greet()


@case("rapid reset: 20,000 requests, each taken back at once, end the connection")
def rapid_reset(node):
    attack(node, lambda: (frame(HEADERS, END_STREAM | END_HEADERS, 2 * i + 3, REQUEST)
                          + frame(RST_STREAM, 0, 2 * i + 3, struct.pack(">I", 8))
                          for i in range(20000)), errors=(ENHANCE_YOUR_CALM, 2))


@case("a head without end, in CONTINUATION frames, ends the connection")
def continuation(node):
    more = frame(CONTINUATION, 0, 3, b"\x00\x01a\x7f\x80\x3f" + b"b" * 8191) * 4
    attack(node, lambda: [frame(HEADERS, END_STREAM, 3, REQUEST)] + [more] * 1000)


@case("a head without end, in empty CONTINUATION frames, ends the connection")
def empty_continuation(node):
    more = frame(CONTINUATION, 0, 3) * 1000
    attack(node, lambda: [frame(HEADERS, END_STREAM, 3, REQUEST)] + [more] * 1000)


@case("SETTINGS without end end the connection")
def settings(node):
    attack(node, lambda: [frame(SETTINGS, 0, 0) * 1000] * 1000)


@case("PING without end, whose answers are not read, ends the connection")
def ping(node):
    attack(node, lambda: [frame(PING, 0, 0, bytes(8)) * 1000] * 1000)


@case("a header table entry that is repeated a thousand times (HPACK bomb) is refused")
def hpack_bomb(node):
    # one entry of 4000 bytes is remembered, then named again and again
    entry = b"\x40\x01a\x7f\xa1\x1e" + b"b" * 4000
    head = REQUEST + entry + b"\xbe" * 4000
    before = node.memory()
    with Peer(node) as peer:
        peer.greet()
        peer.send(frame(HEADERS, END_STREAM | END_HEADERS, 3, head))
        got, _ = peer.read_to_end(within=2)
    answered = [payload for kind, _, stream, payload in frames(got)
                if kind == HEADERS and stream == 3]
    require(not answered or answered[0][:1] != STATUS_200, "it was answered 200")
    require(node.memory() - before < FLAT, f"grown by {node.memory() - before} bytes")


@case("a frame longer than was agreed ends the connection")
def long_frame(node):
    attack(node, lambda: [frame(DATA, 0, 1, bytes(1 << 20))], errors=(6, 1))


@case("more streams at once than were agreed are refused one by one")
def many_streams(node):
    with Peer(node) as peer:
        peer.greet()
        for i in range(1000):
            peer.send(frame(HEADERS, END_STREAM | END_HEADERS, 2 * i + 3, REQUEST))
        got, _ = peer.read_to_end(within=2)
    answers = sum(kind == HEADERS for kind, _, _, _ in frames(got))
    resets = sum(kind == RST_STREAM for kind, _, _, _ in frames(got))
    require(answers > 0, "nothing was answered")
    require(answers + resets == 1000 or goodbye(got) is not None,
            f"{answers} answered, {resets} refused of 1000")


@case("after a flood its memory goes back")
def given_back(node):
    head = (b"POST /api/v1/debug/sleep?ms=1 HTTP/1.1\r\nHost: localhost\r\n"
            b"Content-Length: 90000\r\n\r\n")
    before, peers = node.memory(), []
    try:
        for i in range(900):
            peer = socket.socket()
            peers.append(peer)
            peer.bind((f"127.0.1.{1 + i % 9}", 0))
            peer.connect(("127.0.0.1", node.port))
            peer.sendall(head + b"x" * 60000)
        until = time.monotonic() + 10
        while node.memory() - before < 40 << 20 and time.monotonic() < until:
            time.sleep(0.1)
        grown = node.memory() - before
    finally:
        for peer in peers:
            peer.close()
    require(grown > 40 << 20, f"that was no flood: {grown} bytes")
    until = time.monotonic() + 30           # two looks, 5 s apart, at a node that is quiet
    while node.memory() - before > grown // 4 and time.monotonic() < until:
        time.sleep(0.5)
    left = node.memory() - before
    require(left <= grown // 4, f"{left} of {grown} bytes are left")


@case("windows that stay closed keep no worker: others are served", alone=True)
def closed_window(node):
    none = struct.pack(">HI", 4, 0)         # SETTINGS_INITIAL_WINDOW_SIZE of 0
    with Peer(node, none) as peer:
        peer.greet()
        for i in range(50):
            peer.send(frame(HEADERS, END_STREAM | END_HEADERS, 2 * i + 3, REQUEST))
        time.sleep(0.3)
        expect(node.get("/v1/hello")[0], 200)


@case("four addresses that ask for health and take no answer leave it to others", alone=True)
def stalled_control(node):
    none = struct.pack(">HI", 4, 0)         # SETTINGS_INITIAL_WINDOW_SIZE of 0
    health = b"\x82\x86" + literal(4, b"/healthz") + literal(1, b"127.0.0.1")
    reload = b"\x83\x86" + literal(4, b"/api/v1/reload") + literal(1, b"127.0.0.1")
    with contextlib.ExitStack() as stack:
        for source in ("127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.5"):
            peer = stack.enter_context(Peer(node, none, source))
            for i in range(80):
                peer.send(frame(HEADERS, END_STREAM | END_HEADERS, 2 * i + 1, health))
            peer = stack.enter_context(Peer(node, none, source))
            for i in range(80):
                peer.send(frame(HEADERS, END_HEADERS, 2 * i + 1, reload))
            for _ in range(70):
                link = stack.enter_context(raw.Link(node, source=source))
                link.send(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"
                          b"Transfer-Encoding: chunked\r\n\r\n")
        time.sleep(0.5)
        expect(node.get("/healthz")[0], 200)
