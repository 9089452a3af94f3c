#!/usr/bin/env python3
"""The main text of pages: ours, python3-readability's, and what it really is.

    main_text.py [--seed N] [--real]    also by template, script and noise, or by package

Four sorts of pages: made-up ones of tests/site, whose author has not seen the extractor and
which come with the truth; real ones of Debian's packages (pages.py), for some of which their
makers say where the text is (maker.py); and articles and sites of the web that others collected
(web.py), which are left out where that data is not.  Of each up to 200 for a seed.  The row
that must hold is about 200 pages of all sorts, as many of each.  A token is a word, or one
character of Chinese or Japanese; F1 is of the bags of tokens, once for each page.  Against the
truth, what a reader may count to the text or not (captions, dates, references, tables of
contents) counts neither way.  Of sites phrases are known that must be in the text and such that
must not: F1 is of those, of all pages together.  Both programs read the same files, some pages
the one and then the other; time is that of parsing and extracting alone.
"""
import argparse
import collections
import json
import pathlib
import random
import re
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "tools"), str(HERE.parent / "tests/site")]

import generate                         # noqa: E402
import pages as real                    # noqa: E402
import web                              # noqa: E402
from row import Row, Skipped, program   # noqa: E402

SEEDS, PAGES, EACH, TIMES, SLICE = (1, 2, 3), 200, 4, 3, 20
PYTHON = "/usr/bin/python3"             # the one that Debian's packages are for
TOKEN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W\u3040-\u30ff\u3400-\u9fff]+")


def tokens(text):
    return collections.Counter(TOKEN.findall(text.casefold()))


def f1(one, other):
    both = one.total() + other.total()
    return 2 * (one & other).total() / both if both else 1.0


class Page:
    """A page, and what was made of it; without `right` nobody says what its text is."""

    def __init__(self, path, groups, right, either, truth=None):
        self.path, self.groups, self.truth = str(path), groups, truth
        self.right = tokens(right) if right is not None else None
        self.either = tokens(either)
        self.agreement = self.ours = self.theirs = self.times = self.texts = None

    def judge(self, ours, theirs):
        texts = [tokens(one["text"]) for one in (ours, theirs)]
        self.agreement = f1(*texts)
        self.texts = ours["text"], theirs["text"]
        self.times = ours["us"], theirs["us"]
        if self.right is not None:
            self.ours, self.theirs = (f1(self.without_either(text), self.right)
                                      for text in texts)
        if self.truth:
            self.title = (ours["title"] or "").startswith(self.truth.title)
            self.language = (ours.get("language") or "").startswith(self.truth.language)

    def without_either(self, text):
        """What is beyond the truth and may be there is not held against it."""
        return text - ((text - self.right) & self.either)


def said(command):
    try:
        done = subprocess.run(command, text=True, capture_output=True)
    except FileNotFoundError as why:
        raise Skipped(why) from why
    if done.returncode != 0:
        raise Skipped(f"{command[0]} says: {done.stderr.strip()[-300:]}")
    return [json.loads(line) for line in done.stdout.split("\n") if line]


def judged(pages):
    """All of them, some by the one program and then by the other."""
    if subprocess.run([PYTHON, "-c", "import readability"], capture_output=True).returncode:
        raise Skipped("python3-readability is not installed")
    commands = [program("eval/extract-html")], [PYTHON, HERE / "readable.py"]
    for at in range(0, len(pages), SLICE):
        some = pages[at:at + SLICE]
        names = [page.path for page in some]
        for page, *texts in zip(some, *(said([*words, "-n", str(TIMES), *names])
                                        for words in commands)):
            page.judge(*texts)
    return pages


def made_up(seed):
    with tempfile.TemporaryDirectory() as folder:
        pages = []
        for number in range(PAGES):
            text, truth = generate.page(seed, number)
            path = pathlib.Path(folder, f"{number:03}.html")
            path.write_text(text, "utf-8")
            pages.append(Page(path, (truth.template, truth.script, truth.noise),
                              " ".join(block["text"] for block in truth.blocks),
                              " ".join([*truth.optional, truth.title]), truth))
        return judged(pages)


def from_packages(seed):
    found = list(real.sample(seed, EACH))
    makers = said([PYTHON, HERE / "maker.py", *(str(page.path) for page in found)])
    return judged([Page(page.path, (page.package,), maker["text"], maker["optional"])
                   for page, maker in zip(found, makers)])


def articles(seed):
    pages = list(web.articles())
    return judged([Page(page.path, ("articles",), page.text, "")
                   for page in random.Random(seed).sample(pages, k=min(PAGES, len(pages)))])


class Site(Page):
    """A page of which phrases are known."""

    def __init__(self, site):
        super().__init__(site.path, ("sites",), None, "")
        self.site = site

    def phrases(self, who):
        """How many are right, how many are missing, how many are there and must not be."""
        text = " ".join(self.texts[who].split())
        wanted, unwanted = ([" ".join(phrase.split()) in text for phrase in phrases]
                            for phrases in (self.site.wanted, self.site.unwanted))
        return collections.Counter(right=sum(wanted), missing=len(wanted) - sum(wanted),
                                   wrong=sum(unwanted))


