/* harvest.c - see harvest.h. */
#include "svc/queue/harvest.h"

#include <stdio.h>
#include <string.h>

#include <weir/offload.h>

#include "base/json.h"
#include "extract/claims.h"
#include "extract/html.h"
#include "extract/passage.h"
#include "extract/pdf.h"
#include "store/webpage.h"
#include "svc/queue/doi_address.h"
#include "svc/queue/page_memory.h"

#define FRAGMENT_MAX 4000               /* bytes of one; what comes after is cut off */
#define HEADINGS_MAX 1024
#define CITED_TITLE_MAX 300             /* bytes; a link may be around a whole text */
#define PDF_WITHIN WR_S(60)
#define RENDER_WITHIN WR_S(60)          /* with the wait for a browser */
#define KEEP_WITHIN WR_S(10)            /* of the whole time, for what was read */

/* A page while it is read. */
struct leaf {
    const struct harvest_ask *ask;
    const struct crawl_page *from;
    struct wr_arena arena;
    struct extract_lines lines;         /* of a PDF or a plain text */
    struct extract_page page;
    struct extract_claims claims;
    wr_err err;
};

/* ---- reading ---- */

static wr_err read_text(struct leaf *leaf)
{
    const struct wr_bytes *bytes = leaf->from->bytes;
    if (leaf->from->media != MEDIA_PDF) {
        wr_err err = extract_lines_split(&leaf->lines, &leaf->arena, (const char *)bytes->data,
                                         bytes->len);
        if (err)
            return err;
    }
    return extract_passages(&leaf->page, &leaf->lines, &leaf->arena);
}

/* On a thread that may compute. */
static void read_leaf(void *arg)
{
    struct leaf *leaf = arg;
    const struct wr_bytes *bytes = leaf->from->bytes;
    bool is_html = leaf->from->media == MEDIA_HTML || leaf->from->media == MEDIA_XHTML;
    leaf->err = !is_html ? read_text(leaf)
                : extract_html(&leaf->page, (const char *)bytes->data, bytes->len,
                               &(struct extract_html_conf){
                                   .url = leaf->from->url, .charset = leaf->from->charset },
                               &leaf->arena);
    if (!leaf->err)
        leaf->err = extract_claims(&leaf->claims, leaf->page.main, leaf->page.main_len,
                                   leaf->ask->hypothesis, HARVEST_CLAIMS_MAX, &leaf->arena);
}

static wr_err read_page(struct leaf *leaf, struct harvest *ret, wr_time deadline)
{
    const struct wr_bytes *bytes = leaf->from->bytes;
    if (leaf->from->media == MEDIA_PDF) {
        char why[EXTRACT_WHY];
        wr_time until = wr_after(PDF_WITHIN);
        wr_err err = extract_pdf((const char *)bytes->data, bytes->len, leaf->ask->pdftotext,
                                 until < deadline ? until : deadline, &leaf->arena,
                                 &leaf->lines, why);
        if (err) {
            ret->code = "PDF_NOT_READ";
            snprintf(ret->why, sizeof(ret->why), "%s", why);
            return err;
        }
    }
    wr_err err = wr_offload(read_leaf, leaf, deadline);
    return err ? err : leaf->err;
}

/* ---- keeping ---- */

/* What fits, without half a character. */
static size_t cut_at(const char *text, size_t len, size_t max)
{
    if (len <= max)
        return len;
    while (max > 0 && ((unsigned char)text[max] & 0xc0) == 0x80)
        max--;
    return max;
}

/* A text that a row has room for. */
static const char *fit(struct leaf *leaf, const char *text, size_t max)
{
    return !text || strlen(text) <= max
        ? text : wr_arena_copy(&leaf->arena, text, cut_at(text, strlen(text), max));
}

static const char *hierarchy(struct leaf *leaf, const struct extract_paragraph *paragraph)
{
    char buf[HEADINGS_MAX];
    struct wr_text text = WR_TEXT(buf);
    struct wr_json json = wr_json_to(&text);
    if (!paragraph->path_len)
        return NULL;
    wr_json_array(&json, NULL);
    for (uint32_t i = 0; i < paragraph->path_len; i++)
        wr_json_str(&json, NULL, paragraph->path[i]);
    wr_json_end(&json);
    return text.cut ? NULL : wr_arena_str(&leaf->arena, buf);
}

