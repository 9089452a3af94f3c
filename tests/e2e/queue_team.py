"""Three nodes and one PostgreSQL: jobs are done once, whoever dies, and who waits is told."""
import collections
import concurrent.futures
import pathlib
import signal
import subprocess
import sys
import time

from case import Refuted, Skipped, case, expect, require
from lab import WAIT, Lab, Task

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent.parent / "bench"))

import pg           # noqa: E402

SITES, TARGETS, SLOTS, LEASE = 36, 216, 12, 8
COMPLETED = 4           # a state, as the table of jobs has it
FLAGS = ("--queue-slots-network-client", SLOTS, "--queue-fetch-at-once", SLOTS,
         "--queue-lease", f"{LEASE}s", "--queue-pages-max", "10000")


class Database:
    """A server of our own, and what is in it."""

    def __enter__(self):
        if not list(pathlib.Path("/usr/lib/postgresql").glob("*/bin")):
            raise Skipped("there is no PostgreSQL")
        self.server = pg.server(durable=False)
        try:
            self.folder, self.data = self.server.__enter__()
        except SystemExit as why:
            raise Refuted(str(why)) from None
        return self

    def __exit__(self, *why):
        self.server.__exit__(*why)

    def restart(self):
        """As an upgrade does it: connections are ended, and refused for a while."""
        programs = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"))[-1]
        pg.run(*pg.AS, programs / "pg_ctl", "-D", self.data, "-w", "-m", "fast", "-l",
               self.folder / "log", "restart", timeout=60)

    def flags(self):
        return ("--store-url", f"postgres://weir@/postgres?host={self.folder}",
                *map(str, FLAGS))

    def rows(self, sql):
        done = subprocess.run(["psql", "-h", self.folder, "-U", "weir", "-At", "-F", "\t", "-c",
                               sql, "postgres"], capture_output=True, text=True, timeout=30)
        require(done.returncode == 0, done.stderr)
        return [line.split("\t") for line in done.stdout.splitlines()]


def sites():
    """Many, as one at a time is asked of each."""
    return {"town": 404, **{f"site{number}": 404 for number in range(SITES)}}


def slow_targets(lab, count, seconds=1):
    bases = [base for name, base in lab.site.bases.items() if name != "town"]
    return [f"{bases[number % len(bases)]}/slow/{seconds}?{number}" for number in range(count)]


def fetched(lab):
    """How often each was asked for."""
    return collections.Counter(line["path"].removeprefix("/slow/") for line in lab.site.log)


def ends(database, task):
    """By target: the number of its state, and its attempt."""
    return {row[0].partition("/slow/")[2]: (int(row[1]), int(row[2])) for row in database.rows(
        "select input::jsonb #>> '{target,url}', state, attempt from job_done"
        f" where kind = 'target_queue' and task = '{task.id}'")}


def one_tells_the_others(lab, nodes):
    """What one has done ends the waits at all of them, long before their time is over."""
    task, began = Task(nodes[0], "One tells the others"), time.monotonic()
    task.queue([lab.site.bases["town"] + "/slow/1?alone"])
    with concurrent.futures.ThreadPoolExecutor(len(nodes)) as pool:
        list(pool.map(lambda node: task.until(
            lambda status: status["progress"]["searches"]["satisfied"] == 1, 60, node=node),
            nodes))
    require(time.monotonic() - began < WAIT - 1, "who waits is told by the end of the wait")
    done = [node.metric('queue_jobs_total{kind="target_queue",result="completed"}')
            for node in nodes]
    expect(sorted(done), [0, 0, 1])


def a_stop_reaches_the_others(lab, nodes):
    """What runs anywhere of a task that is stopped at one is ended at once."""
    task, running = Task(nodes[0], "One stops for all", max_pages=1000), len(nodes) * SLOTS
    task.queue(slow_targets(lab, running + 1, seconds=9))
    task.until(lambda status: status["progress"]["searches"]["running"] == running)
    counts = nodes[0].tool("stop_task", task_id=task.id, mode="immediate")["cancelled_counts"]
    expect((counts["queued_cancelled"], counts["running_cancelled"]), (1, running))
    end, metric = time.monotonic() + 5, 'queue_jobs_total{kind="target_queue",result="%s"}'
    while any(node.metric(metric % "interrupted") < SLOTS for node in nodes):
        require(time.monotonic() < end, "a stop does not reach the others")
        time.sleep(0.02)
    expect(task.status(node=nodes[-1])["status"], "paused")


def evidence_is_shared(database, node, task):
    """What all of them have found is read at any."""
    report = node.read(f"weir://task/{task.id}")["text"]
    require(f"{TARGETS} targets done, 0 failed, 0 jobs open" in report, report[:500])
    ((cid,),) = database.rows("select min(content_hash) from pages")
    require(b"<title>A slow page</title>" in node.blob(cid), "the blob is another")
    view = node.tool("query_view", view_name="v_orphan_sources", task_id=task.id)
    require(view["ok"] and view["rows"], f"{view}")


