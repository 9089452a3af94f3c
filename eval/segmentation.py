#!/usr/bin/env python3
"""Bibliographies cut into references: how many come out exactly as they were marked.

    segmentation.py --ship MODEL    train on everything and write the model
    segmentation.py --folds 3 --wrong FILE    some folds only, and what was cut wrongly

A reference is right when its letters and digits are those that were marked, all of them and
no others, with or without the label in front of it.  The text is made of the tokens of raw/
and their line ends alone, once with a space between any two tokens and once as it was set.
"""
import argparse
import concurrent.futures
import hashlib
import html
import json
import random
import re
import subprocess
import tempfile
import textwrap

from references import compress, letters, tool

import corpus
import facts
import render
from row import Row, data

FOLDS = 10
TRAINING = ["20", "0.3", "2", "12000"]
BREAK = "\x1e"
# Styles of physics, where one label often has several references.
UNTITLED = [10, 11, 13, 14, 20]


class Bibliography:
    """Tokens of raw/, each with the reference of tei/ that it belongs to (-1: to none)."""

    def __init__(self, raw, tei):
        self.file = raw.name
        body = re.search(r"<text.*?>(.*)</text>", tei.read_text("utf-8"), re.S).group(1)
        marked, spaced = [], []
        reference, inside, label, space = -1, False, False, True
        self.labels = {}
        for piece in re.split(r"(<[^>]+>)", body):
            if piece.startswith("<"):
                if re.match(r"<bibl\b", piece):
                    reference, inside = reference + 1, True
                elif piece == "</bibl>":
                    inside = False
                elif piece == "<label>":
                    label = True
                elif piece == "</label>":
                    label = False
                elif piece.startswith("<lb"):
                    space = True
                continue
            for char in html.unescape(piece):
                if char.isspace():
                    space = True
                    continue
                marked.append((char, reference if inside else -1))
                spaced.append(space)
                space = False
                if label and inside:
                    self.labels[reference] = self.labels.get(reference, "") + char
        rows = [line.split(" ") for line in raw.read_text("utf-8").split("\n") if line.strip()]
        text = "".join(row[0] for row in rows)
        self.same = text == "".join(char for char, _ in marked)
        self.tokens, at = [], 0
        for row in rows if self.same else []:
            owner = marked[at][1]
            self.tokens.append((row[0], owner, spaced[at], "LINESTART" in row,
                                "LINEINDENT" in row))
            at += len(row[0])
        self.references = {}
        for char, owner in marked:
            if owner >= 0:
                self.references[owner] = self.references.get(owner, "") + char

    def parts(self, tight=True, indent=False):
        """(reference or outside, text), as the trainer wants it."""
        out, before = [], None
        for at, (text, owner, space, first, indented) in enumerate(self.tokens):
            if at and first:
                text = BREAK + ("   " if indent and indented else "") + text
            elif at and (space or not tight):
                text = " " + text
            if out and owner == before:
                out[-1][1] += text
            else:
                out.append(["reference" if owner >= 0 else "outside", text])
            before = owner
        return [tuple(part) for part in out]

    def text(self, tight):
        return "".join(text for _, text in self.parts(tight)).replace(BREAK, "\n")

    def right(self, found):
        have = [letters(text) for text in found]
        good = 0
        for owner, text in self.references.items():
            label = letters(self.labels.get(owner, ""))
            whole = letters(text)
            if whole in have or (label and whole[len(label):] in have):
                good += 1
        return good


def bibliographies(folder):
    tei = {re.split(r"\.training|\.referenceSeg", path.name)[0]: path
           for path in (folder / "tei").iterdir()}
    for raw in sorted((folder / "raw").iterdir()):
        name = re.split(r"\.training|\.referenceSeg", raw.name)[0]
        if name in tei:
            yield Bibliography(raw, tei[name])


