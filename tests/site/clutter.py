"""What stands around the text of a page and is no part of it."""
from sheet import escape


def links(sheet, count, what="nav", tag="ul"):
    chance, prose = sheet.chance, sheet.prose
    rows = []
    for _ in range(count):
        text = prose.title() if what == "title" else prose.pick(what)
        rows.append(f'<li><a href="/{chance.randrange(10 ** 6)}">{escape(text)}</a></li>')
    return f"<{tag}>{''.join(rows)}</{tag}>\n"


def header(sheet):
    chance = sheet.chance
    bar = links(sheet, chance.randint(4, 9))
    name = escape(site_name(sheet))
    logo = f'<a href="/"><img src="/logo.png" alt="{name}"></a><span>{name}</span>'
    if sheet.naming == "plain" and chance.random() < 0.6:
        return f"<header>{logo}<nav>{bar}</nav></header>\n"
    return (f"<div{sheet.named('header', 'top', 'masthead')}>{logo}"
            f"<div{sheet.named('nav', 'menu', 'navbar')}>{bar}</div></div>\n")


def site_name(sheet):
    if "site" not in sheet.given:
        sheet.given["site"] = sheet.prose.topic["city"][0]
    return sheet.given["site"]


def footer(sheet):
    legal = links(sheet, sheet.chance.randint(3, 6), "legal")
    line = f"© {sheet.chance.randint(2009, 2025)} {escape(site_name(sheet))}"
    extra = links(sheet, 12, "title") if sheet.level else ""
    tag = "footer" if sheet.naming == "plain" and sheet.chance.random() < 0.6 else "div"
    opened = f"<{tag}{sheet.named('footer', 'foot', 'bottom')}>"
    return f"{opened}{extra}{legal}<p>{line}</p></{tag}>\n"


def share(sheet):
    names = ["Fb", "X", "Tele", "Mail", "Print"]
    return (f"<div{sheet.named('share', 'social', 'sharing')}>" +
            "".join(f'<a href="#share-{name}">{name}</a> ' for name in names) + "</div>\n")


def related(sheet, count=5):
    prose, cards = sheet.prose, []
    for _ in range(count):
        teaser = f"<p>{escape(prose.sentence())}</p>" if sheet.chance.random() < 0.5 else ""
        cards.append(f'<div{sheet.named("card", "teaser", "related-item")}><a href="/'
                     f'{sheet.chance.randrange(10 ** 5)}"><img src="/thumb.jpg" alt="">'
                     f"<h4>{sheet.line()}</h4></a>{teaser}</div>")
    return (f"<div{sheet.named('related', 'recommended', 'more-stories')}>"
            f"<h3>{sheet.word('related')}</h3>{''.join(cards)}</div>\n")


def comments(sheet, low=3, high=9):
    rows = []
    for _ in range(sheet.chance.randint(low, high)):
        text = sheet.prose.pick("comment")
        rows.append(f"<div{sheet.named('comment', 'comment-body')}>"
                    f"<b>{sheet.prose.person()}</b> <span>{sheet.prose.date()}</span>"
                    f'<p>{escape(text)}</p><a href="#r">↩</a></div>')
    return (f"<div{sheet.named('comments', 'discussion')} id=\"comments\">"
            f"<h3>{sheet.word('comments')}</h3>{''.join(rows)}"
            '<form action="/c"><textarea name="t"></textarea><input type="submit"></form>'
            "</div>\n")


def sidebar(sheet):
    prose = sheet.prose
    boxes = [f"<div{sheet.named('widget', 'box', 'sidebar-box')}><h4>{sheet.word('promo')}"
             f"</h4>{links(sheet, sheet.chance.randint(4, 8), 'title')}</div>"
             for _ in range(sheet.chance.randint(2, 4))]
    tag = sheet.chance.choice(["aside", "div"])
    return f"<{tag}{sheet.named('sidebar', 'aside', 'rail')}>{''.join(boxes)}</{tag}>\n"


def newsletter(sheet):
    return (f"<div{sheet.named('newsletter', 'signup', 'subscribe')}><h4>"
            f"{sheet.word('promo')}</h4><p>{sheet.word('promo')}</p>"
            '<form action="/s"><input name="mail"><button>OK</button></form></div>\n')


def advert(sheet):
    """Stands between the paragraphs."""
    prose = sheet.prose
    return (f"<div{sheet.named('ad', 'advert', 'sponsor', 'promo')} data-slot=\""
            f'{sheet.chance.randrange(99)}"><a href="https://ads.example/'
            f'{sheet.chance.randrange(10 ** 6)}">{sheet.word("promo")}</a>'
            "<script>document.write('<p>' + 1 + '</p>');</script></div>\n")


def hidden(sheet):
    """Nobody sees it: words for machines."""
    how = sheet.chance.choice(['style="display:none"', "hidden", 'style="visibility: hidden"',
                               'aria-hidden="true" style="display: none;"'])
    return f"<div {how}>{escape(sheet.prose.paragraph(sheet.chance.randint(1, 3)))}</div>\n"


def cookie_wall(sheet):
    prose = sheet.prose
    text = " ".join(prose.pick("consent") for _ in range(4))
    return (f"<div{sheet.named('cookie-banner', 'consent', 'overlay')} role=\"dialog\">"
            f"<h2>Cookies</h2><p>{escape(text)}</p><p>{sheet.word('consent')}</p>"
            f"<button>OK</button> <a href=\"/privacy\">{sheet.word('legal')}</a></div>\n")


def comment_markup(sheet):
    """Markup that is no markup."""
    return sheet.chance.choice([
        "<!-- <div class=\"article\"><p>" + escape(sheet.prose.sentence()) + "</p></div> -->\n",
        "<script>var page = \"</p><p>not here</p>\"; if (1 < 2) page += '<div>';</script>\n",
        "<style>p > a { color: red } /* </div> */</style>\n",
        "<noscript><img src=\"/pixel.gif\" alt=\"\"></noscript>\n",
        "<template><p>" + escape(sheet.prose.sentence()) + "</p></template>\n"])


def between(sheet):
    """What a level of noise puts between two paragraphs, often nothing."""
    roll = sheet.chance.random()
    if sheet.level == 0 or roll > (0.12, 0.12, 0.45)[sheet.level]:
        return ""
    if sheet.level == 1:
        return sheet.chance.choice([advert, newsletter])(sheet)
    return sheet.chance.choice([advert, hidden, comment_markup, newsletter])(sheet)


def before(sheet):
    out = header(sheet)
    if sheet.level == 2:
        out = cookie_wall(sheet) + comment_markup(sheet) + out + hidden(sheet)
    return out


def after(sheet):
    out = ""
    if sheet.level:
        out = related(sheet) + comments(sheet)
    return out + footer(sheet) + ("<script src=\"/app.js\"></script>\n" if sheet.level else "")
