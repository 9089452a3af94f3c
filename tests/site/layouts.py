"""Templates of pages.  Each takes a Sheet and gives the markup of a body (and of a head, for
those that have something to say there); what is main text is noted on the sheet."""
import clutter
from sheet import escape


def running(sheet, low, high, sections=0.25, tag="p"):
    """Paragraphs, with a heading now and then, and what the noise puts between them."""
    out = []
    for number in range(sheet.chance.randint(low, high)):
        if number and sheet.chance.random() < sections:
            out.append(sheet.heading(sheet.chance.choice([2, 2, 3])))
        out.append(sheet.p(tag=tag))
        out.append(clutter.between(sheet))
    return "".join(out)


def within(sheet, tag, names, body):
    return f"<{tag}{sheet.named(*names)}>\n{body}</{tag}>\n"


def framed(sheet, main, side=True):
    """A main column, and on noisier pages another one beside it."""
    out = clutter.before(sheet)
    rail = clutter.sidebar(sheet) if side and sheet.level else ""
    first = sheet.chance.random() < 0.5
    inner = (rail + main) if first else (main + rail)
    return out + within(sheet, "div", ("wrapper", "page", "container"), inner) + \
        clutter.after(sheet)


def news(sheet):
    top = sheet.h1() + sheet.byline()
    if sheet.chance.random() < 0.7:
        top += sheet.figure()
    body = running(sheet, 5, 12)
    if sheet.level:
        top += clutter.share(sheet)
    tag = sheet.chance.choice(["article", "article", "div"])
    text = within(sheet, "div", ("story-body", "article-body", "content"), body)
    return framed(sheet, within(sheet, tag, ("article", "story"), top + text))


def blog(sheet):
    body = running(sheet, 3, 6, 0.1)
    body += sheet.quote() + running(sheet, 1, 4, 0.1)
    tags = "".join(f'<a rel="tag" href="/tag/{n}">{sheet.word("nav")}</a> '
                   for n in range(4))
    post = sheet.h1("h2", sheet.named("entry-title", "post-title")) + sheet.byline() + \
        within(sheet, "div", ("entry-content", "post-body"), body) + \
        within(sheet, "div", ("tags", "post-meta"), tags)
    return framed(sheet, within(sheet, "div", ("post", "hentry"), post))


def docs(sheet):
    tree = "".join(f'<li><a href="/docs/{n}">{sheet.word("what")}</a>'
                   f"{clutter.links(sheet, 3, 'nav')}</li>" for n in range(5))
    body = sheet.h1() + sheet.p()
    for _ in range(sheet.chance.randint(2, 4)):
        body += sheet.heading(2) + sheet.p() + sheet.code() + sheet.p()
        body += sheet.items(sheet.chance.randint(3, 5)) + clutter.between(sheet)
    body += sheet.table(sheet.chance.randint(3, 6))
    pager = '<div><a href="/docs/1">←</a> <a href="/docs/3">→</a></div>'
    tag = sheet.chance.choice(["main", "div", "article"])
    return (clutter.before(sheet) +
            within(sheet, "div", ("docs-nav", "toc", "sidebar"), f"<ul>{tree}</ul>") +
            within(sheet, tag, ("document", "body", "content"), body + pager) +
            clutter.footer(sheet))


def forum(sheet):
    posts = []
    for number in range(sheet.chance.randint(3, 6)):
        who = (f"<b>{sheet.prose.person()}</b><br><img src=\"/a/{number}.png\" alt=\"\">"
               f"<br>#{number + 1}")
        text = "".join(sheet.p() for _ in range(sheet.chance.randint(1, 3)))
        if number and sheet.chance.random() < 0.3:
            text = sheet.quote() + text
        posts.append(within(sheet, "div", ("post", "message"),
                            within(sheet, "div", ("postprofile", "user"), who) +
                            within(sheet, "div", ("postbody", "message-text"), text)) +
                     clutter.between(sheet))
    return (clutter.before(sheet) + sheet.h1() +
            within(sheet, "div", ("thread", "topic"), "".join(posts)) +
            clutter.footer(sheet))


def product(sheet):
    price = f"{sheet.prose.pick('price')}: {sheet.chance.randint(5, 900)}.00"
    buy = within(sheet, "div", ("buy", "purchase", "offer"),
                 f"<span>{escape(price)}</span><button>+1</button>")
    text = "".join(sheet.p() for _ in range(sheet.chance.randint(2, 4)))
    text += sheet.items(sheet.chance.randint(4, 7)) + sheet.p()
    body = sheet.h1() + sheet.figure() + buy + \
        within(sheet, "div", ("description", "product-details"), text + sheet.table(4, 2))
    return framed(sheet, within(sheet, "div", ("product", "item"), body), side=False)