def rendered(works, seed, count):
    """Made-up bibliographies: one style each, set in lines, labelled or not."""
    chance = random.Random(seed)
    for number in range(count):
        style = chance.randrange(len(facts.STYLES))
        if chance.random() < 0.3:
            style = chance.choice(UNTITLED)
        renderer = render.Renderer(works, seed * 1000 + number, style=style)
        width = chance.randint(38, 110)
        form = chance.choice(["[{}] ", "{}. ", "", "", "", "({}) "])
        hang = chance.choice(["", "", "", "    "])
        parts = [("outside", chance.choice(["References", "REFERENCES", "Bibliography"]))]
        several = form and chance.random() < 0.4
        for at in range(chance.randint(8, 40)):
            if several and at and chance.random() < 0.4:
                text = "".join(text for _, text in renderer.reference())
                parts.append(("reference", chance.choice([" ", " ", BREAK]) + text))
                continue
            text = form.format(at + 1) + "".join(text for _, text in renderer.reference())
            lines = textwrap.wrap(text, width, break_on_hyphens=True)
            parts.append(("reference", BREAK + (BREAK + hang).join(lines)))
            if chance.random() < 0.03:
                parts.append(("outside", f"{BREAK}{chance.randint(1, 900)}"))
        yield parts


def train(documents, model, works, seed):
    with tempfile.NamedTemporaryFile() as file:
        sequences = [document.parts(tight, indent) for document in documents if document.same
                     for tight, indent in [(True, False), (False, False), (True, True)]]
        sequences += list(rendered(works, seed, 40))
        corpus.write(file.name, sequences)
        subprocess.run([tool("extract-train"), "boundaries", file.name, model, *TRAINING],
                       check=True, capture_output=True)


def cut(model, text):
    done = subprocess.run([tool("extract-try"), "document", model], input=text, text=True,
                          capture_output=True, check=True)
    return [json.loads(line)["raw"] for line in done.stdout.splitlines()]


def score(documents, model, wrong):
    right, total = {True: 0, False: 0}, 0
    for document in documents:
        if not document.same:
            continue
        total += len(document.references)
        for tight in (True, False):
            found = cut(model, document.text(tight))
            good = document.right(found)
            right[tight] += good
            if wrong is not None and tight and good < len(document.references):
                wrong.append((document, good, found))
    return right, total


def table(name, right, total):
    for tight, how in ((True, "as set"), (False, "spaces everywhere")):
        value = right[tight] / max(total, 1)
        yield Row(f"segmentation {name}, {how} ({total})", f"{value:.4f}", ">= 0.9", "0.96",
                  value >= 0.9)


def load():
    documents = list(bibliographies(data("references-segmented")))
    documents.sort(key=lambda document: hashlib.sha256(document.file.encode()).hexdigest())
    return documents, render.acl(data("acl-anthology-xml.tar.xz"), 8000, 1)


def validate(documents, works, folds, wrong):
    def one(k):
        with tempfile.NamedTemporaryFile() as model:
            rest = [d for at, d in enumerate(documents) if at % FOLDS != k]
            train(rest, model.name, works, k)
            tested = [d for at, d in enumerate(documents) if at % FOLDS == k]
            return score(tested, model.name, wrong)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(one, folds))
    right = {tight: sum(part[tight] for part, _ in results) for tight in (True, False)}
    return right, sum(total for _, total in results)


def rows():
    documents, works = load()
    yield from table("by file", *validate(documents, works, range(FOLDS), None))
    yield from table("built in", *score(documents, "-", None))


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--ship")
    options.add_argument("--folds", type=int, default=FOLDS)
    options.add_argument("--wrong", help="a file for what was cut wrongly")
    given = options.parse_args()
    documents, works = load()
    if given.ship:
        train(documents, given.ship, works, 1)
        compress(given.ship)
        return
    wrong = []
    for row in table("by file", *validate(documents, works, range(given.folds), wrong)):
        print(row.name, row.value)
    if given.wrong:
        with open(given.wrong, "w", encoding="utf-8") as file:
            for document, good, found in wrong:
                want = {letters(text) for text in document.references.values()}
                print(f"## {document.file}: {good} of {len(document.references)}", file=file)
                for text in found:
                    print(" " if letters(text) in want else "-", repr(text), file=file)


if __name__ == "__main__":
    main()
