"""The index on a real network, of which parts hang, die, return and lie."""
import contextlib
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import tempfile
import time

import provider_record
from case import case, expect, require
from index_net import FLAGS, Load, Node, cids, net, node, note, offer, said

OBJECTS = 30
DRAIN = 3               # seconds
DEADLINE = 1.2
COOLDOWN = 2
ASKED_MAX = 60


@contextlib.contextmanager
def somebody():
    """A key of nobody's node."""
    with tempfile.TemporaryDirectory(prefix="weir-") as folder:
        yield provider_record.Key(folder)


def restless(swarm, numbers):
    """Two hang, and are well again; two die, and return."""
    for number in numbers[:2]:
        swarm[number].freeze()
    time.sleep(4)
    for number in numbers[:2]:
        swarm[number].thaw()
    time.sleep(2)
    for number in numbers[2:]:
        swarm[number].kill()
    time.sleep(4)
    for number in numbers[2:]:
        swarm[number].restart()
    time.sleep(2)


@case("proxies that hang, die and return under load cost nobody an answer while others live")
def lives_on(program):
    with somebody() as key, net(8) as swarm, node(program, swarm, 0, 1, 2, 3, 4) as one:
        names = offer(swarm[7], key, OBJECTS)
        one.await_known(*names)
        with Load(one, names) as load:
            restless(swarm, (0, 1, 2, 3))
        note(f"{len(load.answers)} answers: p50 {load.slowest(0.5) * 1e3:.1f} ms, p99 "
             f"{load.slowest(0.99) * 1e3:.1f} ms, at most {load.slowest(1) * 1e3:.1f} ms")
        load.all_fine()
        require(all(b'"hedge"' in answer.text for answer in load.answers), "from a cache")


@case("a drain under load of lookups answers everybody, with what was asked or 503, and ends in"
      " time")
def drains(program):
    with somebody() as key, net(4) as swarm, node(program, swarm, 0, 1, 2, 3, flags=(
            "--drain-deadline", f"{DRAIN}s")) as one:
        names = offer(swarm[3], key, OBJECTS)
        one.await_known(*names)
        with Load(one, names) as load:
            one.until(lambda: len(load.answers) > 200, "some are answered")
            began = time.monotonic()
            one.process.send_signal(signal.SIGTERM)
            expect(one.process.wait(20), 0)
            took = time.monotonic() - began
        require(took < DRAIN + 1, f"it took {took:.1f} s to end")
        require(set(load.statuses()) <= {200, 503}, f"{load.statuses()}")
        require(load.statuses()[200] > 200, f"{load.statuses()}")
        late = [answer.text for answer in load.answers if answer.status == 503]
        require(all(b'"code"' in text for text in late), f"{late[:1]}")


@case("without any proxy a node answers with what it has, says degraded, and of content never"
      " that there is none")
def alone(program):
    with node(program, None) as one:
        cid = one.publish(b"a manifest")
        status, _ = one.json("PUT", "/admin/seed", {"name": "weir.example", "cid": cid})
        expect(status, 202)
        status, answer = one.resolve("name:weir.example")
        expect((status, answer["manifest_cid"], answer["source"]), (200, cid, "db"))
        status, answer = one.providers(cid)
        expect((status, len(answer["providers"]), answer["degraded"]), (200, 1, True))
        status, answer = one.providers(cids(b"somebody else's")[0])
        expect((status, answer["retryable"]), (503, True))
        expect(one.resolve("name:does-not-exist")[0], 404)      # nobody is trusted about names
        status, ready = one.json("GET", "/readyz")
        expect((status, ready["ready"], ready["degraded"]), (200, True, True))
        require("no proxy" in said(ready["why"]), said(ready))


def statuses(one, names, enough):
    """One after the other until it is enough: the statuses, and how long each took."""
    seen = []
    while not enough([status for status, _ in seen]):
        require(len(seen) < ASKED_MAX, f"{seen}")
        began = time.monotonic()
        status, _ = one.providers(random.choice(names))
        seen.append((status, time.monotonic() - began))
    return seen


@case("when every proxy hangs the answer is 504 at its deadline, then 503 at once, and all is"
      " well soon after they are")
def nobody_answers(program):
    with somebody() as key, net(4) as swarm, node(program, swarm, 0, 1, 2, flags=(
            "--index-breaker-cooldown", f"{COOLDOWN}s")) as one:
        names = offer(swarm[3], key, 10)
        one.await_known(*names)
        for number in (0, 1, 2):
            swarm[number].freeze()
        seen = statuses(one, names, lambda got: got.count(503) >= 3)
        late = [took for status, took in seen if status == 504]
        soon = [took for status, took in seen if status == 503]
        expect(len(late) + len(soon), len(seen))
        note(f"504 after {min(late):.3f} to {max(late):.3f} s, {len(late)} times; then 503")
        require(late and all(abs(took - DEADLINE) < 0.1 for took in late), f"{seen}")
        require(max(soon) < 0.1, f"{seen}")
        for number in (0, 1, 2):
            swarm[number].thaw()
        began = time.monotonic()
        one.until(lambda: one.providers(names[0])[0] == 200, "it answers again", COOLDOWN + 1)
        note(f"well again after {time.monotonic() - began:.2f} s")


@case("when every proxy is dead nobody is told that there is none, and all is well soon after"
      " they return")