def wiki(sheet):
    rows = "".join(f"<tr><th>{sheet.aside(label)}</th>"
                   f"<td>{sheet.aside(sheet.prose.pick('what'))}</td></tr>\n"
                   for label in sheet.prose.words["label"][:6])
    box = f"<table{sheet.named('infobox', 'vcard')}>{rows}</table>\n"
    text = sheet.p() + sheet.p()
    toc = f'<div id="toc"{sheet.named("toc")}>{clutter.links(sheet, 5, "title", "ol")}</div>\n'
    for _ in range(sheet.chance.randint(2, 4)):
        text += sheet.heading(2) + sheet.p() + sheet.p() + clutter.between(sheet)
        if sheet.chance.random() < 0.4:
            text += sheet.table(sheet.chance.randint(3, 6))
    notes = "".join(f'<li id="n{n}"><a href="#r{n}">^</a> '
                    f"{sheet.aside(sheet.prose.title())}</li>\n" for n in range(5))
    text += f"<h2>{sheet.aside(sheet.prose.pick('references'))}</h2><ol>{notes}</ol>\n"
    first, _, rest = text.partition("</p>")
    body = sheet.h1() + box + first + ("</p>\n" + toc + rest if rest else "")
    return (clutter.before(sheet) + within(sheet, "div", ("mw-body", "content"), body) +
            within(sheet, "div", ("sidebar", "portlet"), clutter.links(sheet, 14)) +
            clutter.footer(sheet))


def academic(sheet):
    names = [sheet.prose.person() for _ in range(sheet.chance.randint(1, 5))]
    doi = f"10.5555/{sheet.chance.randrange(10 ** 6)}"
    head = "".join(f'<meta name="citation_author" content="{name}">\n' for name in names)
    head += (f'<meta name="citation_title" content="{escape(sheet.truth.title)}">\n'
             f'<meta name="citation_doi" content="{doi}">\n'
             f'<meta name="citation_publication_date" content="{sheet.prose.date()}">\n'
             f'<meta name="citation_pdf_url" content="/paper/{doi}.pdf">\n')
    who = ", ".join(f'<a href="/author/{n}">{name}</a>' for n, name in enumerate(names))
    sheet.aside(", ".join(names))
    top = f"<h2>{sheet.aside(sheet.prose.pick('abstract'))}</h2>\n"
    text = within(sheet, "div", ("abstract", "paper-abstract"), top + sheet.p(sheet.text(4, 8)))
    for _ in range(sheet.chance.randint(0, 3)):
        text += within(sheet, "section", ("section",), sheet.heading() + sheet.p() + sheet.p())
    notes = "".join(f"<li>{sheet.aside(sheet.prose.title())}. {sheet.aside(doi)}</li>"
                    for _ in range(sheet.chance.randint(4, 12)))
    body = sheet.h1() + f"<div>{who}</div>" + \
        f'<div><a href="https://doi.org/{doi}">{doi}</a> ' \
        f'<a href="/paper/{doi}.pdf">PDF</a></div>' + \
        text + within(sheet, "div", ("references",),
                      f"<h3>{sheet.aside(sheet.prose.pick('references'))}</h3><ol>{notes}</ol>")
    return framed(sheet, within(sheet, "main", ("paper", "record"), body)), head


def government(sheet):
    deep = "".join(f"<li><a href=\"/{n}\">{sheet.word('nav')}</a><ul>" +
                   "".join(f"<li><a href=\"/{n}/{m}\">{sheet.line()}</a>"
                           f"{clutter.links(sheet, 2)}</li>" for m in range(3)) + "</ul></li>"
                   for n in range(4))
    crumbs = " › ".join(f'<a href="/{n}">{sheet.word("nav")}</a>' for n in range(4))
    body = sheet.h1() + running(sheet, 3, 6, 0.4)
    body += sheet.items(sheet.chance.randint(3, 7), "ol") + running(sheet, 1, 3, 0.4)
    contact = within(sheet, "div", ("contact", "address"),
                     f"<p>{escape(clutter.site_name(sheet))}, {sheet.word('nav')}</p>"
                     f"<p>+00 {sheet.chance.randrange(10 ** 7)}</p>")
    return (clutter.before(sheet) + within(sheet, "div", ("breadcrumb", "crumbs"), crumbs) +
            within(sheet, "div", ("leftnav", "sidenav"), f"<ul>{deep}</ul>") +
            within(sheet, "div", ("main", "content", "region-content"), body + contact) +
            clutter.footer(sheet))


