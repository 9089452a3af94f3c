#!/usr/bin/env python3
"""Run a suite of benchmarks, ours and the peers' in turns, and say who is ahead.

    run.py runtime                  five repetitions; table, out/runtime.json, out/runtime.md
    run.py runtime --only chan      only questions whose name contains "chan"; writes nothing
    run.py runtime --against FILE   exit 1 when a row is 25 % worse than in that earlier JSON

A suite (suite/<name>.py) has questions, which are programs to run, and rows,
which are what their numbers mean.  A repetition of a question is void when the
hypervisor took more than 2 % of the machine meanwhile, or other programs more
than 5 % (unless it counts processor time); it is run again, a few times at most.
"""
import argparse
import importlib
import pathlib
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "tools")]

import build            # noqa: E402  (tools/build.py)
import noise            # noqa: E402
import programs         # noqa: E402
import table            # noqa: E402

ATTEMPTS = 3            # per repetition, before a noisy one is kept ...
PATIENCE = 120          # ... and seconds spent on such repeats, in all
REPETITIONS = 5


def run_program(place, command):
    """The metrics a program prints; nothing when it fails, which is said."""
    path = programs.path(place, command[0])
    try:
        done = subprocess.run([str(path), *command[1:]], text=True, capture_output=True,
                              timeout=120)
    except subprocess.TimeoutExpired:
        print(f"  {place} {' '.join(command)}: not done after 120 s", file=sys.stderr)
        return {}
    if done.returncode != 0:
        print(f"  {place} {' '.join(command)}: failed ({done.returncode})\n"
              f"{done.stderr[-2000:]}", file=sys.stderr)
        return {}
    return {name: float(value) for name, value in map(str.split, done.stdout.splitlines())}


def ask(question, number):
    """Run the programs of a question once: their metrics, and how noisy it was."""
    watch = noise.Watch(question.cpu_only)
    metrics = {}
    # whoever comes first finds the machine as the last question left it: take turns
    first = number % len(question.commands)
    for place, *command in question.commands[first:] + question.commands[:first]:
        metrics |= run_program(place, command)
    return metrics, watch.stop()


def progress(text):
    if sys.stderr.isatty():
        print(f"  {text:<50}", end="\r", file=sys.stderr)


def measure(suite, only, repetitions):
    questions = [one for one in suite.QUESTIONS if only in one.name]
    samples, noises, void, spent = {}, {}, 0, 0.0
    for number in range(repetitions):
        for question in questions:
            if question.once and number > 0:
                continue
            progress(f"{number + 1}/{repetitions} {question.name}")
            metrics, seen = ask(question, number)
            for _ in range(ATTEMPTS - 1):
                if not seen.void() or spent > PATIENCE:
                    break
                void += 1
                began = time.monotonic()
                again = ask(question, number)
                spent += time.monotonic() - began
                if again[1].badness() < seen.badness():
                    metrics, seen = again
            for name, value in metrics.items():
                samples.setdefault(name, []).append(value)
                noises.setdefault(name, []).append(seen)
    progress("")
    return samples, noises, void


def main():
    parser = argparse.ArgumentParser(description="Run a suite of benchmarks beside its peers.")
    parser.add_argument("suite", choices=sorted(p.stem for p in HERE.glob("suite/*.py")))
    parser.add_argument("--only", default="", help="only questions whose name contains this")
    parser.add_argument("--runs", type=int, default=REPETITIONS)
    parser.add_argument("--against", type=pathlib.Path, help="an earlier out/<suite>.json")
    args = parser.parse_args()
    suite = importlib.import_module(f"suite.{args.suite}")

    try:
        programs.make(suite, args.only)
    except build.Failed as failure:
        print(failure, file=sys.stderr)
        return 1
    samples, noises, void = measure(suite, args.only, args.runs)
    rows = [table.evaluate(row, samples, noises, args.runs) for row in suite.ROWS
            if not args.only or row.ours in samples]
    report = table.Report(args.suite, rows, noise.machine(), args.runs, void,
                          getattr(suite, "SAID", ()))
    print(report.text())
    if args.only:
        return 0
    report.write(programs.OUT)
    worse = table.worse(rows, args.against) if args.against else []
    for line in worse:
        print(line)
    broken = [row for row in rows if row["failed_runs"]]
    return 1 if worse or broken else 0


if __name__ == "__main__":
    sys.exit(main())