def nobody_there(program):
    with somebody() as key, net(4) as swarm, node(program, swarm, 0, 1, 2, flags=(
            "--index-breaker-cooldown", f"{COOLDOWN}s")) as one:
        names = offer(swarm[3], key, 10)
        one.await_known(*names)
        for number in (0, 1, 2):
            swarm[number].kill()
        seen = statuses(one, names, lambda got: len(got) >= 12)
        note(f"{sorted({status for status, _ in seen})} within "
             f"{max(took for _, took in seen):.3f} s")
        require({status for status, _ in seen} <= {503, 504}, f"{seen}")
        require(max(took for _, took in seen) < DEADLINE + 0.1, f"{seen}")
        ready = one.json("GET", "/readyz")
        expect((ready[0], ready[1]["degraded"]), (200, True))
        swarm[0].bootstrap = swarm[3].address           # it was the first
        for number in (0, 1, 2):
            swarm[number].restart()
        swarm.await_up(swarm.live())
        began = time.monotonic()
        one.until(lambda: one.providers(names[0])[0] == 200, "it answers again", COOLDOWN + 5)
        note(f"well again {time.monotonic() - began:.2f} s after the last of them answers")


def children(pid):
    """Of a process, whichever thread has started them; those that have not ended."""
    found = []
    for path in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
        for child in path.read_text().split():
            state = pathlib.Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()
            found += [int(child)] if state[0] != "Z" else []
    return found


@case("a node's own dhtnode joins the network, is started again when it dies, and ends with the"
      " node")
def own_child(program):
    with somebody() as key, net(4) as swarm, Node(
            "--index-dhtnode", "on", "--index-bootstrap", swarm[0].address, "--index-network",
            str(swarm.network), *FLAGS, program=program.path) as one:
        names = offer(swarm[3], key, 3)
        one.await_known(*names)
        first, = children(one.pid)
        os.kill(first, signal.SIGKILL)
        one.until(lambda: children(one.pid) not in ([], [first]), "another is started")
        one.await_known(*names)
        last, = children(one.pid)
        one.process.kill()
        one.process.wait()
        end = time.monotonic() + 5
        while pathlib.Path(f"/proc/{last}").exists():
            require(time.monotonic() < end, "it has outlived its node")
            time.sleep(0.01)


def lies(key, thief, cid, honest):
    """Each with what is wrong with it."""
    other = cid[:43] + ("0" * 24 if cid[43:] != "0" * 24 else "1" * 24)
    return {
        "forged": thief.record(cid, "tcp://127.0.0.1:1", by=key.id),
        "expired": key.record(cid, "tcp://127.0.0.1:2", issued=-1000, lasts=900),
        "foreign": key.record(other, "tcp://127.0.0.1:3"),
        "malformed": honest[:-1],
        "oversized": os.urandom(3000),
    }


@case("records that are forged, expired, foreign, malformed or too large are dropped and"
      " counted")
def liars(program):
    with tempfile.TemporaryDirectory(prefix="weir-") as folder, net(4) as swarm, \
            node(program, swarm, 0, 1, 2) as one:
        key, thief = provider_record.Key(folder, "key"), provider_record.Key(folder, "thief")
        cid = cids(os.urandom(50))[0]
        honest = key.record(cid, "tcp://127.0.0.1:9", region="eu")
        where = provider_record.dht_key(cid)
        for record in lies(key, thief, cid, honest).values():
            swarm[3].put(where, record)
        expect(one.providers(cid)[0], 404)
        swarm[3].put(where, honest)
        one.until(lambda: one.providers(cid)[0] == 200, "the honest one is found")
        status, answer = one.providers(cid)
        found = [(entry["id"], entry["addr"], entry["region"]) for entry in answer["providers"]]
        expect(found, [(key.id.hex(), "tcp://127.0.0.1:9", "eu")])
        for fault in lies(key, thief, cid, honest):
            require(one.total("dht_records_dropped_total", fault) > 0,
                    f"nobody has counted one that is {fault}")


def doctor(program, one, *flags):
    """What it finds of the load of a node that runs."""
    done = subprocess.run([program.path, "doctor", "--json", "--data", one.folder / "data",
                           "--http-addr", f"127.0.0.1:{one.port}", *flags], text=True,
                          capture_output=True, timeout=60)
    return next(row for row in json.loads(done.stdout) if row["check"] == "load")


@case("doctor sees that one worker is too few for those who ask, and how many would do")
def too_few(program):
    with somebody() as key, net(4) as swarm, node(program, swarm, 0, 1, 2, flags=(
            "--index-workers", "1")) as one:
        names = offer(swarm[3], key, OBJECTS)
        one.await_known(*names)
        with Load(one, names, askers=16) as load:
            one.until(lambda: len(load.answers) > 100, "some are answered")
            row = doctor(program, one, "--index-workers", "1")
        note(f"{row['state']}: {row['found']} -> {row.get('fix')}")
        expect(row["state"], "warn")
        wanted = int(re.search(r"index.workers = (\d+)", row["fix"])[1])
        require(2 <= wanted <= 64, f"{wanted} workers are proposed")
        with Load(one, names, askers=1, query="") as load:      # from the cache, one by one
            one.until(lambda: len(load.answers) > 100, "some are answered")
            time.sleep(1)
            row = doctor(program, one, "--index-workers", "1")
        note(f"{row['state']}: {row['found']}")
        expect(row["state"], "ok")
