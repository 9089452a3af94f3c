#!/usr/bin/env python3
"""Lookups over five proxies of a network of sixteen real dhtnodes on loopback.

    hedging.py healthy|two|front|fresh|behind|dead|puts

Some are stopped (SIGSTOP) while they are asked, as the question says (lookups.c).  Hedged and
unhedged see the same network, one after the other.  Without dhtnode there are no figures.
"""
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parent.parent
sys.path[:0] = [str(HERE.parent), str(TOP / "tools"), str(TOP / "tests/e2e")]

import programs         # noqa: E402
import swarm            # noqa: E402

NODES, TARGETS = 16, 5
MODES = {"behind": ("hedged", "unhedged", "whole"), "dead": ("hedged",), "puts": ("hedged",)}


def main():
    question = sys.argv[1]
    if missing := swarm.missing():
        sys.exit(missing)
    with swarm.Swarm(NODES) as nodes:
        targets = [f"{node.url}={node.process.pid}" for node in nodes[:TARGETS]]
        others = [str(node.process.pid) for node in nodes[TARGETS:]]
        for mode in MODES.get(question, ("hedged", "unhedged")):
            done = subprocess.run([programs.path("index", "lookups"), question, mode, *targets,
                                   "+", *others], text=True, capture_output=True, timeout=110)
            sys.stderr.write(done.stderr)
            if done.returncode != 0:
                sys.exit(done.returncode)
            sys.stdout.write(done.stdout)
            nodes.settle()


if __name__ == "__main__":
    main()
