"""weir queue: a whole research from the shell, with a node that runs and without one."""
import json
import subprocess

from case import case, expect, require
from lab import Lab
from queue_pages import SAYING, TIDAL, served


def shell(program, data, *words, **options):
    done = subprocess.run([program.path, "queue", *words, "--data", data], text=True,
                          capture_output=True, timeout=60, **options)
    return done.returncode, done.stdout, done.stderr


def expect_status(wanted, done):
    require(done[0] == wanted, f"{done[0]} instead of {wanted}: {done[1]}{done[2]}")
    return done[1]


@case("a research from the shell: added, watched, shown, stopped, resumed, helped by a person")
def from_the_shell(program):
    with Lab(program) as lab, lab.node() as node:
        def queue(*words, status=0, **options):
            return expect_status(status, shell(program, node.folder / "data", *words,
                                               **options))
        targets = [f"{lab.site.bases[name]}/topic/tidal" for name in SAYING]
        task = json.loads(queue("add", "--hypothesis", TIDAL, *targets[:2], "--json",
                                "-"))["task_id"]
        queue("watch", task)
        require("targets       2 completed" in queue("status", task), queue("status", task))
        require("paused" in queue("stop", task), "it is not stopped")
        require("2 targets queued" in queue("add", "--task", task, "-", input="\n".join(
            targets[2:])), "they are not queued")
        queue("watch", task)
        status = json.loads(queue("status", task, "--full", "--json", "-"))
        expect((status["progress"]["searches"]["satisfied"], status["metrics"]["total_pages"]),
               (4, 4))
        require(queue("list").split()[:2] == [task, "exploring"], queue("list"))
        job = json.loads(queue("job", status["searches_detail"][0]["id"], "--json", "-"))
        expect((job["status"], job["output"]["pages_fetched"]), ("completed", 1))
        gate = lab.site.bases["shy"] + "/gate/turnstile"
        queue("add", "--task", task, gate)
        queue("watch", task, status=3)
        require(gate in queue("auth", task), queue("auth", task))
        served(gate + "/open")
        queue("resolve", "--domain", gate.split("/")[2])
        queue("watch", task)
        queue("add", "--task", task, lab.site.bases["closed"] + "/page/1")
        queue("watch", task, status=1)
        require("ROBOTS_DENIED" in queue("status", task), queue("status", task))
        require("removed" in queue("forget", task), "it is not removed")
        queue("status", task, status=1)


@case("where no node runs a research is watched by becoming one, and is kept")
def without_a_node(program):
    with Lab(program) as lab:
        allowed = ("--set", "queue.fetch.allow=127.0.0.1", "--set", "queue.fetch.interval=0ms")
        data = lab.folder / "data"
        data.mkdir()
        out = expect_status(0, shell(program, data, "add", "--watch", "--hypothesis", TIDAL,
                                     lab.site.bases["town"] + "/topic/tidal", *allowed))
        require("targets       1 completed" in out, out)
        require(TIDAL in expect_status(0, shell(program, data, "list")), "it is not listed")
        with lab.node("--data", str(data)) as node:
            (task,) = node.json("GET", "/v1/queue/tasks")[1]["tasks"]
            expect(task["hypothesis"], TIDAL)
            status = node.tool("get_status", task_id=task["task_id"], wait=0)
            expect(status["metrics"]["total_pages"], 1)


@case("a research by curl: what the manual says works, with events and a budget")
def by_curl(program):
    with Lab(program) as lab, lab.node() as node:
        base = f"http://127.0.0.1:{node.port}/v1/queue/tasks"

        def curl(*words):
            done = subprocess.run(["curl", "-sS", *words], text=True, capture_output=True,
                                  timeout=60)
            require(done.returncode in (0, 28), done.stderr)        # 28: its time is over
            return done.stdout

        def said(*words):
            return json.loads(curl(*words))
        task = said(base, "-d", json.dumps({"hypothesis": TIDAL, "config": {
            "budget": {"max_pages": 1}}}))["task_id"]
        targets = [f"{lab.site.bases[name]}/topic/tidal" for name in SAYING[:2]]
        expect(said(f"{base}/{task}/targets", "-d", json.dumps({"targets": targets}))
               ["queued_count"], 2)
        status = said(f"{base}/{task}?wait=10")
        while status["progress"]["queue"]["depth"] or status["progress"]["queue"]["running"]:
            status = said(f"{base}/{task}?wait=10&since={status['change']}")
        expect([error["error_code"] for error in status["errors"]], ["BUDGET_EXHAUSTED"])
        refused = said(f"{base}/{task}/targets", "-d", json.dumps({"targets": targets}))
        expect(refused["error_code"], "BUDGET_EXHAUSTED")
        expect(said(f"{base}/{task}/budget", "-d", '{"max_pages":9}')["ok"], True)
        missed = status["errors"][0]["target"]
        said(f"{base}/{task}/targets", "-d", json.dumps({"targets": [missed]}))
        events = curl("-N", "--max-time", "2", f"{base}/{task}/events")
        last = json.loads(events.strip().split("\ndata:")[-1].split("\n")[0])
        expect(last["progress"]["searches"]["satisfied"], 2)
        require(events.count("event: status") >= 1 and f"id: {last['change']}" in events,
                events)
        stopped = said("-X", "POST", f"{base}/{task}/stop")
        expect((stopped["final_status"], stopped["is_resumable"]), ("paused", True))
        expect(said(f"{base}?limit=1")["tasks"][0]["status"], "paused")
        expect(said(f"{base}/task_0")["error_code"], "TASK_NOT_FOUND")
