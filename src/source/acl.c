/* acl.c - the ACL Anthology: a paper by its id, as MODS in XML.
 *
 * Its search is a script in a browser and no interface.  Titles are looked up in a library made
 * of its data (`weir library build acl`).
 */
#include <ctype.h>
#include <string.h>

#include "source/reading.h"
#include "source/xml_in.h"

static void request(const struct source_reading *reading, struct source_request *ret)
{
    /* The letter that begins an old id stands for a venue and is upper case. */
    const char *id = reading->question->text;
    wr_text_format(&ret->url, "/%c", toupper((unsigned char)id[0]));
    request_escape(&ret->url, id[0] ? id + 1 : id, "");
    wr_text_str(&ret->url, ".xml");
}

enum part { PART_NONE, PART_GIVEN, PART_FAMILY };

struct paper {
    struct source_reading *reading;
    struct bib_record *record;
    unsigned in_host;                   /* elements deep in the volume it appeared in */
    enum part part;
    const char *given, *family;
    const char *identifier;             /* the type of the one that is open */
    bool is_author;
};

static void on_begin(void *self, const char *name, const char *const *attributes)
{
    struct paper *paper = self;
    const char *type = xml_in_attribute(attributes, "type");
    if (strcmp(name, "mods") == 0 && !paper->record)
        paper->record = reading_record(paper->reading);
    if (strcmp(name, "relatedItem") == 0 || paper->in_host)
        paper->in_host++;
    if (strcmp(name, "name") == 0) {
        paper->given = paper->family = NULL;
        paper->is_author = false;
    }
    if (strcmp(name, "namePart") == 0)
        paper->part = type && strcmp(type, "given") == 0 ? PART_GIVEN : PART_FAMILY;
    if (strcmp(name, "identifier") == 0)
        paper->identifier = type && strcmp(type, "doi") == 0 ? "doi" : NULL;
}

static void in_volume(struct paper *paper, const char *name, const char *value)
{
    paper->in_host--;
    if (strcmp(name, "title") == 0)
        paper->record->work.venue = value;
}

static void on_end(void *self, const char *name, const char *text, size_t len)
{
    struct paper *paper = self;
    struct source_reading *reading = paper->reading;
    if (!paper->record)
        return;
    struct bib_work *work = &paper->record->work;
    const char *value = reading_text(reading, text, len);
    if (paper->in_host)
        in_volume(paper, name, value);
    else if (strcmp(name, "title") == 0)
        work->title = value;
    else if (strcmp(name, "dateIssued") == 0)
        work->year = reading_year_of(value);
    else if (strcmp(name, "identifier") == 0 && paper->identifier)
        work->doi = reading_doi(reading, value);
    else if (strcmp(name, "roleTerm") == 0)
        paper->is_author = value && strcmp(value, "author") == 0;
    else if (strcmp(name, "namePart") == 0 && paper->part == PART_GIVEN)
        paper->given = value;
    else if (strcmp(name, "namePart") == 0)
        paper->family = value;
    else if (strcmp(name, "name") == 0 && paper->is_author)
        reading_author(reading, paper->record, paper->family, paper->given);
}

static wr_err read_paper(struct source_reading *reading, const struct source_reply *reply)
{
    struct paper paper = { .reading = reading };
    wr_err err = xml_in_read(reply->bytes, reply->len, &(struct xml_in){
        .begin = on_begin, .end = on_end, .self = &paper });
    if (err || !paper.record || !paper.record->work.title)
        return reading_fail(reading, err == WR_NOMEM ? err : WR_IO,
                            "sent no record of a paper");
    paper.record->work.kind = BIB_PAPER;
    paper.record->id = reading->question->text;
    return WR_OK;
}

const struct source_driver source_acl = {
    .name = "ACL Anthology",
    SOURCE_SLUG("acl"),
    .base = "https://aclanthology.org",
    .asks = SOURCE_ACL,
    .keyless = SOURCE_ACL,
    .interval = WR_S(1) / 2,
    .timeout = WR_S(10),
    .complete = true,
    .request = request,
    .read = read_paper,
};
