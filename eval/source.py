"""Real answers of the sources, read by their drivers; and forty references at real limits."""
import collections
import json
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests/replay"))

import records              # noqa: E402
import server               # noqa: E402
from row import DATA, Row, data, program        # noqa: E402

REFERENCES = 40


def answers(slug):
    """The items of each recorded file."""
    for path in sorted(data("api-responses", slug).glob("*.json")):
        read = json.loads(path.read_text())
        yield read if isinstance(read, list) else [read]


def items_of(slug):
    return [item for items in answers(slug) for item in items]


def is_work(slug, item):
    """Some items have no title, and a review is not what it reviews."""
    title = records.TITLES[slug](item) or ""
    return bool(title.strip()) and item.get("type") != "peer-review"


def reading_rows():
    reader = program("tests/replay-read")
    for slug in sorted(records.TITLES):
        sent = [json.dumps(records.ENVELOPES[slug](items)) + "\n" for items in answers(slug)]
        done = subprocess.run([reader, slug, "title"], text=True, capture_output=True,
                              input="".join(sent), check=True)
        read = [line.split("\t") for line in done.stdout.splitlines()]
        items = sum(is_work(slug, item) for item in items_of(slug))
        errors = [row for row in read if row[0] not in ("Ok", "NotFound")]
        sums = [sum(int(row[column]) for row in read) for column in range(1, 6)]
        yield Row(f"{slug}: records of {items} items in {len(sent)} answers", str(sums[0]),
                  f"{items}", holds=sums[0] == items)
        yield Row(f"{slug}: answers that cannot be read", str(len(errors)), "0",
                  holds=not errors)
        yield Row(f"{slug}: with authors, year, venue, identifier",
                  ", ".join(str(value) for value in sums[1:]))


def references():
    """Titles that are recorded, and as many that nobody wrote."""
    titles = dict.fromkeys(records.TITLES["crossref"](item) for item in items_of("crossref"))
    real = [title for title in titles if title][:REFERENCES // 2]
    fakes = [f"{first} {second} of Imaginary Lemmas No. {number}"
             for number, (first, second) in enumerate(
                 [(a, b) for a in ("Sleepless", "Crimson", "Hollow", "Borrowed")
                  for b in ("Cathedrals", "Gradients", "Turnips", "Lanterns", "Treaties")])]
    return [" ".join(title.split()) for title in real + fakes]


def limit_rows():
    replay = server.Server([], DATA / "api-responses")
    base = replay.begin()
    bases = ",".join(f"{slug}={base}/{slug}" for slug in server.LIMITS if slug != "web_search")
    with tempfile.NamedTemporaryFile("w", suffix=".bib") as file:
        for number, title in enumerate(references()):
            file.write(f"@misc{{k{number}, title = {{{title}}}}}\n")
        file.flush()
        began = time.monotonic()
        done = subprocess.run([program("src/weir"), "check", "--no-cache", "--quiet", "--json",
                               "-", "--set", f"check.bases={bases}", file.name], text=True,
                              capture_output=True, timeout=600)
        wall = time.monotonic() - began
    replay.shutdown()
    said = collections.Counter(one["verdict"] for one in json.loads(done.stdout)["references"])
    yield Row(f"{REFERENCES} references at real limits, half of them invented",
              ", ".join(f"{count} {word}" for word, count in sorted(said.items())))
    slowest = max(len(times) * seconds / count for slug, times in replay.log.items()
                  for count, seconds in [server.LIMITS[slug]])
    most = 1.1 * slowest + 2
    yield Row(f"{REFERENCES} references at real limits, wall", f"{wall:.1f} s", f"{most:.1f} s",
              holds=wall <= most)
    early = {slug: server.over(times, *server.LIMITS[slug])
             for slug, times in replay.log.items()}
    total = sum(len(times) for times in replay.log.values())
    yield Row(f"requests over a limit, of {total} to {len(early)} sources",
              str(sum(early.values())), "0", holds=not any(early.values()))


def rows():
    yield from reading_rows()
    yield from limit_rows()
