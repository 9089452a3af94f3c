"""The index while much is asked of it: a reload, a flood from one address, many keys."""
import http.client
import pathlib
import re
import signal
import subprocess
import tempfile
import time

from case import case, expect, require
from index_faults import OBJECTS, somebody
from index_net import Load, Node, cids, net, node, note, offer

FLOODERS = 300          # connections, of which one address may have 256
FLOOD = 3               # seconds
RELOADS = 5
KEYS = 1000
NAME = "name:weir.example"


def reload_under_load(one, path, names):
    one.await_known(*names)
    with Load(one, names) as load:
        for number in range(RELOADS):
            seen = len(load.answers)
            path.write_text(f"[index]\ndeadline = \"{1001 + number}ms\"\n"
                            f"[index.cache]\nttl = \"{number + 1}s\"\n"
                            f"[index.breaker]\nwindow = \"{20 + number}s\"\n")
            one.process.send_signal(signal.SIGHUP)
            one.until(lambda: one.json("GET", "/api/v1/config")[1][
                "index.deadline"]["value"] == f"{1001 + number}ms", "it is in force")
            one.until(lambda: len(load.answers) > seen + 50, "some are answered")
    note(f"{len(load.answers)} answers over {RELOADS} reloads, at most "
         f"{load.slowest(1) * 1e3:.1f} ms")
    load.all_fine()


@case("reloads under load of lookups drop nobody, and what they change is in force")
def reloads(program):
    with somebody() as key, net(4) as swarm, tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "weir.toml"
        path.write_text("")
        with node(program, swarm, 0, 1, 2, 3, flags=("--config", path)) as one:
            reload_under_load(one, path, offer(swarm[3], key, OBJECTS))


def flood(one, path):
    """One address with more connections than it may have, all of which ask without a pause."""
    return subprocess.Popen(["wrk", "-t1", f"-c{FLOODERS}", f"-d{FLOOD}s",
                             f"http://127.0.0.1:{one.port}{path}"],
                            stdout=subprocess.PIPE, text=True)


def number(pattern, text):
    found = re.search(pattern, text)
    return int(found[1]) if found else 0


@case("one address that floods the index is refused what is too much, and others are answered")
def one_floods(program):
    limits = ("--rate-requests-per-s", "500", "--rate-requests-burst", "500")
    with Node("--index-dhtnode", "off", *limits, program=program.path) as one:
        expect(one.json("PUT", "/admin/seed", {"name": NAME[5:], "cid": cids(b"")[0]})[0], 202)
        with flood(one, f"/resolve/{NAME}") as flooding:
            took = []
            while flooding.poll() is None:
                began = time.monotonic()
                link = http.client.HTTPConnection("127.0.0.1", one.port, timeout=10,
                                                  source_address=("127.0.0.2", 0))
                link.request("GET", f"/resolve/{NAME}")
                expect(link.getresponse().status, 200)
                link.close()
                took.append(time.monotonic() - began)
                time.sleep(0.005)
            said = flooding.stdout.read()
        refused = number(r"Non-2xx or 3xx responses: (\d+)", said)
        broken = number(r"Socket errors: connect \d+, read (\d+)", said)
        note(f"the flood: {refused} answers refused, {broken} connections; another: p50 "
             f"{sorted(took)[len(took) // 2] * 1e3:.1f} ms, at most {max(took) * 1e3:.1f} ms")
        require(refused > 100 and broken > 10, f"that was no flood: {said}")
        require(len(took) > 50, f"{len(took)} answers in {FLOOD} s")


@case("a thousand keys that are asked for add no series to the metrics")
def no_series(program):
    with Node("--index-dhtnode", "off", "--rate-requests-per-s", "100000",
              "--rate-requests-burst", "100000", program=program.path) as one:
        def ask(first, last):
            link = one.link(within=10)
            for number in range(first, last):
                for path in (f"/resolve/name:key-{number}", f"/providers/b3:{number:064x}"):
                    link.request("GET", path)
                    link.getresponse().read()
            link.close()
        ask(0, 10)
        before = {*one.metrics(), *one.metrics()}       # the second has what the first has made
        ask(10, KEYS + 10)
        expect([series for series in sorted(set(one.metrics()) - before)
                if not series.startswith("log_")], [])
