/* csl.c - see csl.h. */
#include "source/csl.h"

#include <string.h>

static const struct reading_kind kinds[] = {
    { "journal-article", BIB_ARTICLE },
    { "proceedings-article", BIB_PAPER },
    { "book-chapter", BIB_PAPER },
    { "book-section", BIB_PAPER },
    { "book", BIB_BOOK },
    { "monograph", BIB_BOOK },
    { "edited-book", BIB_BOOK },
    { "reference-book", BIB_BOOK },
    { "dissertation", BIB_THESIS },
    { "report", BIB_REPORT },
    { "standard", BIB_REPORT },
    { "posted-content", BIB_PREPRINT },
    { "dataset", BIB_WEB },
    { "article-journal", BIB_ARTICLE },
    { "paper-conference", BIB_PAPER },
    { "chapter", BIB_PAPER },
    { "thesis", BIB_THESIS },
    { "article", BIB_PREPRINT },
    { NULL, BIB_UNKNOWN },
};

/* A subtitle is a part of the title, wherever it is kept. */
static const char *whole_title(struct source_reading *reading, const json_t *item)
{
    const char *title = reading_str(reading, item, "title");
    const char *subtitle = reading_str(reading, item, "subtitle");
    if (!title || !subtitle || strcasestr(title, subtitle))
        return title;
    bool ended = strchr("?!:", title[strlen(title) - 1]);
    return reading_join(reading, title, ended ? " " : ": ", subtitle);
}

static bool takes_back(const char *type)
{
    return type && (strcasestr(type, "retract") || strcasestr(type, "removal")
                    || strcasestr(type, "withdraw") || strcasestr(type, "concern"));
}

/* The article carries `updated-by`; `update-to` is on the notice and speaks of another work,
 * which says nothing of the notice itself. */
static const char *retraction(struct source_reading *reading, const json_t *item)
{
    static const char *const relations[] = { "relation.is-retracted-by",
                                             "relation.has-expression-of-concern" };
    size_t i;
    const json_t *update;
    json_array_foreach((json_t *)reading_at(item, "updated-by"), i,
                       update) if (takes_back(reading_str(reading, update, "type")))
    {
        const char *doi = reading_doi(reading, reading_str(reading, update, "DOI"));
        return doi ? doi : "retracted";
    }
    for (i = 0; i < sizeof(relations) / sizeof(relations[0]); i++) {
        const json_t *notice = reading_at(item, relations[i]);
        if (json_array_size(notice) > 0) {
            const char *id = reading_str(reading, notice, "id");
            return id ? id : "retracted";
        }
    }
    return NULL;
}

/* The publisher of an article is not what it appeared in. */
static const char *venue(struct source_reading *reading, const json_t *item, enum bib_kind kind)
{
    const char *name = reading_str(reading, item, "container-title");
    if (!name && kind == BIB_PREPRINT)
        name = reading_str(reading, item, "group-title");
    if (!name && kind != BIB_ARTICLE && kind != BIB_PAPER)
        name = reading_str(reading, item, "publisher");
    return name;
}

static void authors(struct source_reading *reading, const json_t *item,
                    struct bib_record *record, const char *role)
{
    size_t i;
    const json_t *author;
    json_array_foreach((json_t *)reading_at(item, role), i, author)
    {
        const char *family = reading_str(reading, author, "family");
        if (!family)
            family = reading_str(reading, author, "name");
        if (!family)
            family = reading_str(reading, author, "literal");
        reading_author(reading, record, family, reading_str(reading, author, "given"));
    }
}

bool csl_item(struct source_reading *reading, const json_t *item, struct bib_record *ret)
{
    static const char *const dates[] = { "published-print.date-parts", "published.date-parts",
                                         "issued.date-parts", "published-online.date-parts",
                                         "issued.raw" };
    struct bib_work *work = &ret->work;
    const char *type = reading_str(reading, item, "type");
    if ((type && strcmp(type, "peer-review") == 0)
        || json_array_size(reading_at(item, "relation.is-review-of")) > 0)
        return false;                   /* a review has the title of what it reviews */
    work->title = whole_title(reading, item);
    work->kind = reading_kind(kinds, type);
    for (size_t i = 0; i < sizeof(dates) / sizeof(dates[0]) && !work->year; i++)
        work->year = reading_year(item, dates[i]);
    work->venue = venue(reading, item, work->kind);
    authors(reading, item, ret, "author");
    if (work->author_count == 0)
        authors(reading, item, ret, "editor");
    work->volume = reading_str(reading, item, "volume");
    work->pages = reading_str(reading, item, "page");
    work->doi = reading_doi(reading, reading_str(reading, item, "DOI"));
    if (work->doi && strncmp(work->doi, "10.48550/arxiv.", 15) == 0)
        work->arxiv_id = reading_arxiv_id(reading, work->doi + 15);
    ret->id = work->doi;
    ret->retraction = retraction(reading, item);
    return work->title;
}
