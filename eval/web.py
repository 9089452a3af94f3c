"""Pages of the web that others collected to judge programs like ours, for main_text.py.

    for page in web.articles():     page.path, page.text
    for page in web.sites():        page.path, page.wanted, page.unwanted

Articles: the article extraction benchmark of Zyte (news and blogs, 181 pages, with the text of
each as people marked it).  Sites: the pages that trafilatura is judged by (news, magazines,
blogs, shops, authorities, companies, in a dozen languages; 990 pages, each with a few phrases
that must be in the text and a few that must not).  Both are whole: no page is left out, and who
chose them knew nothing of us.  They are data, not part of the tree: folders web-pages/articles
(ground-truth.json, html/) and web-pages/sites (evaldata.json, cache/, eval/) of WEIR_DATA.
"""
import dataclasses
import gzip
import json
import pathlib
import zlib

from build import BUILD                 # tools/build.py
from row import data

FOLDER = BUILD / "web-pages"


@dataclasses.dataclass
class Article:
    path: pathlib.Path
    text: str


@dataclasses.dataclass
class Site:
    path: pathlib.Path
    wanted: list
    unwanted: list

    @property
    def looked_at(self):
        """Whether its errors were looked at while the extractor was made better: every other
        one was, by its name; of the others, and of all articles, only figures were seen."""
        return zlib.crc32(self.path.name.encode()) % 2 == 0


def articles():
    truth = json.loads(data("web-pages/articles/ground-truth.json").read_text())
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in sorted(truth):
        path = FOLDER / f"{name}.html"
        if not path.exists():
            packed = data(f"web-pages/articles/html/{name}.html.gz")
            path.write_bytes(gzip.decompress(packed.read_bytes()))
        yield Article(path, truth[name]["articleBody"])


def sites():
    top = data("web-pages/sites")
    for page in json.loads((top / "evaldata.json").read_text()).values():
        found = [path for path in (top / "cache" / page["file"], top / "eval" / page["file"])
                 if path.exists()]
        if found:
            yield Site(found[0], page["with"], page["without"])