def sites(seed):
    drawn = random.Random(seed).sample(list(web.sites()), k=PAGES)
    return judged([Site(site) for site in drawn])


def f1_of_phrases(pages, who):
    counts = sum((page.phrases(who) for page in pages), collections.Counter())
    return 2 * counts["right"] / (2 * counts["right"] + counts["missing"] + counts["wrong"])


def mean(pages, what):
    return statistics.mean(getattr(page, what) for page in pages)


def ratio(pages):
    ours, theirs = (statistics.median(page.times[who] for page in pages) for who in (0, 1))
    return theirs / ours, ours, theirs


def spread(values):
    return f"{statistics.mean(values):.3f} ({min(values):.3f}-{max(values):.3f})"


def about(name, sets):
    """Rows about one sort of pages, for all seeds."""
    agreements = [mean(pages, "agreement") for pages in sets]
    yield Row(f"{name}: F1 with readability", spread(agreements), ">= 0.9",
              holds=min(agreements) >= 0.9)
    yield Row(f"{name}: the same, the median page", spread(
        [statistics.median(page.agreement for page in pages) for pages in sets]))
    yield from times(name, sets)
    known = [[page for page in pages if page.right is not None] for pages in sets]
    if not known[0]:
        return
    counts = "/".join(str(len(pages)) for pages in known)
    yield Row(f"{name}: F1 with the truth, where it is known: ours",
              spread([mean(pages, "ours") for pages in known]))
    yield Row(f"{name}: the same ({counts} pages): readability",
              spread([mean(pages, "theirs") for pages in known]))
    good = [[page for page in pages if page.theirs >= 0.9] for pages in known]
    yield Row(f"{name}: F1 with readability where that is right",
              spread([mean(pages, "agreement") for pages in good]))


def times(name, sets):
    took = [ratio(pages) for pages in sets]
    yield Row(f"{name}: faster than readability, medians",
              " ".join(f"{one[0]:.1f} x" for one in took), ">= 10 x",
              holds=min(one[0] for one in took) >= 10)
    yield Row(f"{name}: a page: ours, readability", f"{took[0][1]:.0f} us, {took[0][2]:.0f} us")


def of_sites(sets):
    yield from about("sites", sets)
    for name, looked in (("looked at", True), ("not looked at", False)):
        some = [[page for page in pages if page.site.looked_at == looked] for pages in sets]
        yield Row(f"sites {name}: F1 of phrases: ours / readability",
                  " / ".join(spread([f1_of_phrases(pages, who) for pages in some])
                             for who in (0, 1)))


def from_the_web():
    """Rows, and the sets of pages; nothing where that data is not."""
    try:
        sorts = [[draw(seed) for seed in SEEDS] for draw in (articles, sites)]
    except Skipped as why:
        yield Row("articles and sites", f"skipped: {why}")
        return []
    yield from about("articles", sorts[0])
    yield from of_sites(sorts[1])
    return sorts


def evenly(pages, count):
    """So many of them, from the first to the last."""
    return [pages[at * len(pages) // count] for at in range(count)]


def rows():
    first = [made_up(seed) for seed in SEEDS]
    yield from about("made up", first)
    yield Row("titles and languages of made-up pages that are right",
              f"{mean(first[0], 'title'):.3f}, {mean(first[0], 'language'):.3f}")
    second = [from_packages(seed) for seed in SEEDS]
    yield from about("real", second)
    sorts = [first, second, *(yield from from_the_web())]
    yield from about("all", [[page for pages in of_seed
                              for page in evenly(pages, PAGES // len(sorts))]
                             for of_seed in zip(*sorts)])
    # What was looked at while the extractor was made better, and what was not.
    half = set(real.packages()[::2])
    for name, looked in (("looked at", True), ("not looked at", False)):
        sets = [[page for page in pages if (page.groups[0] in half) == looked]
                for pages in second]
        yield Row(f"real, packages {name}: F1 with readability",
                  spread([mean(pages, "agreement") for pages in sets]))
        known = [[page for page in pages if page.right is not None] for pages in sets]
        yield Row(f"real, packages {name}: F1 with the truth: ours / readability",
                  " / ".join(spread([mean(pages, who) for pages in known])
                             for who in ("ours", "theirs")))


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--seed", type=int, default=SEEDS[0])
    options.add_argument("--real", action="store_true")
    given = options.parse_args()
    groups = collections.defaultdict(list)
    for page in (from_packages if given.real else made_up)(given.seed):
        for name in page.groups:
            groups[name].append(page)
    print("| pages | agreement | ours | readability | count |\n|---|---|---|---|---|")
    for name, pages in groups.items():
        known = [page for page in pages if page.right is not None]
        truth = " | ".join(f"{mean(known, who):.3f}" if known else "-"
                           for who in ("ours", "theirs"))
        print(f"| {name} | {mean(pages, 'agreement'):.3f} | {truth} | {len(pages)} |")


if __name__ == "__main__":
    main()
