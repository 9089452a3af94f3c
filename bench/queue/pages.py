#!/usr/bin/env python3
"""A thousand made-up pages, fetched, read and stored by four workers.

    pages.py

Ten sites have a hundred each.  Once each site is asked as often as its limiter allows: then it
takes as long as that, whatever the pages cost.  Once the limiter is off, and it takes what they
cost.  nginx serves them from memory, on the core of those who bring load: a server in Python
would be what is measured.  Who looks at every change asks a thousand times for counts of all
there is, which cost as much as the pages (suite/queue.py has rows for that): here somebody
looks twenty times a second.
"""
import contextlib
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "net"), str(HERE.parent.parent / "tests/site")]

import generate         # noqa: E402
import rig              # noqa: E402

SITES, PAGES, GAP_MS = 10, 100, 250
ENOUGH = 90             # seconds
LOOK = 0.05             # ... between two looks
NGINX = """
daemon off;
worker_processes 1;
pid {folder}/pid;
error_log {folder}/error.log;
events {{ worker_connections 256; }}
http {{
    access_log off;
    default_type text/html;
    open_file_cache max=2000;
    client_body_temp_path {folder}; proxy_temp_path {folder}; fastcgi_temp_path {folder};
    uwsgi_temp_path {folder}; scgi_temp_path {folder};
    server {{ {listen} root {folder}/pages; }}
}}
"""


def site(number):
    return f"127.0.1.{number + 1}"


def write_pages(folder):
    """All sites have all of them; each is asked for its own."""
    (folder / "pages").mkdir()
    for number in range(SITES * PAGES):
        markup, _ = generate.page(seed=1, number=number)
        (folder / f"pages/{number}").write_text(markup, "utf-8")


@contextlib.contextmanager
def served():
    """The port at which all sites have all pages."""
    if not shutil.which("nginx"):
        rig.fail("there is no nginx (packages.txt, bench)")
    port = rig.live.free_port()
    with tempfile.TemporaryDirectory(prefix="weir-pages-", dir="/dev/shm") as name:
        folder = pathlib.Path(name)
        folder.chmod(0o755)
        write_pages(folder)
        listen = " ".join(f"listen {site(number)}:{port};" for number in range(SITES))
        (folder / "nginx.conf").write_text(NGINX.format(folder=folder, listen=listen))
        server = subprocess.Popen(["taskset", "-c", str(rig.LOAD_CORE), "nginx", "-p", folder,
                                   "-c", folder / "nginx.conf", "-e", folder / "error.log"])
        try:
            yield port
        finally:
            server.terminate()
            server.wait()


def research(port, gap):
    """Seconds until all are stored, and what was."""
    with rig.live.Node("--queue-fetch-allow", "127.0.0.0/8", "--queue-fetch-interval",
                       f"{gap}ms", "--queue-fetch-jitter", "0ms", "--queue-fetch-daily",
                       "10000", "--queue-pages-max", "10000", "--check-offline") as node:
        def post(path, **body):
            status, _, answer = node.post(f"/v1/queue/tasks{path}", json.dumps(body).encode())
            if status not in (200, 201):
                rig.fail(f"{path}: {status} {answer.decode()}")
            return json.loads(answer)
        task = post("", hypothesis="pages are read fast")["task_id"]
        began = time.monotonic()
        post(f"/{task}/targets", targets=[f"http://{site(number % SITES)}:{port}/{number}"
                                          for number in range(SITES * PAGES)])
        done = {}
        while not done.get("milestones", {}).get("target_queue_drained"):
            if time.monotonic() - began > ENOUGH:
                rig.fail(f"not done after {ENOUGH} s: {json.dumps(done)[:2000]}")
            time.sleep(LOOK)
            done = json.loads(node.get(f"/v1/queue/tasks/{task}")[2])
        took = time.monotonic() - began
        cpu = node.cpu()
    stored, failed = done["metrics"]["total_pages"], done.get("error_count", 0)
    if stored != SITES * PAGES or failed or not done["metrics"]["total_fragments"]:
        rig.fail(f"{stored} pages stored, {failed} failed: {json.dumps(done)[:2000]}")
    return took, cpu


with served() as port:
    took, _ = research(port, GAP_MS)
    allowed = (PAGES - 1) * GAP_MS / 1000       # the first of a site need not wait
    rig.say(queue_pages_limited_s=took, queue_pages_allowed_s=allowed,
            queue_pages_limited_ratio=took / allowed)
    took, cpu = research(port, 0)
    rig.say(queue_pages_per_s=SITES * PAGES / took,
            queue_pages_cpu_us=cpu / SITES / PAGES * 1e6)
