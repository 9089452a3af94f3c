/* eprint.c - the Cryptology ePrint Archive: a paper by its number, as OAI-PMH in XML. */
#include <string.h>

#include "source/reading.h"
#include "source/xml_in.h"

static void request(const struct source_reading *reading, struct source_request *ret)
{
    wr_text_str(&ret->url, "/oai?verb=GetRecord&metadataPrefix=oai_dc"
                           "&identifier=oai:eprint.iacr.org:");
    request_escape(&ret->url, reading->question->text, "/");
}

struct paper {
    struct source_reading *reading;
    struct bib_record *record;
    bool is_answer, is_unknown, is_error;
};

static void on_begin(void *self, const char *name, const char *const *attributes)
{
    struct paper *paper = self;
    paper->is_answer |= strcmp(name, "OAI-PMH") == 0;
    if (strcmp(name, "error") == 0) {
        const char *code = xml_in_attribute(attributes, "code");
        paper->is_unknown |= code && strcmp(code, "idDoesNotExist") == 0;
        paper->is_error = true;
    } else if (strcmp(name, "dc") == 0 && !paper->record) {
        paper->record = reading_record(paper->reading);
    }
}

static void on_end(void *self, const char *name, const char *text, size_t len)
{
    struct paper *paper = self;
    struct source_reading *reading = paper->reading;
    if (!paper->record)
        return;
    struct bib_work *work = &paper->record->work;
    const char *value = reading_text(reading, text, len);
    if (strcmp(name, "title") == 0)
        work->title = value;
    else if (strcmp(name, "creator") == 0)
        reading_author_name(reading, paper->record, value);
    else if (strcmp(name, "date") == 0 && !work->year)
        work->year = reading_year_of(value);
    else if (strcmp(name, "identifier") == 0 && value && strncmp(value, "http", 4) == 0)
        reading_url(reading, paper->record, value);
}

static wr_err read_paper(struct source_reading *reading, const struct source_reply *reply)
{
    struct paper paper = { .reading = reading };
    wr_err err = xml_in_read(reply->bytes, reply->len, &(struct xml_in){
        .begin = on_begin, .end = on_end, .self = &paper });
    if (!err && paper.is_answer && paper.is_unknown)
        return WR_NOTFOUND;
    if (err || !paper.is_answer || paper.is_error || !paper.record || !paper.record->work.title)
        return reading_fail(reading, err == WR_NOMEM ? err : WR_IO,
                            "sent no record of a paper");
    paper.record->work.kind = BIB_PREPRINT;
    paper.record->work.venue = "Cryptology ePrint Archive";
    paper.record->id = reading->question->text;
    return WR_OK;
}

const struct source_driver source_eprint = {
    .name = "IACR ePrint",
    SOURCE_SLUG("eprint"),
    .base = "https://eprint.iacr.org",
    .asks = SOURCE_EPRINT,
    .keyless = SOURCE_EPRINT,
    .always = SOURCE_EPRINT,
    .interval = WR_S(1),
    .at_once = 1,
    .timeout = WR_S(10),
    .refuses_503 = true,
    .complete = true,
    .request = request,
    .read = read_paper,
};
