/* document.c - what a file cites: its kind, the reader for that, and the note for a person. */
#include "extract/document.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/offload.h>

#include "base/forget.h"
#include "extract/bibliography.h"
#include "extract/charset.h"
#include "extract/docx.h"
#include "extract/kind.h"
#include "extract/pdf.h"
#include "extract/tei.h"
#include "extract/tex.h"
#include "extract/unpack.h"

#define SCRATCH_MAX ((size_t)512 << 20)     /* for lines, while a document is read */

struct reader {
    const struct extract_conf *conf;
    struct wr_arena *arena;
    struct extract_documents *ret;
    size_t room;
    unsigned nested;                /* archives in archives that were opened */
};

/* One file on its way through a thread. */
struct job {
    struct reader *reader;
    wr_err (*run)(struct job *job);
    const char *name, *bytes;
    size_t size;
    struct extract_document *document;
    struct wr_arena scratch;
    struct extract_lines lines;
    struct extract_pack pack;
    wr_err err;
    char why[EXTRACT_WHY];
};

static void run_job(void *arg)
{
    struct job *job = arg;
    job->err = job->run(job);
}

/* Reading takes a worker's time and more of a stack than a fiber has. */
static wr_err away(struct job *job, wr_err (*run)(struct job *job))
{
    job->run = run;
    wr_err err = wr_offload(run_job, job, job->reader->conf->deadline);
    return err ? err : job->err;
}

static void note(struct job *job, const char *text)
{
    if (!job->document->note)
        job->document->note = wr_arena_str(job->reader->arena, text);
}

static wr_err refuse(struct job *job, wr_err err, const char *why)
{
    snprintf(job->why, sizeof(job->why), "%s", why);
    return err;
}

/* ---- lines ---- */

static wr_err read_bibliography(struct job *job)
{
    return extract_bibliography(job->lines.at, job->lines.count,
                                &(struct extract_bibliography_conf){
                                    .one_per_line = job->reader->conf->one_per_line },
                                job->reader->arena, &job->document->references);
}

static wr_err read_plain(struct job *job, const struct extract_text *text)
{
    wr_err err = extract_lines_split(&job->lines, &job->scratch, text->at, text->len);
    return err ? err : read_bibliography(job);
}

/* ---- BibTeX and TeX ---- */

static void note_faults(struct job *job, const struct bibtex_file *file)
{
    char text[EXTRACT_WHY];
    if (file->fault_count == 0)
        return;
    size_t more = file->fault_count - 1;
    int len = snprintf(text, sizeof(text), "line %u: %s", file->faults[0].line,
                       file->faults[0].what);
    if (more > 0 && (size_t)len < sizeof(text))
        snprintf(text + len, sizeof(text) - (size_t)len, "; and %zu more of its sort", more);
    note(job, text);
}

static wr_err read_bibtex(struct job *job, const struct extract_text *text)
{
    struct bibtex_file file;
    wr_err err = bibtex_parse(text->at, text->len, job->reader->arena, &file);
    if (!err)
        err = bibtex_references(text->at, &file, job->reader->arena,
                                &job->document->references);
    if (err)
        return err;
    job->document->faults = file.faults;
    job->document->fault_count = file.fault_count < BIBTEX_FAULTS_MAX ? file.fault_count
                                                                      : BIBTEX_FAULTS_MAX;
    note_faults(job, &file);
    return WR_OK;
}

static wr_err read_tex(struct job *job, const struct extract_text *text)
{
    struct extract_tex tex;
    char said[EXTRACT_WHY];
    wr_err err = extract_tex(text->at, text->len, job->reader->arena, &tex);
    if (err)
        return err;
    job->document->references = tex.references;
    if (tex.cut) {
        snprintf(said, sizeof(said), "only its first %d references are read",
                 EXTRACT_ITEMS_MAX);
        note(job, said);
    } else if (tex.references.count == 0 && tex.elsewhere) {
        snprintf(said, sizeof(said),
                 "its bibliography is in another file (%.100s): check the .bib "
                 "or the .bbl", tex.elsewhere);
        note(job, said);
    }
    return WR_OK;
}

/* ---- text of any sort ---- */

static wr_err read_decoded(struct job *job, const struct extract_text *text)
{
    if (!extract_is_text(text))
        return refuse(job, WR_INVALID,
                      "it is no kind of file that can be read: PDF, BibTeX, TeX, "
                      "Word (.docx), TEI, plain text, or zip and tar.gz with these");
    enum extract_kind kind = job->reader->conf->one_per_line
        ? EXTRACT_TEXT : extract_text_kind(text->at, text->len, job->name);
    job->document->kind = extract_kind_name(kind);
    if (strcmp(text->charset, "Latin-1") == 0)
        note(job, "it is not UTF-8 and was read as Latin-1");
    return kind == EXTRACT_BIBTEX ? read_bibtex(job, text)
        : kind == EXTRACT_TEX     ? read_tex(job, text)
                                  : read_plain(job, text);
}

