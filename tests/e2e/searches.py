"""weir check with a real web search behind it: searx, which has one engine, our own shelf."""
import pathlib
import sys

import live
from case import Skipped, case, expect, require
from papers import INVENTED, KNOWN, Desk, judged

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "site"))

import engine       # noqa: E402


def over(desk):
    """searx whose one engine is the shelf of this desk."""
    shelf = {"shelf": desk.base + "/web_search/search?q={query}"}
    return engine.Searx(desk.folder, shelf, live.free_port())


def searching(program, faults=()):
    """A desk whose catalogues know nothing and whose web knows what they would."""
    if why := engine.missing():
        raise Skipped(why)
    blind = [{"source": slug, "do": "none", "every": 1}
             for slug in ("crossref", "dblp", "europe_pmc", "pubmed", "openreview",
                          "open_library", "openalex")]
    return Desk(program, [*blind, *faults])


@case("a work that only the web knows is verified by a real web search, its authors unjudged")
def web_knows(program):
    with searching(program) as desk, over(desk) as searx:
        status, found = judged(desk, KNOWN + INVENTED, "--searxng", searx.url)
        quiet, attic = found["quiet"], found["attic"]
        expect((quiet["verdict"], quiet["flags"]), ("verified", ["authors_unjudged"]))
        expect(quiet["evidence"][0]["source"], "Web Search")
        expect((attic["verdict"], status), ("not_found", 1))


@case("a real web search whose only engine fails leaves a work undecided")
def web_fails(program):
    faults = [{"source": "web_search", "do": "500", "every": 1}]
    with searching(program, faults) as desk, over(desk) as searx:
        status, found = judged(desk, INVENTED, "--searxng", searx.url)
        expect((found["attic"]["verdict"], status), ("inconclusive", 3))
        require("Web Search" in found["attic"]["reason"], found["attic"]["reason"])
