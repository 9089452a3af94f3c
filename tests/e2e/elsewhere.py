"""Callers who really come from elsewhere: from another network namespace, over a wire.

The case runs this file as a program inside a namespace of its own (the stage), where the
node is; the stage runs it once more in another one (the peer), which asks.  The two have
one wire, and one line of JSON each way for every question.
"""
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time

HERE, THERE, PORT = "10.77.0.1", "10.77.0.2", 8080
PATIENCE = 20
PUBLIC = {"/", "/healthz", "/readyz", "/metrics", "/version"}
SPOOFED = {"Host": "localhost", "X-Forwarded-For": "127.0.0.1", "X-Real-IP": "127.0.0.1",
           "Forwarded": "for=127.0.0.1", "X-Forwarded-Host": "localhost"}


def ask(address, method, path, headers, within=1.0):
    """The status and the body; 0 when there is no answer yet, as of a long poll."""
    lines = {"Host": f"{address}:{PORT}", "Connection": "close", **headers}
    if method != "GET":
        lines["Content-Length"] = "0"
    head = f"{method} {path} HTTP/1.1\r\n" + "".join(f"{k}: {v}\r\n" for k, v in lines.items())
    with socket.create_connection((address, PORT), timeout=PATIENCE) as link:
        link.sendall(head.encode() + b"\r\n")
        link.settimeout(within)
        got = b""
        try:
            while part := link.recv(65536):
                got += part
        except TimeoutError:
            pass
    status = re.match(rb"HTTP/1\.1 (\d+)", got)
    return (int(status[1]) if status else 0), got.partition(b"\r\n\r\n")[2].decode(
        errors="replace")


# ---- the peer ----

def peer():
    signal.alarm(5 * PATIENCE)
    print("here", flush=True)
    sys.stdin.readline()
    subprocess.run(["ip", "addr", "add", f"{THERE}/24", "dev", "weir1"], check=True)
    subprocess.run(["ip", "link", "set", "weir1", "up"], check=True)
    print("up", flush=True)
    for line in sys.stdin:
        print(json.dumps(ask(HERE, *json.loads(line))), flush=True)


