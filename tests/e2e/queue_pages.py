"""Targets that are addresses: what strangers' pages say, and what becomes of those that
hurt."""
import pathlib
import re
import subprocess
import urllib.request

import answers
import generate
from case import Skipped, case, expect, require
from lab import Lab, Task, jobs, open_jobs

TIDAL = "Tidal turbines at Port Ellery supply 38 percent of the winter power of the town."
CHROMIUM = "/usr/lib/chromium/chromium"
SAYING = ("town", "press", "record", "critic")


def served(url):
    return urllib.request.urlopen(url, timeout=10).read()


def cid(data):
    """As another program reckons it."""
    done = subprocess.run(["b3sum", "--no-names"], input=data, capture_output=True, check=True)
    return "b3:" + done.stdout.decode().strip()


def paragraphs(domain, slug):
    """Of a page about a topic, as the site makes it up."""
    facts = answers.TOPICS[slug]["facts"][domain]
    around = answers.filler(f"{domain}/{slug}")
    return [f"{fact} {text}" for fact, text in zip(facts, around)] + around[len(facts):]


def pages_are_kept(lab, node, urls):
    """Each once, with its bytes."""
    kept = dict(node.rows("select url, content_hash from pages where fetched_at is not null"))
    expect(set(kept), set(urls.values()))
    for url in urls.values():
        expect(kept[url], cid(served(url)))
    for name in ("town", "pdf"):
        blob = node.blob(kept[urls[name]])
        require(blob == served(urls[name]), f"the blob of {urls[name]} is {blob[:200]!r}")


def texts_are_read(node, urls):
    for name in SAYING:
        texts = {text for text, in node.rows(
            "select text_content from fragments f join pages p on p.id = f.page_id"
            f" where p.url = '{urls[name]}'")}
        require(texts >= set(paragraphs(name, "tidal")), f"{name}: {texts}")
    claims = node.rows("select claim_text, p.domain from claims c join edges e"
                       " on e.target_id = c.id and e.relation = 'origin' join fragments f"
                       " on f.id = e.source_id join pages p on p.id = f.page_id")
    for name in SAYING:
        for fact in answers.TOPICS["tidal"]["facts"][name]:
            require((fact, urls[name].split("/")[2]) in claims, f"{name}: {fact}: {claims}")


def judgements_are_right(node, urls):
    """By who says what, and never of one's own words."""
    judged = node.rows(
        "select e.relation, c.claim_text, p.url, o.url as origin from edges e join claims c"
        " on c.id = e.target_id join fragments f on f.id = e.source_id join pages p"
        " on p.id = f.page_id join edges x on x.target_id = c.id and x.relation = 'origin'"
        " join fragments g on g.id = x.source_id join pages o on o.id = g.page_id"
        " where e.relation in ('supports', 'refutes') and c.claim_text like 'Tidal turbines at"
        " Port Ellery %supply 38%'", "relation", "claim_text", "url", "origin")
    of_town = {url: relation for relation, claim, url, origin in judged
               if claim == TIDAL and origin == urls["town"]}
    expect(of_town, {urls["press"]: "supports", urls["record"]: "supports",
                     urls["pdf"]: "supports", urls["critic"]: "refutes"})
    expect([row for row in judged if row[2].split("/")[2] == row[3].split("/")[2]], [])


@case("what pages say for and against is found, counted and reported, each page with its bytes")
def pages_say(program):
    with Lab(program) as lab, lab.node() as node:
        urls = {name: f"{lab.site.bases[name]}/topic/tidal" for name in SAYING}
        urls["pdf"] = lab.site.bases["record"] + "/paper/tidal.pdf"
        task = Task(node, TIDAL)
        task.queue(list(urls.values()))
        status = task.drained()
        expect((status["progress"]["searches"]["satisfied"], status["errors"]), (5, []))
        expect(status["metrics"]["total_pages"], 5)
        expect(status["budget"]["pages_used"], 5)
        pages_are_kept(lab, node, urls)
        texts_are_read(node, urls)
        judgements_are_right(node, urls)
        counts = [count for count, in node.rows(
            "select count(*) as n from fragments union all select count(*) from claims")]
        expect((status["metrics"]["total_fragments"], status["metrics"]["total_claims"]),
               tuple(counts))
        report = node.read(f"weir://task/{task.id}")["text"]
        for part in (f"# {TIDAL}", "Found: 5 pages", "supports", "refutes",
                     *(f"<{url}>" for url in urls.values())):
            require(part in report, f"{part!r} is not in the report: {report}")


def bare(text):
    return re.sub(r"\s+", "", text)


@case("made-up pages are read as who made them up knows them, with what they link to")
def pages_are_read(program):
    with Lab(program) as lab, lab.node() as node:
        base, count = lab.site.bases["town"], 3 * len(generate.TEMPLATES)
        task = Task(node, "The cost was carried by the town")
        task.queue([f"{base}/page/{number}" for number in range(count)])
        status = task.drained()
        expect((status["progress"]["searches"]["satisfied"], status["errors"]), (count, []))
        there = found = 0
        for number in range(count):
            _, truth = generate.page("town", number)
            where = f" where p.url = '{base}/page/{number}'"
            text = "".join(bare(text) for text, in node.rows(
                "select text_content from fragments f join pages p on p.id = f.page_id"
                f"{where}"))
            blocks = [one["text"] for one in truth.blocks if one["kind"] == "paragraph"]
            there += len(blocks)
            found += sum(bare(block) in text for block in blocks)
            links = node.rows("select q.url from edges e join pages p on p.id = e.source_id"
                              f" join pages q on q.id = e.target_id{where}"
                              " and e.relation = 'cites'")
            expect({url for url, in links}, {one["url"] for one in truth.links
                                             if one["url"].startswith("http")})
        require(found >= 0.95 * there, f"{found} of {there} paragraphs are found")


