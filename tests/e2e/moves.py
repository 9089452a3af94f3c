"""A node whose file changes while it runs: it listens elsewhere, or speaks otherwise, and who
was being answered is answered."""
import http.client
import pathlib
import shutil
import ssl
import tempfile
import threading
import time
import types

import live
import raw
from case import case, expect, require
from whole import Caller

MOVED_WITHIN = 5        # seconds; a change of the file is noticed by itself


class Filed(live.Server):
    """A node that is configured by a file."""

    def __init__(self, node, text=""):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="weir-moves-"))
        self.file = self.folder / "weir.toml"
        port = live.free_port()
        self.write(port, text)
        super().__init__([node.command[0], "--config", self.file, "--data",
                          self.folder / "data"], port, log=self.folder / "log")

    def stop(self):
        status = super().stop()
        shutil.rmtree(self.folder, ignore_errors=True)
        return status

    def write(self, port, text="", host="127.0.0.1"):
        fresh = self.folder / "fresh"
        fresh.write_text(f'http_addr = "{host}:{port}"\n{text}')
        fresh.rename(self.file)

    def change(self, port, text="", host="127.0.0.1"):
        self.write(port, text, host)
        self.hangup()

    def says(self, words):
        """Wait for it to say so in its log."""
        end = time.monotonic() + MOVED_WITHIN
        while words not in (log := pathlib.Path(self.log).read_text()):
            require(time.monotonic() < end, f"it does not say {words!r}:\n{log[-2000:]}")
            time.sleep(0.01)
        return log


def old_place(node):
    """Where it was, for who goes on to call there."""
    return types.SimpleNamespace(port=node.port, tls=None)


@case("http_addr moves under load: no call is lost, the new address answers, the old refuses",
      alone=True)
def moves(node):
    with Filed(node, "workers.count = 4\n") as own:
        old = old_place(own)
        callers = [Caller(old, f"/api/v1/debug/sleep?ms={i % 4 * 30}") for i in range(32)]
        for caller in callers:
            caller.start()
        time.sleep(0.5)
        own.port = live.free_port()
        for caller in callers:
            caller.told = time.monotonic() + 4      # until it has been seen off
        own.change(own.port, "workers.count = 4\n")
        own.says('"listener.moved"')
        expect(own.get("/v1/hello")[0], 200)
        require(b'listener_moves_total{listener="http"} 1\n' in own.get("/metrics")[2],
                "the move is not counted")
        for caller in callers:
            caller.join(10)
        try:
            raw.Link(old)
            expect("a connection", "none")
        except ConnectionRefusedError:
            pass
        answers = [answer for caller in callers for answer in caller.answers]
        require(all(caller.answers for caller in callers), "a caller has no answer at all")
        expect(set(answers), {200})
        expect([lost for caller in callers for lost in caller.lost], [])
        data = (own.folder / "data/lock").read_text()
        require(f":{own.port}" in data, f"the lock says {data!r}")


@case("TLS goes on and off on the same port, while a call that came before is answered")
def encrypts(node):
    with Filed(node) as own:
        cert, key = live.certificate(own.folder)
        answers = []
        slow = threading.Thread(target=lambda: answers.append(
            own.get("/api/v1/debug/sleep?ms=1200", within=5)[0]))
        slow.start()
        time.sleep(0.2)
        own.change(own.port, f'tls.enabled = true\ntls.cert_path = "{cert}"\n'
                             f'tls.key_path = "{key}"\n')
        own.says('"listener.moved"')
        trust = ssl.create_default_context(cafile=cert)
        link = http.client.HTTPSConnection("127.0.0.1", own.port, timeout=5, context=trust)
        link.request("GET", "/v1/hello")
        expect(link.getresponse().status, 200)
        link.close()
        try:
            status = own.get("/v1/hello")[0]
        except (OSError, http.client.HTTPException):
            status = "nothing in clear"
        expect(status, "nothing in clear")
        slow.join(10)
        expect(answers, [200])
        own.change(own.port)
        end = time.monotonic() + MOVED_WITHIN
        while time.monotonic() < end:
            try:
                expect(own.get("/v1/hello")[0], 200)
                return
            except (OSError, http.client.HTTPException):
                time.sleep(0.05)
        expect("TLS", "clear again")


@case("an address that cannot be had is refused in one sentence, and the old one answers")
def refuses(node):
    with Filed(node) as own:
        own.change(own.port, 'idle_timeout = "33s"\n', host="0.0.0.0")
        own.says('"config.refused"')
        time.sleep(0.3)
        log = own.says("nobody could show a token")
        expect(log.count('"config.refused"'), 1)        # a rename and a signal: one line
        own.change(node.port, 'idle_timeout = "33s"\n')
        own.says(f"weir.toml:1: http_addr: cannot listen on 127.0.0.1:{node.port}: something "
                 "listens there already; stop it, or choose another address")
        expect(own.get("/v1/hello")[0], 200)
        require(b'"33s"' not in own.get("/api/v1/config")[2], "a part of it is in force")
        require(b'"config_version":1,' in own.get("/api/v1/status")[2], "the version moved")


@case("a file that is wrong is one line of the log, and one that says the same is no change")
def says_once(node):
    with Filed(node, 'idle_timeout = "10s"\n') as own:
        own.says("is ready")
        time.sleep(0.3)                 # so that its file is watched
        own.write(own.port, 'idle_timeout = "soon"\nmax_conns = 0\n')
        own.says('"config.refused"')
        time.sleep(0.3)
        lines = [line for line in own.says("").splitlines() if '"config.' in line]
        require(len(lines) == 1 and "idle_timeout" in lines[0] and "and 1 more" in lines[0],
                str(lines))
        own.write(own.port, 'idle_timeout = "10s"\n')
        own.says('"config.unchanged","version":1,')
        require('"audit"' not in own.says(""), "an audit of nothing")
        require(b'"config_version":1,' in own.get("/api/v1/status")[2], "the version moved")
