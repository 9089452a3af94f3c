"""A node that is told to end amid its jobs: who waits is answered, and nothing is lost."""
import concurrent.futures
import signal
import sqlite3
import time

from case import case, expect, require
from lab import Lab, Task, jobs
from queue_team import fetched, sites, slow_targets

TARGETS, POLLERS, DRAIN = 6, 30, 3
ATTEMPTS_MAX = 2        # a job that has had as many has failed
QUEUED = 1              # a state, as the table of jobs has it


def poll(node, task, since):
    """The status of the answer to a long wait, and when it came."""
    status, _ = node.json("GET", f"/v1/queue/tasks/{task.id}?wait=60&since={since}", within=30)
    return status, time.monotonic()


def ask_tool(node, task, since, name):
    """The same, of an agent: whether it is told a status, and when."""
    waits = {"since": since} if name == "get_status" else {}
    said = node.tool(name, task_id=task.id, wait=60, **waits)
    return 200 if said.get("task_id") == task.id else said, time.monotonic()


def settled(task, node):
    """A change after which nothing happens for a while: all slots are taken."""
    task.until(lambda status: status["progress"]["searches"]["running"] == 4)
    return task.status(node=node)["change"]


def left_behind(lab):
    """The states of jobs in the file of a node that has ended, and attempts that count."""
    link = sqlite3.connect(lab.folder / "data/weir.db")
    try:
        return link.execute("select state, tries from job").fetchall()
    finally:
        link.close()


def end_amid_jobs(node, task):
    """SIGTERM while all slots are taken and many wait; when the last of them was answered."""
    with concurrent.futures.ThreadPoolExecutor(POLLERS + 2) as pool:
        since = settled(task, node)
        waiting = [pool.submit(poll, node, task, since) for _ in range(POLLERS)]
        agents = [pool.submit(ask_tool, node, task, since, name)
                  for name in ("get_status", "await_task")]
        while node.metric("queue_polls") < POLLERS:
            require(not any(one.done() for one in waiting), "somebody was not waited with")
            time.sleep(0.02)
        began = time.monotonic()
        node.process.send_signal(signal.SIGTERM)
        answers = [one.result(timeout=30) for one in waiting + agents]
        expect(node.process.wait(20), 0)
        took = time.monotonic() - began
    expect({status for status, _ in answers}, {200})
    require(took < DRAIN + 1, f"it took {took:.1f} s to end")
    return max(at for _, at in answers) - began


@case("a drain answers who waits at once, puts jobs back without an attempt, and they are done"
      " after it")
def drained_under_load(program):
    with Lab(program, sites()) as lab:
        flags = ("--drain-deadline", f"{DRAIN}s", "--data", str(lab.folder / "data"))
        task, targets = None, slow_targets(lab, TARGETS, seconds=4)
        for _ in range(ATTEMPTS_MAX):
            with lab.node(*flags) as node:
                if task is None:
                    task = Task(node, "A node ends and begins again")
                    task.queue(targets)
                task.node = node
                late = end_amid_jobs(node, task)
            require(late < 1, f"the last was answered {late:.2f} s after the signal")
            expect(left_behind(lab), [(QUEUED, 0)] * TARGETS)
        with lab.node(*flags) as node:
            task.node = node
            status = task.drained()
        expect(jobs(status), {target: ("completed", None) for target in targets})
        often = max(fetched(lab)[target.partition("/slow/")[2]] for target in targets)
        expect(often, ATTEMPTS_MAX + 1)