# What a page is, and what its job then says; None: it is done.
ENDS = {
    "town/redirect/4": None, "town/redirect/relative": None, "town/slow/1": None,
    "town/fail/503/1": None, "picky/busy/1/1": None, "odd/page/3": None, "long/page/2": None,
    "town/type/none": None, "town/type/latin1": None, "town/type/utf16": None,
    "town/redirect/loop": "REFUSED", "town/redirect/9": "REFUSED",
    "town/redirect/nowhere": "HTTP_STATUS", "town/fail/404": "HTTP_STATUS",
    "town/redirect/inside/metadata": "REFUSED", "town/redirect/inside/file": "REFUSED",
    "press/private/x": "ROBOTS_DENIED", "closed/page/1": "ROBOTS_DENIED",
    "unwell/page/1": "ROBOTS_UNREACHABLE", "shy/paper/1.pdf": "ROBOTS_DENIED",
    "town/huge/8000000": "REFUSED", "record/huge/8000000/silent": "REFUSED",
    "record/bomb": "REFUSED", "record/bomb/nested": "REFUSED", "town/type/png": "REFUSED",
    "town/script": "NEEDS_SCRIPTS", "town/type/fakepdf": "PDF_NOT_READ",
    "record/hostile/comment": "NO_TEXT",
    **{f"record/hostile/{name}": None for name in (
        "deep", "attributes", "long", "unclosed", "nulls", "utf8", "base", "refresh", "tables",
        "entities", "inject")},
}


def address(lab, path):
    domain, _, rest = path.partition("/")
    return f"{lab.site.bases[domain]}/{rest}"


@case("each page that hurts has an error of its own, keeps no other waiting, and leads nowhere")
def pages_hurt(program):
    with Lab(program) as lab, lab.node() as node:
        task = Task(node, "The night ferry carried 90,000 passengers in 2019")
        never = lab.site.bases["critic"] + "/slow/never"
        wanted = {address(lab, path): ("failed", code) if code else ("completed", None)
                  for path, code in ENDS.items()}
        before = node.memory()
        task.queue([never, *wanted])
        status = task.until(lambda now: open_jobs(now) == 1, full=True)
        seen = {target: end for target, end in jobs(status).items() if target != never}
        wrong = {target: (seen.get(target), end) for target, end in wanted.items()
                 if seen.get(target) != end}
        require(not wrong, "\n".join(f"{target}: {what}" for target, what in wrong.items()))
        for error in status["errors"]:
            require(len(error["message"]) > 15, f"{error} says nothing")
        expect(status["error_count"], sum(code is not None for code in ENDS.values()))
        expect([line for line in lab.site.log if line["path"].startswith("/private")], [])
        require(node.memory() < before + (300 << 20), f"{before} -> {node.memory()}")
        stopped = node.tool("stop_task", task_id=task.id, mode="immediate")
        expect((stopped["final_status"], stopped["cancelled_counts"]["running_cancelled"]),
               ("paused", 1))
        expect(jobs(task.status(full=True))[never], ("cancelled", "CANCELLED"))


@case("pages that scripts write are read by a real browser, without a network of its own")
def pages_of_scripts(program):
    if not pathlib.Path(CHROMIUM).exists():
        raise Skipped("chromium is not installed")
    with Lab(program) as lab, lab.node("--queue-browser-command", CHROMIUM) as node:
        base = lab.site.bases["town"]
        task = Task(node, "The cost was carried by the town")
        task.queue([base + "/script", base + "/script/fetch"])
        status = task.drained()
        if any("jail" in error["message"] for error in status["errors"]):
            raise Skipped(status["errors"][0]["message"])
        expect(status["errors"], [])
        for path in ("/script", "/script/fetch"):
            texts = {text for text, in node.rows(
                "select text_content from fragments f join pages p on p.id = f.page_id"
                f" where p.url = '{base}{path}'")}
            require(texts >= set(answers.filler("script", 5)), f"{path}: {texts}")
        asked = {line["path"] for line in lab.site.log} - {"/robots.txt"}
        expect(asked, {"/script", "/script/fetch", "/script/data"})


@case("a page that wants to see a human waits for one, and goes on when somebody was there")
def pages_wait(program):
    with Lab(program) as lab, lab.node() as node:
        gate = lab.site.bases["shy"] + "/gate/turnstile"
        login = lab.site.bases["odd"] + "/gate/login"
        free = lab.site.bases["town"] + "/topic/bees"
        task = Task(node, "Honey bees survived the winter of 2018")
        task.queue([gate, login, free])
        status = task.drained()
        expect(jobs(status), {gate: ("awaiting_auth", None), login: ("awaiting_auth", None),
                              free: ("completed", None)})
        expect(status["pending_auth_count"], 2)
        waiting = node.tool("get_auth_queue", task_id=task.id)["items"]
        expect({one["url"]: one["domain"] for one in waiting},
               {url: url.split("/")[2] for url in (gate, login)})
        served(gate + "/open")
        said = node.tool("resolve_auth", target="domain", domain=gate.split("/")[2],
                         action="complete")
        expect((said["ok"], said["resolved_count"]), (True, 1))
        said = node.tool("resolve_auth", target="task", task_id=task.id, action="skip")
        expect(said["resolved_count"], 1)
        status = task.drained()
        expect(jobs(status), {gate: ("completed", None), login: ("failed", "AUTH_REQUIRED"),
                              free: ("completed", None)})
        expect(status["pending_auth_count"], 0)
        titles = node.rows(f"select title from pages where url = '{gate}'")
        expect(titles, [("Behind the gate",)])
