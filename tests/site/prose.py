"""Sentences that nobody wrote, in nine languages and four scripts.

    prose = Prose(random.Random(7), "ru")
    prose.title(), prose.paragraph(4), prose.pick("nav")

They are put together from lexicon.txt, so two pages are as alike as two texts of one town.
"""
import functools
import pathlib
import re

SCRIPTS = ("latin", "cyrillic", "rtl", "cjk")
FIRST_YEAR, LAST_YEAR = 1871, 2024


@functools.cache
def lexicon():
    """{language: {what: [words]}}"""
    found, words = {}, None
    text = (pathlib.Path(__file__).resolve().parent / "lexicon.txt").read_text("utf-8")
    for line in text.splitlines():
        if section := re.fullmatch(r"\[(\w+)\]", line):
            words = found[section[1]] = {}
        elif line and not line.startswith("#"):
            name, _, value = line.partition(": ")
            words[name] = value.split(" | ")
    return found


def languages(script):
    return [name for name, words in lexicon().items() if words["script"] == [script]]


class Prose:
    def __init__(self, chance, language):
        self.chance, self.language = chance, language
        self.words = lexicon()[language]
        self.script = self.words["script"][0]
        # A page is about some of it all, so that its words come again.
        self.topic = {name: chance.sample(self.words[name], k=min(7, len(self.words[name])))
                      for name in ("who", "what", "where", "city")}
        self.last = None

    @property
    def rtl(self):
        return self.script == "rtl"

    def pick(self, name):
        return self.fill(self.chance.choice(self.words[name]))

    def fill(self, text):
        def put(match):
            name = match[1]
            if name == "year":
                return str(self.chance.randint(FIRST_YEAR, LAST_YEAR))
            if name == "number":
                return str(self.chance.randint(2, 96))
            choice = self.topic.get("city" if name == "name" else name) or self.words[name]
            return self.chance.choice(choice)
        while (done := re.sub(r"\{(\w+)\}", put, text)) != text:
            text = done
        return text

    def sentence(self):
        pattern = self.chance.choice(self.words["sentence"])
        if pattern == self.last:
            pattern = self.chance.choice(self.words["sentence"])
        self.last = pattern
        text = self.fill(pattern)
        return text[:1].upper() + text[1:] + self.words["stop"][0]

    def paragraph(self, count):
        return ("" if self.script == "cjk" else " ").join(self.sentence() for _ in range(count))

    def title(self):
        text = self.pick("short")
        return text[:1].upper() + text[1:]

    def person(self):
        """A name of two parts; what it is made of sounds the same in every language."""
        parts = ["ba", "lo", "mi", "ren", "tor", "sel", "ka", "vin", "du", "ne", "rae", "os"]
        name = ["".join(self.chance.sample(parts, k=2)).capitalize() for _ in range(2)]
        return " ".join(name)

    def date(self):
        return (f"{self.chance.randint(2001, 2025)}-{self.chance.randint(1, 12):02}-"
                f"{self.chance.randint(1, 28):02}")