/* NULL: there is no memory. */
static struct store_fragment_new *make_fragments(struct leaf *leaf, size_t count)
{
    bool is_pdf = leaf->from->media == MEDIA_PDF;
    struct store_fragment_new *fragments = wr_arena_alloc(&leaf->arena, (count + 1)
                                                          * sizeof(*fragments));
    for (size_t i = 0; fragments && i < count; i++) {
        const struct extract_paragraph *paragraph = &leaf->page.paragraphs[i];
        size_t len = cut_at(paragraph->text, paragraph->len, FRAGMENT_MAX);
        fragments[i] = (struct store_fragment_new){
            .type = is_pdf ? "passage" : "paragraph",
            .text = wr_arena_copy(&leaf->arena, paragraph->text, len),
            .heading = paragraph->heading, .hierarchy = hierarchy(leaf, paragraph),
            .position = (unsigned)i, .begin = (unsigned)paragraph->offset,
            .end = (unsigned)(paragraph->offset + len) };
        if (!fragments[i].text)
            return NULL;
    }
    return fragments;
}

/* Claims whose paragraph is among the fragments; *ret is how many. */
static struct store_claim_new *make_claims(struct leaf *leaf, size_t fragments, size_t *ret)
{
    struct store_claim_new *claims = wr_arena_alloc(&leaf->arena, (leaf->claims.count + 1)
                                                    * sizeof(*claims));
    *ret = 0;
    for (size_t i = 0; claims && i < leaf->claims.count; i++) {
        const struct extract_claim *claim = &leaf->claims.at[i];
        for (size_t at = 0; at < fragments; at++) {
            const struct extract_paragraph *paragraph = &leaf->page.paragraphs[at];
            if (claim->offset < paragraph->offset
                || claim->offset >= paragraph->offset + paragraph->len)
                continue;
            claims[(*ret)++] = (struct store_claim_new){
                .fragment = at, .text = claim->text,
                .type = extract_claim_type_name(claim->type),
                .confidence = claim->confidence / 1000.0 };
            break;
        }
    }
    return claims;
}

/* The address that the page behind a link will have, or has; NULL: none that is fetched. */
static const char *cited_as(struct leaf *leaf, const struct extract_link *link)
{
    char url[ADDRESS_MAX + 1], doi[DOI_MAX + 1];
    const char *clause;
    wr_err err = address_read(url, link->url, &clause);
    if (!err && doi_of_resolver(url, doi))
        err = doi_address(url, doi);
    return err ? NULL : wr_arena_str(&leaf->arena, url);
}

/* Links of the text to other sites: what it may rest on. */
struct cites {
    struct store_cited at[HARVEST_CITED_MAX];
    char domains[HARVEST_CITED_MAX][PAGE_DOMAIN_MAX];
    size_t count;
};

static void find_cites(struct leaf *leaf, const char *domain, struct cites *ret)
{
    ret->count = 0;
    if (leaf->ask->depth >= HARVEST_DEPTH_MAX)
        return;
    for (size_t i = 0; i < leaf->page.link_count && ret->count < HARVEST_CITED_MAX; i++) {
        const struct extract_link *link = &leaf->page.links[i];
        char *other = ret->domains[ret->count];
        page_domain(link->url, other);              /* most are of the page's own site */
        const char *url = strcmp(other, domain) == 0 ? NULL : cited_as(leaf, link);
        if (!url)
            continue;
        page_domain(url, other);
        if (strcmp(other, domain) == 0)
            continue;
        ret->at[ret->count++] = (struct store_cited){
            .url = url, .domain = other, .context = link->context,
            .title = fit(leaf, link->text, CITED_TITLE_MAX) };
    }
}

