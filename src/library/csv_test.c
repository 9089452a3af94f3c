/* csv_test.c - tests of csv.c. */
#include "library/csv.h"

#include <stdlib.h>
#include <string.h>

#include "testing/test.h"

static wr_err show(void *to, const struct csv_row *row)
{
    struct wr_text *text = to;
    wr_text_format(text, "%u:", (unsigned)row->line);
    for (size_t i = 0; i < row->count; i++)
        wr_text_format(text, "<%s>", row->fields[i]);
    wr_text_str(text, row->cut ? " cut\n" : "\n");
    return WR_OK;
}

static void reads(const char *bytes, const char *rows)
{
    for (size_t piece = 1; piece < 20; piece += 5) {
        struct wr_text text = wr_text_heap(1 << 16);
        struct csv csv;
        size_t len = strlen(bytes);
        csv_init(&csv, show, &text);
        for (size_t at = 0; at < len; at += piece)
            CHECK_OK(csv_feed(&csv, bytes + at, len - at < piece ? len - at : piece));
        CHECK_OK(csv_end(&csv));
        CHECK_STR(rows, text.at);
        csv_fini(&csv);
        wr_text_free(&text);
    }
}

TEST_PLAIN(fields_are_parted_by_commas_and_rows_by_line_ends)
{
    reads("a,b\nc,,d\r\ne", "1:<a><b>\n2:<c><><d>\n3:<e>\n");
    reads("", "");
    reads("\n\r\na\n", "3:<a>\n");
    reads(",\n", "1:<><>\n");
}

TEST_PLAIN(in_quotes_everything_is_itself_but_a_quote_which_is_doubled)
{
    reads("\"a,b\",\"c\nd\"\n\"e\"\"f\",g\n", "1:<a,b><c\nd>\n3:<e\"f><g>\n");
    reads("a\"b,\"\"\n", "1:<a\"b><>\n");
    reads("\"a\"b\n", "1:<ab>\n");
    reads("\"never closed, is the rest\n", "1:<never closed, is the rest\n>\n");
}

static wr_err count(void *to, const struct csv_row *row)
{
    size_t *cut = to;
    *cut += row->cut;
    CHECK(row->count <= CSV_FIELDS_MAX);
    return WR_OK;
}

TEST_PLAIN(a_row_with_too_many_fields_or_bytes_is_cut_and_the_next_is_whole)
{
    struct csv csv;
    size_t cut = 0, len = CSV_ROW_MAX + 10;
    char *bytes = malloc(len);
    memset(bytes, 'x', len);
    bytes[len - 1] = '\n';
    csv_init(&csv, count, &cut);
    CHECK_OK(csv_feed(&csv, bytes, len));
    CHECK_EQ(1, cut);
    memset(bytes, ',', 100);
    CHECK_OK(csv_feed(&csv, bytes, 100));
    CHECK_OK(csv_feed(&csv, "\n", 1));
    CHECK_EQ(2, cut);
    CHECK_OK(csv_feed(&csv, "a,b\n", 4));
    CHECK_EQ(2, cut);
    csv_fini(&csv);
    free(bytes);
}

TEST_PLAIN(safe_is_behind_the_last_whole_row)
{
    struct csv csv;
    size_t cut = 0;
    csv_init(&csv, count, &cut);
    CHECK_OK(csv_feed(&csv, "a\n\"b\nc", 6));
    CHECK_EQ(2, csv.safe);
    CHECK_OK(csv_feed(&csv, "\"\nd", 3));
    CHECK_EQ(8, csv.safe);
    csv_fini(&csv);
}
