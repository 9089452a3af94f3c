/* words.c - words of a sentence, without their endings. */
#include "extract/words.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "biblio/fold.h"

/* In every sentence, and in the order of strcmp. */
static const char *const common[] = {
    "a", "about", "after", "all", "also", "an", "and", "any", "are", "as", "at", "be", "been",
    "before", "being", "between", "both", "but", "by", "can", "cannot", "could", "did", "do",
    "does", "during", "each", "for", "from", "had", "has", "have", "he", "her", "his", "how",
    "if", "in", "into", "is", "it", "its", "may", "might", "more", "most", "must", "neither",
    "never", "no", "nor", "not", "of", "on", "one", "only", "or", "other", "our", "over", "she",
    "should", "so", "some", "such", "than", "that", "the", "their", "them", "then", "there",
    "these", "they", "this", "those", "through", "to", "under", "very", "was", "we", "were",
    "what", "when", "which", "while", "who", "will", "with", "without", "would", "you", "your",
};

static int compare(const void *key, const void *item)
{
    return strcmp(key, *(const char *const *)item);
}

static bool is_common(const char *word, size_t len)
{
    char buf[12];
    if (len >= sizeof(buf))
        return false;
    memcpy(buf, word, len);
    buf[len] = '\0';
    return bsearch(buf, common, sizeof(common) / sizeof(common[0]), sizeof(common[0]), compare);
}

static bool ends(const char *word, size_t len, const char *with)
{
    size_t end = strlen(with);
    return len > end && memcmp(word + len - end, with, end) == 0;
}

/* What is left of an English word without its ending; of any other as much as makes no
 * difference to it. */
static size_t stem(const char *word, size_t len)
{
    if (len >= 6 && ends(word, len, "ing"))
        len -= 3;
    else if (len >= 5 && (ends(word, len, "ed") || ends(word, len, "es")))
        len -= 2;
    else if (len >= 4 && ends(word, len, "s") && !ends(word, len, "ss"))
        len--;
    if (len >= 4 && (word[len - 1] == 'e' || word[len - 1] == 'y' || word[len - 1] == 'i'))
        len--;
    return len;
}

static uint32_t hash(uint32_t from, const char *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++)
        from = (from ^ (unsigned char)bytes[i]) * 0x01000193;
    return from;
}

#define SEED 0x811c9dc5u            /* FNV-1a */

/* A sign of Chinese, Japanese or Korean: the folded form has each as a word of its own. */
static bool is_sign(const char *word, size_t len)
{
    unsigned char c = (unsigned char)word[0];
    return (len == 3 && c >= 0xe3 && c <= 0xe9) || (len == 4 && c == 0xf0);
}

static bool is_number(const char *word, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (word[i] < '0' || word[i] > '9')
            return false;
    return true;
}

static void add(struct extract_words *words, uint32_t key, bool number)
{
    words->all++;
    if (words->count < EXTRACT_WORDS_MAX && !extract_words_have(words, key))
        words->at[words->count++] = (struct extract_word){ key, number };
}

void extract_words(struct extract_words *ret, const char *text, size_t len)
{
    struct wr_text folded = wr_text_over(ret->folded, sizeof(ret->folded) - 1);
    ret->count = ret->all = 0;
    wr_text_str(&folded, " ");
    bib_fold_words(&folded, text, len < EXTRACT_WORDS_TEXT ? len : EXTRACT_WORDS_TEXT);
    for (const char *at = folded.at + 1; *at;) {
        size_t word = strcspn(at, " ");
        const char *next = at[word] ? at + word + 1 : at + word;
        size_t behind = strcspn(next, " ");
        if (word > 0 && is_sign(at, word)) {
            bool pair = is_sign(next, behind);
            add(ret, hash(hash(SEED, at, word), next, pair ? behind : 0), false);
        } else if (word > 0 && is_common(at, word)) {
            ret->all++;
        } else if (word > 0) {
            add(ret, hash(SEED, at, stem(at, word)), is_number(at, word));
        }
        at = next;
    }
    /* The room for this one was kept. */
    ret->folded[folded.len] = ' ';
    ret->folded[folded.len + 1] = '\0';
}

bool extract_words_have(const struct extract_words *words, uint32_t key)
{
    for (uint32_t i = 0; i < words->count; i++)
        if (words->at[i].key == key)
            return true;
    return false;
}

uint32_t extract_word_key(const char *word)
{
    return hash(SEED, word, stem(word, strlen(word)));
}

bool extract_words_say(const struct extract_words *words, const char *phrase)
{
    size_t len = strlen(phrase);
    for (const char *at = words->folded; (at = strstr(at, phrase)); at++)
        if (at > words->folded && at[-1] == ' ' && at[len] == ' ')
            return true;
    return false;
}

unsigned extract_words_shared(const struct extract_words *of, const struct extract_words *in)
{
    uint32_t shared = 0;
    for (uint32_t i = 0; i < of->count; i++)
        shared += extract_words_have(in, of->at[i].key);
    return of->count > 0 ? shared * 1000 / of->count : 0;
}
