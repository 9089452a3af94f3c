"""References to the ACL Anthology: a thousand true ones in six citation styles with up to three
typos, which must be verified; and a thousand invented ones of five kinds, which must not."""
import collections
import random
import re
import tarfile
import xml.etree.ElementTree as tree

import command
from row import Row, data

SEED = 5005
KINDS = ["spliced titles", "one content word changed", "foreign authors", "new title",
         "wrong year, venue or DOI"]
EACH = 200
OTHER_VENUES = ["Nature", "Journal of Machine Learning Research",
                "International Conference on Computer Vision",
                "Proceedings of the 12th Symposium on Operating Systems Principles"]


def text_of(element):
    return " ".join("".join(element.itertext()).split()) if element is not None else ""


def works():
    """Papers with a title worth looking for, their authors and their volume."""
    with tarfile.open(data("acl-anthology-xml.tar.xz")) as archive:
        for member in archive:
            if not member.name.endswith(".xml"):
                continue
            for volume in tree.fromstring(archive.extractfile(member).read()).iter("volume"):
                meta = volume.find("meta")
                for paper in volume.iter("paper"):
                    work = {
                        "title": text_of(paper.find("title")),
                        "names": [(text_of(name.find("first")), text_of(name.find("last")))
                                  for name in paper.findall("author")],
                        "year": text_of(meta.find("year")), "doi": text_of(paper.find("doi")),
                        "venue": text_of(meta.find("booktitle"))}
                    if work["names"] and len(work["title"].split()) > 3:
                        yield work


def initials(given):
    return " ".join(f"{part[0]}." for part in re.split(r"[\s-]+", given) if part)


def packed(given, family):
    return f"{family} {initials(given).replace('. ', '').strip('.')}"


def listed(names, form, last):
    people = [form(*name) if name[0] else name[1] for name in names]
    return people[0] if len(people) == 1 else ", ".join(people[:-1]) + last + people[-1]


def tail(work):
    return f", doi:{work['doi']}" if work["doi"].startswith("10.") else ""


STYLES = [
    lambda w: f"{listed(w['names'], lambda g, f: f'{initials(g)} {f}', ', and ')}, "
              f"\"{w['title']},\" in {w['venue']}, {w['year']}{tail(w)}.",
    lambda w: f"{listed(w['names'], lambda g, f: f'{f}, {initials(g)}', ', & ')} "
              f"({w['year']}). {w['title']}. In {w['venue']}{tail(w)}.",
    lambda w: f"{listed(w['names'], lambda g, f: f'{g} {f}', ', and ')}. {w['year']}. "
              f"{w['title']}. In {w['venue']}{tail(w)}.",
    lambda w: f"{listed(w['names'], lambda g, f: f'{f}, {initials(g)}', ', ')}: {w['title']}. "
              f"In: {w['venue']} ({w['year']}){tail(w)}.",
    lambda w: f"{listed(w['names'], packed, ', ')}. {w['title']}. {w['venue']}. "
              f"{w['year']}{tail(w)}.",
    lambda w: f"{listed(w['names'], lambda g, f: f'{g} {f}', ' and ')}. {w['title']}. "
              f"In {w['venue']}, {w['year']}{tail(w)}.",
]


def mistyped(text, count, chance):
    """A letter changed, lost, added or exchanged with the next one, inside the text."""
    for _ in range(count):
        at = chance.randrange(1, max(2, len(text) - 2))
        letter = chance.choice("abcdefghijklmnopqrstuvwxyz")
        text = chance.choice([text[:at] + letter + text[at + 1:], text[:at] + text[at + 1:],
                              text[:at] + letter + text[at:],
                              text[:at] + text[at + 1:at + 2] + text[at] + text[at + 2:]])
    return text


def changed_word(title, vocabulary, chance):
    words = title.split()
    places = [at for at, word in enumerate(words) if re.fullmatch(r"[A-Za-z]{5,}", word)]
    if not places:
        return None
    at = chance.choice(places)
    word = chance.choice([one for one in chance.sample(vocabulary, 9)
                          if one != words[at].lower()])
    words[at] = word.capitalize() if words[at][0].isupper() else word
    return " ".join(words)


def other_doi(work, pool, chance):
    while True:
        doi = chance.choice(pool)["doi"]
        if doi.startswith("10.") and doi != work["doi"]:
            return doi


def wrong_fact(work, pool, chance):
    known = work["doi"].startswith("10.")
    field = chance.choice(["year", "venue", "doi"] if known else ["year", "venue"])
    if field == "year":
        return {**work, "year": str(int(work["year"]) + chance.choice([-3, -2, -1, 1, 2, 3]))}
    if field == "venue":
        return {**work, "venue": chance.choice(OTHER_VENUES)}
    return {**work, "doi": other_doi(work, pool, chance)}


def invented(kind, work, pool, vocabulary, chance):
    other = chance.choice(pool)
    if kind == 0:
        a, b = work["title"].split(), other["title"].split()
        return {**work, "title": " ".join(a[:len(a) // 2 + 1] + b[len(b) // 2:])}
    if kind == 1:
        title = changed_word(work["title"], vocabulary, chance)
        return title and {**work, "title": title}
    if kind == 2:
        return {**work, "names": other["names"]}
    if kind == 3:
        words = (work["title"] + " " + other["title"]).split()
        return {**work, "title": " ".join(chance.sample(words, min(len(words), 8))), "doi": ""}
    return wrong_fact(work, pool, chance)


def lines_said(lines, library):
    said = command.check("\n".join(lines) + "\n", ".txt", library, "--one-per-line")
    if len(said) != len(lines):
        raise RuntimeError(f"{len(lines)} lines were read as {len(said)} references")
    return said


def rows():
    library = command.library("acl", data("acl-anthology-xml.tar.xz"), "acl")
    chance = random.Random(SEED)
    pool = list(works())
    true = chance.sample(pool, 1000)
    lines = []
    for at, work in enumerate(true):
        slips = chance.randrange(4)
        lines.append(STYLES[at % 6]({**work, "title": mistyped(work["title"], slips, chance)}))
    said = lines_said(lines, library)
    right = sum(one["verdict"] == "verified" for one in said) / len(said)
    yield Row("ACL, 6 styles, 0-3 typos: verified of 1000", f"{right:.3f}", ">= 0.99",
              holds=right >= 0.99)
    counts = collections.Counter(word for work in pool
                                 for word in re.findall(r"[a-z]{5,}", work["title"].lower()))
    vocabulary = [word for word, count in counts.items() if count >= 30]
    hits = []
    for kind, name in enumerate(KINDS):
        fakes = []
        while len(fakes) < EACH:
            fake = invented(kind, chance.choice(pool), pool, vocabulary, chance)
            if fake:
                fakes.append(STYLES[len(fakes) % 6](fake))
        found = [command.detected(one) for one in lines_said(fakes, library)]
        hits += found
        yield Row(f"  fabricated, {name}: flagged of {EACH}", f"{sum(found) / EACH:.3f}")
    flagged = sum(hits) / len(hits)
    yield Row(f"ACL, fabricated: flagged of {len(hits)}", f"{flagged:.4f}", ">= 0.995",
              holds=flagged >= 0.995)
