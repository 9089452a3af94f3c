/* html_meta.c - title, language, addresses, dates and citation of a page. */
#include "extract/html_meta.h"

#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "extract/clean.h"

#define VALUE_MAX 4096              /* bytes of a title, as of any value */

enum field { TITLE, DESCRIPTION, PUBLISHED, LANGUAGE, ROBOTS, URL, DOI, CITED, PDF, AUTHOR };

/* Names in <meta>, the better source of a field first. */
static const struct {
    const char *name;
    enum field field;
} names[] = {
    { "og:title", TITLE },
    { "twitter:title", TITLE },
    { "description", DESCRIPTION },
    { "og:description", DESCRIPTION },
    { "dc.description", DESCRIPTION },
    { "article:published_time", PUBLISHED },
    { "datepublished", PUBLISHED },
    { "citation_publication_date", PUBLISHED },
    { "citation_online_date", PUBLISHED },
    { "citation_date", PUBLISHED },
    { "dc.date.issued", PUBLISHED },
    { "dc.date", PUBLISHED },
    { "dcterms.date", PUBLISHED },
    { "date", PUBLISHED },
    { "pubdate", PUBLISHED },
    { "publish-date", PUBLISHED },
    { "citation_language", LANGUAGE },
    { "dc.language", LANGUAGE },
    { "content-language", LANGUAGE },
    { "robots", ROBOTS },
    { "og:url", URL },
    { "citation_doi", DOI },
    { "prism.doi", DOI },
    { "dc.identifier", DOI },
    { "citation_title", CITED },
    { "citation_pdf_url", PDF },
    { "citation_author", AUTHOR },
};
#define NAMES (sizeof(names) / sizeof(names[0]))

struct states {
    const char *value[NAMES];       /* the first of each */
    const struct html_node *title;
    const char *canonical, *time;
    struct extract_page *ret;
    struct wr_arena *arena;
};

static const char *copy_bytes(struct wr_arena *arena, const char *text, size_t size)
{
    char buf[VALUE_MAX];
    struct wr_text clean = WR_TEXT(buf);
    extract_collapse(&clean, text, size < VALUE_MAX ? size : VALUE_MAX - 1);
    size_t from = clean.len > 0 && buf[0] == ' ', len = clean.len - from;
    len -= len > 0 && buf[from + len - 1] == ' ';
    return len > 0 ? wr_arena_copy(arena, buf + from, len) : NULL;
}

static const char *copy(struct wr_arena *arena, const char *text)
{
    return copy_bytes(arena, text, strlen(text));
}

static const char *first(const struct states *states, enum field field)
{
    for (size_t i = 0; i < NAMES; i++)
        if (names[i].field == field && states->value[i] && states->value[i][0])
            return states->value[i];
    return NULL;
}

static const char *copy_first(const struct states *states, enum field field)
{
    const char *value = first(states, field);
    return value ? copy(states->arena, value) : NULL;
}

/* ---- elements ---- */

static void add_author(struct states *states, const char *value)
{
    struct extract_citation *citation = &states->ret->citation;
    if (citation->author_count == EXTRACT_HTML_AUTHORS) {
        states->ret->cut = true;
        return;
    }
    const char *author = copy(states->arena, value);
    if (author)
        citation->authors[citation->author_count++] = author;
}

static void on_meta(struct states *states, const struct html_node *node)
{
    static const char *const keys[] = { "name", "property", "itemprop", "http-equiv" };
    const char *content = html_attribute(node, "content");
    for (size_t k = 0; content && k < sizeof(keys) / sizeof(keys[0]); k++) {
        const char *name = html_attribute(node, keys[k]);
        for (size_t i = 0; name && i < NAMES; i++) {
            if (strcasecmp(name, names[i].name) != 0)
                continue;
            if (names[i].field == AUTHOR)
                add_author(states, content);
            else if (!states->value[i])
                states->value[i] = content;
        }
    }
}

static void on_link(struct states *states, const struct html_node *node)
{
    if (!states->canonical && html_has_word(html_attribute(node, "rel"), "canonical"))
        states->canonical = html_attribute(node, "href");
}

