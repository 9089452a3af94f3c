#!/usr/bin/env python3
"""The main text of made-up pages: ours, python3-readability's, and what it really is.

    main_text.py [--seed N]     also by template, script and level of noise

Pages are those of tests/site, whose author has not seen the extractor.  A token is a word, or
one character of Chinese or Japanese; F1 is of the bags of tokens, once for each page.  Against
the truth, what a reader may count to the text or not (captions, dates, references) counts
neither way.  Both programs read the same files; time is that of parsing and extracting alone.
"""
import argparse
import collections
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "tools"), str(HERE.parent / "tests/site")]

import generate                         # noqa: E402
from row import Row, Skipped, program   # noqa: E402

SEED, OTHERS, PAGES, TIMES = 1, (101, 202, 303, 404), 200, 5
PYTHON = "/usr/bin/python3"             # the one that Debian's packages are for
TOKEN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W\u3040-\u30ff\u3400-\u9fff]+")


def tokens(text):
    return collections.Counter(TOKEN.findall(text.casefold()))


def f1(one, other):
    both = one.total() + other.total()
    return 2 * (one & other).total() / both if both else 1.0


class Judged:
    """A page, and what was made of it."""

    def __init__(self, truth, ours, theirs):
        self.truth = truth
        texts = [tokens(one["text"]) for one in (ours, theirs)]
        self.agreement = f1(*texts)
        right = tokens(" ".join(block["text"] for block in truth.blocks))
        either = tokens(" ".join([*truth.optional, truth.title]))
        self.ours, self.theirs = (f1(self.without(text, either, right), right)
                                  for text in texts)
        self.times = ours["us"], theirs["us"]
        self.title = (ours["title"] or "").startswith(truth.title)
        self.language = (ours.get("language") or "").startswith(truth.language)

    @staticmethod
    def without(text, either, right):
        """What is beyond the truth and may be there is not held against it."""
        return text - ((text - right) & either)


def said(command):
    try:
        done = subprocess.run(command, text=True, capture_output=True)
    except FileNotFoundError as why:
        raise Skipped(why) from why
    if done.returncode != 0:
        raise Skipped(f"{command[0]} says: {done.stderr.strip()[-300:]}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def judge(seed):
    if subprocess.run([PYTHON, "-c", "import readability"], capture_output=True).returncode:
        raise Skipped("python3-readability is not installed")
    ours = program("eval/extract-html")
    with tempfile.TemporaryDirectory() as folder:
        names, truths = [], []
        for number in range(PAGES):
            text, truth = generate.page(seed, number)
            names.append(f"{folder}/{number:03}.html")
            pathlib.Path(names[-1]).write_text(text, "utf-8")
            truths.append(truth)
        texts = [said([*words, "-n", str(TIMES), *names])
                 for words in ([ours], [PYTHON, HERE / "readable.py"])]
    return [Judged(*row) for row in zip(truths, *texts)]


def mean(pages, what):
    return statistics.mean(getattr(page, what) for page in pages)


def ratio(pages):
    ours, theirs = (statistics.median(page.times[who] for page in pages) for who in (0, 1))
    return theirs / ours, ours, theirs


def rows():
    pages = judge(SEED)
    agreement = mean(pages, "agreement")
    yield Row(f"main text of {PAGES} pages, F1 with readability", f"{agreement:.3f}", ">= 0.9",
              holds=agreement >= 0.9)
    middle = statistics.median(page.agreement for page in pages)
    yield Row("the same, the median page", f"{middle:.3f}")
    yield Row("F1 with the truth: ours", f"{mean(pages, 'ours'):.3f}")
    yield Row("F1 with the truth: readability", f"{mean(pages, 'theirs'):.3f}")
    good = [page for page in pages if page.theirs >= 0.9]
    yield Row(f"F1 with readability on the {len(good)} pages where it is right",
              f"{mean(good, 'agreement'):.3f}")
    yield Row("titles and languages that are right",
              f"{mean(pages, 'title'):.3f}, {mean(pages, 'language'):.3f}")
    times, ours, theirs = ratio(pages)
    yield Row("faster than readability, medians", f"{times:.1f} x", ">= 10 x",
              holds=times >= 10)
    yield Row("a page: ours, readability", f"{ours:.0f} us, {theirs:.0f} us")
    for seed in OTHERS:
        pages = judge(seed)
        agreement, times = mean(pages, "agreement"), ratio(pages)[0]
        yield Row(f"seed {seed}: F1 with readability", f"{agreement:.3f}", ">= 0.9",
                  holds=agreement >= 0.9)
        yield Row(f"seed {seed}: with the truth, ours / readability; faster by",
                  f"{mean(pages, 'ours'):.3f} / {mean(pages, 'theirs'):.3f}; {times:.1f} x",
                  holds=times >= 10)


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--seed", type=int, default=SEED)
    given = options.parse_args()
    groups = collections.defaultdict(list)
    for page in judge(given.seed):
        for name in (page.truth.template, page.truth.script, page.truth.noise):
            groups[name].append(page)
    print("| pages | agreement | ours | readability | count |\n|---|---|---|---|---|")
    for name, pages in groups.items():
        print(f"| {name} | {mean(pages, 'agreement'):.3f} | {mean(pages, 'ours'):.3f} | "
              f"{mean(pages, 'theirs'):.3f} | {len(pages)} |")


if __name__ == "__main__":
    main()
