#include "sim/sim_int.h"

#include <string.h>

#include "testing/test.h"

static void join(void *arg, const char *line)
{
    struct wr_text *text = arg;
    wr_text_str(text, line);
    wr_text_str(text, ";");
}

static struct trace begun(bool keep)
{
    struct trace trace = { .keep = keep };
    wr_trace_begin(&trace);
    return trace;
}

TEST_PLAIN(the_hash_is_that_of_the_bytes_of_all_lines)
{
    struct trace trace = begun(false);
    CHECK(trace.hash == 0xcbf29ce484222325);        /* FNV-1a of nothing */
    wr_trace_format(&trace, "%s", "a");
    CHECK(trace.hash == 0x089bdc07b544e7b2);        /* of "a\n" */
    CHECK_EQ(1, trace.lines);
    wr_trace_close(&trace);
}

TEST_PLAIN(where_a_line_ends_matters)
{
    struct trace one = begun(false), two = begun(false);
    wr_trace_format(&one, "ab");
    wr_trace_format(&one, "c");
    wr_trace_format(&two, "a");
    wr_trace_format(&two, "bc");
    CHECK(one.hash != two.hash);
    wr_trace_close(&one);
    wr_trace_close(&two);
}

TEST_PLAIN(every_line_is_shown_to_who_wants_it)
{
    char buf[64];
    struct wr_text text = WR_TEXT(buf);
    struct trace trace = begun(false);
    trace.show = join;
    trace.show_arg = &text;
    wr_trace_format(&trace, "run %d", 1);
    wr_trace_format(&trace, "end");
    CHECK_STR("run 1;end;", buf);
    wr_trace_close(&trace);
}

TEST_PLAIN(the_last_lines_are_kept_in_order)
{
    char buf[64];
    struct wr_text text = WR_TEXT(buf);
    struct trace trace = begun(true);
    for (int i = 0; i < 3; i++)
        wr_trace_format(&trace, "%d", i);
    wr_trace_tail(&trace, join, &text);
    CHECK_STR("0;1;2;", buf);
    for (int i = 3; i < 3 + 2 * TRACE_TAIL; i++)
        wr_trace_format(&trace, "%d", i);
    text = WR_TEXT(buf);
    wr_trace_tail(&trace, join, &text);
    CHECK(strncmp(buf, "123;124;125;", 12) == 0);
    wr_trace_close(&trace);
}

TEST_PLAIN(nothing_is_added_when_it_is_over)
{
    struct trace trace = begun(false);
    wr_trace_format(&trace, "fail");
    uint64_t hash = trace.hash;
    trace.over = true;
    wr_trace_format(&trace, "after");
    CHECK(trace.hash == hash);
    CHECK_EQ(1, trace.lines);
    wr_trace_close(&trace);
}

TEST_PLAIN(a_line_that_is_too_long_is_cut)
{
    char buf[2 * TRACE_LINE], text[2 * TRACE_LINE];
    struct wr_text shown = WR_TEXT(buf);
    struct trace trace = begun(true);
    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    wr_trace_format(&trace, "%s", text);
    wr_trace_tail(&trace, join, &shown);
    CHECK_EQ(TRACE_LINE - 1 + 1, shown.len);
    wr_trace_close(&trace);
}
