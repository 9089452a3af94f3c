#!/usr/bin/env python3
"""Run the tests, stage by stage, and count everything.

    test.py                 the fast tier: what `make test` runs
    test.py --long          the full tier; with stages, these stages at full length
    test.py tsan tidy       these stages only
    test.py --list          what there is

A stage is a row of STAGES.  It returns counts, taken from TAP: every "ok" and
"not ok" of every program counts as one.  Whatever cannot be counted (a build,
a command that only succeeds or fails) is one test.  The last line is the sum.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

import build

SHOWN = 40              # lines at each end of a long output
COMMAND_MAX = 1500      # seconds for one command, in the fast tier
LONG = "--long"

Stage = collections.namedtuple("Stage", "name what run tier", defaults=["fast"])


class Count(collections.namedtuple("Count", "passed failed skipped", defaults=[0, 0, 0])):
    def __add__(self, other):
        return Count(*map(sum, zip(self, other)))

    def __str__(self):
        text = f"{self.passed} passed, {self.failed} failed"
        return f"{text}, {self.skipped} skipped" if self.skipped else text


def count_tap(text, good):
    """Count TAP lines; a program that ended badly without saying so is one failure."""
    passed = failed = skipped = 0
    planned = None
    for line in text.splitlines():
        if plan := re.match(r"1\.\.(\d+)", line):
            planned = int(plan[1])
        elif line.startswith("not ok"):
            failed += 1
        elif re.match(r"ok\b", line):
            if re.search(r"# *skip", line, re.IGNORECASE):
                skipped += 1
            else:
                passed += 1
    complete = planned is not None and planned == passed + failed + skipped
    if failed == 0 and not (good and complete):
        failed += 1
    return Count(passed, failed, skipped)


def failures(text):
    """TAP without what went well; after a crash or a timeout, also where it was."""
    lines = text.splitlines()
    bad = [line for line in lines if not re.match(r"ok\b|1\.\.", line)]
    if not any(line.startswith("not ok") for line in bad):
        bad += [f"ended after: {line}" for line in lines[-1:]]
    return "".join(f"{line}\n" for line in bad)


def run(*command, env=None):
    """Run a command in the top folder; whether it ended well, and everything it said.  One that
    does not end is ended, with all that it has begun; a file takes what is said, as a pipe may
    be held open by what is left over."""
    with tempfile.TemporaryFile("w+", errors="replace") as said, \
            subprocess.Popen([str(part) for part in command], cwd=build.TOP, stdout=said,
                             stderr=subprocess.STDOUT, start_new_session=True,
                             env={**os.environ, **(env or {})}) as process:
        try:
            process.wait(None if LONG in sys.argv else COMMAND_MAX)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            said.write(f"# ended, as it took more than {COMMAND_MAX} seconds: {command[0]}\n")
        except BaseException:           # somebody wants all of it to end
            os.killpg(process.pid, signal.SIGTERM)
            raise
        said.seek(0)
        return process.returncode == 0, said.read()


def show(text):
    """Print what a person needs of it: both ends, when it is long."""
    lines = text.splitlines()
    if len(lines) > 2 * SHOWN:
        lines[SHOWN:-SHOWN] = [f"... {len(lines) - 2 * SHOWN} more lines ..."]
    print("".join(f"    {line}\n" for line in lines), end="", flush=True)


def command(*words, env=None):
    """A stage that is one test: a command that succeeds or fails."""
    good, text = run(*words, env=env)
    if not good:
        show(text)
    return Count(passed=int(good), failed=int(not good))


def side_by_side(stage, rows):
    """A part of a stage for each row, as many at once as there are cores."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return sum(pool.map(stage, rows), Count())


def tap(*words, env=None):
    """A stage that is a program printing TAP; its comments are shown."""
    good, text = run(*words, env=env)
    count = count_tap(text, good)
    show(failures(text) if count.failed else
         "\n".join(line for line in text.splitlines() if line.startswith("#")))
    return count