static void on_time(struct states *states, const struct html_node *node)
{
    const char *when = html_attribute(node, "datetime");
    if (when && (html_has_word(html_attribute(node, "itemprop"), "datePublished")
                 || html_has_word(html_attribute(node, "class"), "published")
                 || html_has_word(html_attribute(node, "class"), "entry-date")))
        states->time = states->time ? states->time : when;
}

static void on_base(const struct html_node *node, const char *url, char base[EXTRACT_HREF_MAX])
{
    const char *href = html_attribute(node, "href");
    if (!href || !extract_href(base, url, href))
        base[0] = '\0';
}

/* ---- fields ---- */

static void put_published(struct states *states, const char *in_script)
{
    char date[sizeof("2001-02-03")];
    for (size_t i = 0; i < NAMES; i++)
        if (names[i].field == PUBLISHED && states->value[i]
            && html_date(date, states->value[i])) {
            states->ret->published = wr_arena_str(states->arena, date);
            return;
        }
    const char *other = in_script && html_date(date, in_script) ? in_script : states->time;
    if (other && html_date(date, other))
        states->ret->published = wr_arena_str(states->arena, date);
}

static void put_robots(struct states *states)
{
    const char *robots = first(states, ROBOTS);
    bool none = robots && html_has_word(robots, "none");
    states->ret->noindex = none || (robots && html_has_word(robots, "noindex"));
    states->ret->nofollow = none || (robots && html_has_word(robots, "nofollow"));
}

/* dc.identifier may be anything; a DOI begins with 10. and has a slash. */
static void put_doi(struct states *states)
{
    for (size_t i = 0; i < NAMES; i++) {
        const char *value = names[i].field == DOI ? states->value[i] : NULL;
        const char *doi = value ? strstr(value, "10.") : NULL;
        if (doi && strchr(doi, '/')) {
            states->ret->citation.doi = copy(states->arena, doi);
            return;
        }
    }
}

static const char *put_url(struct states *states, const char *base, const char *href)
{
    char url[EXTRACT_HREF_MAX];
    return href && extract_href(url, base, href) ? wr_arena_str(states->arena, url) : NULL;
}

static void put_all(struct states *states, const char *base)
{
    struct extract_page *ret = states->ret;
    const char *in_script = ret->published;
    ret->published = NULL;
    ret->title = states->title ? copy_bytes(states->arena, states->title->text,
                                            states->title->len) : NULL;
    if (!ret->title)
        ret->title = copy_first(states, TITLE);
    ret->description = copy_first(states, DESCRIPTION);
    if (!ret->language)
        ret->language = copy_first(states, LANGUAGE);
    ret->canonical = put_url(states, base, states->canonical);
    if (!ret->canonical)
        ret->canonical = put_url(states, base, first(states, URL));
    ret->citation.title = copy_first(states, CITED);
    ret->citation.pdf_url = put_url(states, base, first(states, PDF));
    put_doi(states);
    put_robots(states);
    put_published(states, in_script);
}

void html_meta_read(struct extract_page *ret, const struct html_tree *tree, const char *url,
                    char base[EXTRACT_HREF_MAX], struct wr_arena *arena)
{
    struct states states = { .ret = ret, .arena = arena };
    bool based = false;
    if (!url || !extract_href(base, NULL, url))
        base[0] = '\0';
    for (uint32_t i = 0; i < tree->count; i++) {
        const struct html_node *node = &tree->at[i];
        switch (node->tag) {
        case GUMBO_TAG_HTML:
            if (html_attribute(node, "lang") && !ret->language)
                ret->language = copy(arena, html_attribute(node, "lang"));
            break;
        case GUMBO_TAG_TITLE:
            if (!states.title && i + 1 < node->end && tree->at[i + 1].tag == HTML_TEXT)
                states.title = &tree->at[i + 1];
            break;
        case GUMBO_TAG_BASE:
            if (!based && html_attribute(node, "href")) {
                char page[EXTRACT_HREF_MAX];
                memcpy(page, base, sizeof(page));
                on_base(node, page[0] ? page : NULL, base);
                if (!base[0])
                    memcpy(base, page, sizeof(page));
                based = true;
            }
            break;
        case GUMBO_TAG_META: on_meta(&states, node); break;
        case GUMBO_TAG_LINK: on_link(&states, node); break;
        case GUMBO_TAG_TIME: on_time(&states, node); break;
        default: break;
        }
    }
    put_all(&states, base[0] ? base : NULL);
}
