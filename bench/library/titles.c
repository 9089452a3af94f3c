/* titles.c - titles made, spliced and misspelt. */
#include "titles.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/panic.h>

#include "base/arena.h"
#include "measure.h"

/* ---- words ---- */

struct word { char *text; size_t count; };

static int by_text(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

static int by_count(const void *left, const void *right)
{
    const struct word *a = left, *b = right;
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return strcmp(a->text, b->text);
}

static char **all_words(const struct titles *titles, size_t *ret_count)
{
    size_t count = 0, room = 1 << 22;
    char **words = malloc(room * sizeof(*words));
    for (size_t i = 0; i < titles->count; i++)
        for (const char *at = titles->at[i]; *at;) {
            size_t len = strcspn(at, " ");
            WR_ASSERT(count < room);
            if (len > 0)
                words[count++] = strndup(at, len);
            at += len + (at[len] == ' ');
        }
    *ret_count = count;
    return words;
}

static void rank_words(struct titles *titles)
{
    size_t count, distinct = 0;
    char **all = all_words(titles, &count);
    qsort(all, count, sizeof(*all), by_text);
    struct word *words = calloc(count, sizeof(*words));
    for (size_t i = 0; i < count; i++) {
        if (distinct == 0 || strcmp(words[distinct - 1].text, all[i]) != 0)
            words[distinct++].text = all[i];
        words[distinct - 1].count++;
    }
    qsort(words, distinct, sizeof(*words), by_count);
    titles->words = malloc(distinct * sizeof(*titles->words));
    titles->sums = malloc(distinct * sizeof(*titles->sums));
    titles->word_count = distinct;
    double sum = 0;
    for (size_t i = 0; i < distinct; i++) {
        titles->words[i] = words[i].text;
        titles->sums[i] = sum += 1.0 / (double)(i + 1);
    }
    free(words);
    free(all);
}

void titles_read(struct titles *ret, const struct library *lib)
{
    uint64_t records = library_info(lib).records;
    *ret = (struct titles){ .at = calloc(records, sizeof(*ret->at)) };
    for (uint64_t i = 0; i < records; i++) {
        struct wr_arena arena = WR_ARENA(4 << 20);
        struct bib_record record;
        MUST(library_record(lib, i, &arena, &record));
        if (record.work.title && strlen(record.work.title) < TITLE_MAX / 2)
            ret->at[ret->count++] = strdup(record.work.title);
        wr_arena_free(&arena);
    }
    rank_words(ret);
}

/* ---- titles ---- */

static const char *draw_word(const struct titles *titles, uint64_t *random)
{
    double total = titles->sums[titles->word_count - 1];
    double wanted = (double)(measure_random(random) >> 11) / (double)(1ull << 53) * total;
    size_t low = 0, high = titles->word_count - 1;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (titles->sums[middle] < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return titles->words[low];
}

void titles_make(const struct titles *titles, uint64_t *random, char *ret)
{
    const char *like = titles->at[measure_random(random) % titles->count];
    size_t len = 0;
    for (const char *at = like; at; at = strchr(at, ' ')) {
        at += *at == ' ';
        const char *word = draw_word(titles, random);
        if (len + strlen(word) + 2 > TITLE_MAX / 2)
            break;
        len += (size_t)snprintf(ret + len, TITLE_MAX - len, "%s%s", len ? " " : "", word);
    }
}

static const char *middle_of(const char *title)
{
    const char *at = strchr(title + strlen(title) / 2, ' ');
    return at ? at : title + strlen(title) / 2;
}

void titles_splice(char *ret, const char *one, const char *other)
{
    snprintf(ret, TITLE_MAX, "%.*s%.500s", (int)(middle_of(one) - one), one, middle_of(other));
}

static void slip_once(char *title, uint64_t *random)
{
    size_t len = strlen(title);
    unsigned kind = (unsigned)(measure_random(random) % 12);
    size_t at = measure_random(random) % (len + 1);
    char letter = (char)('a' + measure_random(random) % 26);
    char *space = strchr(title + at, ' ');
    if (len < 2 || len + 2 > TITLE_MAX)
        return;
    if (at >= len - 1)
        at = len - 2;
    if (kind == 10 && space)
        memmove(space, space + 1, strlen(space));
    else if (kind < 3 || kind >= 10) {
        memmove(title + at + 1, title + at, len - at + 1);
        title[at] = kind == 11 ? '-' : letter;
    } else if (kind < 6)
        memmove(title + at, title + at + 1, len - at);
    else if (kind < 8)
        title[at] = letter;
    else {
        char first = title[at];
        title[at] = title[at + 1];
        title[at + 1] = first;
    }
}

void titles_slip(char *title, unsigned slips, uint64_t *random)
{
    for (unsigned i = 0; i < slips; i++)
        slip_once(title, random);
}