static wr_err keep_page(struct leaf *leaf, struct harvest *ret, wr_time deadline)
{
    const struct harvest_ask *ask = leaf->ask;
    struct store_page_put put;
    struct page_bytes bytes;
    struct cites cites;
    size_t count = leaf->page.paragraph_count, claim_count = 0;
    count = count < STORE_PAGE_FRAGMENTS_MAX ? count : STORE_PAGE_FRAGMENTS_MAX;
    struct store_fragment_new *fragments = make_fragments(leaf, count);
    struct store_claim_new *claims = make_claims(leaf, count, &claim_count);
    if (!fragments || !claims)
        return WR_NOMEM;
    find_cites(leaf, ret->domain, &cites);
    struct store_page page = {
        .url = ask->url, .domain = ret->domain, .page_type = "page", .cause = ask->task,
        .title = fit(leaf, leaf->page.title, STORE_PAGE_TITLE_MAX),
        .language = fit(leaf, leaf->page.language, STORE_PAGE_WORD_MAX) };
    if (leaf->from->unkept && page_bytes_keep(ask->store, leaf->from, &bytes, &page, deadline))
        crawl_forgot(ask->crawl);
    wr_err err = store_page_put(ask->store, &(struct store_page_new){ .page = page,
        .task = ask->task, .reason = ask->reason, .depth = ask->depth,
        .source_page = ask->source_page, .fragments = fragments, .fragment_count = count,
        .claims = claims, .claim_count = claim_count, .cited = cites.at,
        .cited_count = cites.count }, &put, deadline);
    if (err)
        return err;
    memcpy(ret->page, put.id, sizeof(ret->page));
    ret->fragments = put.fragments_new;
    ret->claims = claim_count;
    ret->cited = put.cited_new;
    return WR_OK;
}

/* ---- the whole ---- */

static const char *const codes[CRAWL_OUTCOMES] = {
    [CRAWL_STATUS] = "HTTP_STATUS", [CRAWL_INVALID] = "INVALID_PARAMS",
    [CRAWL_LISTED] = "DOMAIN_BLOCKED", [CRAWL_ROBOTS] = "ROBOTS_DENIED",
    [CRAWL_ROBOTS_UNREACHABLE] = "ROBOTS_UNREACHABLE",
    [CRAWL_COOLING] = "DOMAIN_COOLING", [CRAWL_SPENT] = "DOMAIN_BUDGET",
    [CRAWL_REFUSED] = "REFUSED", [CRAWL_LATE] = "TIMEOUT", [CRAWL_CANCELED] = "CANCELLED",
    [CRAWL_FAILED] = "FETCH_FAILED",
};

/* Whether the task has claims from it already. */
static wr_err is_known(const struct harvest_ask *ask, struct harvest *ret, wr_time deadline)
{
    struct store_page_known known;
    wr_err err = store_page_get(ask->store, ask->url, ask->task, &known, deadline);
    if (err)
        return err == WR_NOTFOUND ? WR_OK : err;
    if (known.claimed) {
        ret->state = HARVEST_KNOWN;
        snprintf(ret->page, sizeof(ret->page), "%s", known.id);
    }
    store_page_free(&known);
    return WR_OK;
}

/* Let its scripts run, beside nobody who needs the graphics card. */
static wr_err run_scripts(const struct harvest_ask *ask, struct crawl_page *page,
                          wr_time deadline)
{
    bool borrows = ask->work && crawl_has_browser(ask->crawl);
    wr_time until = wr_after(RENDER_WITHIN);
    until = until < deadline - KEEP_WITHIN ? until : deadline - KEEP_WITHIN;
    wr_err err = borrows ? queue_work_take(ask->work, QUEUE_BROWSER, until) : WR_OK;
    if (err) {
        snprintf(page->why, sizeof(page->why), "its scripts could not run: others had the "
                 "browser, or the graphics card: %s", wr_err_text(err));
        return err;
    }
    err = crawl_render(ask->crawl, &(struct crawl_ask){ .url = ask->url, .keeps = true }, page,
                       until);
    if (borrows)
        queue_work_give(ask->work);
    return err;
}

/* Read it; if that shows that scripts write it, once more when they have.  That they cannot is
 * no error: then it says what it says. */
