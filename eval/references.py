#!/usr/bin/env python3
"""Fields of labelled references: how often title, surnames, year and identifiers are found.

    references.py --ship MODEL    train on everything and write the model
    references.py --folds 3 --wrong FILE    some folds only, and what was not found in them

The figure that counts is the cross-validated one: ten folds; a file is in one of them.  The
largest file is a collection from many articles, so each 60 references of it count as a file;
with --strict it is one, and half of everything is then judged by what the other half taught.
"""
import argparse
import collections
import concurrent.futures
import hashlib
import functools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unicodedata
import zlib

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "tools")]

import corpus               # noqa: E402
import render               # noqa: E402
from row import Row, data, program              # noqa: E402

FOLDS = 10
COLLECTION, CHUNK = "citations.xml", 60
TRAINING = ["12", "0.1", "2"]           # rounds, penalty, how often a feature must be seen
FEATURES = "30000"
RENDERED = 5000
ROWS = [("title", 0.90, 0.94), ("surnames", 0.88, 0.92), ("year", 0.96, 1.0),
        ("DOI or arXiv id", 0.97, 1.0)]


@functools.cache
def tool(name):
    """A program of this folder, made now; WEIR_EVAL_TOOLS: a folder that has it."""
    made = os.environ.get("WEIR_EVAL_TOOLS")
    return pathlib.Path(made) / name if made else program("eval", name)


def letters(text):
    text = unicodedata.normalize("NFKD", text)
    return "".join(c for c in text.lower() if c.isalnum())


def similarity(a, b):
    """1 - Levenshtein distance / length of the longer one."""
    if a == b:
        return 1.0
    before = list(range(len(b) + 1))
    for at, x in enumerate(a, 1):
        row = [at]
        for k, y in enumerate(b, 1):
            row.append(min(before[k] + 1, row[-1] + 1, before[k - 1] + (x != y)))
        before = row
    return 1 - before[-1] / max(len(a), len(b), 1)


def plain(text):
    return re.sub(r"[\W_]+", " ", text.lower()).strip()


PARTICLES = {"van", "von", "de", "der", "den", "la", "le", "di", "da", "dos", "del", "du", "el",
             "bin", "ter", "ten", "zu", "st", "dr", "jr", "sr", "ii", "iii", "the"}
WORD = r"[^\W\d_]+(?:['’‐-][^\W\d_]+)*"


def surnames(text):
    """The words of surnames in a list of authors: those that must be found, and those that
    may be (a second word may be a given name or half a surname)."""
    text = re.sub(r"\bet\.?\s*al\b\.?|\band others\b|\.\.\.|…|\([^)]*\)", " ", text)
    chunks = [re.findall(WORD, chunk) for chunk
              in re.split(r"[,;&/:]|\band\b|\bund\b|\bet\b|\by\b|\bAND\b| - | – ", text)]
    chunks = [chunk for chunk in chunks if chunk]
    must, may, before = set(), set(), None
    initial = [[len(w.replace("-", "")) == 1 or (len(w) <= 3 and w.isupper() and len(c) > 1)
                or (len(w) <= 3 and w.isupper() and "-" in w) for w in c] for c in chunks]
    some = any(any(flags) for flags in initial) or any(
        len(c) == 1 and len(c[0]) <= 3 and c[0].isupper() for c in chunks)
    for chunk, flags in zip(chunks, initial):
        words = [w for w, flag in zip(chunk, flags) if not flag and w.lower() not in PARTICLES]
        alone = len(chunk) == 1 and len(chunk[0]) <= 3 and chunk[0].isupper()
        if not words or (some and alone):
            before = None
            continue
        asian = not words[0].isascii() and words[0].lower() == words[0].upper()
        if before == 1 and flags[-1] and not flags[0] and len(words) == 1:
            before = None
            continue
        must.add(words[0] if asian or flags[-1] else words[-1])
        may.update(words)
        before = 1 if len(chunk) == 1 and not flags[0] else None
    return fold(must), fold(may)


def fold(words):
    return {letters(part) for word in words for part in re.split(r"[-‐'’]", word)}


def found_surnames(authors):
    words = set()
    for family, _ in authors:
        words.update(w for w in re.findall(WORD, family) if w.lower() not in PARTICLES)
    return fold(words)


def identifier_right(reference, got):
    want = [letters(re.sub(r"(?i)^.*?(?=10\.\d)", "", re.sub(r"\s", "", doi)))
            for doi in reference.dois]
    if any(letters(got["doi"] or "") == doi for doi in want):
        return True
    have = letters(re.sub(r"v\d+$", "", got["arxiv_id"] or ""))
    for arxiv in reference.arxivs:
        text = re.sub(r"(?i)arxiv(\.org)?|abs|pdf|https?", "", re.sub(r"\s", "", arxiv))
        bare = re.sub(r"v\d+$", "", re.sub(r"\[.*", "", text).strip(":/.[]() "))
        bare = re.sub(r"\.[A-Za-z]{2}/", "/", bare)
        if have and (letters(bare) == have or letters(bare).endswith(have)):
            return True
    return False


