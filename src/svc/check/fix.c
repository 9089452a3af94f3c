/* fix.c - which values of a .bib file are put right. */
#include <string.h>

#include <utf8proc.h>

#include "biblio/bibtex.h"
#include "svc/check/cite.h"
#include "svc/check/fix.h"
#include "svc/check/fix_value.h"
#include "svc/check/glyph.h"

#define LOOK_AHEAD 64               /* entries on one line that may be passed over */

struct change {
    const struct bibtex_field *field;
    const char *value;
    const struct bib_mismatch *mismatch;
};

struct fixer {
    struct wr_text *out;
    const char *bib;
    const struct bibtex_entry *entries;
    size_t copied;                  /* so much of it is in the output */
    struct wr_arena arena;
    bool ascii;                     /* nothing else can be written: what it has is no UTF-8 */
    const char *newline;
    struct check_fixed count;
};

/* ---- what is sure ---- */

static bool same_text(const char *a, const char *b)
{
    return a && b && strcmp(a, b) == 0;
}

static bool differs(const struct bib_verdict *verdict, enum bib_field field)
{
    for (size_t i = 0; i < verdict->mismatch_count; i++)
        if (verdict->mismatches[i].field == field)
            return true;
    return false;
}

static bool is_sure(const struct check_finding *finding)
{
    const struct bib_verdict *verdict = &finding->verdict;
    if (verdict->outcome != BIB_MISMATCH || finding->evidence_count == 0
        || !finding->evidence[0].work)
        return false;
    const struct bib_work *cited = &finding->reference->work;
    const struct bib_work *found = finding->evidence[0].work;
    uint16_t similarity = finding->evidence[0].similarity;
    bool authors = cited->author_count > 0 && !differs(verdict, BIB_FIELD_AUTHORS)
        && !(verdict->flags & (BIB_FLAG(AUTHORS_UNJUDGED) | BIB_FLAG(PLACEHOLDER_AUTHORS)));
    bool leads = (same_text(cited->doi, found->doi)
                  || same_text(cited->arxiv_id, found->arxiv_id))
        && !(verdict->flags & BIB_FLAG(FOREIGN_IDENTIFIER));
    return (similarity >= CHECK_FIX_ALIKE && authors)
        || (leads && (similarity >= CHECK_FIX_RELATED || authors));
}

/* Whether what differs was found in this work, and not in another one. */
static bool is_from(const struct bib_mismatch *mismatch, const struct bib_work *found)
{
    char year[16];
    struct wr_text digits = WR_TEXT(year);
    wr_text_i64(&digits, found->year);
    switch (mismatch->field) {
    case BIB_FIELD_TITLE: return same_text(mismatch->found, found->title);
    case BIB_FIELD_AUTHORS: return found->author_count > 0 && !found->et_al;
    case BIB_FIELD_YEAR: return same_text(mismatch->found, digits.at);
    case BIB_FIELD_VENUE: return same_text(mismatch->found, found->venue);
    case BIB_FIELD_DOI: return same_text(mismatch->found, found->doi);
    case BIB_FIELD_ARXIV_ID: return same_text(mismatch->found, found->arxiv_id);
    default: return false;
    }
}

/* ---- changes ---- */

static bool is_ascii(const char *text)
{
    while (*text && (unsigned char)*text < 0x80)
        text++;
    return !*text;
}

static bool propose(struct fixer *fixer, const struct bibtex_entry *entry,
                    const struct check_finding *finding, const struct bib_mismatch *mismatch,
                    struct change *ret)
{
    const struct bib_work *found = finding->evidence[0].work;
    if (!is_from(mismatch, found))
        return false;
    ret->mismatch = mismatch;
    ret->field = check_fix_field(&fixer->arena, mismatch->field, entry,
                                 &finding->reference->work);
    if (!ret->field)
        return false;
    size_t begin = ret->field->at.begin;
    ret->value = check_fix_value(&fixer->arena, mismatch->field, found, fixer->bib + begin,
                                 ret->field->at.end - begin);
    return ret->value && (!fixer->ascii || is_ascii(ret->value));
}

/* In the order of the file, and each field once. */
static size_t insert(struct change *changes, size_t count, const struct change *change)
{
    size_t i = count;
    for (size_t j = 0; j < count; j++)
        if (changes[j].field == change->field)
            return count;
    for (; i > 0 && changes[i - 1].field->at.begin > change->field->at.begin; i--)
        changes[i] = changes[i - 1];
    changes[i] = *change;
    return count + 1;
}

static size_t find_changes(struct fixer *fixer, const struct bibtex_entry *entry,
                           const struct check_finding *finding, struct change *ret)
{
    size_t count = 0;
    for (size_t i = 0; i < finding->verdict.mismatch_count; i++) {
        struct change change;
        if (count < BIB_FIELD_COUNT
            && propose(fixer, entry, finding, &finding->verdict.mismatches[i], &change))
            count = insert(ret, count, &change);
    }
    return count;
}

/* ---- writing ---- */

static void copy_until(struct fixer *fixer, size_t end)
{
    wr_text_bytes(fixer->out, fixer->bib + fixer->copied, end - fixer->copied);
    fixer->copied = end;
}

/* Outside of entries BibTeX looks for one sign only.  Readers that look for others find none
 * either. */
