/* tokens.h - text cut into words, numbers and signs.
 *
 *     "W.-M. Yao, 2006a"   W  .  -  M  .  Yao  ,  2006  a
 *
 * A word is a run of letters, and an apostrophe between two of them is inside it; a number is
 * a run of digits, a sign any other character; white space stands between tokens and belongs
 * to none.  What is written in several ways has one
 * form here: every dash is '-', every quotation mark '"' or '\'', a fullwidth character its
 * narrow one.  Bytes that are not UTF-8 are signs.
 */
#ifndef WR_EXTRACT_TOKENS_H
#define WR_EXTRACT_TOKENS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a token looks like: one of these, or a sign in ASCII (the others are SIGN). */
enum extract_shape {
    EXTRACT_NONE = 0,           /* there is no token */
    EXTRACT_LOWER,              /* word */
    EXTRACT_CAPITAL,            /* Word */
    EXTRACT_INITIAL,            /* W */
    EXTRACT_CAPS,               /* WORD */
    EXTRACT_MIXED,              /* wOrD, WordS */
    EXTRACT_LETTERS,            /* of a script without case */
    EXTRACT_YEAR,               /* 1500 to 2099 */
    EXTRACT_DIGITS_1, EXTRACT_DIGITS_2, EXTRACT_DIGITS_3, EXTRACT_DIGITS_4,
    EXTRACT_DIGITS_MANY,
    EXTRACT_SIGN = 127,
};

struct extract_token {
    uint32_t at, len;           /* bytes of the text */
    uint32_t word;              /* a hash: the same in either case, with or without accents */
    uint32_t head, tail;        /* the same of its first and last three letters */
    uint16_t number;            /* of digits, at most 65535; else 0 */
    uint8_t shape;
    bool space;                 /* white space, or the beginning, is before it */
    bool line;                  /* and it is the first of a line */
};

/* Cut at most `max` tokens out of the text; returns how many there are. */
size_t extract_tokens(struct extract_token *ret, size_t max, const char *text, size_t len);

/* The hash of a word, for tables of words. */
uint32_t extract_word(const char *word, size_t len);

static inline bool extract_is_word(const struct extract_token *token)
{
    return token->shape >= EXTRACT_LOWER && token->shape <= EXTRACT_LETTERS;
}

static inline bool extract_is_number(const struct extract_token *token)
{
    return token->shape >= EXTRACT_YEAR && token->shape <= EXTRACT_DIGITS_MANY;
}

#endif
