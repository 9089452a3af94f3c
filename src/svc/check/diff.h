/* diff.h - two texts word by word: which words of each are not in the other.
 *
 *     struct check_diff diff = check_diff(&arena, cited, found);
 *     for (size_t i = 0; i < diff.cited.count; i++)
 *         print(&diff.cited.at[i]);
 *
 * Words are the same when they say the same (fold.h), so case, accents and punctuation are no
 * difference.  Each sign of Chinese and Japanese is a word.  Of texts with more words than
 * CHECK_DIFF_WORDS between their common ends, all of these differ.
 */
#ifndef WR_CHECK_DIFF_H
#define WR_CHECK_DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

#define CHECK_DIFF_WORDS 256
#define CHECK_DIFF_ARENA (16u << 20)    /* room for any two fields worth comparing */

struct check_word {
    const char *at;             /* in the text that was given */
    size_t len;
    uint64_t says;
    bool differs;
};

struct check_words { struct check_word *at; size_t count; };

struct check_diff { struct check_words cited, found; };

/* The words lie in the arena.  Where that is full there are none: show the texts as they
 * are.  NULL is a text without words. */
struct check_diff check_diff(struct wr_arena *arena, const char *cited, const char *found);

#endif