static wr_err read_text(struct job *job)
{
    struct extract_text text;
    wr_err err = extract_charset(job->bytes, job->size, &text);
    if (err)
        return err;
    err = read_decoded(job, &text);
    wr_forget_free(text.at);
    return err;
}

static wr_err read_tei(struct job *job)
{
    uint32_t line;
    wr_err err = extract_tei(job->bytes, job->size, job->reader->arena,
                             &job->document->references, &line);
    if (err == WR_INVALID)
        snprintf(job->why, sizeof(job->why), "the XML is not well formed at line %u", line);
    return err;
}

/* ---- Word ---- */

static wr_err read_parts(struct job *job, bool notes)
{
    wr_err err = WR_OK;
    for (size_t i = 0; !err && i < job->pack.count; i++) {
        const struct extract_packed *part = &job->pack.at[i];
        if ((strcmp(part->name, EXTRACT_DOCX_BODY) == 0) == notes)
            continue;
        if (notes)
            err = extract_lines_add(&job->lines, &job->scratch,
                                    &(struct extract_line){ .text = "References", .len = 10 });
        if (!err)
            err = extract_docx(part->bytes, part->len, &job->scratch, &job->lines);
        if (err == WR_INVALID)
            snprintf(job->why, sizeof(job->why), "the document is damaged (%.60s)", part->name);
    }
    return err ? err : read_bibliography(job);
}

/* Who cites in notes has no list: they are read where the text has none. */
static wr_err read_docx(struct job *job)
{
    wr_err err = extract_unpack(job->bytes, job->size, extract_docx_wanted, &job->pack,
                                job->why);
    if (err)
        return err;
    err = read_parts(job, false);
    if (!err && job->document->references.count == 0 && job->pack.count > 1) {
        job->lines.count = 0;
        err = read_parts(job, true);
        if (!err && job->document->references.count > 0)
            note(job, "it has no list of references: its notes were read");
    }
    extract_unpack_free(&job->pack);
    return err;
}

/* ---- PDF ---- */

static wr_err read_pdf(struct job *job)
{
    const struct extract_conf *conf = job->reader->conf;
    wr_err err = extract_pdf(job->bytes, job->size, conf->pdftotext, conf->deadline,
                             &job->scratch, &job->lines, job->why);
    if (!err)
        err = away(job, read_bibliography);
    if (!err && job->lines.count == 0)
        note(job, "there is no text in it: a scan must go through text recognition first");
    return err;
}

/* ---- one file ---- */

static struct extract_document *add_document(struct reader *reader, const char *name)
{
    struct extract_documents *all = reader->ret;
    if (all->count == reader->room) {
        size_t room = reader->room ? 2 * reader->room : 8;
        void *more = wr_arena_grow(reader->arena, all->at, all->count, room,
                                   sizeof(all->at[0]));
        if (!more)
            return NULL;
        all->at = more;
        reader->room = room;
    }
    struct extract_document *document = &all->at[all->count++];
    *document = (struct extract_document){ .name = wr_arena_str(reader->arena, name) };
    return document->name ? document : NULL;
}

static wr_err read_kind(struct job *job, enum extract_kind kind)
{
    job->document->kind = extract_kind_name(kind);
    if (kind == EXTRACT_PDF)
        return read_pdf(job);
    return away(job,
                kind == EXTRACT_DOCX ? read_docx : kind == EXTRACT_TEI ? read_tei : read_text);
}

static wr_err read_file(struct reader *reader, const char *name, const char *bytes, size_t size,
                        enum extract_kind kind, char why[EXTRACT_WHY])
{
    struct job job = { .reader = reader, .name = name, .bytes = bytes, .size = size,
                       .scratch = WR_ARENA(SCRATCH_MAX),
                       .document = add_document(reader, name) };
    wr_err err = job.document ? read_kind(&job, kind) : WR_NOMEM;
    wr_arena_free(&job.scratch);
    if (!err && job.document->references.count == 0)
        note(&job, "no references were found in it");
    if (err)
        snprintf(why, EXTRACT_WHY, "%.80s: %.160s", name, job.why[0] ? job.why
                     : err == WR_NOMEM ? "it needs more memory than it "
                                         "gets" : wr_err_text(err));
    return err;
}

/* ---- archives ---- */

static wr_err unpack(struct job *job)
{
    return extract_unpack(job->bytes, job->size, job->reader->conf->typeset
                              ? extract_kind_typeset
                              : extract_kind_wanted, &job->pack, job->why);
}