class Peer:
    def __init__(self):
        self.process = subprocess.Popen(["unshare", "--net", sys.executable, __file__, "peer"],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True)
        self.process.stdout.readline()
        for words in (["link", "set", "lo", "up"],
                      ["link", "add", "weir0", "type", "veth", "peer", "name", "weir1", "netns",
                       str(self.process.pid)],
                      ["addr", "add", f"{HERE}/24", "dev", "weir0"],
                      ["link", "set", "weir0", "up"]):
            subprocess.run(["ip", *words], check=True)
        self.tell("go")

    def tell(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline()

    def ask(self, method, path, headers=None):
        return json.loads(self.tell(json.dumps([method, path, headers or {}])))


# ---- the stage ----

def hand_over(listener):
    """As a service manager does: the socket is descriptor 3."""
    os.dup2(listener.fileno(), 3)
    os.set_inheritable(3, True)


def start(program, *flags, listener=None):
    command = [program, "--amnesia", "--log-level", "error", *flags]
    if listener:
        command = ["sh", "-c", 'LISTEN_PID=$$ LISTEN_FDS=1 LISTEN_FDNAMES=http exec "$@"', "sh",
                   *command]
    node = subprocess.Popen(command, stdout=subprocess.DEVNULL, close_fds=False,
                            preexec_fn=(lambda: hand_over(listener)) if listener else None)
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until and node.poll() is None:
        try:
            if ask(HERE, "GET", "/readyz", {})[0] == 200:
                return node
        except OSError:
            time.sleep(0.02)
    node.kill()
    raise SystemExit("the node does not become ready")


def routes(page):
    """Every method and path; the one that ends the node is the last."""
    found = [(method.upper(), re.sub(r"\{[^}]*\}", "x", path))
             for path, methods in json.loads(page)["paths"].items() for method in methods]
    return sorted(found, key=lambda route: "shutdown" in route[1])


def look(there, token):
    """What each route answers to strangers, to liars, to this machine, and to who may."""
    bearer = {"Authorization": f"Bearer {token}"}
    return [{"method": method, "path": path,
             "bare": there.ask(method, path)[0],
             "spoofed": there.ask(method, path, SPOOFED)[0],
             "near": ask("127.0.0.1", method, path, {})[0],
             "token": there.ask(method, path, bearer)[0]}
            for method, path in routes(there.ask("GET", "/openapi.json", bearer)[1])]


def stage(program):
    there, seen = Peer(), {}
    signal.alarm(5 * PATIENCE)          # the end of all of it, whatever goes wrong
    with tempfile.TemporaryDirectory(prefix="weir-key-") as folder:
        key = os.path.join(folder, "key")
        token = subprocess.run([program, "token", "mint", "--key", key, "--new-key",
                                "--all-scopes"], check=True, capture_output=True,
                               text=True).stdout.strip()
        node = start(program, "--http-addr", f"0.0.0.0:{PORT}", "--auth-key-path", key)
        seen["routes"] = look(there, token)
        seen["status"] = node.wait(PATIENCE)
    listener = socket.create_server((HERE, PORT))
    node = start(program, listener=listener)
    listener.close()
    seen["handed"] = {path: there.ask("GET", path, SPOOFED)[0]
                      for path in ("/healthz", "/v1/hello", "/api/v1/config")}
    node.send_signal(signal.SIGTERM)
    node.wait(PATIENCE)
    there.process.stdin.close()
    there.process.wait(PATIENCE)
    print(json.dumps(seen))


# ---- the cases ----

def enter():
    """How to get into a namespace of one's own; None when that is not allowed here."""
    for words in (["unshare", "--net"], ["unshare", "--user", "--map-root-user", "--net"]):
        works = [*words, "ip", "link", "add", "weir0", "type", "veth", "peer", "name", "weir1"]
        try:
            if subprocess.run(works, capture_output=True).returncode == 0:
                return words
        except FileNotFoundError:
            return None
    return None


SEEN = {}


def seen_from_elsewhere(node):
    if not SEEN:
        if not (words := enter()):
            raise case.Skipped("network namespaces are not allowed here")
        done = subprocess.run([*words, sys.executable, __file__, "stage", node.command[0]],
                              capture_output=True, text=True, timeout=120)
        case.require(done.returncode == 0, done.stderr[-2000:])
        SEEN.update(json.loads(done.stdout))
    return SEEN


if __name__ == "__main__":
    peer() if sys.argv[1] == "peer" else stage(sys.argv[2])
    sys.exit(0)

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent)]
import case             # noqa: E402


@case.case("from another network every route but the public ones wants a token")
def strangers(node):
    rows = seen_from_elsewhere(node)["routes"]
    case.require(len(rows) >= 14, f"only {len(rows)} routes are known")
    for row in rows:
        public = row["method"] == "GET" and row["path"] in PUBLIC
        case.require(row["bare"] == 200 if public else row["bare"] in (401, 403), str(row))


@case.case("from another network names of this machine in headers open nothing")
def liars(node):
    for row in seen_from_elsewhere(node)["routes"]:
        public = row["method"] == "GET" and row["path"] in PUBLIC
        case.require(public or row["spoofed"] in (401, 403), str(row))


@case.case("a node that can be reached from elsewhere wants a token at home too")
def at_home(node):
    for row in seen_from_elsewhere(node)["routes"]:
        public = row["method"] == "GET" and row["path"] in PUBLIC
        case.require(public or row["near"] in (401, 403), str(row))


@case.case("from another network a token opens every route, and the last one drains the node")
def guests(node):
    seen = seen_from_elsewhere(node)
    for row in seen["routes"]:
        # of what has a name in its path there is none of this one; a copy of the store is for
        # who is on this machine, by the Unix socket
        # and where there is no session, there is no stream of one
        none = 404 if "x" in row["path"].split("/") else \
            403 if row["path"] == "/api/v1/storage/backup" else \
            405 if row["path"] == "/mcp" else 0
        case.require(row["token"] == none or row["token"] not in (401, 403, 404, 405), str(row))
    case.expect(seen["status"], 0)


@case.case("a socket that was handed over is no way around: who is elsewhere wants a token")
def handed_over(node):
    seen = seen_from_elsewhere(node)["handed"]
    case.expect(seen["/healthz"], 200)
    case.expect(seen["/v1/hello"], 401, 403)
    case.expect(seen["/api/v1/config"], 401, 403)
