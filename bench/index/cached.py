#!/usr/bin/env python3
"""A name that is remembered, over HTTP on one core, beside the hello route of the same node.

Both take turns, on 64 connections.  Then the name is asked for at half of the rate that the
node can take, whatever its answers do.  Every limit is the default; each connection has an
address of its own.  After ten seconds the name is read from the store again, as ever."""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "net"))

import rig              # noqa: E402

NAME = "weir.example"
TURNS, SECONDS, CONNECTIONS = 3, 2, 64
HITS_MIN = 0.99         # else it was not the cache that was measured
ANSWERED_MIN = 0.95     # of what is due: else it was not that load


def requests_of(node, path):
    """How many were answered, and what that took of the node's processor time."""
    before = node.cpu()
    said = rig.foreign_load("wrk", "-t1", f"-c{CONNECTIONS}", f"-d{SECONDS}",
                            f"http://127.0.0.1:{node.port}{path}")
    used = node.cpu() - before
    if errors := re.search(r"Non-2xx.*|Socket errors.*", said):
        rig.fail(f"{path}: {errors[0]}")
    return int(re.search(r"(\d+) requests in", said)[1]), used


def per_cpu_s(counts):
    return sum(count for count, _ in counts) / sum(used for _, used in counts)


def in_turns(node, *paths):
    counts = {path: [] for path in paths}
    for path in paths:
        requests_of(node, path)         # not counted
    for _ in range(TURNS):
        for path in paths:
            counts[path].append(requests_of(node, path))
    return [per_cpu_s(counts[path]) for path in paths]


def at_half(node, rate):
    words, how = (int(rate / 2), SECONDS + 1, CONNECTIONS), {"options": ("-w", "-s", "1"),
                                                             "first": rig.AT_ONCE}
    seen = rig.open_load(node.port, *words, f"GET /resolve/name:{NAME}", **how)
    seen["bare_p99_us"] = rig.bare_load(*words, **how).get("get_200_p99_us")
    kinds = {kind for kind in seen if kind.endswith("_count")}
    if seen["broken"] or kinds != {"get_200_count"}:
        rig.fail(f"at half load not all are answered 200: {seen}")
    if (count := seen["get_200_count"]) < ANSWERED_MIN * int(rate / 2) * (SECONDS + 1):
        rig.fail(f"half load is {rate / 2:.0f} a second; this machine is too busy for that: "
                 f"{count / (SECONDS + 1):.0f} were counted")
    return seen


def share_of_hits(node):
    hits, misses = (node.metric(f"index_cache_{kind}_total") for kind in ("hits", "misses"))
    return hits / (hits + misses)


with rig.live.Node(*rig.ONE_CORE, "--index-dhtnode", "off", core=rig.SERVER_CORE) as node:
    seed = f'{{"name":"{NAME}","cid":"b3:{64 * "a"}"}}'
    if (status := node.ask("PUT", "/admin/seed", seed)[0]) != 202:
        rig.fail(f"{NAME} was not taken: {status}")
    hello, resolve = in_turns(node, rig.HELLO, f"/resolve/name:{NAME}")
    rig.say(cached_per_cpu_s=resolve, cached_hello_per_cpu_s=hello)
    half = at_half(node, resolve)
    if (share := share_of_hits(node)) < HITS_MIN:
        rig.fail(f"only {share:.2%} were remembered")
rig.say(cached_half_p50_us=half["get_200_p50_us"], cached_half_p99_us=half["get_200_p99_us"],
        cached_half_per_s=half["get_200_count"] / (SECONDS + 1))
if half["bare_p99_us"]:
    rig.say(cached_half_bare_p99_us=half["bare_p99_us"])
