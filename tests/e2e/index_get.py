"""Content from one node to another, over a swarm of real dhtnodes, from the shell."""
import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import tempfile
import threading
import time

import oap_stranger
import provider_record
from case import case, expect, require
from index_net import Node, cids, net, node, note
from oap_stranger import Stranger

SIZES = (0, 1, 64 << 10, 5 << 20)
SERVED, RECEIVED = 1, 2


class Shelf(Node):
    """A node that is asked by weir index, and whose files lie beside its data."""

    def index(self, *words, status=0):
        done = subprocess.run([self.command[0], "index", *words, "--data",
                               self.folder / "data"], text=True, capture_output=True,
                              timeout=90, cwd=self.folder)
        require(done.returncode == status,
                f"{words} ends with {done.returncode}: {done.stdout}{done.stderr}")
        return done.stdout if status == 0 else done.stderr

    def share(self, **files):
        """Publish them; the ids."""
        for name, content in files.items():
            (self.folder / name).write_bytes(content)
        return [line.split()[0] for line in self.index("publish", *files).splitlines()]

    def take(self, cid):
        """By the shell: the bytes, and who gave them."""
        out = self.folder / "got"
        told = json.loads(self.index("get", cid, "--output", out, "--json", "-"))
        content = out.read_bytes()
        out.unlink()
        expect(told["bytes"], len(content))
        return content, told["provider"]

    def first_of(self, cid, *wanted):
        """Until those are known, the first of them being the best."""
        def seen():
            status, answer = self.providers(cid)
            found = [one["id"] for one in answer["providers"]] if status == 200 else []
            return found[:1] == [wanted[0]] and set(found) >= set(wanted)
        self.until(seen, f"{wanted[0]} is the best for {cid}")

    def await_older(self, cid):
        """Until who has it was seen a second ago, so that who comes now is fresher."""
        def older():
            status, answer = self.providers(cid)
            return status == 200 and all(one["last_seen_s"] >= 1 for one in answer["providers"])
        self.until(older, "what was said is a second old")

    def own_id(self, cid):
        """By what it has published."""
        known = [one["id"] for one in self.providers(cid)[1]["providers"]]
        return known[0]

    def results(self):
        """What came of asking others for objects: how often, by its kind."""
        return {name.split('"')[1]: count for name, count in self.metrics().items()
                if name.startswith("index_object_fetches_total") and count}

    def book(self):
        """What it has written down when it has ended: role, provider, objects, bytes, failed
        tries."""
        self.process.terminate()
        expect(self.process.wait(20), 0)
        with contextlib.closing(sqlite3.connect(self.folder / "data/weir.db")) as store:
            return sorted(store.execute("select role, provider, sum(objects), sum(bytes), "
                                        "sum(failed) from serving group by role, provider"))


def shelf(program, nodes, *numbers):
    return node(program, nodes, *numbers, kind=Shelf)


@case("files of every size that one node publishes are got by others, byte by byte, and both"
      " sides count them")
def shared(program):
    files = {f"file{size}": os.urandom(size) for size in SIZES}
    with net(4) as swarm, shelf(program, swarm, 0, 1) as one, shelf(program, swarm, 2) as two, \
            shelf(program, swarm, 3) as three:
        names = one.share(**files)
        expect(names, cids(*files.values()))
        giver = one.own_id(names[0])
        for cid, content in zip(names, files.values()):
            two.await_known(cid)
            got, whence = two.take(cid)
            require(got == content, f"{cid} has other bytes")
            expect(whence, giver)
        # what was fetched is not kept: who has it too must publish it
        expect([entry["id"] for entry in two.providers(names[2])[1]["providers"]], [giver])
        expect(two.share(mine=files[f"file{SIZES[2]}"]), [names[2]])
        three.until(lambda: len(three.providers(names[2])[1].get("providers", [])) == 2,
                    "both have it")
        expect(three.take(names[2])[0], files[f"file{SIZES[2]}"])
        count, size = len(SIZES), sum(SIZES)
        third = dict(zip(("role", "from", "objects", "bytes", "failed"), three.book()[0]))
        expect((third["role"], third["objects"], third["bytes"], third["failed"]),
               (RECEIVED, 1, SIZES[2], 0))
        more = third["from"] == giver
        expect(two.book()[-1], (RECEIVED, giver, count, size, 0))
        expect(one.book(), [(SERVED, giver, count + more, size + more * SIZES[2], 0)])


