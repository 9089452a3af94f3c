#include "extract/segment.h"

#include <stdlib.h>
#include <string.h>

#include "extract/boundary.h"

/* A number that is the next in order begins a reference, whatever the chain thinks of it. */
static void force_numbers(const struct extract_boundary_text *text, uint8_t *labels)
{
    for (size_t i = 0; i < text->line_count; i++) {
        size_t token = text->lines[i].token;
        if (text->lines[i].in_order && text->form != ' ' && token < text->count)
            labels[token] = EXTRACT_BEGINS;
    }
}

/* "Ibid., p. 12." on a line of its own is a reference, however short it is. */
static void force_repeated(const struct extract_boundary_text *text, uint8_t *labels)
{
    for (size_t i = 0; i < text->line_count; i++) {
        size_t token = text->lines[i].token;
        if (token >= text->count || text->tokens[token].len < 4)
            continue;
        uint32_t word = text->tokens[token].word;
        bool stopped = token == 0 || text->tokens[token - 1].shape == '.';
        if (stopped && (word == extract_word("ibid", 4) || word == extract_word("ibidem", 6)))
            labels[token] = EXTRACT_BEGINS;
    }
}

/* "Smith S, 2004 J. Cosmol. 11 10": a journal right behind authors and year is no name. */
static void join_years(const struct extract_boundary_text *text, uint8_t *labels)
{
    for (size_t i = 2; i < text->count; i++) {
        if (labels[i] == EXTRACT_BEGINS && text->line_of[i] == text->line_of[i - 1]
            && text->tokens[i - 1].shape == EXTRACT_YEAR && text->tokens[i - 2].shape == ',')
            labels[i] = EXTRACT_CONTINUES;
    }
}

/* Only whole lines are outside: within a line the chain has been misled by odd signs. */
static void whole_lines(const struct extract_boundary_text *text, uint8_t *labels)
{
    for (size_t from = 0, to; from < text->count; from = to) {
        size_t outside = 0;
        for (to = from; to < text->count && text->line_of[to] == text->line_of[from]; to++)
            outside += labels[to] == EXTRACT_OUTSIDE;
        for (size_t i = from; outside < to - from && i < to; i++) {
            if (labels[i] == EXTRACT_OUTSIDE)
                labels[i] = EXTRACT_CONTINUES;
        }
    }
}

/* What lies inside a reference and is no part of it: a number of a page, a running head. */
#define BREAK_LINES 4

static bool goes_on(const struct extract_boundary_text *text, const uint8_t *labels, size_t end)
{
    size_t after = end;
    while (after < text->count && labels[after] == EXTRACT_OUTSIDE)
        after++;
    return after < text->count && labels[after] == EXTRACT_CONTINUES
        && text->line_of[after] - text->line_of[end - 1] <= BREAK_LINES + 1;
}

/* The end of the reference that begins at token i. */
static size_t end_of(const struct extract_boundary_text *text, const uint8_t *labels, size_t i)
{
    size_t end = i + 1;
    while (end < text->count) {
        if (labels[end] == EXTRACT_BEGINS)
            break;
        if (labels[end] == EXTRACT_OUTSIDE && !goes_on(text, labels, end))
            break;
        while (end < text->count && labels[end] == EXTRACT_OUTSIDE)
            end++;
        if (end < text->count && labels[end] == EXTRACT_CONTINUES)
            end++;
    }
    return end;
}

/* The text of tokens [from, to) without the lines that are outside. */
static const char *copy(const struct extract_boundary_text *text, const uint8_t *labels,
                        size_t from, size_t to, struct wr_arena *arena, size_t *ret_len)
{
    const struct extract_token *last = &text->tokens[to - 1];
    size_t len = last->at + last->len - text->tokens[from].at;
    char *bytes = wr_arena_alloc(arena, len + 1);
    *ret_len = 0;
    for (size_t i = from; bytes && i < to;) {
        size_t end = i;
        while (end < to && labels[end] != EXTRACT_OUTSIDE)
            end++;
        size_t at = text->tokens[i].at;
        size_t stop = end < to ? text->tokens[end].at : last->at + last->len;
        memcpy(bytes + *ret_len, text->text + at, stop - at);
        *ret_len += stop - at;
        for (i = end; i < to && labels[i] == EXTRACT_OUTSIDE;)
            i++;
    }
    return bytes;
}

static void cut(const struct extract_boundary_text *text, const uint8_t *labels,
                struct wr_arena *arena, struct extract_segments *ret, size_t room)
{
    for (size_t i = 0; i < text->count && !arena->full;) {
        if (labels[i] == EXTRACT_OUTSIDE) {
            i++;
            continue;
        }
        if (ret->count == room) {
            ret->truncated = true;
            return;
        }
        size_t end = end_of(text, labels, i);
        struct extract_segment *segment = &ret->at[ret->count++];
        segment->text = copy(text, labels, i, end, arena, &segment->len);
        segment->line = text->line_of[i];
        segment->line_end = text->line_of[end - 1];
        i = end;
    }
}

static size_t count_begins(const uint8_t *labels, size_t count)
{
    size_t begins = 0;
    for (size_t i = 0; i < count; i++)
        begins += labels[i] == EXTRACT_BEGINS
            || (labels[i] == EXTRACT_CONTINUES && (i == 0 || labels[i - 1] == EXTRACT_OUTSIDE));
    return begins < EXTRACT_SEGMENTS_MAX ? begins : EXTRACT_SEGMENTS_MAX;
}

wr_err extract_segments(const struct extract_chain *chain, const struct extract_line *lines,
                        size_t count, struct wr_arena *arena, struct extract_segments *ret)
{
    struct extract_boundary_text text;
    struct extract_segments segments = { 0 };
    uint8_t *labels = NULL;
    wr_err err = extract_boundary_read(&text, lines, count);
    if (!err) {
        labels = calloc(text.count + 1, 1);
        err = labels ? extract_boundary_label(chain, &text, labels) : WR_NOMEM;
    }
    if (!err) {
        whole_lines(&text, labels);
        join_years(&text, labels);
        force_numbers(&text, labels);
        force_repeated(&text, labels);
        size_t room = count_begins(labels, text.count);
        segments.truncated = text.line_count < count;
        segments.at = wr_arena_alloc(arena, (room + 1) * sizeof(*segments.at));
        if (segments.at)
            cut(&text, labels, arena, &segments, room);
        err = arena->full ? WR_NOMEM : WR_OK;
    }
    if (!err)
        *ret = segments;
    free(labels);
    extract_boundary_free(&text);
    return err;
}
