#!/usr/bin/env python3
"""How fast a node announces what it offers, over five proxies of a network of eight real
dhtnodes on loopback.

    announcing.py [COUNT]

What it takes of the processor is said per id, ours and that of all nodes.  Without dhtnode
there are no figures.
"""
import pathlib
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parent.parent
sys.path[:0] = [str(HERE.parent), str(TOP / "tools"), str(TOP / "tests/e2e")]

import programs         # noqa: E402
import swarm            # noqa: E402

NODES, TARGETS = 8, 5
WITHIN = 110            # seconds


def cpu_of(nodes):
    """Seconds of processor time so far, of all of them."""
    return sum(time.clock_gettime(~node.process.pid << 3 | 2) for node in nodes)


def read_lines(program, nodes, count):
    """What it says, and after each figure what the nodes have used for that."""
    before = cpu_of(nodes)
    for line in program.stdout:
        print(line, end="", flush=True)
        if line.split()[0].endswith("_per_s"):
            used, before = cpu_of(nodes) - before, cpu_of(nodes)
            print(line.split()[0].replace("per_s", "nodes_cpu_us"), f"{used * 1e6 / count:.0f}")


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10000
    if missing := swarm.missing():
        sys.exit(missing)
    with swarm.Swarm(NODES) as nodes, tempfile.TemporaryDirectory() as folder:
        command = [programs.path("index", "announce"), f"{folder}/weir.db", str(count),
                   *nodes.proxies()[:TARGETS]]
        with subprocess.Popen(command, text=True, stdout=subprocess.PIPE) as program:
            late = threading.Timer(WITHIN, program.kill)
            late.start()
            read_lines(program, nodes, count)
            late.cancel()
    sys.exit(program.returncode)


if __name__ == "__main__":
    main()