def count(database, rest):
    return int(database.rows(f"select count(*) from {rest}")[0][0])


def verified_once(database, targets):
    """Each target asks for one verification as it ends, so none has ended twice; those that
    joined another, and only those, may have asked for one more."""
    all_of_them = count(database, "job_done where kind = 'verify_nli'")
    joined = count(database, "job_done where kind = 'verify_nli' and output like '%joined%'")
    require(targets <= all_of_them <= targets + joined,
            f"{all_of_them} verifications of {targets} targets, {joined} of which joined")


@case("of three nodes on one PostgreSQL one is killed amid its jobs: each job is done once, and"
      " who waits at another is told")
def one_is_killed(program):
    with Database() as database, Lab(program, sites()) as lab, \
            lab.node(*database.flags()) as first, lab.node(*database.flags()) as second, \
            lab.node(*database.flags()) as third, \
            concurrent.futures.ThreadPoolExecutor(2) as pool:
        one_tells_the_others(lab, (first, second, third))
        a_stop_reaches_the_others(lab, (first, second, third))
        task = Task(first, "Slow pages are read once", max_pages=10000)
        expect(task.queue(slow_targets(lab, TARGETS))["queued_count"], TARGETS)
        waiting = [pool.submit(task.drained, 90, False, node) for node in (first, second)]
        task.until(lambda status: status["progress"]["searches"]["satisfied"] > TARGETS // 4)
        third.kill()
        for one in waiting:
            status = one.result(timeout=100)
            expect((status["errors"], status["error_count"]), ([], 0))
            expect(status["progress"]["searches"]["satisfied"], TARGETS)
        ended, asked = ends(database, task), fetched(lab)
        expect((len(ended), {state for state, _ in ended.values()}), (TARGETS, {COMPLETED}))
        # who was put off until its site had a turn has one more attempt, and asked for nothing
        again = [target for target in ended if asked[target] == 2]
        require(0 < len(again) <= SLOTS, f"{len(again)} targets were done by another node")
        # a page is asked for once an attempt; not again if it was kept before the end
        wrong = {target: (asked[target], attempt) for target, (_, attempt) in ended.items()
                 if not 1 <= asked[target] <= min(attempt, 2)}
        expect(wrong, {})
        verified_once(database, TARGETS + 1)
        expect(count(database, "job"), 0)
        evidence_is_shared(database, second, task)
        expect(count(database, "pages where content_hash is not null"), TARGETS + 1)


@case("a node that stood still for longer than its lease finishes nothing that others did")
def one_stands_still(program):
    with Database() as database, Lab(program, sites()) as lab, \
            lab.node(*database.flags()) as first, lab.node(*database.flags()) as second:
        task, total = Task(first, "Slow pages are read once", max_pages=10000), 3 * SLOTS
        task.queue(slow_targets(lab, total, seconds=2))
        task.until(lambda status: status["progress"]["searches"]["running"] == 2 * SLOTS)
        second.process.send_signal(signal.SIGSTOP)
        try:
            task.until(lambda status: status["progress"]["searches"]["satisfied"] == total)
        finally:
            second.process.send_signal(signal.SIGCONT)
        metric = 'queue_jobs_total{kind="target_queue",result="%s"}'
        end = time.monotonic() + 20
        while second.metric(metric % "interrupted") < SLOTS and time.monotonic() < end:
            time.sleep(0.05)
        expect((first.metric(metric % "completed"), second.metric(metric % "completed"),
                second.metric(metric % "interrupted")), (total, 0, SLOTS))
        status = task.drained()
        expect((status["progress"]["searches"]["satisfied"], status["error_count"]), (total, 0))
        expect(sorted(ends(database, task).values()),
               [(COMPLETED, 1)] * (total - SLOTS) + [(COMPLETED, 2)] * SLOTS)
        verified_once(database, total)


@case("a PostgreSQL that is restarted amid their jobs fails none of them")
def the_server_is_restarted(program):
    with Database() as database, Lab(program, sites()) as lab, \
            lab.node(*database.flags()) as first, lab.node(*database.flags()) as second:
        task, total = Task(first, "Slow pages are read once", max_pages=10000), 8 * SLOTS
        task.queue(slow_targets(lab, total))
        task.until(lambda status: status["progress"]["searches"]["satisfied"] > SLOTS)
        database.restart()
        end = time.monotonic() + 20
        while "progress" not in task.status(node=second):       # it may be told of it, too
            require(time.monotonic() < end, "a node does not find its server again")
            time.sleep(0.05)
        status = task.drained(90, False, second)
        expect((status["errors"], status["error_count"]), ([], 0))
        ended = ends(database, task)
        expect((len(ended), {state for state, _ in ended.values()}), (total, {COMPLETED}))
