/* build.c - files through a reader into a writer. */
#include "library/build.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/world.h"
#include "library/input.h"
#include "library/library_int.h"
#include "library/reader.h"
#include "library/writer.h"

struct work {
    const struct library_build *build;
    const struct reader_kind *kind;
    struct library_report *report;
    struct library_why *why;
    struct reader_sink sink;
    void *reader;
    struct input *input;
    struct library_writer *writer;
    const char *member;
    uint64_t read;                  /* records of this run */
    wr_time since, saved;
};

/* ---- what the reader says ---- */

static wr_err on_record(void *to, const struct bib_record *record)
{
    struct work *work = to;
    work->read++;
    return library_writer_add(work->writer, record);
}

static void on_fault(void *to, uint64_t line, const char *what)
{
    struct work *work = to;
    struct library_report *report = work->report;
    if (report->faults < LIBRARY_FAULTS_SHOWN) {
        struct library_fault *fault = &report->shown[report->faults];
        struct wr_text member = WR_TEXT(fault->member), text = WR_TEXT(fault->what);
        fault->line = line;
        wr_text_str(&member, work->member ? work->member : "");
        wr_text_str(&text, what);
    }
    report->faults++;
}

/* ---- members ---- */

static bool counts(const struct work *work)
{
    const char *suffix = work->kind->suffix;
    size_t len = strlen(work->member), end = suffix ? strlen(suffix) : 0;
    return !suffix || !input_in_archive(work->input)
        || (len > end && strcmp(work->member + len - end, suffix) == 0);
}

/* Where we are: the member, how much of it is done, and the faults so far. */
static wr_err save(struct work *work)
{
    char position[LIBRARY_POSITION_MAX];
    struct wr_text text = WR_TEXT(position);
    wr_text_format(&text, "%" PRIu64 " %" PRIu64 " %" PRIu64,
                   input_member_number(work->input), work->kind->safe(work->reader),
                   work->report->faults);
    work->saved = wr_world->mono();
    wr_err err = library_writer_save(work->writer, position);
    return err ? library_fail(work->why, err, "%s.part: %s", work->build->out,
                              wr_err_text(err))
               : WR_OK;
}

/* A reader that goes on only at beginnings is saved there. */
static wr_err save_if_due(struct work *work, bool at_begin)
{
    wr_time every = work->build->save_every ? work->build->save_every : WR_S(10);
    if ((!at_begin && work->kind->safe(work->reader) == 0)
        || library_writer_count(work->writer) == 0 || wr_world->mono() - work->saved < every)
        return WR_OK;
    return save(work);
}

static wr_err tell(struct work *work, bool indexing)
{
    const struct library_build *build = work->build;
    struct library_progress progress = {
        .records = library_writer_count(work->writer), .faults = work->report->faults,
        .done = input_done(work->input), .size = input_size(work->input),
        .since = work->since, .indexing = indexing };
    if (!build->tell || build->tell(build->to, &progress))
        return WR_OK;
    if (!library_writer_position(work->writer))
        return library_fail(work->why, WR_CANCELED, "stopped; nothing was saved yet");
    return library_fail(work->why, WR_CANCELED, "stopped; what was read up to the last saved "
                        "place is kept in %s.part, and the same command goes on there",
                        build->out);
}

/* ---- errors ---- */

/* What the reader found instead is the last thing it said. */
static wr_err refused(struct work *work, wr_err err)
{
    const struct library_report *report = work->report;
    const struct library_fault *last = report->faults > 0
        && report->faults <= LIBRARY_FAULTS_SHOWN ? &report->shown[report->faults - 1] : NULL;
    if (err == WR_INVALID)
        return library_fail(work->why, err, "%s, line %" PRIu64 ": %s; %s reads %s",
                            work->member ? work->member : "it", last ? last->line : 0,
                            last ? last->what : "it cannot be read", work->kind->kind,
                            work->kind->reads);
    if (err == WR_BUSY)
        return library_fail(work->why, err, "more than %u records do not fit into one library; "
                            "build several", FORMAT_RECORDS_MAX);
    return library_fail(work->why, err, "%s.part: %s", work->build->out, wr_err_text(err));
}

/* ---- reading ---- */