/* A file that only has no references says nothing to who has given many. */
static bool says_nothing(const struct extract_document *document)
{
    return !document->err && document->references.count == 0 && document->note
        && strcmp(document->note, "no references were found in it") == 0;
}

/* One that fails is said beside the others; only what would fail them too ends it all. */
static wr_err read_member(struct reader *reader, const char *name, const char *bytes,
                          size_t size,
                          enum extract_kind kind)
{
    char why[EXTRACT_WHY] = "";
    size_t before = reader->ret->count;
    wr_err err = read_file(reader, name, bytes, size, kind, why);
    if (err == WR_NOMEM || err == WR_TIMEOUT || err == WR_CANCELED || reader->arena->full)
        return err ? err : WR_NOMEM;
    if (reader->ret->count == before)
        return WR_OK;
    struct extract_document *document = &reader->ret->at[reader->ret->count - 1];
    if (err) {
        document->err = err;
        document->note = wr_arena_str(reader->arena, why);
    } else if (says_nothing(document)) {
        reader->ret->count--;
    }
    return WR_OK;
}

static void member_name(char *ret, size_t size, const char *archive, const char *member)
{
    size_t len = strlen(archive);
    if (member[0])
        snprintf(ret, size, "%.200s/%s", archive, member);
    else if (len > 3 && strcmp(archive + len - 3, ".gz") == 0)
        snprintf(ret, size, "%.*s", (int)(len - 3), archive);
    else
        snprintf(ret, size, "%s", archive);
}

static wr_err read_archive(struct reader *reader, const char *name, const char *bytes,
                           size_t size,
                           bool inside, char why[EXTRACT_WHY]);

/* An archive in an archive is opened, one in that is not. */
static wr_err read_packed(struct reader *reader, const char *name,
                          const struct extract_packed *file, bool inside)
{
    enum extract_kind kind = extract_kind_of(file->bytes, file->len);
    char why[EXTRACT_WHY] = "";
    if (kind != EXTRACT_ARCHIVE)
        return read_member(reader, name, file->bytes, file->len, kind);
    wr_err err = WR_DENIED;
    if (inside || reader->nested == EXTRACT_NESTED_MAX)
        snprintf(why, sizeof(why),
                 "%.100s: archives in archives in archives, and more than %d, "
                 "are not opened", name, EXTRACT_NESTED_MAX);
    else
        err = read_archive(reader, name, file->bytes, file->len, true, why);
    if (err != WR_INVALID && err != WR_DENIED)
        return err;
    struct extract_document *document = add_document(reader, name);
    if (!document)
        return WR_NOMEM;
    document->kind = extract_kind_name(EXTRACT_ARCHIVE);
    document->err = err;
    document->note = wr_arena_str(reader->arena, why);
    return WR_OK;
}

static wr_err read_archive(struct reader *reader, const char *name, const char *bytes,
                           size_t size,
                           bool inside, char why[EXTRACT_WHY])
{
    struct job job = { .reader = reader, .name = name, .bytes = bytes, .size = size };
    reader->nested += inside;
    wr_err err = away(&job, unpack);
    if (err) {
        snprintf(why, EXTRACT_WHY, "%.80s: %.160s", name,
                 job.why[0] ? job.why : wr_err_text(err));
        return err;
    }
    for (size_t i = 0; !err && i < job.pack.count; i++) {
        char *member = malloc(1024);
        if (!member) {
            err = WR_NOMEM;
            break;
        }
        member_name(member, 1024, name, job.pack.at[i].name);
        err = read_packed(reader, member, &job.pack.at[i], inside);
        free(member);
    }
    extract_unpack_free(&job.pack);
    return err;
}

wr_err extract_document(const char *name, const char *bytes, size_t size,
                        const struct extract_conf *conf, struct wr_arena *arena,
                        struct extract_documents *ret, char why[EXTRACT_WHY])
{
    struct reader reader = { .conf = conf, .arena = arena, .ret = ret };
    *ret = (struct extract_documents){ 0 };
    why[0] = '\0';
    enum extract_kind kind = extract_kind_of(bytes, size);
    wr_err err = kind == EXTRACT_ARCHIVE
        ? read_archive(&reader, name, bytes, size, false, why)
        : read_file(&reader, name, bytes, size, kind, why);
    if (!err && ret->count == 0) {
        snprintf(why, EXTRACT_WHY, "%.80s: there is no file in it that has references", name);
        err = WR_INVALID;
    }
    if (err && !why[0])
        snprintf(why, EXTRACT_WHY, "%.80s: %s", name, wr_err_text(err));
    return err;
}
