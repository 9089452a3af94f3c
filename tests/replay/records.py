"""Works that a replay server knows, and how each source writes them.

A work is a dict: title, authors (a list of [family, given]), year, venue, and, if it has them,
doi, arxiv, forum, rfc, eprint, acl.  A shape turns it into an item of a source's answer; an
envelope puts items around which the source sends.
"""
import html
import re

STOP = {"a", "an", "the", "of", "and", "or", "for", "to", "in", "on", "with", "by"}


def words(text):
    return [word for word in re.findall(r"\w+", text.lower()) if word not in STOP]


class Shelf:
    """Items by the words of their titles."""

    def __init__(self, items, title):
        self.items, self.by_word = list(items), {}
        for number, item in enumerate(self.items):
            for word in set(words(title(item) or "")):
                self.by_word.setdefault(word, []).append(number)

    def search(self, query, count):
        """The items with most of these words, at least half of them."""
        wanted, hits = set(words(query)), {}
        for word in wanted:
            for number in self.by_word.get(word, ()):
                hits[number] = hits.get(number, 0) + 1
        best = sorted((number for number in hits if 2 * hits[number] >= len(wanted)),
                      key=lambda number: (-hits[number], number))
        return [self.items[number] for number in best[:count]]


def full_name(author):
    return f"{author[1]} {author[0]}".strip()


def crossref(work):
    return {"DOI": work.get("doi", "10.0/none"), "type": "proceedings-article",
            "title": [work["title"]], "container-title": [work["venue"]],
            "author": [{"family": family, "given": given} for family, given in work["authors"]],
            "issued": {"date-parts": [[work["year"]]]}}


def csl(work):
    return crossref(work) | {"title": work["title"], "container-title": work["venue"]}


def dblp(work):
    return {"info": {"title": work["title"] + ".", "year": str(work["year"]),
                     "venue": work["venue"], "doi": work.get("doi"), "key": "conf/x/1",
                     "authors": {"author": [{"text": full_name(author)}
                                            for author in work["authors"]]}}}


def semantic_scholar(work):
    return {"paperId": "0", "title": work["title"], "year": work["year"],
            "venue": work["venue"],
            "externalIds": {"DOI": work.get("doi"), "ArXiv": work.get("arxiv")},
            "authors": [{"name": full_name(author)} for author in work["authors"]]}


def openalex(work):
    doi = work.get("doi")
    return {"id": "https://openalex.org/W0", "title": work["title"],
            "publication_year": work["year"], "doi": doi and "https://doi.org/" + doi,
            "primary_location": {"source": {"display_name": work["venue"]}},
            "authorships": [{"author": {"display_name": full_name(author)}}
                            for author in work["authors"]]}


def europe_pmc(work):
    names = [family + " " + "".join(part[0] for part in given.split())
             for family, given in work["authors"]]
    return {"id": "1", "title": work["title"] + ".", "pubYear": str(work["year"]),
            "journalTitle": work["venue"], "doi": work.get("doi"),
            "authorString": ", ".join(names) + "."}


def pubmed(work):
    names = [family + " " + "".join(part[0] for part in given.split())
             for family, given in work["authors"]]
    return {"uid": "0", "title": work["title"] + ".", "pubdate": str(work["year"]),
            "fulljournalname": work["venue"], "authors": [{"name": name} for name in names],
            "articleids": [{"idtype": "doi", "value": work.get("doi")}]}


def open_library(work):
    return {"key": "/works/OL0W", "title": work["title"],
            "author_name": [full_name(author) for author in work["authors"]],
            "first_publish_year": work["year"]}


def openreview(work):
    return {"id": work.get("forum", "x"), "content": {
        "title": {"value": work["title"]}, "venue": {"value": work["venue"]},
        "authors": {"value": [full_name(author) for author in work["authors"]]}}}


def rfc(work):
    return {"doc_id": f"RFC{work['rfc']}", "title": work["title"],
            "authors": [{"name": full_name(author)} for author in work["authors"]],
            "pub_date": str(work["year"])}


def govinfo(work):
    return {"title": work["title"], "packageId": "0", "dateIssued": str(work["year"])}


def atom(works):
    entries = "".join(
        f"<entry><id>http://arxiv.org/abs/{work['arxiv']}v1</id>"
        f"<title>{html.escape(work['title'])}</title>"
        f"<published>{work['year']}-01-01T00:00:00Z</published>"
        + "".join(f"<author><name>{html.escape(full_name(author))}</name></author>"
                  for author in work["authors"]) + "</entry>"
        for work in works if work.get("arxiv"))
    return f'<feed xmlns="http://www.w3.org/2005/Atom">{entries}</feed>'


def oai(work):
    inside = '<error code="idDoesNotExist"/>'
    if work:
        inside = (f'<GetRecord><dc><title>{html.escape(work["title"])}</title>'
                  + "".join(f"<creator>{html.escape(full_name(author))}</creator>"
                            for author in work["authors"])
                  + f'<date>{work["year"]}</date></dc></GetRecord>')
    return f"<OAI-PMH>{inside}</OAI-PMH>"


def mods(work):
    people = "".join(
        f'<name><namePart type="given">{html.escape(given)}</namePart>'
        f'<namePart type="family">{html.escape(family)}</namePart>'
        "<role><roleTerm>author</roleTerm></role></name>" for family, given in work["authors"])
    return (f'<modsCollection><mods><titleInfo><title>{html.escape(work["title"])}</title>'
            f"</titleInfo>{people}<originInfo><dateIssued>{work['year']}</dateIssued>"
            "</originInfo></mods></modsCollection>")


# How lists of items are sent, by source.
ENVELOPES = {
    "crossref": lambda items: {"status": "ok", "message": {"total-results": len(items),
                                                           "items": items}},
    "dblp": lambda items: {"result": {"hits": {"@total": str(len(items)),
                                               **({"hit": items} if items else {})}}},
    "semantic_scholar": lambda items: {"total": len(items), "offset": 0,
                                       **({"data": items} if items else {})},
    "openalex": lambda items: {"meta": {"count": len(items)}, "results": items},
    "europe_pmc": lambda items: {"hitCount": len(items), "resultList": {"result": items}},
    "open_library": lambda items: {"numFound": len(items), "docs": items},
    "openreview": lambda items: {"count": len(items), "notes": items},
    "govinfo": lambda items: {"count": len(items), "results": items},
    "web_search": lambda items: {"results": items},
}

# Where the title of an item is, for those of which real items are recorded.
TITLES = {
    "crossref": lambda item: (item.get("title") or [""])[0],
    "dblp": lambda item: item.get("info", {}).get("title", ""),
    "semantic_scholar": lambda item: item.get("title"),
    "openalex": lambda item: item.get("title"),
    "openreview": lambda item: item.get("title"),
}
