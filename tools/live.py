"""A running server, ours or another, for tests and benchmarks that need a real one.

    with live.Node("--threads", "1") as node:
        status, headers, body = node.get("/v1/hello")
        node.metric('queue_dropped_total{queue="node.work"}')
"""
import contextlib
import http.client
import os
import pathlib
import re
import resource
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
import time

import build

UP_WITHIN = 10          # seconds


def free_port():
    """A port nobody listens on; the range the kernel gives to clients is left alone.  Processes
    that run side by side look in places of their own: who finds a port has yet to take it."""
    for port in range(20000 + os.getpid() * 90 % 9000, 32000):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue
    raise build.Failed("no free port below 32000")


def files(count):
    """Let this process and its children have so many files open; False when they may not."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(count, hard)), hard))
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, count), max(hard, count)))
    except (ValueError, OSError):
        return hard >= count
    return True


def certificate(folder):
    """A certificate for this machine, signed by itself, and its key: two paths."""
    cert, key = folder / "cert.pem", folder / "key.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                    "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
                    "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
                    "-keyout", key, "-out", cert], check=True, capture_output=True)
    key.chmod(0o600)
    return cert, key


class Server:
    """Any program that listens on a port of 127.0.0.1."""

    def __init__(self, command, port, core=None, env=None, log=None):
        self.port = port
        self.log = log
        pin = ["taskset", "-c", str(core)] if core is not None else []
        self.command = [str(word) for word in command]
        out = open(log, "wb") if log else subprocess.DEVNULL
        self.began = time.monotonic()
        self.process = subprocess.Popen([*pin, *self.command], stdin=subprocess.DEVNULL,
                                        stdout=out, stderr=out,
                                        env={**os.environ, **(env or {})})
        if log:
            out.close()

    def __enter__(self):
        try:
            self.await_up()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    @property
    def pid(self):
        return self.process.pid

    def await_up(self):
        while not self.is_up():
            if self.process.poll() is not None:
                raise build.Failed(f"{' '.join(self.command)}: ended with "
                                   f"{self.process.returncode}\n{self.said()}")
            if time.monotonic() - self.began > UP_WITHIN:
                raise build.Failed(f"{' '.join(self.command)}: not up after {UP_WITHIN} s\n"
                                   f"{self.said()}")
            time.sleep(0.001)
        self.up_after = time.monotonic() - self.began

    def is_up(self):
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def said(self):
        return pathlib.Path(self.log).read_text(errors="replace")[-4000:] if self.log else ""

    def alive(self):
        return self.process.poll() is None

    def stop(self):
        """SIGTERM, then, if it does not help, SIGKILL; the exit status."""
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        return self.process.returncode

    def hangup(self):
        self.process.send_signal(signal.SIGHUP)

    def cpu(self):
        """Seconds of processor time so far, of all its threads: its own clock, which is
        finer than the ticks of /proc."""
        return time.clock_gettime(~self.pid << 3 | 2)

    def memory(self):
        """Bytes: the resident set and its page tables."""
        text = pathlib.Path(f"/proc/{self.pid}/status").read_text()
        return sum(int(kb) * 1024 for kb in re.findall(r"^Vm(?:RSS|PTE):\s+(\d+)", text, re.M))

    tls = None          # how to speak TLS to it, where it does

    def link(self, within=10):
        if self.tls:
            return http.client.HTTPSConnection("127.0.0.1", self.port, timeout=within,
                                               context=self.tls)
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=within)

    def ask(self, method, path, body=None, headers=None, within=10):
        """One request on a connection of its own: status, headers in lower case, body."""
        link = self.link(within)
        try:
            link.request(method, path, body, headers or {})
            answer = link.getresponse()
            return (answer.status, {name.lower(): value for name, value in answer.getheaders()},
                    answer.read())
        finally:
            link.close()

    def get(self, path, **options):
        return self.ask("GET", path, **options)

    def post(self, path, body=b"", **options):
        return self.ask("POST", path, body, **options)


class Node(Server):
    """Our own, with a data directory that goes with it."""

    def __init__(self, *flags, core=None, env=None, program=None, tls=False):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="weir-"))
        port = free_port()
        if tls:
            self.cert, key = certificate(self.folder)
            self.tls = ssl.create_default_context(cafile=self.cert)
            flags = ("--tls", "--tls-cert", self.cert, "--tls-key", key, *flags)
        program = program or build.BUILD / "release/src/weir"
        super().__init__([program, "--http-addr", f"127.0.0.1:{port}", "--data",
                          self.folder / "data", *flags],
                         port, core=core, env=env, log=self.folder / "log")

    def is_up(self):
        try:
            return self.get("/readyz")[0] == 200
        except (OSError, http.client.HTTPException):
            return False

    def stop(self):
        status = super().stop()
        shutil.rmtree(self.folder, ignore_errors=True)
        return status

    def metrics(self):
        """Every sample of /metrics by name and labels, without the label svc."""
        text = self.get("/metrics")[2].decode()
        found = {}
        for line in text.splitlines():
            if line and not line.startswith("#"):
                name, _, value = line.rpartition(" ")
                name = re.sub(r'svc="[^"]*",?', "", name).replace(",}", "}").replace("{}", "")
                found[name] = found.get(name, 0) + float(value)
        return found

    def metric(self, name):
        return self.metrics().get(name, 0.0)


@contextlib.contextmanager
def taken(port):
    """While a port of loopback is taken, by us or by somebody who does not let go of it."""
    own = None
    for _ in range(50):
        try:
            own = socket.create_server(("127.0.0.1", port))
            break
        except OSError:
            time.sleep(0.1)
    try:
        yield
    finally:
        if own:
            own.close()
