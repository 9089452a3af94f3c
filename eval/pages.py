"""Real pages, for main_text.py: HTML that Debian's packages have in them.

    for page in pages.sample(seed=1, each=4):
        page.package, page.path

The packages are the group "pages" of packages.txt.  They are fetched by name and unpacked into
the build folder, once; nothing is installed.  They were chosen by what their descriptions say
(books, handbooks, manuals of projects, help of programs, in many languages and made by many
tools), before any of their pages was given to any program; some were replaced then because they
have fewer than four pages, and not one was put in or taken out since.

A page is drawn from each package as often as is asked, by chance that goes by the seed and the
name of the package.  It counts if it is a text at all: LEAST letters outside of links, and no
more in links; a table of contents is a list of texts.  Also it must be neither a copy of
another one nor larger than BYTES_MAX, which python3-readability would take minutes for.
"""
import dataclasses
import functools
import hashlib
import html.parser
import pathlib
import random
import re
import subprocess

from build import BUILD                 # tools/build.py
from row import TOP, Skipped

LEAST, BYTES_MAX, FETCH_SECONDS = 1000, 200_000, 600
NAME = re.compile(r"\.x?html?(\.(?!gz$)[a-z]{2}(-[a-z]{2})?)?$", re.I)
FOLDER = BUILD / "pages"


@dataclasses.dataclass
class Page:
    package: str
    path: pathlib.Path


def packages():
    rows = [line.split() for line in (TOP / "packages.txt").read_text().splitlines()]
    return sorted(row[1] for row in rows if row[:1] == ["pages"])


def command(*words, where):
    try:
        done = subprocess.run(words, cwd=where, text=True, capture_output=True,
                              timeout=FETCH_SECONDS)
    except (FileNotFoundError, subprocess.TimeoutExpired) as why:
        raise Skipped(f"real pages come from Debian packages: {why}") from why
    if done.returncode != 0:
        raise Skipped(f"{' '.join(words)} says: {done.stderr.strip()[-300:]}")


def fetched():
    """The folder of each package."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    missing = [name for name in packages() if not (FOLDER / name).exists()]
    if missing:
        command("apt-get", "-q", "download", *missing, where=FOLDER)
    for name in missing:
        archive, = FOLDER.glob(f"{name}_*.deb")
        command("dpkg-deb", "-x", archive.name, f"{name}.part", where=FOLDER)
        (FOLDER / f"{name}.part").rename(FOLDER / name)
        archive.unlink()
    return {name: FOLDER / name for name in packages()}


class Letters(html.parser.HTMLParser):
    """Counts letters of a page inside of links and outside."""

    def __init__(self):
        super().__init__()
        self.unseen = self.links = 0
        self.count = [0, 0]

    def handle_starttag(self, tag, attrs):
        self.unseen += tag in ("script", "style", "title")
        self.links += tag == "a" and any(name == "href" for name, _ in attrs)

    def handle_endtag(self, tag):
        self.unseen -= tag in ("script", "style", "title") and self.unseen > 0
        self.links -= tag == "a" and self.links > 0

    def handle_data(self, data):
        if not self.unseen:
            self.count[self.links > 0] += sum(map(str.isalpha, data))


def is_text(content):
    letters = Letters()
    letters.feed(content.decode("utf-8", "replace"))
    outside, inside = letters.count
    return outside >= LEAST and outside >= inside


@functools.cache
def files(folder):
    return sorted(path for path in folder.rglob("*") if NAME.search(path.name)
                  and path.is_file() and not path.is_symlink()
                  and path.stat().st_size <= BYTES_MAX)


def sample(seed, each):
    """`each` pages of every package, fewer where it does not have so many."""
    seen = set()
    for name, folder in fetched().items():
        chance, found = random.Random(f"{seed}/{name}"), 0
        for path in chance.sample(files(folder), k=len(files(folder))):
            content = path.read_bytes()
            mark = hashlib.sha256(content).digest()
            if found == each:
                break
            if mark in seen or not is_text(content):
                continue
            seen.add(mark)
            found += 1
            yield Page(name, path)
