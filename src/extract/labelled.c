#include "extract/labelled.h"

#include <string.h>

struct extract_span extract_run(const struct extract_labelled *it, enum extract_field label,
                                size_t from)
{
    struct extract_span span = { from, from };
    while (span.from < it->count && it->labels[span.from] != label)
        span.from++;
    span.to = span.from;
    while (span.to < it->count && it->labels[span.to] == label)
        span.to++;
    return span;
}

unsigned extract_words_in(const struct extract_labelled *it, struct extract_span span)
{
    unsigned words = 0;
    for (size_t i = span.from; i < span.to; i++)
        words += extract_is_word(&it->tokens[i]);
    return words;
}

static bool has_open(const struct extract_labelled *it, struct extract_span span, char open)
{
    for (size_t i = span.from; i < span.to; i++) {
        if (it->tokens[i].shape == (uint8_t)open)
            return true;
    }
    return false;
}

struct extract_span extract_trim(const struct extract_labelled *it, struct extract_span span)
{
    while (span.from < span.to && !extract_is_content(&it->tokens[span.from])
           && !(it->tokens[span.from].shape == '(' && has_open(it, span, ')')))
        span.from++;
    while (span.to > span.from && !extract_is_content(&it->tokens[span.to - 1])) {
        uint8_t last = it->tokens[span.to - 1].shape;
        struct extract_span before = { span.from, span.to - 1 };
        if (last == '?' || last == '!' || (last == ')' && has_open(it, before, '('))
            || last == '+' || last == '*' || last == '%')
            break;
        span.to--;
    }
    return span;
}

bool extract_is(const struct extract_labelled *it, size_t i, const char *word)
{
    size_t len = strlen(word);
    return i < it->count && it->tokens[i].len == len
        && it->tokens[i].word == extract_word(word, len);
}

void extract_relabel(const struct extract_labelled *it, struct extract_span span,
                     enum extract_field label)
{
    for (size_t i = span.from; i < span.to; i++)
        it->labels[i] = (uint8_t)label;
}
