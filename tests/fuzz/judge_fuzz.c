/* judge_fuzz.c - names, titles, venues and verdicts of any bytes.
 *
 * An input is lines: title, authors, venue, DOI of what is cited and of two records.
 * Comparing does not depend on which of two comes first, a name is itself, and a verdict does
 * not depend on the order of the records.
 *
 *     clang -std=gnu2x -D_GNU_SOURCE -g -O1 -fsanitize=fuzzer,address,undefined \
 *         -fno-sanitize-recover=all -Iinclude -Isrc tests/fuzz/judge_fuzz.c \
 *         src/biblio/{author,author_match,choice,fold,ident,ident_arxiv,ident_doi}.c \
 *         src/biblio/{ident_number,ident_url,judge,ratio,title,venue,venue_table,verdict}.c \
 *         src/base/{arena,text,forget,panic,os}.c -lutf8proc -o judge_fuzz \
 *         && ./judge_fuzz -max_len=1024
 */
#include <stdint.h>
#include <string.h>

#include <weir/panic.h>

#include "biblio/author.h"
#include "biblio/ident.h"
#include "biblio/judge.h"
#include "biblio/title.h"
#include "biblio/venue.h"

static const char *line(struct wr_arena *arena, const uint8_t **at, size_t *left)
{
    const uint8_t *end = memchr(*at, '\n', *left);
    size_t len = end ? (size_t)(end - *at) : *left;
    const char *ret = wr_arena_copy(arena, (const char *)*at, len);
    size_t used = end ? len + 1 : len;
    *at += used;
    *left -= used;
    WR_ASSERT(ret);
    return ret;
}

static struct bib_work work(struct wr_arena *arena, const uint8_t **at, size_t *left)
{
    struct bib_work ret = { .title = line(arena, at, left) };
    bib_author_list(&ret, line(arena, at, left), arena);
    ret.venue = line(arena, at, left);
    ret.doi = bib_ident_doi(arena, line(arena, at, left));
    ret.year = 1990 + (int)(strlen(ret.title) % 50);
    return ret;
}

static void compare(const struct bib_work *a, const struct bib_work *b)
{
    unsigned there = 0, back = 0;
    WR_ASSERT(bib_title_compare(a->title, b->title, &there) ==
              bib_title_compare(b->title, a->title, &back));
    WR_ASSERT(there == back && there <= 1000);
    WR_ASSERT(bib_venue_compare(a->venue, b->venue) == bib_venue_compare(b->venue, a->venue));
    for (uint32_t i = 0; i < a->author_count && i < b->author_count && i < 4; i++)
        WR_ASSERT(bib_author_compare(&a->authors[i], &b->authors[i]) ==
                  bib_author_compare(&b->authors[i], &a->authors[i]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct wr_arena arena = WR_ARENA(1 << 22);
    struct bib_reference reference = { .work = work(&arena, &data, &size) };
    struct bib_record records[3];
    records[0] = (struct bib_record){ work(&arena, &data, &size), .source = "a", .id = "1" };
    records[1] = (struct bib_record){ work(&arena, &data, &size), .source = "b", .id = "2" };
    records[2] = records[0];
    compare(&reference.work, &records[0].work);
    compare(&reference.work, &records[1].work);

    struct bib_verdict there, back;
    WR_ASSERT(!bib_decide(&reference, records, 2, 2026, &there, &arena));
    WR_ASSERT(!bib_decide(&reference, records + 1, 2, 2026, &back, &arena));
    WR_ASSERT(there.outcome == back.outcome && there.flags == back.flags);
    WR_ASSERT(there.mismatch_count == back.mismatch_count);
    WR_ASSERT(there.evidence_count == back.evidence_count);
    for (size_t i = 0; i < there.mismatch_count; i++)
        WR_ASSERT(strcmp(there.mismatches[i].found, back.mismatches[i].found) == 0);
    for (size_t i = 0; i < there.evidence_count; i++)
        WR_ASSERT(strcmp(there.evidence[i]->id, back.evidence[i]->id) == 0);
    wr_arena_free(&arena);
    return 0;
}
