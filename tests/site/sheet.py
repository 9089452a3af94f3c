"""A made-up page while it is written: its markup, and the truth about it.

What goes in through p(), heading(), items(), table(), quote() and code() is main text and is
noted as such; aside() notes what a reader may count to it or not (a caption, a date, a
reference); everything else on a page is clutter, and not noted at all.
"""
import dataclasses
import html
import re

NOISE = ("clean", "cluttered", "hostile")
escape = html.escape


@dataclasses.dataclass
class Truth:
    template: str
    script: str
    noise: str
    language: str = ""
    title: str = ""
    blocks: list = dataclasses.field(default_factory=list)      # {kind, text}, in order
    optional: list = dataclasses.field(default_factory=list)    # texts
    links: list = dataclasses.field(default_factory=list)       # {url, text}, in the main text


class Sheet:
    def __init__(self, chance, prose, truth, second=None):
        self.chance, self.prose, self.truth = chance, prose, truth
        self.second = second                # another language, on mixed pages
        self.level = NOISE.index(truth.noise)
        self.naming = chance.choice(["plain", "plain", "terse", "hashed"])
        truth.language = prose.language
        truth.title = prose.title()
        self.given = {}

    # ---- names of classes ----

    def named(self, *names):
        """A class attribute: one of these words, or what a bundler made of it."""
        name = self.chance.choice(names)
        if name not in self.given:
            stem = f"{self.chance.randrange(16 ** 6):06x}"
            self.given[name] = {"plain": name, "terse": "c" + stem[:2],
                                "hashed": f"sc-{stem} x{stem[::-1]}"}[self.naming]
        value = self.given[name]
        bare = self.level == 2 and " " not in value and self.chance.random() < 0.3
        return f" class={value}" if bare else f' class="{value}"'

    # ---- main text ----

    def note(self, kind, text):
        self.truth.blocks.append({"kind": kind, "text": " ".join(text.split())})

    def aside(self, text):
        self.truth.optional.append(" ".join(text.split()))
        return escape(text)

    def text(self, low=2, high=6):
        prose = self.prose
        if self.second and self.chance.random() < 0.4:
            prose = self.second
        more = 2 if prose.script == "cjk" else 1        # its sentences are short
        return prose.paragraph(self.chance.randint(low, high) * more)

    def link(self, text):
        slug = f"{self.chance.randrange(10 ** 5):05}"
        url = self.chance.choice([f"/page/{slug}", f"../{slug}.html", f"?id={slug}",
                                  f"https://elsewhere.example/{slug}"])
        self.truth.links.append({"url": url, "text": text})
        return f'<a href="{url}">{escape(text)}</a>'

    def inline(self, text, links=True):
        """The text with some of it marked: links, emphasis, references."""
        pieces = re.split(r"(\s+)", text) if " " in text else re.split(r"(?<=[，、。])", text)
        out, at = [], 0
        while at < len(pieces):
            piece, roll = pieces[at], self.chance.random()
            if not piece.strip() or roll > 0.09:
                out.append(escape(piece))
            elif roll < 0.03 and links:
                words = 3 if " " in text else 1
                out.append(self.link("".join(pieces[at:at + words])))
                at += words - 1
            elif roll < 0.06:
                tag = self.chance.choice(["b", "i", "em", "strong", "span"])
                out.append(f"<{tag}>{escape(piece)}</{tag}>")
            elif roll < 0.07 and self.level == 2:
                out.append(f"<b><i>{escape(piece)}</b></i>")        # closed in the wrong order
            elif roll < 0.075 and self.level == 2:
                out.append("".join(f"&#{ord(char)};" for char in piece))
            else:
                out.append(escape(piece))
            at += 1
        return "".join(out)

    def p(self, text=None, tag="p", links=True):
        text = text or self.text()
        self.note("paragraph", text)
        body = self.inline(text, links)
        if self.level == 2:
            if tag == "p" and self.chance.random() < 0.3:
                return f"<p>{body}\n"                               # nobody closes it
            if self.chance.random() < 0.1:
                tag = tag.upper()
        return f"<{tag}>{body}</{tag}>\n"

    def heading(self, level=2, text=None):
        text = text or self.prose.title()
        self.note("heading", text)
        return f"<h{level}>{escape(text)}</h{level}>\n"

    def items(self, count, tag="ul", sentences=(1, 1)):
        out = []
        for _ in range(count):
            text = self.prose.paragraph(self.chance.randint(*sentences))
            self.note("item", text)
            end = "" if self.level == 2 and self.chance.random() < 0.5 else "</li>"
            out.append(f"<li>{self.inline(text)}{end}\n")
        return f"<{tag}>\n{''.join(out)}</{tag}>\n"

    def table(self, rows, columns=3):
        out = []
        for row in range(rows):
            cells = []
            for column in range(columns):
                text = self.prose.pick("what") if column == 0 else \
                    str(self.chance.randint(3, 9000))
                if row == 0:
                    text = self.prose.pick("label")
                self.note("cell", text)
                tag = "td" if row else "th"
                cells.append(f"<{tag}>{escape(text)}</{tag}>")
            out.append(f"<tr>{''.join(cells)}</tr>\n")
        return f"<table{self.named('data', 'wikitable', 'table')}>\n{''.join(out)}</table>\n"

    def quote(self):
        text = self.text(1, 3)
        self.note("quote", text)
        return f"<blockquote><p>{self.inline(text)}</p></blockquote>\n"

    def code(self):
        name = self.chance.choice(["gauge", "ferry", "orchard", "kiln", "lock"])
        level = self.chance.randint(1, 9)
        lines = [f"from river import {name}", "", f"{name}.open(level={level})",
                 f"for item in {name}.items():", "    print(item.name, item.height)",
                 f"{name}.close()"]
        self.note("code", " ".join(lines))
        return f"<pre><code>{escape(chr(10).join(lines))}</code></pre>\n"

    # ---- words of clutter, ready for markup ----

    def word(self, kind):
        return escape(self.prose.pick(kind))

    def line(self):
        return escape(self.prose.title())

    # ---- parts that belong to a page but not to its text ----

    def figure(self):
        caption = self.prose.title()
        wide, high = self.chance.randint(300, 900), self.chance.randint(200, 600)
        return (f'<figure{self.named("figure", "image")}><img src="/image/'
                f'{self.chance.randrange(999)}.jpg" width="{wide}" height="{high}" '
                f'alt="{escape(caption)}">'
                f"<figcaption>{self.aside(caption)}</figcaption></figure>\n")

    def byline(self):
        text = f"{self.prose.pick('author')} {self.prose.person()}, {self.prose.date()}"
        return f"<div{self.named('byline', 'meta', 'author')}>{self.aside(text)}</div>\n"

    def h1(self, tag="h1", extra=""):
        return f"<{tag}{extra}>{escape(self.truth.title)}</{tag}>\n"
