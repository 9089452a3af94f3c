#!/usr/bin/env python3
"""How much of the lock-free core the models reach: branches taken, from llvm-cov's JSON.

    cover.py export.json

The core is what threads share: the word of a wait, the inbox and sleep of a
worker, stealing, cancel and join of a scope, and the objects.  Left out of the
count are branches that decide whether to panic (a model that takes one fails),
and the simulation's hooks, which have tests of their own.
"""
import json
import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parents[2]
WANTED = 90
PANIC = "(wr_panic|wr_panic_at|wr_fatal|report_deadlock|wr_fork_check|not_the_writer" \
        "|wr_wait_refuse)"

# Files, and where a file is more than core, the functions that are.
CORE = {
    "src/rt/rt_int.h": None,
    "src/rt/wait_int.h": None,
    "src/rt/wait.c": None,
    "src/rt/cell.c": None,
    "src/rt/once.c": None,
    "src/rt/chan.c": None,
    "src/rt/watch.c": None,
    "src/rt/bcast.c": None,
    "src/rt/sem.c": None,
    "src/rt/select.c": None,
    "src/rt/offload.c": {"next_call", "finish", "thread_main", "wr_offload",
                         "wr_offload_stop"},
    "src/rt/lock.c": {"mutex_slow", "wr_mutex_lock", "wr_mutex_unlock", "blocked",
                      "attempt", "rwlock_slow", "rwlock_now", "wr_rwlock_read",
                      "wr_rwlock_read_done", "wr_rwlock_write", "wr_rwlock_write_done"},
    "src/rt/scope.c": {"attach", "detach", "end_locked", "wr_scope_end", "last_done",
                       "wr_scope_tasks_ok", "wr_scope_task_done", "await_tasks",
                       "wr_scope_join", "wr_scope_close", "wr_scope_go_kind"},
    "src/rt/fiber.c": {"wr_fiber_link_scope", "unlink_scope", "wr_fiber_set_scope",
                       "end_task"},
    "src/rt/lane.c": {"take_batch", "acknowledge", "rest", "enqueue", "take_back"},
    "src/rt/sched.c": {"wr_inbox_push", "wr_ready_far", "wr_wake_workers", "wr_kick_slow",
                       "empty_inbox", "fire", "wr_sched_flush", "wr_sched_loop"},
    "src/rt/idle.c": {"sleep_until_kicked", "all_quiet", "advance_clock", "idle_virtual"},
    "src/rt/fresh.c": {"wr_fresh_push", "wr_fresh_pop", "steal_from", "wr_steal",
                       "wr_ticket_take", "wr_ticket_give"},
}


def closing(text, at):
    """The position after the parenthesis that closes the one before `at`."""
    depth = 1
    while depth:
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        at += 1
    return at


def panics(path):
    """Lines that only decide whether to panic, or say what about."""
    text = (TOP / path).read_text()
    spans = []
    for start in re.finditer(r"\bif \(", text):
        end = closing(text, start.end())
        if re.match(rf"\s*(\{{[^{{}}]*)?\b{PANIC}\b", text[end:]):
            spans.append((start.start(), end))
    for start in re.finditer(rf"\b({PANIC}|(WR|RT)_ASSERT)\(", text):
        spans.append((start.start(), closing(text, start.end())))
    for start in re.finditer(r"#define RT_ASSERT(.*\\\n)*.*|.*hooks.*|.* : \"\?\".*", text):
        spans.append(start.span())
    lines = set()
    for start, end in spans:
        lines.update(range(text.count("\n", 0, start) + 1, text.count("\n", 0, end) + 2))
    return lines


def in_tree(path):
    return path[path.index("src/"):] if "src/" in path else path


def main():
    functions = json.load(open(sys.argv[1]))["data"][0]["functions"]
    taken = {}          # (file, function, position, which way) -> times
    for function in functions:
        files = [in_tree(path) for path in function["filenames"]]
        name = function["name"].split(":")[-1]
        if files[0] not in CORE or (CORE[files[0]] and name not in CORE[files[0]]):
            continue
        for line, column, _, _, true, false, at, *_ in function["branches"]:
            path = files[at]
            if path not in CORE:
                continue        # inside a macro of another header
            for way, times in (("true", true), ("false", false)):
                key = (path, name, line, column, way)
                taken[key] = taken.get(key, 0) + times
    skip = {path: panics(path) for path in CORE}
    rows, missed = {}, []
    for (path, name, line, column, way), times in sorted(taken.items()):
        if line in skip[path]:
            continue
        have, all_ = rows.get(path, (0, 0))
        rows[path] = (have + (times > 0), all_ + 1)
        if times == 0:
            missed.append(f"{path}:{line}:{column} {name}: never {way}")
    for path, (have, all_) in rows.items():
        print(f"# {path:18} {have:4} of {all_:4} branches, {100 * have / all_:5.1f} %")
    have, all_ = (sum(column) for column in zip(*rows.values()))
    if "-v" in sys.argv:
        print("\n".join(missed))
    good = 100 * have >= WANTED * all_
    print(f"{'ok' if good else 'not ok'} 1 - models reach {100 * have / all_:.1f} % of the "
          f"branches of the lock-free core, {WANTED} % wanted")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
