#include "store/match.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

struct word { const char *at; size_t len; };

struct words {
    struct word all[STORE_MATCH_WORDS_MAX];
    size_t count;
};

/* In every language but ASCII's own, what is a letter is for the engines to say. */
static bool in_word(unsigned char byte)
{
    return byte >= 0x80 || isalnum(byte);
}

static bool same(struct word word, const char *text, size_t len)
{
    return word.len == len && strncasecmp(word.at, text, len) == 0;
}

static bool says_nothing(struct word word)
{
    static const char *const common[] = {
        "and", "are", "been", "but", "can", "could", "did", "does", "for", "from", "had", "has",
        "have", "her", "his", "how", "into", "its", "may", "more", "most", "not", "one", "our",
        "she", "should", "such", "than", "that", "the", "their", "them", "then", "there",
        "these", "they", "this", "those", "was", "were", "what", "when", "where", "which",
        "who", "will", "with", "would", "you", "your" };
    for (size_t i = 0; i < sizeof(common) / sizeof(common[0]); i++)
        if (same(word, common[i], strlen(common[i])))
            return true;
    return word.len <= 2 && isalpha((unsigned char)word.at[0]);
}

static void take(struct words *words, struct word word)
{
    if (word.len > STORE_MATCH_WORD_MAX || words->count == STORE_MATCH_WORDS_MAX)
        return;
    for (size_t i = 0; i < words->count; i++)
        if (same(words->all[i], word.at, word.len))
            return;
    words->all[words->count++] = word;
}

static void split(struct words *ret, const char *sentence, bool all)
{
    for (const char *at = sentence; *at;) {
        struct word word = { .at = at };
        while (in_word((unsigned char)at[word.len]))
            word.len++;
        if (word.len && (all || !says_nothing(word)))
            take(ret, word);
        at += word.len ? word.len : 1;
    }
}

/* Of two that are as long the first stays. */
static void drop_shortest(struct words *words)
{
    size_t shortest = 0;
    for (size_t i = 1; i < words->count; i++)
        if (words->all[i].len <= words->all[shortest].len)
            shortest = i;
    memmove(&words->all[shortest], &words->all[shortest + 1],
            (--words->count - shortest) * sizeof(words->all[0]));
}

bool store_match(struct wr_text *ret, const char *sentence, size_t words_max)
{
    struct words words = { 0 };
    split(&words, sentence, false);
    if (words.count == 0)
        split(&words, sentence, true);
    while (words_max && words.count > words_max)
        drop_shortest(&words);
    for (size_t i = 0; i < words.count; i++) {
        wr_text_str(ret, i ? " OR \"" : "\"");
        wr_text_bytes(ret, words.all[i].at, words.all[i].len);
        wr_text_str(ret, "\"");
    }
    return words.count > 0;
}
