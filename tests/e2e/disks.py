"""A disk that fills up, and one that cannot be written any more: the node says so, goes on
reading, and goes on writing when it can, without a new start.  Nothing that it has
acknowledged is lost.

The disk is a small file system in memory, mounted where nobody else sees it.  A real one that
is full it can be; one that becomes read-only under open files cannot be had by mounting (the
kernel refuses it while there are writers; ext4 does it to itself after an error), so there
each system call that would write to the store's files is answered with EROFS, by strace.

    disks.py stage WEIR FOLDER      inside of the namespace: play it, print what was seen
"""
import http.client
import json
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

PATIENCE = 20
ROOM = "12m"


class Played:
    """A node on a data directory, and what it has acknowledged."""

    def __init__(self, weir, data, *flags):
        self.command = [weir, "--data", data, "--http-addr", "127.0.0.1:0", *flags]
        self.told = []

    def begin(self):
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, text=True,
                                        stderr=subprocess.DEVNULL)
        for line in self.process.stdout:
            if "console" in line:
                self.port = int(line.strip().rstrip("/").rpartition(":")[2])
            if line.startswith("Ctrl-C"):
                self.link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
                return
        raise RuntimeError("the node has not begun")

    def ask(self, method, path, body=None):
        self.link.request(method, path, body)
        answer = self.link.getresponse()
        return answer.status, json.loads(answer.read())

    def note(self):
        """Leave one; its status and the answer."""
        text = f"{len(self.told)} " + "x" * 800
        status, seen = self.ask("POST", "/api/v1/audit", json.dumps({"note": text}))
        if status == 201:
            self.told.append(text)
        return status, seen

    def notes(self):
        found, after = [], -1
        while True:
            _, page = self.ask("GET", f"/api/v1/audit?after={max(after, 0)}")
            found += [event["detail"]["note"] for event in page["events"]
                      if event["type"] == "admin.note"]
            if page["after"] == after:
                return found
            after = page["after"]

    def lost(self):
        """Of what was acknowledged."""
        return len(set(self.told) - set(self.notes()))

    def store(self):
        """How readiness tells it: its status, the word for the store, and why."""
        status, seen = self.ask("GET", "/readyz")
        return status, seen["deps"]["store"], seen["why"].get("store", ""), seen["degraded"]

    def becomes(self, word):
        end = time.monotonic() + PATIENCE
        while self.store()[1] != word and time.monotonic() < end:
            time.sleep(0.1)
        return self.store()

    def end(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        self.process.stdout.read()
        return self.process.wait(PATIENCE)


def fill(path):
    """Until not one byte more can be written."""
    size = 1 << 16
    with path.open("wb", buffering=0) as file:
        while size:
            try:
                file.write(bytes(size))
            except OSError:
                size //= 2


def full(weir, disk):
    node = Played(weir, disk / "data")
    node.begin()
    seen = {"before": [node.note()[0] for _ in range(20)]}
    fill(disk / "filler")
    tries = [node.note() for _ in range(1500) if node.store()[1] == "ok"]
    refused = [answer for answer in tries if answer[0] != 201]
    seen["refused"] = refused[-1] if refused else None
    seen["degraded"] = node.store()
    seen["health"] = node.ask("GET", "/healthz")
    seen["reads"] = node.lost()
    seen["once more"] = node.note()[0]
    (disk / "filler").unlink()
    seen["recovered"] = node.becomes("ok")
    seen["after"] = [node.note()[0] for _ in range(20)]
    seen["lost"] = node.lost()
    node.end(signal.SIGKILL)
    node.begin()
    seen["lost after a kill"] = node.lost()
    seen["told"] = len(node.told)
    seen["status"] = node.end()
    return seen


def injected(node, file):
    """Every write to the store's files is refused from now on, until the strace is ended."""
    paths = [word for end in ("", "-wal", "-shm") for word in ("-P", f"{file}{end}")]
    calls = "pwrite64,pwritev,write,ftruncate,fallocate,openat"
    spy = subprocess.Popen(["strace", "-f", "-qq", "-o", "/dev/null", *paths, "-e",
                            f"inject={calls}:error=EROFS",
                            "-p", str(node.process.pid)], stderr=subprocess.DEVNULL)
    time.sleep(1)
    return spy if spy.poll() is None else None


def read_only(weir, disk):
    node = Played(weir, disk / "data")
    node.begin()
    seen = {"before": [node.note()[0] for _ in range(20)]}
    spy = injected(node, disk / "data/weir.db")
    if not spy:
        node.end()
        return {"skipped": "no process may be traced here"}
    seen["degraded"] = node.becomes("degraded")        # though nobody writes
    seen["refused"] = node.note()
    seen["reads"] = node.lost()
    spy.send_signal(signal.SIGINT)
    spy.wait(PATIENCE)
    seen["recovered"] = node.becomes("ok")
    seen["after"] = [node.note()[0] for _ in range(20)]
    seen["lost"] = node.lost()
    seen["status"] = node.end()
    subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
    start = subprocess.run([weir, "--data", disk.parent / "other", "--http-addr", "127.0.0.1:0",
                            "--store-url", f"sqlite:{disk}/data/weir.db"], text=True,
                           capture_output=True, timeout=PATIENCE)
    seen["start"] = [start.returncode, start.stderr]
    subprocess.run(["mount", "-o", "remount,rw", disk], check=True)
    node.begin()
    seen["lost after a start"] = node.lost()
    node.end()
    return seen


def stage(weir, folder):
    disk = pathlib.Path(folder, "disk")
    disk.mkdir()
    seen = {}
    for name, play in (("full", full), ("read-only", read_only)):
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={ROOM}", "none", disk], check=True)
        try:
            seen[name] = play(weir, disk)
        finally:
            subprocess.run(["umount", "-l", disk], check=True)
    print(json.dumps(seen))


# ---- the cases ----

SEEN = {}


def seen_on_a_disk(node):
    if not SEEN:
        for words in (["unshare", "--mount"],
                      ["unshare", "--user", "--map-root-user", "--mount"]):
            tried = [*words, "mount", "-t", "tmpfs", "none", "/mnt"]
            if subprocess.run(tried, capture_output=True, check=False).returncode == 0:
                break
        else:
            raise case.Skipped("nothing may be mounted here")
        with tempfile.TemporaryDirectory(prefix="weir-disk-") as folder:
            done = subprocess.run([*words, sys.executable, __file__, "stage", node.command[0],
                                   folder], capture_output=True, text=True, timeout=180,
                                  check=False)
        case.require(done.returncode == 0, done.stderr[-2000:])
        SEEN.update(json.loads(done.stdout))
    return SEEN


def judge(seen, why):
    case.require(set(seen["before"]) == {201}, f"before: {seen['before']}")
    status, word, said, degraded = seen["degraded"]
    case.expect((status, word, degraded), (200, "degraded", True))
    case.require(why in said and "it then goes on by itself" in said, said)
    case.require("/data" not in said, f"a path is told: {said}")
    case.expect(seen["refused"][0], 503)
    case.require(why in seen["refused"][1]["detail"], seen["refused"])
    case.expect(seen["reads"], 0)
    case.expect(seen["recovered"][:2], [200, "ok"])
    case.require(set(seen["after"]) == {201}, f"after: {seen['after']}")
    case.expect(seen["lost"], 0)
    case.expect(seen["status"], 0)


def add_cases():
    @case.case("a full disk: a clear error, degraded, recovered without a start, nothing lost")
    def a_full_disk(node):
        seen = seen_on_a_disk(node)["full"]
        judge(seen, "full")
        case.expect(seen["health"][0], 200)
        case.require("full" in seen["health"][1]["checks"]["store"], seen["health"])
        case.expect(seen["once more"], 503)
        case.expect(seen["lost after a kill"], 0)

    @case.case("a read-only disk: degraded though nobody writes, recovered, nothing lost")
    def a_read_only_disk(node):
        seen = seen_on_a_disk(node)["read-only"]
        if "skipped" in seen:
            raise case.Skipped(seen["skipped"])
        judge(seen, "Read-only file system")
        status, said = seen["start"]
        case.expect((status, said.count("\n")), (2, 1))
        case.require("the store (store.url, flag --store-url): cannot write " in said
                     and "is read-only; make it writable" in said, said)
        case.expect(seen["lost after a start"], 0)


if __name__ == "__main__":
    stage(sys.argv[2], sys.argv[3])
else:
    import case
    add_cases()