@contextlib.contextmanager
def strangers(swarm, cid, *made):
    """Those who say that they have it, each with a key of its own."""
    with tempfile.TemporaryDirectory(prefix="weir-") as folder, contextlib.ExitStack() as stack:
        found = []
        for number, stranger in enumerate(made):
            key = provider_record.Key(folder, f"key{number}")
            swarm[3].put(provider_record.dht_key(cid),
                         key.record(cid, stack.enter_context(stranger).address))
            found.append(key.id.hex())
        yield found


def hostile(content):
    """Each with what its manner is called in the metrics."""
    return {
        "forged": Stranger(oap_stranger.gives(content[:-1] + bytes([content[-1] ^ 1]))),
        "oversized": Stranger(oap_stranger.never_ends),
        "broke_off": Stranger(oap_stranger.stops_after(content[:1000])),
        "unreachable": Stranger(oap_stranger.is_silent, greets=False),
    }


@case("who serves other bytes, too many, too few, or none is passed over for the next, and"
      " never believed")
def liars(program):
    content = os.urandom(100_000)
    with net(4) as swarm, shelf(program, swarm, 0, 1) as one, shelf(program, swarm, 2) as two:
        cid, = one.share(file=content)
        honest = one.own_id(cid)
        two.await_older(cid)
        made = hostile(content)
        with strangers(swarm, cid, *made.values()) as ids:
            two.until(lambda: {entry["id"] for entry in two.providers(cid)[1]["providers"]} ==
                      {honest, *ids}, "all are known")
            expect(two.providers(cid)[1]["providers"][-1]["id"], honest)
            began = time.monotonic()
            got, whence = two.take(cid)
            took = time.monotonic() - began
            note(f"past {len(made)} liars in {took:.1f} s")
            require(got == content, "it has other bytes")
            expect(whence, honest)
            require(took < 10, f"it took {took:.1f} s")
            expect([stranger.asked for stranger in made.values()], [1] * len(made))
            expect(two.results(), {"ok": 1, **{kind: 1 for kind in made}})
            expect(two.take(cid)[1], honest)             # who failed comes last from now on
            expect([stranger.asked for stranger in made.values()], [1] * len(made))
            one.process.kill()
            one.process.wait()
            said = two.index("get", cid, "--output", "never", status=1)
            require("those who say that they have it do not give it" in said, said)
            require(not (two.folder / "never").exists(), "something was written")
            rows = {row[1]: row[2:] for row in two.book()}
        expect(rows.pop(honest), (2, 2 * len(content), 1))
        expect(rows, {one: (0, 0, 2) for one in ids})


@case("when the best provider hangs, or dies, an object comes from the next within seconds")
def falls_over(program):
    content = os.urandom(3 << 20)
    with net(4) as swarm, shelf(program, swarm, 0) as one, shelf(program, swarm, 1) as two, \
            shelf(program, swarm, 2, 3) as three:
        cid, = two.share(file=content)
        second = two.own_id(cid)
        three.await_older(cid)
        one.share(file=content)
        three.until(lambda: len(three.providers(cid)[1].get("providers", [])) == 2,
                    "both have it")
        first = next(entry["id"] for entry in three.providers(cid)[1]["providers"]
                     if entry["id"] != second)
        three.first_of(cid, first, second)
        one.process.send_signal(signal.SIGSTOP)
        for provider, dies in ((second, two), (first, None)):
            began = time.monotonic()
            got, whence = three.take(cid)
            took = time.monotonic() - began
            note(f"from the other one in {took:.1f} s")
            require(got == content, "it has other bytes")
            expect(whence, provider)
            require(took < 5, f"it took {took:.1f} s")
            one.process.send_signal(signal.SIGCONT)
            if dies:
                three.first_of(cid, second, first)      # who hung has lost his place
                dies.process.kill()
                dies.process.wait()


@case("watch prints who has it when another node publishes it")
def watched(program):
    content = os.urandom(50)
    cid, = cids(content)
    with net(4) as swarm, shelf(program, swarm, 0, 1) as one, shelf(program, swarm, 2) as two:
        with subprocess.Popen([program.path, "index", "watch", cid, "--data",
                               two.folder / "data"], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as watch:
            said = []
            thread = threading.Thread(target=lambda: said.extend(iter(watch.stdout.readline,
                                                                      "")))
            thread.start()
            require("nobody knows of it" in watch.stderr.readline(), "it is known")
            one.share(file=content)
            giver = one.own_id(cid)
            two.until(lambda: said, "it is printed")
            watch.send_signal(signal.SIGINT)
            expect(watch.wait(20), 130)
            thread.join()
        require(len(said) == 1 and said[0].startswith(giver), str(said))