def score(pairs, wrong=None):
    """Counts of right and all, by row."""
    right, total = collections.Counter(), collections.Counter()

    def row(name, held, reference, want, got):
        total[name] += 1
        right[name] += held
        if not held and wrong is not None:
            wrong.append((name, reference.file, want, got, reference.text))
    for reference, got in pairs:
        if reference.title:
            held = similarity(plain(got["title"] or ""), plain(reference.title)) >= 0.9
            row("title", held, reference, reference.title, got["title"])
        if reference.authors:
            must, may = surnames(" , ".join(reference.authors))
            have = found_surnames(got["authors"])
            if must:
                row("surnames", must <= have <= may, reference, must, got["authors"])
        years = [int(y) for date in reference.dates
                 for y in re.findall(r"(?<!\d)(1[5-9]\d\d|20\d\d)(?!\d)", date)]
        if years:
            row("year", got["year"] in years, reference, years, got["year"])
        if reference.dois or reference.arxivs:
            row("DOI or arXiv id", identifier_right(reference, got), reference,
                reference.dois + reference.arxivs, (got["doi"], got["arxiv_id"]))
    return right, total


def parse(model, texts):
    done = subprocess.run([tool("extract-try"), "references", model],
                          input="\n".join(texts) + "\n", text=True, capture_output=True,
                          check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def train(references, model, works, seed, features):
    titles = [r.titles["a"] for r in references if "a" in r.titles]
    journals = [text.strip(" .,") for r in references for label, text in r.parts
                if label == "journal"]
    rendered = render.Renderer(works, seed, titles, journals).many(RENDERED)
    with tempfile.NamedTemporaryFile() as file:
        corpus.write(file.name, [r.parts for r in references]
                     + [corpus.absorb(parts) for parts in rendered])
        subprocess.run([tool("extract-train"), "fields", file.name, model, *TRAINING,
                        features], check=True, capture_output=True)


def compress(path):
    """As tools/model.py wants it."""
    path = pathlib.Path(path)
    path.write_bytes(zlib.compress(path.read_bytes(), 9))


def fold_of(references, strict):
    seen = 0
    for reference in references:
        reference.group = reference.file
        if reference.file == COLLECTION and not strict:
            reference.group = f"{COLLECTION} {seen // CHUNK}"
            seen += 1
    groups = sorted({r.group for r in references},
                    key=lambda group: hashlib.sha256(group.encode()).hexdigest())
    return {group: at % FOLDS for at, group in enumerate(groups)}


def validate(references, works, strict, folds, wrong):
    fold = fold_of(references, strict)

    def one(k):
        rest = [r for r in references if fold[r.group] != k]
        tested = [r for r in references if fold[r.group] == k]
        with tempfile.NamedTemporaryFile() as model:
            train(rest, model.name, works, 100 + k, FEATURES)
            return list(zip(tested, parse(model.name, [r.text for r in tested])))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        pairs = [pair for part in pool.map(one, folds) for pair in part]
    return score(pairs, wrong)


def table(name, right, total):
    for row, must, aim in ROWS:
        value = right[row] / max(total[row], 1)
        yield Row(f"references {name}: {row} ({total[row]})", f"{value:.4f}", f">= {must}",
                  f"{aim}", value >= must)


def load():
    return list(corpus.labelled(data("references-labelled"))), render.acl(
        data("acl-anthology-xml.tar.xz"), 8000, 1)


def rows():
    references, works = load()
    yield from table("by file", *validate(references, works, False, range(FOLDS), None))
    pairs = list(zip(references, parse("-", [r.text for r in references])))
    yield from table("built in", *score(pairs))


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--strict", action="store_true")
    options.add_argument("--ship")
    options.add_argument("--folds", type=int, default=FOLDS)
    options.add_argument("--wrong", help="a file for what was not found")
    given = options.parse_args()
    references, works = load()
    if given.ship:
        train(references, given.ship, works, 1, FEATURES)
        compress(given.ship)
        return
    wrong = []
    for row in table("by file", *validate(references, works, given.strict, range(given.folds),
                                          wrong)):
        print(row.name, row.value)
    if given.wrong:
        with open(given.wrong, "w", encoding="utf-8") as file:
            for line in wrong:
                print(*line, sep="\n    ", file=file)


if __name__ == "__main__":
    main()
