#include "extract/tokens.h"

#include <utf8proc.h>

#define HASH_START 2166136261u

static uint32_t hash_step(uint32_t hash, uint32_t character)
{
    return (hash ^ character) * 16777619u;
}

/* Signs that are written in several ways. */
static const struct { uint32_t from, to; char sign; } signs[] = {
    { 0x00a0, 0x00a0, ' ' }, { 0x00ab, 0x00ab, '"' }, { 0x00ad, 0x00ad, '-' },
    { 0x00b4, 0x00b4, '\'' }, { 0x00bb, 0x00bb, '"' }, { 0x2000, 0x200b, ' ' },
    { 0x2010, 0x2015, '-' }, { 0x2018, 0x201b, '\'' }, { 0x201c, 0x201f, '"' },
    { 0x2028, 0x2029, ' ' }, { 0x202f, 0x202f, ' ' }, { 0x2032, 0x2032, '\'' },
    { 0x2033, 0x2033, '"' }, { 0x2039, 0x203a, '\'' }, { 0x205f, 0x205f, ' ' },
    { 0x2212, 0x2212, '-' }, { 0x3000, 0x3000, ' ' }, { 0x3001, 0x3001, ',' },
    { 0x3002, 0x3002, '.' }, { 0x3008, 0x300f, '"' }, { 0x3010, 0x3010, '[' },
    { 0x3011, 0x3011, ']' }, { 0x3014, 0x3014, '[' }, { 0x3015, 0x3015, ']' },
    { 0xfeff, 0xfeff, ' ' }, { 0xff0e, 0xff0e, '.' }, { 0xff61, 0xff61, '.' },
    { 0xff64, 0xff64, ',' },
};

enum kind { SPACE, LETTER, MARK, DIGIT, OTHER };

struct character {
    enum kind kind;
    bool upper, lower;
    uint32_t fold;              /* in lower case, without its accent; a sign: itself */
    uint32_t len;
};

static struct character narrow(uint32_t ascii, uint32_t len)
{
    struct character it = { .kind = OTHER, .fold = ascii, .len = len };
    if (ascii >= 'a' && ascii <= 'z') {
        it.kind = LETTER;
        it.lower = true;
    } else if (ascii >= 'A' && ascii <= 'Z') {
        it.kind = LETTER;
        it.upper = true;
        it.fold = ascii + 32;
    } else if (ascii >= '0' && ascii <= '9') {
        it.kind = DIGIT;
    } else if (ascii <= ' ' || ascii == 127) {
        it.kind = SPACE;
    }
    return it;
}

static struct character letter(int32_t code, uint32_t len)
{
    struct character it = { .kind = LETTER, .len = len, .fold = (uint32_t)code };
    utf8proc_int32_t base[8];
    int boundary = 0;
    utf8proc_category_t category = utf8proc_category(code);
    it.upper = category == UTF8PROC_CATEGORY_LU || category == UTF8PROC_CATEGORY_LT;
    it.lower = category == UTF8PROC_CATEGORY_LL;
    utf8proc_ssize_t count = utf8proc_decompose_char(code, base, 8,
        UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD | UTF8PROC_STRIPMARK,
        &boundary);
    if (count > 0 && count <= 8)
        it.fold = (uint32_t)base[0];
    return it;
}

static struct character wide(int32_t code, uint32_t len)
{
    if (code >= 0xff01 && code <= 0xff5e)
        return narrow((uint32_t)code - 0xff01 + '!', len);
    for (size_t i = 0; i < sizeof(signs) / sizeof(*signs); i++) {
        if ((uint32_t)code >= signs[i].from && (uint32_t)code <= signs[i].to)
            return narrow((unsigned char)signs[i].sign, len);
    }
    utf8proc_category_t category = utf8proc_category(code);
    if (category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO)
        return letter(code, len);
    struct character it = { .kind = OTHER, .fold = EXTRACT_SIGN, .len = len };
    if (category >= UTF8PROC_CATEGORY_MN && category <= UTF8PROC_CATEGORY_ME)
        it.kind = MARK;
    else if (category >= UTF8PROC_CATEGORY_ZS && category <= UTF8PROC_CATEGORY_CF)
        it.kind = SPACE;
    return it;
}

static struct character next(const char *text, size_t len)
{
    unsigned char first = (unsigned char)text[0];
    if (first < 0x80)
        return narrow(first, 1);
    utf8proc_int32_t code = 0;
    utf8proc_ssize_t used = utf8proc_iterate((const utf8proc_uint8_t *)text,
                                             (utf8proc_ssize_t)len, &code);
    if (used <= 0)
        return (struct character){ .kind = OTHER, .fold = EXTRACT_SIGN, .len = 1 };
    return wide(code, (uint32_t)used);
}

