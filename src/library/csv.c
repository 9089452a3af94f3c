/* csv.c - fields and rows, byte by byte. */
#include "library/csv.h"

void csv_init(struct csv *csv, csv_row_fn *row, void *to)
{
    *csv = (struct csv){ .row = row, .to = to, .text = wr_text_heap(CSV_ROW_MAX) };
    csv_begin(csv, 0);
}

void csv_fini(struct csv *csv)
{
    wr_text_free(&csv->text);
}

static void begin_row(struct csv *csv)
{
    wr_text_rewind(&csv->text, 0);
    csv->count = 1;
    csv->starts[0] = 0;
    csv->begun = csv->line;
    csv->quoted = csv->quote_seen = csv->too_many = false;
}

void csv_begin(struct csv *csv, uint64_t offset)
{
    csv->line = 1;
    csv->offset = csv->safe = offset;
    begin_row(csv);
}

static bool is_empty(const struct csv *csv)
{
    return csv->count == 1 && csv->text.len == 0;
}

static wr_err end_row(struct csv *csv)
{
    struct csv_row row = { .count = csv->count, .line = csv->begun,
                           .cut = csv->text.cut > 0 || csv->too_many };
    wr_err err = WR_OK;
    if (!is_empty(csv)) {
        wr_text_bytes(&csv->text, "", 1);
        for (size_t i = 0; i < csv->count; i++)
            row.fields[i] = csv->text.at + csv->starts[i];
        row.cut |= csv->text.cut > 0;
        err = csv->row(csv->to, &row);
    }
    begin_row(csv);
    return err;
}

static void end_field(struct csv *csv)
{
    wr_text_bytes(&csv->text, "", 1);
    if (csv->count == CSV_FIELDS_MAX)
        csv->too_many = true;
    else
        csv->starts[csv->count++] = csv->text.len;
}

static bool at_field_begin(const struct csv *csv)
{
    return csv->text.len == csv->starts[csv->count - 1];
}

static wr_err take(struct csv *csv, char c)
{
    if (csv->quoted && !csv->quote_seen) {
        if (c == '"')
            csv->quote_seen = true;
        else
            wr_text_bytes(&csv->text, &c, 1);
        return WR_OK;
    }
    if (csv->quote_seen && c == '"') {
        csv->quote_seen = false;                /* two of them are one */
        wr_text_bytes(&csv->text, &c, 1);
        return WR_OK;
    }
    csv->quoted = csv->quote_seen = false;
    if (c == '"' && at_field_begin(csv))
        csv->quoted = true;
    else if (c == ',')
        end_field(csv);
    else if (c == '\n')
        return end_row(csv);
    else if (c != '\r' && c != '\0')
        wr_text_bytes(&csv->text, &c, 1);
    return WR_OK;
}

wr_err csv_feed(struct csv *csv, const char *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        bool ends = bytes[i] == '\n' && (!csv->quoted || csv->quote_seen);
        csv->offset++;
        csv->line += bytes[i] == '\n';
        wr_err err = take(csv, bytes[i]);
        if (ends)
            csv->safe = csv->offset;
        if (err)
            return err;
    }
    return WR_OK;
}

wr_err csv_end(struct csv *csv)
{
    wr_err err = end_row(csv);
    csv->safe = csv->offset;
    return err;
}