def suite(preset, *options, name="testlog", env=None):
    """A stage that is the unit suite of one build.  Some programs of it wait for others, for a
    browser or for their turn: one more than there are cores keeps the cores busy."""
    folder = build.build(preset)
    log = folder / "meson-logs" / f"{name}.json"
    log.unlink(missing_ok=True)
    run("meson", "test", "-C", folder, "--no-rebuild", "--num-processes", os.cpu_count() + 1,
        *options, env=env)
    if not log.exists():
        show(f"no tests ran in {folder}")
        return Count(failed=1)
    total = Count()
    for line in log.read_text().splitlines():
        test = json.loads(line)
        output = test.get("stdout", "")
        one = count_tap(output, test["result"] in ("OK", "SKIP"))
        if one.failed:
            show(f"{test['name']}: {test['result']}\n"
                 f"{failures(output)}{test.get('stderr', '')}")
        total += one
    return total


def tidy(long):
    return tap("tools/tidy.py") + tap("tools/tidy.py", "--samples")


def lint(long):
    """clang-tidy over every source, as the clang build compiles it; in the long tier over
    tests too, and with the analyser, which takes ten times as long as all the rest."""
    folder = build.build("asan")
    database = json.loads((folder / "compile_commands.json").read_text())
    sources = sorted({entry["file"] for entry in database if "/src/" in entry["file"]
                      and entry["file"].endswith(".c")
                      and (long or not entry["file"].endswith("_test.c"))})
    checks = [] if long else ["--checks=-clang-analyzer-*"]
    return side_by_side(lambda source: command("clang-tidy", "-p", folder, "--quiet", *checks,
                                               folder / source), sources)


def install(long):
    return tap("tests/install/run", build.build("release"))


def e2e(long):
    folder = build.build("release")
    count = tap("tests/e2e/run", folder)
    return count + tap("tests/e2e/run", folder, env={"E2E_FLAGS": "--threads 1"}) if long \
        else count


def mcp(_):
    """With the tools that the suite asks for, which are a program of the tests."""
    return tap("tests/mcp/run", build.build("gcc"))


def scenario(long):
    folder = build.build("gcc")
    return tap("tests/scenario/run", folder / "src/weir", folder / "tests/scenario/sim-failing",
               env={"SCENARIO_SEEDS": "10000"} if long else None)


def fuzz(long):
    """Every fuzzer for a while, from the inputs in tests/fuzz/corpus; what it found is kept
    in build/fuzz/corpus.  In the fast tier always along the same way, so that what fails
    there was changed there; new ways are the long tier's."""
    folder = build.build("fuzz", target="fuzzers")
    seconds = os.environ.get("FUZZ_SECONDS", "60" if long else "3")
    way = [] if long else ["-seed=1"]

    def one(fuzzer):
        corpus = folder / "corpus" / fuzzer.name
        corpus.mkdir(parents=True, exist_ok=True)
        seeds = build.TOP / "tests/fuzz/corpus" / fuzzer.name
        return command(fuzzer, f"-max_total_time={seconds}", "-print_final_stats=1", *way,
                       f"-artifact_prefix={corpus}/", corpus,
                       *([seeds] if seeds.exists() else []))
    return side_by_side(one, sorted((folder / "tests").glob("*_fuzz")))


def mutants(long):
    return tap("tools/mutants.py") + tap("tools/mutants.py", "--made", "50")


def postgres(long):
    """What the test programs of the store show on a server; what is skipped has failed."""
    folder = build.build("gcc") / "src"
    programs = sorted(folder / path.stem for path in (build.TOP / "src").rglob("*_test.c")
                      if re.search(r"STORE_TEST|SERVER_TEST", path.read_text()))
    durable = [program for program in programs if program.stem == "pg_kill_test"]
    programs = [program for program in programs if program not in durable]

    def one(row):               # each has a server of its own
        words, workers = row
        good, text = run("tests/postgres/run", *words, env={"WEIR_THREADS": workers})
        ends = [found.start() for found in re.finditer(r"^1\.\.", text, re.MULTILINE)]
        counts = [count_tap(text[begin:end], True)
                  for begin, end in zip(ends, ends[1:] + [len(text)])]
        all_of = sum(counts, Count(failed=int(not good and not any(c.failed for c in counts))))
        if all_of.failed or all_of.skipped:
            show(failures(text))
        return Count(all_of.passed, all_of.failed + all_of.skipped)
    return side_by_side(one, [(words, workers) for words in (programs, ["--durable", *durable])
                              for workers in ("1", "2")])


def crash(long):
    """At some changes to the disk in the unit suite; here at every one."""
    return tap(build.build("gcc") / "src/crash_test", env={"WEIR_CRASH_STEP": "1"})


