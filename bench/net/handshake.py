#!/usr/bin/env python3
"""Five times 1,000 clients that begin a TLS handshake and never end it."""
import rig

COUNT, WAVES = 1000, 5
# The head of a record that holds a ClientHello, and its first bytes.
HALF = bytes.fromhex("1603010200010001fc0303") + bytes(32)
COUNTED = 'io_timeouts_total{op="handshake"}'


def wave(node):
    """Times until they were closed, and the memory of the server afterwards."""
    with rig.held(node.port, COUNT, HALF) as clients:
        seen = rig.numbers(clients.stdout.read())
    if seen["closed_count"] != COUNT:
        rig.fail(f"not all were closed: {seen}")
    return seen["closed_p50_us"] / 1e3, seen["closed_max_us"] / 1e3, node.memory()


with rig.live.Node(*rig.ONE_CORE, "--max-conns", "2048", core=rig.SERVER_CORE,
                   tls=True) as node:
    counted, before = node.metric(COUNTED), node.memory()
    middles, longest, after = zip(*(wave(node) for _ in range(WAVES)))
    counted = node.metric(COUNTED) - counted
rig.say(handshake_p50_ms=middles[-1], handshake_max_ms=max(longest),
        handshake_uncounted=WAVES * COUNT - counted,
        # what is kept for the next ones is kept; what is lost would be lost again
        handshake_growth_percent=100 * (after[-1] - after[-2]) / after[-2],
        handshake_kb=(max(after) - before) / COUNT / 1024)
