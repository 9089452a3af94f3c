"""References rendered from facts in many citation styles, with their labels, for training.

A corpus of journals knows its own styles.  This adds the others (styles.txt): works of the ACL
Anthology and titles of the corpus itself, with invented volumes and pages, and with the slips
that real references have.  Everything follows from the seed.
"""
import functools
import random
import re
import tarfile
import xml.etree.ElementTree as tree

import facts
from facts import FACTS

DASHES = ["-", "–", "–", "--"]


def initials(given, dots=True, glue=" "):
    letters = [part[0].upper() for part in given.split()]
    return glue.join(letter + ("." if dots else "") for letter in letters)


def hyphen_initials(given):
    return " ".join("-".join(bit[0].upper() + "." for bit in part.split("-") if bit)
                    for part in given.split())


# How one name is written, by what it looks like.
NAMES = {
    "full": lambda g, f: f"{g} {f}".strip(),
    "I. F": lambda g, f: f"{hyphen_initials(g)} {f}".strip(),
    "I.F": lambda g, f: f"{initials(g, True, '')} {f}".strip(),
    "F, I.": lambda g, f: f"{f}, {initials(g)}" if g else f,
    "F, I.I.": lambda g, f: f"{f}, {initials(g, True, '')}" if g else f,
    "F I": lambda g, f: f"{f} {initials(g, False, '')}".strip(),
    "F I.": lambda g, f: f"{f} {initials(g)}".strip(),
    "F I I": lambda g, f: f"{f} {initials(g, False)}".strip(),
    "F, full": lambda g, f: f"{f}, {g}" if g else f,
    "CAPS I": lambda g, f: f"{f.upper()} {initials(g, False)}".strip(),
    "CAPS, I.": lambda g, f: f"{f.upper()}, {initials(g)}" if g else f.upper(),
    "I. CAPS": lambda g, f: f"{initials(g)} {f.upper()}".strip(),
}

# How a list of names is joined: between two, before the last of two, before the last of more.
JOINS = {
    "and": (", ", " and ", ", and "), "and2": (", ", " and ", " and "),
    "&": (", ", " & ", ", & "), "&2": (", ", " & ", " & "), ",&": (", ", ", & ", ", & "),
    ",": (", ", ", ", ", "), ";": ("; ", "; ", "; "), ";and": ("; ", "; and ", "; and "),
    "et": (", ", " et ", " et "), "allAnd": (" and ", " and ", " and "),
    "rfc": (", ", ", and ", ", and "),
}
MORE = [" et al.", ", et al.", " et al", ", et al", " and others", ", ..."]

LABELS = {
    "A": "author", "M": "author", "body": "author", "eds": "editor", "title": "title",
    "journal": "journal", "book": "book", "acro": "book", "series": "book", "year": "date",
    "year2": "date", "month": "date", "yy": "date", "accessed": "date", "accessed2": "date",
    "volume": "volume", "issue": "issue", "pages": "pages", "page": "pages",
    "publisher": "publisher", "place": "place", "school": "institution", "thesis": "note",
    "report": "note", "edition": "note", "arxiv": "identifier", "bare": "identifier",
    "doi": "identifier", "doiurl": "identifier", "rfc": "identifier", "url": "web",
    "bcp": "identifier", "draft": "identifier", "report2": "note", "place2": "place",
    "publisher2": "publisher", "journal2": "journal",
}
WEIGHTS = {"p": 6, "a": 10, "b": 4, "t": 2, "r": 2, "e": 2, "w": 2, "s": 1}


@functools.cache
def acl(path, count, seed):
    """(title, [(given, family)], booktitle) of `count` works."""
    works = []
    with tarfile.open(path) as archive:
        for member in archive:
            if not member.name.endswith(".xml"):
                continue
            root = tree.parse(archive.extractfile(member)).getroot()
            for volume in root.iter("volume"):
                book = "".join(volume.find("meta").find("booktitle").itertext())
                for paper in volume.iter("paper"):
                    title = paper.find("title")
                    names = [(author.findtext("first") or "", author.findtext("last") or "")
                             for author in paper.findall("author")]
                    if title is not None and names:
                        words = "".join(title.itertext()).split()
                        works.append((" ".join(words), names, book))
    works.sort()
    return random.Random(seed).sample(works, count)