static wr_err read_through(struct leaf *leaf, struct crawl_page *page, struct harvest *ret,
                           wr_time deadline)
{
    wr_err err = read_page(leaf, ret, deadline);
    if (err || !leaf->page.needs_scripts || page->rendered)
        return err;
    err = run_scripts(leaf->ask, page, deadline);
    if (err) {
        snprintf(ret->why, sizeof(ret->why), "%s", page->why);
        return err == WR_CANCELED ? err : WR_OK;
    }
    wr_arena_free(&leaf->arena);
    *leaf = (struct leaf){ .ask = leaf->ask, .from = page,
                           .arena = WR_ARENA(EXTRACT_HTML_ARENA) };
    return read_page(leaf, ret, deadline);
}

static wr_err read_and_keep(const struct harvest_ask *ask, struct crawl_page *page,
                            struct harvest *ret, wr_time deadline)
{
    struct leaf leaf = { .ask = ask, .from = page, .arena = WR_ARENA(EXTRACT_HTML_ARENA) };
    wr_err err = read_through(&leaf, page, ret, deadline);
    ret->rendered = page->rendered;
    ret->needs_scripts = !err && leaf.page.needs_scripts && !page->rendered;
    if (!err && leaf.page.paragraph_count == 0)
        ret->state = HARVEST_EMPTY;
    if (!err && ask->novelty)
        ret->novelty = novelty_add(ask->novelty, leaf.page.main, leaf.page.main_len);
    if (!err)
        err = keep_page(&leaf, ret, deadline);
    else if (page->unkept && page_keep(ask->store, ask->url, page, deadline))
        crawl_forgot(ask->crawl);       /* who reads it later need not fetch it */
    wr_arena_free(&leaf.arena);
    return err;
}

/* A page is counted when somebody is asked for it. */
static wr_err spend(void *work, wr_time deadline)
{
    return queue_work_spend(work, deadline);
}

static void tell(const struct crawl_page *page, wr_err err, struct harvest *ret)
{
    ret->fetched = page->outcome != CRAWL_REMEMBERED;
    ret->unpaid = page->outcome == CRAWL_HELD && err == WR_BUSY;
    ret->code = codes[page->outcome];
    ret->challenge = page->challenge;
    ret->challenged = page->challenged;
    snprintf(ret->why, sizeof(ret->why), "%s", page->why);
    if (page->outcome == CRAWL_LATER && page->url)
        snprintf(ret->leads_to, sizeof(ret->leads_to), "%s", page->url);
    if (page->challenge && page->url)   /* it may be another's, to whom we were sent */
        page_domain(page->url, ret->domain);
}

/* Of a page whose address is in the form that it is kept by. */
static wr_err harvest(const struct harvest_ask *ask, struct harvest *ret, wr_time deadline)
{
    struct crawl_page page;
    page_domain(ask->url, ret->domain);
    wr_err err = is_known(ask, ret, deadline);
    if (err || ret->state == HARVEST_KNOWN)
        return err;
    err = crawl_get(ask->crawl, &(struct crawl_ask){
        .url = ask->url, .accept_pdf = true, .keeps = true, .patience = ask->patience,
        .go = ask->work ? spend : NULL, .go_arg = ask->work }, &page, deadline);
    tell(&page, err, ret);
    if (page.outcome == CRAWL_LATER) {
        ret->state = HARVEST_LATER;
        err = WR_OK;
    } else if (!err && page.challenge) {
        ret->state = HARVEST_AWAITS;
    } else if (!err && !page.bytes) {
        ret->state = HARVEST_EMPTY;
        snprintf(ret->why, sizeof(ret->why), "it was answered with %u", page.status);
    } else if (!err) {
        err = read_and_keep(ask, &page, ret, deadline);
    }
    crawl_page_free(&page);
    return err;
}

wr_err harvest_page(const struct harvest_ask *ask, struct harvest *ret, wr_time deadline)
{
    char url[ADDRESS_MAX + 1];
    const char *clause;
    struct harvest_ask own = *ask;
    *ret = (struct harvest){ .novelty = -1 };
    wr_err err = address_read(url, ask->url, &clause);
    own.url = url;
    if (err) {
        ret->code = "INVALID_PARAMS";
        snprintf(ret->why, sizeof(ret->why), "%.120s%s: %s", ask->url,
                 strlen(ask->url) > 120 ? "..." : "", clause);
    }
    return err ? err : harvest(&own, ret, deadline);
}
