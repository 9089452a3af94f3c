#!/usr/bin/env python3
"""Made-up pages, each with the truth about it: 13 templates, 4 scripts and mixed ones, 3 levels
of noise, the same for the same seed.

    generate.py --seed 1 --count 200 FOLDER     writes 000.html, 000.json, ...

    page, truth = generate.page(seed=1, number=17)

Any 195 pages in a row have every template in every script at every level.  The truth is what a
reader would call the page's own text (sheet.Truth).
"""
import argparse
import dataclasses
import json
import pathlib
import random
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import clutter                                          # noqa: E402
from layouts import TEMPLATES                           # noqa: E402
from prose import SCRIPTS, Prose, languages             # noqa: E402
from sheet import NOISE, Sheet, Truth, escape           # noqa: E402

KINDS = (*SCRIPTS, "mixed")


def page(seed, number, template=None, script=None, noise=None):
    """The markup and the truth; what is not given goes by the number."""
    chance = random.Random(f"{seed}/{number}")
    names = list(TEMPLATES)
    template = template or names[number % len(names)]
    script = script or KINDS[number % len(KINDS)]
    noise = noise or NOISE[number % len(NOISE)]
    scripts = [script] if script != "mixed" else chance.sample(SCRIPTS, k=2)
    first, *rest = [Prose(chance, chance.choice(languages(one))) for one in scripts]
    truth = Truth(template, script, noise)
    sheet = Sheet(chance, first, truth, rest[0] if rest else None)
    body = TEMPLATES[template](sheet)
    body, extra = body if isinstance(body, tuple) else (body, "")
    return whole(sheet, body, extra), truth


def whole(sheet, body, extra):
    """A document around it; how it is declared differs."""
    chance, truth = sheet.chance, sheet.truth
    doctype = chance.choice(["<!DOCTYPE html>", "<!doctype html>",
                             '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN">'])
    if sheet.level == 2 and chance.random() < 0.2:
        doctype = ""
    charset = chance.choice(['<meta charset="utf-8">', "<meta http-equiv=Content-Type "
                             'content="text/html; charset=UTF-8">'])
    mark = chance.choice([" - ", " | ", " – "])
    title = f"<title>{escape(truth.title)}{mark}{escape(clutter.site_name(sheet))}</title>\n"
    if chance.random() < 0.5:
        extra += f'<meta property="og:title" content="{escape(truth.title)}">\n'
    if chance.random() < 0.5:
        extra += f'<meta name="description" content="{escape(sheet.prose.sentence())}">\n'
    if sheet.level:
        extra += '<link rel="stylesheet" href="/style.css">\n<script>var a = 1 < 2;</script>\n'
    direction = ' dir="rtl"' if sheet.prose.rtl else ""
    end = "" if sheet.level == 2 and chance.random() < 0.3 else "</body>\n</html>\n"
    return (f'{doctype}\n<html lang="{truth.language}"{direction}>\n<head>\n{charset}\n{title}'
            f"{extra}</head>\n<body>\n{body}{end}")


def main():
    options = argparse.ArgumentParser(description="Write made-up pages and the truth of each.")
    options.add_argument("folder", type=pathlib.Path)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--count", type=int, default=200)
    given = options.parse_args()
    if not 0 < given.count <= 100_000:
        options.error(f"--count is {given.count}; it may be 1 to 100000")
    given.folder.mkdir(parents=True, exist_ok=True)
    for number in range(given.count):
        text, truth = page(given.seed, number)
        (given.folder / f"{number:03}.html").write_text(text, "utf-8")
        (given.folder / f"{number:03}.json").write_text(
            json.dumps(dataclasses.asdict(truth), ensure_ascii=False, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
