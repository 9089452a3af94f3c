/* words.h - the words of a sentence that say what it is about, in a form that can be compared.
 *
 *     struct extract_words words;
 *     extract_words(&words, "The prices of seeds rose.", 25);      price, seed, rose
 *     bool there = extract_words_have(&words, words.at[0].key);
 *
 * Case, accents and the endings of English words make no difference, and words that every
 * sentence has (the, of, is) are not among them.  In Chinese and Japanese, which have no
 * spaces, each two signs in a row are a word.  Each word is there once, in the order of the
 * sentence.
 *
 * Nothing allocates; any bytes may come in.
 */
#ifndef WR_EXTRACT_WORDS_H
#define WR_EXTRACT_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EXTRACT_WORDS_MAX 192       /* of a sentence; more are not looked at */
#define EXTRACT_WORDS_TEXT 2048     /* bytes of its folded form */

struct extract_word {
    uint32_t key;                   /* the same for the same word */
    bool number;
};

struct extract_words {
    struct extract_word at[EXTRACT_WORDS_MAX];
    uint32_t count;
    uint32_t all;                   /* with those that every sentence has, and repeated ones */
    char folded[EXTRACT_WORDS_TEXT];        /* " the prices of seeds rose ": for phrases */
};

void extract_words(struct extract_words *ret, const char *text, size_t len);
bool extract_words_have(const struct extract_words *words, uint32_t key);

/* The key of one word in small letters, as a cue of a table is written. */
uint32_t extract_word_key(const char *word);

/* Whether a phrase of whole words in small letters stands in the sentence: "all rights". */
bool extract_words_say(const struct extract_words *words, const char *phrase);

/* How many thousandths of the words of one sentence another has too; 0: it has none at all. */
unsigned extract_words_shared(const struct extract_words *of, const struct extract_words *in);

#endif
