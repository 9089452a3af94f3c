"""Targets that are queries and DOIs: a real searx whose engines ask the local site, and
catalogues that answer like Semantic Scholar and OpenAlex."""
import json

from case import case, expect, require
from lab import Lab, Task, jobs
from queue_pages import served

FERRY = "night ferry passengers across Lake Tarn"
CAPTCHA = {"serp_engines": ["duckduckgo"], "academic_apis": ["openalex"]}


def edges(works, known):
    """Who of these cites whom, or is cited by whom, as addresses."""
    found = set()
    for work in works:
        found |= {(work["doi"], other["doi"]) for other in known.cited(work)}
        found |= {(other["doi"], work["doi"]) for other in known.citing(work)}
    return {tuple(f"https://doi.org/{doi}" for doi in pair) for pair in found}


def cited(node):
    return set(node.rows("select p.url as citing, q.url as cited from edges e join pages p"
                         " on p.id = e.source_id join pages q on q.id = e.target_id where"
                         " e.relation = 'cites' and e.citation_source in ('semantic_scholar',"
                         " 'openalex')", "citing", "cited"))


@case("a query is searched on the web and in catalogues, a DOI looked up, citations followed")
def query_is_searched(program):
    with Lab(program) as lab, lab.searx(mojeek="/search", ecosia="/search/broken") as searx, \
            lab.node("--check-searxng", searx.url) as node:
        known = lab.sources.sources
        papers = known.shelf.search(FERRY, 10)
        pages = [row["url"] for row in json.loads(lab.site.search(FERRY, []).body)["results"]]
        require(papers and len(pages) > 3, f"{papers} {pages}")
        task = Task(node, "The night ferry across Lake Tarn carried 90,000 passengers in 2019")
        task.queue([FERRY], serp_engines=["mojeek"])
        task.queue(["doi:10.5555/bridge.1"])
        task.queue(["nothing has these words"], serp_engines=["ecosia"],
                   academic_apis=["openalex"])
        status = task.drained()
        expect(jobs(status), {FERRY: ("completed", None), "10.5555/bridge.1":
                              ("completed", None), "nothing has these words":
                              ("failed", "SERP_SEARCH_FAILED")})
        fetched = {url for url, in node.rows("select url from pages where content_hash is not"
                                             " null")}
        expect(fetched, set(pages))
        works = [*papers, known.by["doi"]["10.5555/bridge.1"]]
        expect(cited(node), edges(works, known))
        kept = {doi for doi, in node.rows("select doi from works")}
        require({work["doi"] for work in works} <= kept, f"{kept}")
        asked = node.rows("select query_text from queries where query_text = '" + FERRY + "'")
        expect(asked, [(FERRY,)])
        sides = {relation for relation, in node.rows(
            "select distinct relation from edges where relation in ('supports', 'refutes')")}
        expect(sides, {"supports", "refutes"})
        expect(status["progress"]["jobs_by_phase"]["citation"]["failed"], 0)
        report = node.read(f"weir://task/{task.id}")["text"]
        for part in ("doi.org", *(f"<{url}>" for url in pages), "nothing has these words"):
            require(part in report, f"{part!r} is not in the report: {report}")


@case("an engine that wants a CAPTCHA sets its job aside, which goes on when that is solved")
def captcha_is_awaited(program):
    with Lab(program) as lab:
        with lab.searx(duckduckgo="/search/gate", mojeek="/search") as searx, \
                lab.node("--check-searxng", searx.url) as node:
            task = Task(node, "The stone bridge of Ludbury was rebuilt in 1887")
            task.queue(["stone bridge Ludbury arches"], **CAPTCHA)
            task.queue(["honey bees south slope Marwick"], serp_engines=["mojeek"],
                       academic_apis=["openalex"])
            status = task.drained()
            ends = jobs(status)
            expect((ends["stone bridge Ludbury arches"][0],
                    ends["honey bees south slope Marwick"]),
                   ("awaiting_auth", ("completed", None)))
            (item,) = node.tool("get_auth_queue", task_id=task.id)["items"]
            expect((item["domain"], item["auth_type"]), ("duckduckgo", "captcha"))
            expect(item["url"], "https://duckduckgo.com/?q=stone%20bridge%20Ludbury%20arches")
            expect((status["pending_auth_count"], status["milestones"]["citation_chase_ready"]),
                   (1, False))
            served(lab.site.bases["town"] + "/search/gate/open")
            searx.again()
            said = node.tool("resolve_auth", queue_id=item["queue_id"], action="complete")
            expect((said["ok"], said["resolved_count"]), (True, 1))
            status = task.drained()
            expect(jobs(status)["stone bridge Ludbury arches"], ("completed", None))
            expect(status["pending_auth_count"], 0)
            found = node.rows("select count(*) as n from pages where url like '%/topic/bridge'"
                              " and content_hash is not null")
            expect(found, [(4,)])
