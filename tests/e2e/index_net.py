"""Nodes that share what they have over a swarm of real dhtnodes.

    with net(8) as swarm, node(program, swarm, 0, 1) as one, node(program, swarm, 2) as other:
        cid = one.publish(b"bytes")
        other.await_known(cid)
        status, answer = other.providers(cid)

    with Load(other, cids) as load:             somebody asks all the time
        ...
    load.failed(), load.slowest(0.99)
"""
import http.client
import json
import os
import pathlib
import random
import subprocess
import tempfile
import threading
import time

import build
import lab
import live
import provider_record
import swarm
from case import Refuted, Skipped, expect

KNOWN_WITHIN = 30       # seconds, from a publish until others know
ASKERS = 8
# One address asks for everything.
FLAGS = ("--rate-requests-per-s", "100000", "--rate-requests-burst", "100000")


def net(count):
    if why := swarm.missing():
        raise Skipped(why)
    return swarm.Swarm(count)


def cids(*blobs):
    """Content ids, by another program than ours."""
    with tempfile.TemporaryDirectory(prefix="weir-") as folder:
        names = []
        for number, blob in enumerate(blobs):
            path = pathlib.Path(folder) / str(number)
            path.write_bytes(blob)
            names.append(path)
        said = subprocess.run(["b3sum", "--no-names", *names], check=True, text=True,
                              capture_output=True).stdout
    return ["b3:" + line.strip() for line in said.splitlines()]


def offer(member, key, count):
    """Ids that somebody says to have: put into the network by hand; the ids."""
    names = cids(*(os.urandom(32) for _ in range(count)))
    for cid in names:
        member.put(provider_record.dht_key(cid), key.record(cid, "tcp://127.0.0.1:9"))
    return names


class Node(lab.Node):
    def providers(self, cid, fresh=True, within=10):
        """The status of the answer, and what it says."""
        wish = "?fresh=true&limit=32" if fresh else "?limit=32"
        return self.json("GET", f"/providers/{cid}{wish}", within=within)

    def resolve(self, key, fresh=True):
        return self.json("GET", f"/resolve/{key}{'?fresh=true' if fresh else ''}")

    def publish(self, blob, cid=None):
        cid = cid or cids(blob)[0]
        status, _, text = self.ask("PUT", f"/v1/index/objects/{cid}", blob,
                                   {"Content-Type": "application/octet-stream"})
        if status not in (200, 201, 202):
            raise Refuted(f"a publish is answered with {status}: {text.decode()}")
        return cid

    def publish_all(self, blobs):
        names = cids(*blobs)
        for blob, cid in zip(blobs, names):
            self.publish(blob, cid)
        return names

    def fetch(self, cid):
        """The object itself, from whoever has it: status, headers, bytes."""
        return self.ask("GET", f"/v1/index/objects/{cid}", within=60)

    def until(self, holds, what, within=KNOWN_WITHIN):
        end = time.monotonic() + within
        while not holds():
            if not self.alive():
                raise build.Failed(f"the node has ended\n{self.said()}")
            if time.monotonic() > end:
                raise Refuted(f"{what}: not within {within} s")
            time.sleep(0.05)

    def await_known(self, *names):
        for cid in names:
            self.until(lambda: self.providers(cid)[0] == 200, f"{cid} is known")

    def total(self, name, *parts):
        """The sum of a metric over those of its series whose labels have these parts."""
        return sum(value for series, value in self.metrics().items()
                   if series.partition("{")[0] == name
                   and all(part in series for part in parts))


def node(program, nodes, *numbers, flags=(), kind=Node):
    """One whose proxies are these members of the swarm."""
    proxies = ",".join(nodes.proxies(*numbers)) if nodes else ""
    return kind("--index-dhtnode", "off", f"--index-proxies={proxies}", "--oap-addr",
                f"127.0.0.1:{live.free_port() + 40}", *FLAGS, *flags, program=program.path)


class Answer:
    def __init__(self, began, status, took, text):
        self.began, self.status, self.took, self.text = began, status, took, text


class Load:
    """Some who ask for providers all the time, each on a connection of its own."""

    def __init__(self, one, names, askers=ASKERS, query="?fresh=true"):
        self.one, self.names, self.query = one, names, query
        self.answers, self.broken = [], []
        self.over = threading.Event()
        self.threads = [threading.Thread(target=self.ask) for _ in range(askers)]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        for thread in self.threads:
            thread.join()

    def ask(self):
        link = self.one.link(within=10)
        while not self.over.is_set():
            began = time.monotonic()
            try:
                link.request("GET", f"/providers/{random.choice(self.names)}{self.query}")
                reply = link.getresponse()
                text = reply.read()
            except (OSError, http.client.HTTPException) as why:
                self.broken.append(repr(why))
                if self.over.wait(0.05) or not self.one.alive():
                    break
                link.close()
                continue
            self.answers.append(Answer(began, reply.status, time.monotonic() - began, text))
        link.close()

    def statuses(self, since=0):
        seen = {}
        for answer in list(self.answers):
            if answer.began >= since:
                seen[answer.status] = seen.get(answer.status, 0) + 1
        return seen

    def slowest(self, share, since=0):
        """The time, in seconds, that this share of the answers did not exceed."""
        took = sorted(answer.took for answer in list(self.answers) if answer.began >= since)
        return took[min(len(took) - 1, int(len(took) * share))] if took else 0.0

    def all_fine(self):
        expect(self.broken, [])
        bad = [answer for answer in self.answers if answer.status != 200]
        if bad or not self.answers:
            raise Refuted(f"{self.statuses()}; the first that failed took {bad[0].took:.3f} s: "
                          f"{bad[0].text.decode()}" if bad else "nobody was answered")


def said(answer):
    return json.dumps(answer)[:600]


def note(text):
    print(f"# {text}", flush=True)
