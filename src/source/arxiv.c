/* arxiv.c - arXiv: preprints, in an Atom feed.
 *
 * A paper may be renamed from one version to the next, and is cited by the name it had.  So
 * when an id leads to another title than the one that is cited, the older versions are asked
 * for too, all in one request.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "biblio/fold.h"
#include "biblio/latex.h"
#include "source/reading.h"
#include "source/xml_in.h"

#define VERSIONS_MAX 20

static void request(const struct source_reading *reading, struct source_request *ret)
{
    const struct source_question *question = reading->question;
    if (reading->step > 0) {
        wr_text_format(&ret->url, "/api/query?id_list=%s&max_results=%d", reading->next,
                       VERSIONS_MAX);
    } else if (question->by == SOURCE_BY_ARXIV) {
        wr_text_str(&ret->url, "/api/query?id_list=");
        request_escape(&ret->url, question->text, "/");
        wr_text_str(&ret->url, "&max_results=10");
    } else {
        wr_text_str(&ret->url, "/api/query?search_query=all:");
        request_words(&ret->url, question->text, 6, "+");
        wr_text_str(&ret->url, "&start=0&max_results=5");
    }
}

struct feed {
    struct source_reading *reading;
    struct bib_record *record;          /* of the entry that is open */
    bool is_feed, is_error;
    unsigned version;                   /* the highest seen */
};

static void on_begin(void *self, const char *name, const char *const *attributes)
{
    struct feed *feed = self;
    (void)attributes;
    feed->is_feed |= strcmp(name, "feed") == 0;
    if (strcmp(name, "entry") == 0)
        feed->record = reading_record(feed->reading);
}

static void read_id(struct feed *feed, const char *id)
{
    struct bib_record *record = feed->record;
    const char *abs = id ? strstr(id, "/abs/") : NULL;
    if (!abs) {
        feed->is_error |= id && strstr(id, "/api/errors");
        return;
    }
    const char *version = strrchr(abs, 'v');
    long number = version ? strtol(version + 1, NULL, 10) : 0;
    if (number > 0 && number < 1000 && (unsigned)number > feed->version)
        feed->version = (unsigned)number;
    record->id = abs + strlen("/abs/");
    record->work.arxiv_id = reading_arxiv_id(feed->reading, id);
    reading_url(feed->reading, record, id);
}

static void close_entry(struct feed *feed)
{
    struct bib_work *work = &feed->record->work;
    work->kind = BIB_PREPRINT;
    if (!work->venue)
        work->venue = "arXiv";
    /* An id that is not there comes back as an entry without anything in it. */
    if (!work->title || !work->arxiv_id)
        feed->reading->count--;
    feed->record = NULL;
}

/* Authors write titles and names in TeX, some of them. */
static const char *plain(struct source_reading *reading, const char *text)
{
    return text && strpbrk(text, "\\$") ? bib_latex(reading->arena, text, strlen(text)) : text;
}

static void on_end(void *self, const char *name, const char *text, size_t len)
{
    struct feed *feed = self;
    struct source_reading *reading = feed->reading;
    if (!feed->record)
        return;
    struct bib_work *work = &feed->record->work;
    const char *value = reading_text(reading, text, len);
    if (strcmp(name, "entry") == 0)
        close_entry(feed);
    else if (strcmp(name, "id") == 0)
        read_id(feed, value);
    else if (strcmp(name, "title") == 0)
        work->title = plain(reading, value);
    else if (strcmp(name, "published") == 0)
        work->year = reading_year_of(value);
    else if (strcmp(name, "name") == 0)
        reading_author_name(reading, feed->record, plain(reading, value));
    else if (strcmp(name, "doi") == 0)
        work->doi = reading_doi(reading, value);
    else if (strcmp(name, "journal_ref") == 0)
        work->venue = value;
}

static bool same_title(const char *a, const char *b)
{
    char forms[2][BIB_FOLD_MAX];
    struct wr_text one = WR_TEXT(forms[0]), other = WR_TEXT(forms[1]);
    bib_fold(&one, a, strlen(a));
    bib_fold(&other, b, strlen(b));
    return strcmp(forms[0], forms[1]) == 0;
}

/* The versions before this one, for the next request. */
static void ask_for_older(struct source_reading *reading, const char *id, unsigned version)
{
    char *list = wr_arena_alloc(reading->arena, SOURCE_URL_MAX / 2);
    if (!list)
        return;
    struct wr_text text = wr_text_over(list, SOURCE_URL_MAX / 2);
    unsigned first = version > VERSIONS_MAX ? version - VERSIONS_MAX : 1;
    for (unsigned i = first; i < version; i++)
        wr_text_format(&text, "%s%sv%u", i > first ? "," : "", id, i);
    reading->next = list;
}

static wr_err read_feed(struct source_reading *reading, const struct source_reply *reply)
{
    const struct source_question *question = reading->question;
    struct feed feed = { .reading = reading };
    wr_err err = xml_in_read(reply->bytes, reply->len, &(struct xml_in){
        .begin = on_begin, .end = on_end, .self = &feed });
    if (err || !feed.is_feed || feed.is_error)
        return reading_fail(reading, err == WR_NOMEM ? err : WR_IO, "sent no feed of papers");
    if (reading->step == 0 && question->by == SOURCE_BY_ARXIV && question->title
        && reading->count == 1 && feed.version > 1
        && !same_title(question->title, reading->records[0].work.title))
        ask_for_older(reading, reading->records[0].work.arxiv_id, feed.version);
    return reading->count ? WR_OK : WR_NOTFOUND;
}

const struct source_driver source_arxiv = {
    .name = "arXiv",
    SOURCE_SLUG("arxiv"),
    .base = "https://export.arxiv.org",
    .asks = SOURCE_TITLE | SOURCE_ARXIV,
    .keyless = SOURCE_TITLE | SOURCE_ARXIV,
    .always = SOURCE_ARXIV,
    .interval = WR_S(3),
    .interval_keyed = WR_S(3),
    .at_once = 1,
    .timeout = WR_S(15),
    .pause = WR_S(3),
    .refuses_503 = true,
    .complete = true,
    .request = request,
    .read = read_feed,
};
