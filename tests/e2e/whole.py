"""What the node promises as a whole: every route in time, an end in order, a manager that
knows whether it lives."""
import fcntl
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import tempfile
import threading
import time

import live
import raw
from case import case, expect, require

HOST = "Host: 127.0.0.1\r\n"


def routes(node):
    """Every method and path of its own description."""
    paths = json.loads(node.get("/openapi.json")[2])["paths"]
    return [(method.upper(), re.sub(r"\{[^}]*\}", "x", path))
            for path, methods in paths.items() for method in methods]


@case("every route answers within 2 s, however busy the workers are; or waits on purpose",
      alone=True)
def deadlines(node):
    asked = [route for route in routes(node) if "shutdown" not in route[1]]
    require(len(asked) >= 13, f"only {len(asked)} routes are known")
    busy = [raw.Link(node, source="127.0.3.1") for _ in range(40)]
    links = [raw.Link(node, source="127.0.3.2") for _ in asked]
    late = []
    try:
        for link in busy:
            link.send(f"GET /api/v1/debug/sleep?ms=60000 HTTP/1.1\r\n{HOST}\r\n".encode())
        time.sleep(0.1)
        began = time.monotonic()
        for link, (method, path) in zip(links, asked):
            length = "" if method == "GET" else "Content-Length: 0\r\n"
            link.send(f"{method} {path} HTTP/1.1\r\n{HOST}{length}\r\n".encode())
        waiting = dict(zip(links, asked))
        while waiting and time.monotonic() - began < 3:
            for link in [link for link in waiting if link.read_now()]:
                late.append((time.monotonic() - began, waiting.pop(link)))
            time.sleep(0.001)
    finally:
        for link in busy + links:
            link.socket.close()
    worst = max(late)
    require(worst[0] < 2.1, f"{worst[1]} was answered after {worst[0]:.2f} s")
    expect({path for _, path in waiting.values()} - {"/api/v1/debug/wait"}, set())


# ---- the end ----

class Caller(threading.Thread):
    """Asks one thing after the other on its connection until that is closed; notes what
    was asked and got no whole answer."""

    def __init__(self, node, path):
        super().__init__()
        self.node, self.path, self.told = node, path, None
        self.answers, self.lost = [], []

    def run(self):
        while self.told is None or time.monotonic() < self.told + 5:
            try:
                link = raw.Link(self.node)
            except OSError:
                return
            with link:
                if not self.talk(link):
                    return

    def talk(self, link):
        """Until the connection ends; False when there will be no other."""
        while True:
            sent = time.monotonic()
            if not link.send(f"GET {self.path} HTTP/1.1\r\n{HOST}\r\n".encode()):
                return self.told is None
            got = b""
            while not raw.statuses(got):
                try:
                    part = link.socket.recv(65536)
                except ConnectionResetError:
                    part = b""
                if not part:
                    # what is sent into a connection that closes is nobody's promise
                    if self.told is None or sent < self.told or got:
                        self.lost.append((self.path, got))
                    return self.told is None
                got += part
            self.answers += raw.statuses(got)
            if b"\r\nConnection: close\r\n" in got:
                return True


@case("SIGTERM under load: it ends within 3 s, with 0, and nothing that was asked is lost",
      alone=True)
def drain(node):
    with live.Node("--workers-count", "4", program=node.command[0]) as own:
        callers = [Caller(own, f"/api/v1/debug/sleep?ms={i % 4 * 30}") for i in range(32)]
        for caller in callers:
            caller.start()
        time.sleep(1)
        began = time.monotonic()
        for caller in callers:
            caller.told = began
        own.process.send_signal(signal.SIGTERM)
        status = own.process.wait(10)
        took = time.monotonic() - began
        for caller in callers:
            caller.join(10)
    answers = [answer for caller in callers for answer in caller.answers]
    require(answers.count(200) > 100, f"only {answers.count(200)} were answered")
    expect([lost for caller in callers for lost in caller.lost], [])
    expect(set(answers) - {200, 503}, set())
    expect(status, 0)
    require(took < 3, f"it took {took:.1f} s")


# ---- the service manager ----

HELLO = bytes.fromhex("000000360001000100000000000000000000000000000000000000aa"
                      "0000000000000000002a7b227561223a2273646b2f302e31227d")


class Managed:
    """A node as systemd would start it: with sockets, a place to tell, and a watchdog."""

    def __init__(self, program, watchdog):
        self.folder = tempfile.TemporaryDirectory(prefix="weir-managed-")
        self.box = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        path = pathlib.Path(self.folder.name, "notify")
        self.box.bind(str(path))
        self.sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
        self.port, self.oap = (s.getsockname()[1] for s in self.sockets)
        self.tls = None
        said = "LISTEN_PID=$$ WATCHDOG_PID=$$ exec \"$@\""
        env = {**os.environ, "LISTEN_FDS": "2", "LISTEN_FDNAMES": "http:oap",
               "NOTIFY_SOCKET": str(path), "WATCHDOG_USEC": str(int(watchdog * 1e6))}
        self.process = subprocess.Popen(["sh", "-c", said, "sh", program, "--amnesia",
                                         "--log-level", "error"], env=env, close_fds=False,
                                        stdout=subprocess.DEVNULL, preexec_fn=self.hand_over)

    def hand_over(self):
        for number, listener in enumerate(self.sockets):
            os.dup2(os.dup(listener.fileno()), 60 + number)
        for number in range(2):
            os.dup2(60 + number, 3 + number)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for listener in [self.box, *self.sockets]:
            listener.close()
        self.folder.cleanup()

    def hear(self, within):
        """What it tells in this time."""
        told, end = [], time.monotonic() + within
        while (left := end - time.monotonic()) > 0:
            self.box.settimeout(left)
            try:
                told += self.box.recv(4096).decode().split()
            except TimeoutError:
                pass
        return told