/* What is learned about a word while it is read. */
struct word {
    uint32_t letters, upper, lower;
    uint32_t hash, head;
    uint32_t last[3];
    bool first_upper;
};

static void word_add(struct word *word, const struct character *it)
{
    if (it->kind == MARK)
        return;
    word->hash = hash_step(word->hash, it->fold);
    if (word->letters < 3)
        word->head = hash_step(word->head, it->fold);
    word->last[word->letters % 3] = it->fold;
    if (word->letters == 0)
        word->first_upper = it->upper;
    word->letters++;
    word->upper += it->upper;
    word->lower += it->lower;
}

static uint8_t word_shape(const struct word *word)
{
    if (word->upper == 0 && word->lower == 0)
        return EXTRACT_LETTERS;
    if (word->upper == 0)
        return EXTRACT_LOWER;
    if (word->upper == word->letters)
        return word->letters == 1 ? EXTRACT_INITIAL : EXTRACT_CAPS;
    return word->first_upper && word->upper == 1 ? EXTRACT_CAPITAL : EXTRACT_MIXED;
}

/* "Hesiod's", "d'Ayrshire", "O'Brien": behind a letter that has a case, an apostrophe before
 * another one is inside the word.  Returns its length, or 0. */
static uint32_t apostrophe(const struct character *before, const char *text, size_t len)
{
    struct character sign = next(text, len);
    if (sign.kind != OTHER || sign.fold != '\'' || sign.len >= len
        || !(before->upper || before->lower))
        return 0;
    struct character after = next(text + sign.len, len - sign.len);
    return after.kind == LETTER && (after.upper || after.lower) ? sign.len : 0;
}

static uint32_t word_token(struct extract_token *token, const char *text, size_t len)
{
    struct word word = { .hash = HASH_START, .head = HASH_START };
    uint32_t at = 0;
    while (at < len) {
        struct character it = next(text + at, len - at);
        if (it.kind != LETTER && it.kind != MARK)
            break;
        word_add(&word, &it);
        at += it.len;
        if (at < len)
            at += apostrophe(&it, text + at, len - at);
    }
    token->word = word.hash;
    token->head = word.head;
    token->tail = HASH_START;
    for (uint32_t i = word.letters > 3 ? word.letters - 3 : 0; i < word.letters; i++)
        token->tail = hash_step(token->tail, word.last[i % 3]);
    token->shape = word_shape(&word);
    return at;
}

uint32_t extract_word(const char *word, size_t len)
{
    struct extract_token token;
    word_token(&token, word, len);
    return token.word;
}

static uint32_t number_token(struct extract_token *token, const char *text, size_t len)
{
    uint32_t at = 0, value = 0, digits = 0;
    uint32_t hash = HASH_START;
    while (at < len) {
        struct character it = next(text + at, len - at);
        if (it.kind != DIGIT)
            break;
        hash = hash_step(hash, it.fold);
        value = value * 10 + (it.fold - '0');
        if (value > UINT16_MAX)
            value = UINT16_MAX;
        digits++;
        at += it.len;
    }
    token->number = (uint16_t)value;
    token->word = token->head = token->tail = hash;
    token->shape = digits > 4 ? EXTRACT_DIGITS_MANY
        : digits == 4 && value >= 1500 && value < 2100 ? EXTRACT_YEAR
        : (uint8_t)(EXTRACT_DIGITS_1 + digits - 1);
    return at;
}

size_t extract_tokens(struct extract_token *ret, size_t max, const char *text, size_t len)
{
    size_t count = 0, at = 0;
    bool space = true, line = true;
    while (at < len && count < max) {
        struct character it = next(text + at, len - at);
        if (it.kind == SPACE) {
            space = true;
            line = line || text[at] == '\n';
            at += it.len;
            continue;
        }
        struct extract_token *token = &ret[count++];
        *token = (struct extract_token){ .at = (uint32_t)at, .space = space, .line = line };
        if (it.kind == LETTER) {
            token->len = word_token(token, text + at, len - at);
        } else if (it.kind == DIGIT) {
            token->len = number_token(token, text + at, len - at);
        } else {
            token->len = it.len;
            token->shape = (uint8_t)(it.kind == MARK ? EXTRACT_SIGN : it.fold);
            token->word = token->head = token->tail = hash_step(HASH_START, it.fold);
        }
        at += token->len;
        space = line = false;
    }
    return count;
}
