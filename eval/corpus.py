"""Labelled references as sequences of (label, text), for training and for scoring.

The corpus has one XML file for each journal article or batch; a reference is a <bibl> whose
parts are marked where they stand.  Labels are those of src/extract/field.h.
"""
import pathlib
import re
import xml.etree.ElementTree as tree

MARKS = {
    "author": "author", "authors": "author", "editor": "editor", "date": "date",
    "publisher": "publisher", "publishe": "publisher", "pubPlace": "place",
    "pubplace": "place", "idno": "identifier", "ptr": "web", "note": "note", "notes": "note",
    "orgName": "institution", "year": "date", "month": "date",
}
SCOPES = {"vol": "volume", "volume": "volume", "volumes": "volume", "issue": "issue",
          "pp": "pages", "page": "pages", "pages": "pages", "chapter": "volume",
          "date": "date", "": "volume"}
LEVELS = {"a": "title", "m": "book", "j": "journal", "s": "book"}


def plain(tag):
    return tag.rsplit("}", 1)[-1]


def mark(element):
    name = plain(element.tag)
    if name == "title":
        return LEVELS.get(element.get("level"), "title")
    if name == "biblScope":
        return SCOPES.get(element.get("type") or element.get("unit") or "", "other")
    return MARKS.get(name)


def walk(element, label, out):
    out.append((label, element.text or ""))
    for child in element:
        if plain(child.tag) == "lb":
            out.append((label, " "))
        else:
            walk(child, mark(child) or label, out)
        out.append((label, child.tail or ""))


def collapse(parts):
    """White space to one space each, equal neighbours joined, none at the ends."""
    out = []
    for label, text in parts:
        text = re.sub(r"\s+", " ", text)
        if text.startswith(" ") and (not out or out[-1][1].endswith(" ")):
            text = text[1:]
        if not text:
            continue
        if out and out[-1][0] == label:
            out[-1] = (label, out[-1][1] + text)
        else:
            out.append((label, text))
    while out and not out[-1][1].rstrip():
        out.pop()
    if out:
        out[-1] = (out[-1][0], out[-1][1].rstrip())
    return out


OPENS = re.compile(r"""(?:\s+["'`“‘„«‹(\[{]*|[(\[{“‘„«‹]+)*$""")


def absorb(parts):
    """Give signs between two fields to one of them: an opening one to the field behind it,
    any other to the field before.  So a field leads to the next without a step between."""
    out = []
    for at, (label, text) in enumerate(parts):
        if label != "other":
            out.append((label, text))
            continue
        signs = re.match(r"[\W_]*", text).group()
        rest, tail = text[len(signs):], ""
        if not rest:
            tail = OPENS.search(signs).group()
            signs = signs[:len(signs) - len(tail)]
        else:
            tail = OPENS.search(rest).group()
            rest = rest[:len(rest) - len(tail)]
        before = parts[at - 1][0] if at else "other"
        after = parts[at + 1][0] if at + 1 < len(parts) else "other"
        out += [(before, signs), ("other", rest), (after, tail)]
    joined = []
    for label, text in out:
        if not text:
            continue
        if joined and joined[-1][0] == label:
            joined[-1] = (label, joined[-1][1] + text)
        else:
            joined.append((label, text))
    return joined


def idno_kind(element):
    kind = (element.get("type") or "").lower()
    return "doi" if kind == "doi" else "arxiv" if kind.startswith("arxiv") else ""


class Reference:
    """One labelled reference: its parts, its text, and what should be found in it."""

    def __init__(self, element, file):
        parts = []
        walk(element, "other", parts)
        parts = collapse(parts)
        levels = [child.get("level") for child in element.iter() if plain(child.tag) == "title"]
        if "a" not in levels:
            parts = [("title" if label == "book" else label, text) for label, text in parts]
        self.file, self.parts = file, absorb(parts)
        self.text = "".join(text for _, text in parts)
        self.titles = {}
        self.authors, self.dates, self.dois, self.arxivs = [], [], [], []
        for child in element.iter():
            name = plain(child.tag)
            text = re.sub(r"\s+", " ", "".join(child.itertext())).strip()
            if name == "title" and child.get("level") in ("a", "m") and text:
                self.titles.setdefault(child.get("level"), text)
            elif name == "author" and text:
                self.authors.append(text)
            elif name == "date" and text:
                self.dates.append(text)
            elif name == "idno" and idno_kind(child) == "doi" and text:
                self.dois.append(text)
            elif name == "idno" and idno_kind(child) == "arxiv" and text:
                self.arxivs.append(text)
        self.title = self.titles.get("a") or self.titles.get("m")


def labelled(folder):
    """Every reference of references-labelled, file by file in the order of names."""
    for path in sorted(pathlib.Path(folder).iterdir()):
        for element in tree.parse(path).getroot().iter():
            if plain(element.tag) == "bibl":
                reference = Reference(element, path.name)
                if reference.text:
                    yield reference


def write(path, sequences):
    with open(path, "w", encoding="utf-8") as out:
        for parts in sequences:
            out.write("\t".join(f"{label}\t{text}" for label, text in parts) + "\n")
