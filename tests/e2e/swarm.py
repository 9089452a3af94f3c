"""A network of real dhtnodes on loopback, each with a proxy; for tests and benchmarks.

    with Swarm(8) as swarm:
        swarm.proxies()                         ["http://127.0.0.1:21002", ...]
        swarm[0].put(key, b"value")
        swarm[7].get(key)                       [b"value"]
        swarm[3].freeze(); swarm[3].thaw()      SIGSTOP, SIGCONT
        swarm[4].kill(); swarm[4].restart()     on the same ports
        swarm[0].address                        "127.0.0.1:21001": others can join there

All of them end with the block, however it ends, and with the thread that has started them: who
restarts one must stay.  As all have one address no node limits how often it is asked.  For a
while after some were killed the others wait for them, a second each time.
"""
import base64
import concurrent.futures
import ctypes
import http.client
import json
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import time

import build

PROGRAM = "/usr/bin/dhtnode"
SETTLED_WITHIN = 60     # seconds
PR_SET_PDEATHSIG = 1
LIBC = ctypes.CDLL(None)


def missing():
    """Why there is no swarm here; None when there is one."""
    return None if shutil.which(PROGRAM) else "dhtnode is not installed"


def die_with_us():
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def free_ports(count):
    """Pairs of ports, for UDP and TCP, below those that the system gives away.  Processes that
    run side by side look in places of their own."""
    found, port = [], 12000 + os.getpid() * 97 % 7000
    while len(found) < count and port < 32000:
        with socket.socket(type=socket.SOCK_DGRAM) as udp, socket.socket() as tcp:
            try:
                udp.bind(("0.0.0.0", port))
                tcp.bind(("127.0.0.1", port + 1))
                found.append((port, port + 1))
            except OSError:
                pass
        port += 2
    if len(found) < count:
        raise build.Failed("there are not enough free ports below 32000")
    return found


class Member:
    """One dhtnode."""

    def __init__(self, ports, network, bootstrap):
        self.udp, self.port = ports
        self.address, self.url = f"127.0.0.1:{self.udp}", f"http://127.0.0.1:{self.port}"
        self.network, self.bootstrap = network, bootstrap
        self.process, self.frozen = None, False
        self.start()

    def start(self):
        joins = ["-b", self.bootstrap] if self.bootstrap else []
        self.process = subprocess.Popen(
            [PROGRAM, "-s", "-p", str(self.udp), "-n", str(self.network), "--no-rate-limit",
             "--proxyserver", str(self.port), "--proxy-addr", "127.0.0.1", *joins],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            preexec_fn=die_with_us)

    def ask(self, method, path, body=None, within=10):
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=within)
        try:
            link.request(method, path, body)
            answer = link.getresponse()
            return answer.status, answer.read()
        finally:
            link.close()

    def put(self, key, value, number=None, within=10):
        """Under a key of 40 hex digits; whether others have it too."""
        number = number or random.getrandbits(63) + 1
        body = json.dumps({"data": base64.b64encode(value).decode(), "id": str(number)})
        status, text = self.ask("POST", f"/key/{key}", body, within)
        if status != 200:
            raise OSError(f"{self.url} answers a put with {status}")
        return b'"err"' not in text

    def get(self, key, within=10):
        """All values under the key."""
        status, text = self.ask("GET", f"/key/{key}", within=within)
        if status != 200:
            raise OSError(f"{self.url} answers a get with {status}")
        lines = [json.loads(line) for line in text.splitlines() if line]
        return [base64.b64decode(line["data"]) for line in lines]

    def peers(self):
        """How many nodes it knows; -1 when it does not answer."""
        try:
            info = json.loads(self.ask("GET", "/node/info", within=2)[1])
        except (OSError, ValueError, http.client.HTTPException):
            return -1
        return sum(info.get(family, {}).get(kind, 0) for family in ("ipv4", "ipv6")
                   for kind in ("good", "dubious"))

    def alive(self):
        return self.process.poll() is None and not self.frozen

    def freeze(self):
        """It holds its connections, and answers nobody any more: a stop is a signal, which each
        of its threads takes when it is next run, so all of them are waited for."""
        self.process.send_signal(signal.SIGSTOP)
        end = time.monotonic() + SETTLED_WITHIN
        while not self.stopped():
            if time.monotonic() > end:
                raise build.Failed(f"{self.url} does not stop")
            time.sleep(0.001)
        self.frozen = True

    def stopped(self):
        tasks = pathlib.Path(f"/proc/{self.process.pid}/task").glob("*/stat")
        return all(stat.read_text().rpartition(")")[2].split()[0] == "T" for stat in tasks)

    def thaw(self):
        self.process.send_signal(signal.SIGCONT)
        self.frozen = False

    def kill(self):
        self.process.kill()         # also one that is frozen
        self.process.wait()
        self.frozen = False

    def restart(self):
        """Again, with nothing of what it knew; who is asked to join must be alive."""
        if self.process.poll() is None:
            self.kill()
        self.start()


class Swarm:
    def __init__(self, count, network=None):
        self.network = network or random.randrange(1, 1 << 32)
        self.members = []
        self.ports = free_ports(count)

    def __enter__(self):
        try:
            for number, ports in enumerate(self.ports):
                # the first is known to all others, who would else be as many islands
                join = self.members[0].address if number else None
                self.members.append(Member(ports, self.network, join))
                if not number:
                    self.await_up([self.members[0]])
            self.settle()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_):
        self.close()

    def __getitem__(self, number):
        return self.members[number]

    def __len__(self):
        return len(self.members)

    def close(self):
        for member in self.members:
            if member.process.poll() is None:
                member.process.kill()
        for member in self.members:
            member.process.wait()

    def proxies(self, *numbers):
        return [self.members[number].url for number in numbers or range(len(self.members))]

    def live(self):
        return [member for member in self.members if member.alive()]

    def await_up(self, members):
        self.until(lambda: all(member.peers() >= 0 for member in members), "a proxy answers")

    def until(self, holds, what):
        end = time.monotonic() + SETTLED_WITHIN
        while not holds():
            dead = [member for member in self.members if member.process.poll() is not None]
            if time.monotonic() > end:
                raise build.Failed(f"{what}: not after {SETTLED_WITHIN} s "
                                   f"({len(dead)} of {len(self.members)} nodes have ended)")
            time.sleep(0.02)

    def settle(self):
        """Until everybody alive answers, and finds what anybody else has put."""
        live = self.live()
        self.await_up(live)
        keys = [os.urandom(20).hex() for _ in live]
        with concurrent.futures.ThreadPoolExecutor(len(live)) as pool:
            def give(member, key):
                member.put(key, b"settled", number=1)

            def seen(member):
                return sum(bool(member.get(key)) for key in keys)

            def whole():
                list(pool.map(give, live, keys))
                return all(count == len(keys) for count in pool.map(seen, live))
            self.until(whole, "everybody finds what others have put")
