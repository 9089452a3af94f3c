#!/usr/bin/env python3
"""The cycle in Redis, as a reliable queue is done there: LPUSH, LMOVE to the list of those that
are worked on, LPOP from it; an append-only file, synced before each answer; 64 clients.

A reply means less than ours: no unique key, no priority, no lease, no history."""
import pathlib
import subprocess
import sys
import tempfile
import time

CLIENTS, EACH = 64, 30000
JOB = "kind: query, query: what is a weir, please"


def wait_for(socket, server):
    give_up = time.monotonic() + 10
    while not socket.exists():
        if server.poll() is not None or time.monotonic() > give_up:
            raise SystemExit("redis: the server does not start")
        time.sleep(0.02)


def rate(socket, *command):
    said = subprocess.run(["redis-benchmark", "-s", socket, "-c", str(CLIENTS), "-n", str(EACH),
                           "--csv", *command], check=True, capture_output=True, text=True,
                          timeout=100).stdout
    return float(said.splitlines()[1].split('","')[1])


with tempfile.TemporaryDirectory(prefix="weir-redis-", dir=sys.argv[1]) as folder:
    socket = pathlib.Path(folder) / "socket"
    server = subprocess.Popen(["redis-server", "--port", "0", "--unixsocket", socket,
                               "--dir", folder, "--save", "", "--appendonly", "yes",
                               "--appendfsync", "always"], stdout=subprocess.DEVNULL)
    try:
        wait_for(socket, server)
        rates = [rate(socket, "LPUSH", "jobs", JOB),
                 rate(socket, "LMOVE", "jobs", "busy", "RIGHT", "LEFT"),
                 rate(socket, "LPOP", "busy")]
        print(f"redis_jobs_per_s {1 / sum(1 / each for each in rates):.0f}")
    finally:
        server.terminate()
        server.wait(10)