class Renderer:
    """Makes references without end.  `titles` and `journals` are used beside those of the
    works; `style` is the number of the only style, if there is to be one."""

    def __init__(self, works, seed, titles=(), journals=(), style=None):
        self.random = random.Random(seed)
        self.styles = facts.STYLES if style is None else [facts.STYLES[style]]
        self.works, self.titles, self.journals = works, list(titles), list(journals)
        self.names = [name for _, names, _ in works for name in names]
        self.number = self.random.randint
        self.pick = self.random.choice

    def chance(self, share):
        return self.random.random() < share

    def maybe(self, share, value):
        return value if self.chance(share) else None

    def fact(self, name):
        return self.pick(FACTS[name])

    # --- people

    def people(self, count):
        out = []
        for _ in range(count):
            given, family = self.pick(self.names)
            if self.chance(0.5):
                given = given.split()[0] if given else given
                if self.chance(0.5):
                    given += " " + self.pick("ABCDEFGHJKLMNPRSTW") + self.pick(["", ".", "."])
            if self.chance(0.05):
                family = self.fact("particles") + " " + family
            elif self.chance(0.04):
                family += "-" + self.pick(self.names)[1]
            out.append((given.strip(), family))
        return out

    def join(self, style, how, names, first_apart=False):
        texts = [NAMES[style](given, family) for given, family in names]
        if how == "rfc" and len(names) > 1:
            texts[-1] = NAMES["I. F"](*names[-1])
        if first_apart:
            texts[1:] = [NAMES["full"](given, family) for given, family in names[1:]]
        between, two, last = JOINS[how]
        if len(texts) > 1 and self.chance(0.12):
            keep = self.number(1, min(3, len(texts)))
            return between.join(texts[:keep]) + self.pick(MORE)
        if len(texts) < 3:
            return two.join(texts)
        return between.join(texts[:-1]) + last + texts[-1]

    def editors(self):
        return self.join(self.pick(["I. F", "full", "F, I."]),
                         self.pick(["and", "and2", "&2", ","]), self.people(self.number(1, 3)))

    # --- the other fields

    def title(self, title):
        if self.titles and self.chance(0.6):
            title = self.pick(self.titles)
        elif self.chance(0.6):
            words = title.split(" ")
            title = " ".join(words[:1] + [word if word[1:] != word[1:].lower() else word.lower()
                                          for word in words[1:]])
        elif self.chance(0.1):
            words = [word for word in title.split(" ") if word.isalpha() and len(word) > 4]
            if len(words) > 3:      # "Types, Subtypes, and Behavior"
                title = f"{words[0]}, {words[1]}, and {words[2]}"
        if self.chance(0.04):
            title = " ".join(title.split(" ")[:self.number(1, 3)])
        elif self.chance(0.04):     # two sentences
            other = self.pick(self.works)[0]
            title = title.rstrip(".?!") + self.pick([". ", "? ", "? ", "! ", " - "]) + other
        return title.rstrip(".")

    def book(self, book, conference):
        if self.chance(0.6):
            book = conference
            if self.chance(0.7):
                nth = self.pick(["", "12th ", "25th ", "Third ", "2018 ", "Annual "])
                book = f"Proceedings of the {nth}{conference}"
        if self.chance(0.15):
            for word, short in (("Proceedings", "Proc."), ("International", "Int."),
                                ("Conference", "Conf.")):
                book = book.replace(word, short)
        return book

    def pages(self):
        start = self.number(1, 2000)
        end = str(start + self.number(1, 40))
        if self.chance(0.2) and len(end) > 2 and str(start)[:-2] == end[:-2]:
            end = end[-2:]
        return f"{start}{self.pick(DASHES)}{end}" if self.chance(0.85) else str(start)

    def identifiers(self, year):
        number = self.number
        bare = f"{number(7, 24):02d}{number(1, 12):02d}.{number(1, 99999):05d}"
        arxiv = self.pick(["arXiv:", "arXiv:", "arXiv ", "arxiv:"]) + bare
        arxiv += self.pick(["", "", "v1", "v2"])
        if self.chance(0.2):
            arxiv = self.pick(["hep-th", "arXiv:hep-ph", "astro-ph", "quant-ph", "math",
                               "arXiv:cond-mat"])
            arxiv += f"/{number(92, 99)}{number(1, 12):02d}{number(1, 300):03d}"
        doi = f"10.{number(1000, 9999)}/{self.pick(['j.', 's', '', 'acm.', 'v1/'])}"
        doi += f"{number(1000, 99999)}.{number(1000, 9999999)}"
        link = self.pick(["https://doi.org/", "http://dx.doi.org/", "doi:", "DOI: "])
        page = self.pick(["index.html", "docs/guide", f"research/{year}", "posts/a-short-note",
                          "wiki/Main_Page", f"abs/{bare}"])
        url = self.pick(["https://", "http://", ""]) + self.fact("sites") + "/" + page
        return {"bare": bare, "arxiv": arxiv, "doi": self.maybe(0.4, doi), "url": url,
                "doiurl": self.maybe(0.5, link + doi), "rfc": str(number(100, 9600))}

    def dates(self):
        number = self.number
        year = str(number(1930, 2025) if self.chance(0.3) else number(1985, 2025))
        month, day = self.fact("months"), number(1, 28)
        if self.chance(0.5):
            month = month[:3] + self.pick(["", "."])
        iso = f"{year}-{number(1, 12):02d}-{day:02d}"
        accessed = self.pick([f"{day} {month} {year}", f"{month} {day}, {year}", iso,
                              f"{month} {year}", f"{number(1, 12)}/{day}/{year}"])
        return {"year": year, "year2": year, "yy": year[2:], "month": month,
                "accessed": accessed, "accessed2": iso}

    def fields(self, work):
        title, names, book = work
        number = self.number
        conference, acro = self.pick(facts.PAIRS["conferences"])
        journal = self.pick(self.pick(facts.PAIRS["journals"]))
        if self.journals and self.chance(0.4):
            journal = self.pick(self.journals)
        if self.chance(0.15):
            journal = journal.replace(".", "")
        if self.titles or self.chance(0.6):
            names = self.people(number(1, 4) if self.chance(0.75) else number(5, 12))
        fields = {
            "names": names, "title": self.title(title), "book": self.book(book, conference),
            "acro": acro, "journal": journal, "volume": self.maybe(0.9, str(number(1, 400))),
            "issue": self.maybe(0.7, str(number(1, 24))), "pages": self.pages(),
            "page": self.pick([str(number(1, 2000)), f"{number(1, 99999):06d}",
                               f"L{number(1, 99)}"]),
            "publisher": self.fact("publishers"), "place": self.maybe(0.7, self.fact("places")),
            "school": self.fact("schools"), "thesis": self.fact("theses"),
            "report": self.fact("reports").format(n=number(1, 9999)),
            "series": self.maybe(0.5, self.fact("series")),
            "eds": self.maybe(0.6, self.editors()), "body": self.fact("bodies"),
            "edition": self.maybe(0.3, self.fact("editions")),
            "place2": self.fact("places"), "publisher2": self.fact("publishers"),
            "journal2": journal, "bcp": self.pick(["BCP", "STD", "FYI"]) + f" {number(1, 220)}",
            "report2": self.pick(["", "TR-", "CS-", "CSL-TR-91-"]) + str(number(1, 999)),
            "draft": f"draft-{self.pick(['ietf', 'irtf', names[0][1].lower()])}-"
                     f"{self.pick(['quic', 'tls', 'http', 'dns'])}-{number(0, 30):02d}",
        }
        fields.update(self.dates())
        fields.update(self.identifiers(fields["year"]))
        return fields

    # --- putting it together

    def expand(self, template, fields):
        """(label, text) of a template; KeyError: a field that it needs is missing."""
        out = []
        for piece in re.split(r"(⟨[^⟩]*⟩)", template):
            if piece.startswith("⟨"):
                piece = piece[1:-1]
                known = all(fields.get(name) for name in re.findall(r"\{(\w+)\}", piece))
                if not known or not self.chance(0.8):
                    continue
            for part in re.split(r"(\{\w+\})", piece):
                if not part.startswith("{"):
                    out.append(("other", part))
                elif fields.get(part[1:-1]) is None:
                    raise KeyError(part)
                else:
                    out.append((LABELS[part[1:-1]], fields[part[1:-1]]))
        return [part for part in out if part[1]]

    def reference(self):
        """One list of (label, text)."""
        while True:
            names, how, kinds = self.pick(self.styles)
            kind = self.random.choices(list(kinds), [WEIGHTS[k] for k in kinds])[0]
            fields = self.fields(self.pick(self.works))
            fields["A"] = self.join(names, how, fields["names"])
            fields["M"] = self.join(names, how, fields["names"], True)
            if kind == "s":
                fields["title"] = self.fact("rfc_titles")
            elif self.chance(0.03):
                fields["A"] = fields["M"] = self.fact("bodies")
            try:
                return self.slips(self.expand(self.pick(kinds[kind]), fields))
            except KeyError:
                continue

    def asian(self):
        """One reference in Chinese, Japanese or Korean."""
        script, _, kinds = self.pick(facts.ASIAN)

        def fact(name):
            return self.fact(f"{script}_{name}")
        title = fact("patterns").format(a=fact("subjects"), b=fact("topics"),
                                        c=fact("subjects"), d=fact("topics"))
        names = self.random.sample(FACTS[f"{script}_names"], self.number(1, 3))
        between = self.pick([", ", ",", "，", "、", "·", ".", " "] if len(names) < 3 else
                            [", ", ", ", ",", "，", "、", "·", "."])
        while True:
            fields = self.fields(self.pick(self.works))
            fields.update(A=between.join(names), title=title, journal=fact("journals"))
            if self.chance(0.2):
                title += self.pick(["", f" ({fields['acro']})", f": {fact('subjects')}"])
            try:
                return self.expand(self.pick(kinds["a"]), fields)
            except KeyError:
                continue

    def slip(self, text):
        """One of the things that happen to text on its way out of a PDF."""
        at = self.number(0, len(text) - 1)
        here, kind = text[at], self.number(0, 4)
        if kind == 0 and here == " ":
            return text[:at] + text[at + 1:]
        if kind == 1 and here.isalpha() and 2 < at < len(text) - 3:
            return text[:at] + self.pick(["- ", "-"]) + text[at:]
        if kind == 2 and here.isalpha():
            return text[:at] + self.pick("abcdefghijklmnoprstuvw") + text[at + 1:]
        if kind == 3 and here in ".,":
            return text[:at] + " " + text[at:]
        return text

    def slips(self, parts):
        if self.chance(0.35):
            for _ in range(self.number(1, 4)):
                at = self.random.randrange(len(parts))
                if parts[at][1]:
                    parts[at] = (parts[at][0], self.slip(parts[at][1]))
        if self.chance(0.1):
            parts = [(label, text.upper() if label == "title" else text)
                     for label, text in parts]
        if self.chance(0.15) and parts[-1] == ("other", "."):
            parts = parts[:-1]
        return [part for part in parts if part[1]]

    def many(self, count):
        for _ in range(count):
            yield self.asian() if self.chance(0.05) else self.reference()