@case("the service manager's sockets are used, for HTTP and for OAP")
def activated(node):
    with Managed(node.command[0], 30) as own:
        require("READY=1" in own.hear(1), "it is not ready within a second")
        seen, _ = raw.ask(own, f"GET /v1/hello HTTP/1.1\r\n{HOST}Connection: close\r\n\r\n"
                          .encode())
        expect(seen, [200])
        with socket.create_connection(("127.0.0.1", own.oap), timeout=5) as link:
            link.sendall(HELLO)
            answer = link.recv(4096)
        expect(int.from_bytes(answer[8:10], "big"), 200)


@case("the service manager's watchdog hears of a node that runs, not of one that stands still")
def watched(node):
    with Managed(node.command[0], 0.4) as own:
        require("READY=1" in own.hear(1), "it is not ready within a second")
        beats = own.hear(2).count("WATCHDOG=1")
        require(8 <= beats <= 11, f"{beats} times in 2 s")
        own.process.send_signal(signal.SIGSTOP)
        own.hear(0.2)
        expect(own.hear(1), [])
        own.process.send_signal(signal.SIGCONT)
        require("WATCHDOG=1" in own.hear(1), "it does not come back")
        own.process.send_signal(signal.SIGTERM)
        require("STOPPING=1" in own.hear(1), "it does not say that it stops")
        expect(own.process.wait(10), 0)


# ---- its folder ----

def ask_local(path):
    """The status of GET /v1/hello over a Unix socket."""
    with socket.socket(socket.AF_UNIX) as link:
        link.settimeout(5)
        link.connect(str(path))
        link.sendall(b"GET /v1/hello HTTP/1.1\r\nHost: localhost\r\n\r\n")
        return int(link.recv(1000).split()[1])


@case("a node answers on the socket in its data directory, also where one was killed")
def data_socket(node):
    program = node.command[0]
    with tempfile.TemporaryDirectory(prefix="weir-") as folder:
        for killed in (True, False):
            with live.Node("--data", folder, program=program) as own:
                expect(ask_local(f"{folder}/node.sock"), 200)
                if killed:
                    own.process.kill()
                    own.process.wait()
        require(not pathlib.Path(folder, "node.sock").exists(), "the socket was left behind")


def lock_of_the_dead(folder):
    """Held by us, as by a child that a killed node had just started; signed by nobody alive."""
    gone = subprocess.Popen(["true"])
    gone.wait()
    lock = open(f"{folder}/lock", "w+")
    fcntl.flock(lock, fcntl.LOCK_EX)
    print(f"pid {gone.pid}, http://127.0.0.1:1", file=lock, flush=True)
    return lock


@case("a lock that a dead node's child still has is waited for, but no longer than a second")
def lock_left_behind(program):
    with tempfile.TemporaryDirectory(prefix="weir-") as folder:
        with lock_of_the_dead(folder):
            began = time.monotonic()
            done = subprocess.run([program.path, "--data", folder], capture_output=True,
                                  text=True, timeout=20)
            require(0.9 < time.monotonic() - began < 5, "it does not wait a second")
            expect(done.returncode, 2)
            require("a node runs already" in done.stderr, done.stderr)
        lock = lock_of_the_dead(folder)
        threading.Timer(0.3, lock.close).start()
        with live.Node("--data", folder, program=program.path) as own:
            expect(ask_local(f"{folder}/node.sock"), 200)
            require(own.alive(), own.said())


# ---- what a token allows ----

@case("a token for ten bytes lets none through whose number nobody says, by HTTP/1 and HTTP/2")
def bytes_max(node):
    program = node.command[0]
    with tempfile.TemporaryDirectory(prefix="weir-") as folder:
        key = f"{folder}/key"
        token = subprocess.run([program, "token", "mint", "--key", key, "--new-key",
                                "--all-scopes", "--bytes-max", "10"], check=True, text=True,
                               capture_output=True).stdout.strip()
        with live.Node("--auth-key-path", key, program=program) as own:
            def status(*more, body):
                return subprocess.run(
                    ["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "-X", "POST",
                     "-H", f"Authorization: Bearer {token}", *more,
                     f"http://127.0.0.1:{own.port}/api/v1/debug/sleep?ms=1"],
                    input=body, text=True, capture_output=True, timeout=10).stdout
            for version in ("--http1.1", "--http2-prior-knowledge"):
                expect(status(version, "--data-binary", "@-", body="ten bytes."), "200")
                expect(status(version, body=""), "200")
                # an answer that comes before the body is an error to some versions of curl
                expect(status(version, "--data-binary", "@-", body="more than ten"), "403",
                       "000")
                expect(status(version, "-T", "-", body="ten bytes."), "403", "000")
            expect(sum(value for name, value in own.metrics().items()
                       if name.startswith("auth_refused_total")), 4)
