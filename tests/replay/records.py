"""Works that a replay server knows, and how each source writes them.

A work is a dict: title, authors (a list of [family, given]), year, venue, and, if it has them,
doi, arxiv, pmid, forum, rfc, eprint, acl; and, for those who follow citations, abstract,
citations (how many), pdf (it is open), cites (DOIs of other works).  A shape turns it into an
item of a source's answer; an envelope puts items around which the source sends.
"""
import hashlib
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


def paper_id(work):
    """As Semantic Scholar names a work."""
    return hashlib.sha1(work["title"].encode()).hexdigest()


def work_id(work):
    """As OpenAlex names it."""
    return f"W{int(paper_id(work)[:8], 16)}"


def pdf_url(work):
    return f"https://papers.example/{work['doi']}.pdf" if work.get("pdf") else None


def semantic_scholar(work):
    pdf = pdf_url(work)
    return {"paperId": paper_id(work), "title": work["title"], "year": work["year"],
            "venue": work["venue"], "abstract": work.get("abstract"),
            "citationCount": work.get("citations", 0),
            "referenceCount": len(work.get("cites", ())), "isOpenAccess": bool(pdf),
            "openAccessPdf": pdf and {"url": pdf, "status": "GREEN"},
            "externalIds": {"DOI": work.get("doi"), "ArXiv": work.get("arxiv"),
                            "PubMed": work.get("pmid")},
            "authors": [{"authorId": str(number), "name": full_name(author)}
                        for number, author in enumerate(work["authors"])]}


def inverted(text):
    """An abstract as OpenAlex has it: where each word stands."""
    index = {}
    for place, word in enumerate(text.split()):
        index.setdefault(word, []).append(place)
    return index


def openalex(work, works=()):
    doi, pdf = work.get("doi"), pdf_url(work)
    cited = [other for other in works if other.get("doi") in work.get("cites", ())]
    ids = {"doi": doi and "https://doi.org/" + doi}
    if work.get("pmid"):
        ids["pmid"] = "https://pubmed.ncbi.nlm.nih.gov/" + work["pmid"]
    return {"id": f"https://openalex.org/{work_id(work)}", "title": work["title"],
            "publication_year": work["year"], "doi": ids["doi"], "ids": ids,
            "primary_location": {"source": {"display_name": work["venue"]}, "pdf_url": pdf},
            "abstract_inverted_index":
                inverted(work["abstract"]) if work.get("abstract") else None,
            "cited_by_count": work.get("citations", 0),
            "referenced_works_count": len(work.get("cites", ())),
            "referenced_works": [f"https://openalex.org/{work_id(other)}" for other in cited],
            "open_access": {"is_oa": bool(pdf), "oa_url": pdf},
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