static wr_err read_member(struct work *work, uint64_t offset)
{
    const char *bytes;
    size_t len;
    uint64_t passed = 0;
    wr_err err = work->kind->begin(work->reader, offset);
    if (err)
        return refused(work, err);
    do {
        err = input_read(work->input, &bytes, &len, work->why);
        if (err)
            return err;
        size_t skip = passed < offset ? (size_t)(offset - passed < len ? offset - passed : len)
                                      : 0;
        passed += len;
        err = len > skip ? work->kind->feed(work->reader, bytes + skip, len - skip) : WR_OK;
        if (err)
            return refused(work, err);
        err = tell(work, false);
        if (!err)
            err = save_if_due(work, false);
    } while (!err && len > 0);
    if (err)
        return err;
    err = work->kind->end(work->reader);
    return err ? refused(work, err) : WR_OK;
}

static wr_err read_all(struct work *work)
{
    uint64_t first = 0, offset = 0;
    const char *position = library_writer_position(work->writer);
    if (position
        && sscanf(position, "%" SCNu64 " %" SCNu64 " %" SCNu64, &first, &offset,
                  &work->report->faults) != 3)
        return library_fail(work->why, WR_INVALID, "%s.part is of another version; remove it",
                            work->build->out);
    work->report->resumed = library_writer_count(work->writer);
    for (;;) {
        wr_err err = input_next(work->input, work->why);
        if (err)
            return err;
        work->member = input_member(work->input);
        if (!work->member)
            return WR_OK;
        uint64_t number = input_member_number(work->input);
        if (number < first || !counts(work))
            continue;
        err = read_member(work, number == first ? offset : 0);
        if (err)
            return err;
        err = save_if_due(work, true);
        if (err)
            return err;
    }
}

static wr_err finish(struct work *work)
{
    struct library_report *report = work->report;
    report->records = library_writer_count(work->writer);
    if (report->records == 0)
        return library_fail(work->why, WR_INVALID, "there is no record in it%s%s; %s reads %s",
                            report->faults > 0 ? ": " : "",
                            report->faults > 0 ? report->shown[0].what : "", work->kind->kind,
                            work->kind->reads);
    wr_err err = tell(work, true);
    return err ? err : library_writer_finish(work->writer, work->why);
}

/* ---- the whole ---- */

/* The name of the file that is made, without what ends it. */
static void name_of(const struct work *work, char *ret, size_t size)
{
    const char *slash = strrchr(work->build->out, '/');
    const char *base = slash ? slash + 1 : work->build->out;
    const char *name = work->build->name ? work->build->name : work->kind->name;
    struct wr_text text = wr_text_over(ret, size);
    if (name)
        wr_text_str(&text, name);
    else
        wr_text_bytes(&text, base, strcspn(base, "."));
}

static wr_err begin(struct work *work)
{
    const struct library_build *build = work->build;
    char name[256];
    wr_err err = input_open(&work->input, build->paths, build->path_count, work->why);
    if (err)
        return err;
    name_of(work, name, sizeof(name));
    struct library_plan plan = { .out = build->out, .kind = work->kind->kind, .name = name,
                                 .input = input_identity(work->input) };
    err = library_writer_open(&work->writer, &plan, work->why);
    if (err)
        return err;
    err = work->kind->open(&work->reader, &work->sink);
    return err ? library_fail(work->why, err, "%s", wr_err_text(err)) : WR_OK;
}

wr_err library_build(const struct library_build *build, struct library_report *ret,
                     struct library_why *why)
{
    struct work work = { .build = build, .kind = reader_find(build->kind), .report = ret,
                         .why = why, .since = wr_world->mono() };
    *ret = (struct library_report){ 0 };
    if (!work.kind)
        return library_fail(why, WR_INVALID, "there is no kind \"%.40s\"", build->kind);
    work.saved = work.since;
    work.sink = (struct reader_sink){ .arena = WR_ARENA(READER_ARENA_MAX), .record = on_record,
                                      .fault = on_fault, .to = &work };
    wr_err err = begin(&work);
    if (!err)
        err = read_all(&work);
    if (!err)
        err = finish(&work);
    if (work.reader)
        work.kind->close(work.reader);
    wr_arena_free(&work.sink.arena);
    library_writer_close(work.writer);
    input_close(work.input);
    return err;
}
