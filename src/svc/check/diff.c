/* diff.c - two texts word by word: the longest common subsequence. */
#include <string.h>

#include "biblio/fold.h"
#include "svc/check/diff.h"
#include "svc/check/glyph.h"

/* ---- words ---- */

static bool stands_alone(int32_t code)
{
    return (code >= 0x2e80 && code < 0xa000) || (code >= 0xf900 && code < 0xfb00)
        || (code >= 0x20000 && code < 0x32000);
}

static uint64_t says(const char *at, size_t len)
{
    char buf[BIB_FOLD_MAX];
    struct wr_text folded = WR_TEXT(buf);
    bib_fold(&folded, at, len);
    uint64_t hash = 0xcbf29ce484222325;             /* FNV-1a */
    for (size_t i = 0; i < folded.len; i++)
        hash = (hash ^ (unsigned char)folded.at[i]) * 0x100000001b3;
    return hash;
}

/* Where the word that begins here ends. */
static const char *word_end(const char *at)
{
    const char *begin = at;
    while (*at) {
        const char *next = at;
        int32_t code = check_glyph_next(&next).code;
        if (code == ' ' || (stands_alone(code) && at > begin))
            break;
        at = next;
        if (stands_alone(code))
            break;
    }
    return at;
}

static struct check_words words_of(struct wr_arena *arena, const char *text)
{
    struct check_words words = { 0 };
    size_t room = 0;
    for (const char *at = text ? text : ""; *at;) {
        const char *end = word_end(at);
        if (end == at) {
            check_glyph_next(&at);                  /* a space */
            continue;
        }
        if (words.count == room) {
            room = room ? 2 * room : 16;
            words.at = wr_arena_grow(arena, words.at, words.count, room, sizeof(*words.at));
            if (!words.at)
                return (struct check_words){ 0 };
        }
        words.at[words.count++] = (struct check_word){
            .at = at, .len = (size_t)(end - at), .says = says(at, (size_t)(end - at)),
            .differs = true,
        };
        at = end;
    }
    return words;
}

/* ---- what they have in common ---- */

static bool pair(struct check_word *a, struct check_word *b)
{
    if (a->says != b->says)
        return false;
    a->differs = b->differs = false;
    return true;
}

static uint16_t longer(uint16_t a, uint16_t b)
{
    return a > b ? a : b;
}

/* length[i][j]: of the longest common part of what follows a[i] and b[j]. */
static void pair_middle(struct wr_arena *arena, struct check_words a, struct check_words b)
{
    size_t width = b.count + 1;
    if (a.count > CHECK_DIFF_WORDS || b.count > CHECK_DIFF_WORDS)
        return;
    uint16_t *length = wr_arena_alloc(arena, (a.count + 1) * width * sizeof(*length));
    if (!length)
        return;
    for (size_t i = a.count; i-- > 0;)
        for (size_t j = b.count; j-- > 0;)
            length[i * width + j] = a.at[i].says == b.at[j].says
                ? (uint16_t)(length[(i + 1) * width + j + 1] + 1)
                : longer(length[(i + 1) * width + j], length[i * width + j + 1]);
    for (size_t i = 0, j = 0; i < a.count && j < b.count;) {
        if (pair(&a.at[i], &b.at[j])) {
            i++;
            j++;
        } else if (length[(i + 1) * width + j] >= length[i * width + j + 1]) {
            i++;
        } else {
            j++;
        }
    }
}

struct check_diff check_diff(struct wr_arena *arena, const char *cited, const char *found)
{
    struct check_diff diff = { words_of(arena, cited), words_of(arena, found) };
    struct check_words a = diff.cited, b = diff.found;
    while (a.count > 0 && b.count > 0 && pair(a.at, b.at)) {
        a = (struct check_words){ a.at + 1, a.count - 1 };
        b = (struct check_words){ b.at + 1, b.count - 1 };
    }
    while (a.count > 0 && b.count > 0 && pair(&a.at[a.count - 1], &b.at[b.count - 1])) {
        a.count--;
        b.count--;
    }
    if (a.count > 0 && b.count > 0)
        pair_middle(arena, a, b);
    return diff;
}