def sanitized(preset, left_out):
    """The unit suite under a sanitizer.  In the fast tier on as many workers as it finds most
    with, and with fewer ends of the store than the gcc suite, which has every one of them that
    is not the long tier's: each is the same code again."""
    return lambda long: suite(preset, "--repeat", "10") if long else \
        suite(preset, "--no-suite", left_out, env={"WEIR_CRASH_STEP": "400"})


def repeat(long):
    return ["--repeat", "10"] if long else []


# Name, what it shows, how it is run (in the fast tier or the long one), and the
# tier from which on it is part of the whole.
STAGES = [
    Stage("tidy", "house rules, and that the rules refuse what they should", tidy),
    Stage("man", "every public call is documented, and has its man page",
          lambda long: tap("tools/man.py", "--check")),
    Stage("topology", "docs/topology.md shows the program as it is",
          lambda long: tap("tools/topology.py", "--check")),
    Stage("gcc", "unit suite, gcc -O2, on one and two workers",
          lambda long: suite("gcc", *repeat(long))),
    Stage("clang", "unit suite, clang -O2, on one and two workers",
          lambda long: suite("clang", *repeat(long)), "long"),
    Stage("asan", "unit suite, clang, address and undefined behaviour",
          sanitized("asan", "workers-2")),
    Stage("tsan", "unit suite, clang, data races", sanitized("tsan", "workers-1")),
    # Without the weather: those programs take the system's memory away, and valgrind needs it.
    Stage("memcheck", "unit suite under valgrind, one worker",
          lambda long: suite("gcc", "--setup", "memcheck", "--suite", "workers-1",
                             "--no-suite", "weather", name="testlog-memcheck",
                             env={"WEIR_TEST_SLOW": "50"}), "long"),
    Stage("model", "interleavings of the lock-free parts, and the drain protocol",
          lambda long: tap("tests/model/run", env={"MODEL_FULL": "1"} if long else None)),
    Stage("scenario", "the simulator's scenarios, many seeds each", scenario),
    Stage("aarch64", "unit suite on the other processor, emulated, one worker",
          lambda long: suite("aarch64", "--suite", "workers-1",
                             env={"WEIR_TEST_SLOW": "10", "WEIR_TEST_EMULATED": "1"})),
    Stage("lint", "clang-tidy", lint),
    Stage("install", "a program outside the tree builds against what is installed", install),
    Stage("e2e", "the node under real tools and hostile clients", e2e),
    Stage("mcp", "agents, with the official clients and conformance suite", mcp),
    Stage("postgres", "what speaks to PostgreSQL, on a server of its own", postgres),
    Stage("crash", "the store loses nothing wherever the process or the power ends", crash,
          "long"),
    Stage("fuzz", "every fuzzer for a while", fuzz),
    Stage("mutants", "planted faults, and faults made by machine, are all caught",
          mutants, "long"),
]


def main():
    parser = argparse.ArgumentParser(description="Run the tests and count everything.")
    parser.add_argument(LONG, action="store_true", help="the full tier")
    parser.add_argument("--list", action="store_true", help="list the stages")
    parser.add_argument("stages", nargs="*", metavar="stage")
    args = parser.parse_args()

    known = {stage.name: stage for stage in STAGES}
    if unknown := [name for name in args.stages if name not in known]:
        parser.error(f"no such stage: {', '.join(unknown)}; --list shows them")
    if args.list:
        for stage in STAGES:
            print(f"{stage.name:12} {stage.tier:5} {stage.what}")
        return 0
    chosen = [known[name] for name in args.stages] or \
        [stage for stage in STAGES if args.long or stage.tier == "fast"]

    total, rows = Count(), []
    for stage in chosen:
        print(f"== {stage.name}: {stage.what}", flush=True)
        start = time.monotonic()
        try:
            count = stage.run(args.long)
        except build.Failed as failure:
            show(str(failure))
            count = Count(failed=1)
        rows.append(f"{stage.name:12} {time.monotonic() - start:6.0f} s  {count}")
        print(f"   {count} ({time.monotonic() - start:.0f} s)", flush=True)
        total += count
    print("\n".join(["", *rows, "", str(total)]), flush=True)
    return 1 if total.failed else 0


if __name__ == "__main__":
    sys.exit(main())