static void write_remark(struct fixer *fixer, const char *text)
{
    static const struct { int32_t sign; const char *instead; } signs[] = {
        { '@', "(at)" }, { '{', "(" }, { '}', ")" }, { '"', "'" },
    };
    while (text && *text) {
        struct check_glyph glyph = check_glyph_next(&text);
        const char *instead = fixer->ascii && glyph.code >= 0x80 ? "?" : NULL;
        for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
            if (glyph.code == signs[i].sign)
                instead = signs[i].instead;
        if (instead)
            wr_text_str(fixer->out, instead);
        else
            wr_text_bytes(fixer->out, glyph.bytes, glyph.len);
    }
}

static void write_comment(struct fixer *fixer, const struct check_finding *finding,
                          const struct change *changes, size_t count, size_t begin)
{
    copy_until(fixer, begin);
    if (begin > 0 && fixer->bib[begin - 1] != '\n' && fixer->bib[begin - 1] != '\r')
        wr_text_str(fixer->out, fixer->newline);
    wr_text_str(fixer->out, "% weir:");
    for (size_t i = 0; i < count; i++) {
        wr_text_format(fixer->out, " %s was ", changes[i].field->name);
        write_remark(fixer, changes[i].mismatch->cited);
        wr_text_str(fixer->out, ";");
    }
    wr_text_str(fixer->out, " now as in ");
    write_remark(fixer, finding->evidence[0].source);
    wr_text_str(fixer->out, finding->evidence[0].id ? " " : "");
    write_remark(fixer, finding->evidence[0].id);
    wr_text_str(fixer->out, fixer->newline);
}

/* The beginning of the entry's line, if nothing but spaces stands before it there. */
static size_t line_begin(const struct fixer *fixer, size_t at)
{
    size_t begin = at;
    while (begin > fixer->copied
           && (fixer->bib[begin - 1] == ' ' || fixer->bib[begin - 1] == '\t'))
        begin--;
    bool whole = begin == 0 || fixer->bib[begin - 1] == '\n' || fixer->bib[begin - 1] == '\r';
    return whole ? begin : at;
}

/* An entry before this one that nobody closed would take the line for a part of itself. */
static bool is_outside(const struct fixer *fixer, const struct bibtex_entry *entry)
{
    if (entry == fixer->entries)
        return true;
    char last = fixer->bib[entry[-1].at.end - 1];
    return last == '}' || last == ')';
}

static void fix_entry(struct fixer *fixer, const struct bibtex_entry *entry,
                      const struct check_finding *finding)
{
    struct change changes[BIB_FIELD_COUNT];
    size_t count = is_sure(finding) ? find_changes(fixer, entry, finding, changes) : 0;
    fixer->count.left += (uint32_t)(finding->verdict.mismatch_count - count);
    if (count == 0)
        return;
    if (is_outside(fixer, entry))
        write_comment(fixer, finding, changes, count, line_begin(fixer, entry->at.begin));
    for (size_t i = 0; i < count; i++) {
        copy_until(fixer, changes[i].field->at.begin);
        wr_text_str(fixer->out, changes[i].value);
        fixer->copied = changes[i].field->at.end;
    }
    fixer->count.entries++;
    fixer->count.fields += (uint32_t)count;
}

/* ---- the file ---- */

static bool is_utf8(const char *bytes, size_t len)
{
    utf8proc_int32_t code;
    utf8proc_ssize_t used = 1;
    for (size_t i = 0; i < len && used > 0; i += (size_t)used)
        used = utf8proc_iterate((const utf8proc_uint8_t *)bytes + i,
                                (utf8proc_ssize_t)(len - i), &code);
    return used > 0;
}

static bool is_of(const struct bib_reference *reference, const struct bibtex_entry *entry)
{
    bool keyless = !reference->key && !entry->key;
    return reference->line == entry->at.line
        && (keyless || same_text(reference->key, entry->key));
}

/* Both are in the order of the file. */
static void fix_all(struct fixer *fixer, const struct bibtex_file *file,
                    const struct check_report *report)
{
    size_t at = 0;
    for (size_t i = 0; i < report->count && !report->unjudged; i++) {
        const struct check_finding *finding = &report->findings[i];
        while (at < file->count && file->entries[at].at.line < finding->reference->line)
            at++;
        for (size_t j = at; j < file->count && j < at + LOOK_AHEAD; j++) {
            if (is_of(finding->reference, &file->entries[j])) {
                if (finding->verdict.outcome == BIB_MISMATCH)
                    fix_entry(fixer, &file->entries[j], finding);
                at = j + 1;
                break;
            }
        }
    }
}

wr_err check_fix(struct wr_text *ret, const struct check_report *report, const char *bib,
                 size_t len, struct check_fixed *fixed)
{
    struct bibtex_file file;
    struct fixer fixer = {
        .out = ret, .bib = bib, .arena = WR_ARENA(CHECK_FIX_ARENA),
        .ascii = !is_utf8(bib, len),
        .newline = memmem(bib, len, "\r\n", 2) ? "\r\n" : "\n",
    };
    wr_err err = bibtex_parse(bib, len, &fixer.arena, &file);
    if (!err) {
        fixer.entries = file.entries;
        fix_all(&fixer, &file, report);
        copy_until(&fixer, len);
        err = fixer.arena.full || ret->cut ? WR_NOMEM : WR_OK;
    }
    wr_arena_free(&fixer.arena);
    *fixed = fixer.count;
    return err;
}