def portal(sheet):
    columns = [within(sheet, "div", ("column", "block"),
                      f"<h3>{sheet.word('nav')}</h3>" +
                      clutter.links(sheet, sheet.chance.randint(6, 12), "title"))
               for _ in range(sheet.chance.randint(3, 6))]
    body = within(sheet, "div", ("lead", "feature"), sheet.h1("h2") + running(sheet, 4, 8, 0.1))
    at = sheet.chance.randrange(len(columns))
    return clutter.before(sheet) + "".join(columns[:at]) + body + "".join(columns[at:]) + \
        clutter.footer(sheet)


def listicle(sheet):
    body = sheet.h1() + sheet.byline() + sheet.p()
    for number in range(sheet.chance.randint(4, 7)):
        text = f"{number + 1}. {sheet.prose.title()}"
        body += sheet.heading(2, text)
        if sheet.chance.random() < 0.6:
            body += sheet.figure()
        body += sheet.p() + clutter.between(sheet)
    pager = "".join(f'<a href="?page={n}">{n}</a> ' for n in range(1, 6))
    body += within(sheet, "div", ("pagination", "pager"),
                   pager + f'<a rel="next" href="?page=2">{sheet.word("next")}</a>')
    return framed(sheet, within(sheet, "article", ("article", "listicle"), body))


def tables(sheet):
    """As pages were laid out before style sheets: tables in tables, lines ended by hand."""
    texts = [sheet.text() for _ in range(sheet.chance.randint(4, 8))]
    for text in texts:
        sheet.note("paragraph", text)
    lines = "<br><br>\n".join(sheet.inline(text) for text in texts)
    if sheet.level == 2:
        lines = lines.replace("<br><br>", "<BR><br/>" + clutter.hidden(sheet), 1)
    menu = "".join(f'<tr><td><a href="{n}.htm"><font size="-1">{sheet.word("nav")}'
                   "</font></a></td></tr>" for n in range(8))
    side = f'<td width="140" valign="top" bgcolor="#ccccff"><table>{menu}</table></td>'
    main = (f'<td valign="top"><font face="Arial"><center><b>{escape(sheet.truth.title)}</b>'
            f"</center><hr>{lines}</font></td>")
    rail = ""
    if sheet.level:
        rail = f'<td width="160" valign="top">{clutter.links(sheet, 8, "title")}</td>'
    return (f'<table width="100%"><tr><td colspan="3">{clutter.before(sheet)}</td></tr>'
            f"<tr>{side}{main}{rail}</tr><tr><td colspan=3>{clutter.footer(sheet)}</td></tr>"
            "</table>")


def cards(sheet):
    """One long page with cards beside each section; paragraphs are divs."""
    body = sheet.h1()
    for _ in range(sheet.chance.randint(3, 5)):
        text = sheet.heading(2) + "".join(sheet.p(tag=sheet.chance.choice(["div", "p"]))
                                          for _ in range(sheet.chance.randint(1, 3)))
        body += within(sheet, "section", ("section", "chapter"), text)
        if sheet.level:
            body += (f"<aside{sheet.named('card', 'callout')}><h4>{sheet.line()}"
                     f'</h4><p>{escape(sheet.prose.sentence())}</p><a href="/c">'
                     f"{sheet.word('promo')}</a></aside>\n")
    return clutter.before(sheet) + within(sheet, "main", ("main", "content"), body) + \
        clutter.after(sheet)


def answers(sheet):
    def voted(text, names):
        votes = f"<div{sheet.named('votes', 'vote')}>▲ {sheet.chance.randrange(99)} ▼</div>"
        inner = within(sheet, "div", ("s-prose", "post-text"), text)
        return within(sheet, "div", names, votes + inner)

    body = sheet.h1() + voted(sheet.p() + sheet.code() + sheet.p(), ("question",))
    for number in range(sheet.chance.randint(1, 3)):
        text = sheet.p() + (sheet.code() if sheet.chance.random() < 0.5 else "")
        text += "".join(sheet.p() for _ in range(sheet.chance.randint(1, 3)))
        if number == 0:
            text += sheet.items(3, "ol")
        body += voted(text, ("answer",))
        if sheet.level:
            body += clutter.comments(sheet, 1, 3)
    return framed(sheet, within(sheet, "div", ("mainbar", "content"), body))


TEMPLATES = {one.__name__: one for one in (
    news, blog, docs, forum, product, wiki, academic, government, portal, listicle, tables,
    cards, answers)}
