/* rows.c - results: an array of values, and the bytes that they point to. */
#include <stdlib.h>
#include <string.h>

#include "base/forget.h"
#include "store/store_int.h"

#define VALUES_FIRST 32
#define BYTES_FIRST 512

/* ---- building ---- */

/* Room for `more` of this size each; growth doubles, up to what a result may have. */
static bool grow(struct rows *rows, void **at, size_t *cap, size_t need, size_t size,
                 size_t first)
{
    if (need <= *cap)
        return true;
    size_t want = *cap ? *cap : first;
    while (want < need)
        want *= 2;
    void *grown = wr_forget_realloc(*at, want * size);      /* both are bounded */
    if (!grown) {
        rows->err = WR_NOMEM;
        return false;
    }
    *at = grown;
    *cap = want;
    return true;
}

static struct store_value *add(struct rows *rows)
{
    if (rows->err)
        return NULL;
    if (rows->count == (size_t)STORE_ROWS_MAX * STORE_COLUMNS_MAX) {
        rows->err = WR_INVALID;
        return NULL;
    }
    if (!grow(rows, (void **)&rows->values, &rows->cap, rows->count + 1,
              sizeof(struct store_value), VALUES_FIRST))
        return NULL;
    struct store_value *value = &rows->values[rows->count++];
    *value = STORE_NULL;
    return value;
}

void rows_null(struct rows *rows)
{
    (void)add(rows);
}

void rows_int(struct rows *rows, int64_t number)
{
    struct store_value *value = add(rows);
    if (value)
        *value = STORE_INT(number);
}

void rows_real(struct rows *rows, double real)
{
    struct store_value *value = add(rows);
    if (value)
        *value = STORE_REAL(real);
}

/* The bytes may still move: until the end a value has its place among them. */
void rows_bytes(struct rows *rows, enum store_type type, const void *bytes, size_t len)
{
    struct store_value *value = add(rows);
    if (!value)
        return;
    if (len >= STORE_RESULT_MAX - rows->len) {
        rows->err = WR_INVALID;
        return;
    }
    if (!grow(rows, (void **)&rows->bytes, &rows->bytes_cap, rows->len + len + 1, 1,
              BYTES_FIRST))
        return;
    *value = (struct store_value){ .type = type, .number = (int64_t)rows->len, .len = len };
    if (len)
        memcpy(rows->bytes + rows->len, bytes, len);
    rows->bytes[rows->len + len] = '\0';
    rows->len += len + 1;
}

wr_err rows_done(struct rows *rows, size_t columns, struct store_rows *ret)
{
    wr_err err = rows->err;
    if (!err && columns && rows->count / columns > STORE_ROWS_MAX)
        err = WR_INVALID;
    if (err) {
        wr_forget_free(rows->values);
        wr_forget_free(rows->bytes);
        *ret = (struct store_rows){ 0 };
    } else {
        for (size_t i = 0; i < rows->count; i++) {
            struct store_value *value = &rows->values[i];
            if (value->type != STORE_IS_TEXT && value->type != STORE_IS_BLOB)
                continue;
            value->bytes = rows->bytes + value->number;
            value->number = 0;
        }
        *ret = (struct store_rows){ .count = columns ? rows->count / columns : 0,
                                    .columns = columns, .values = rows->values,
                                    .memory = rows->bytes };
    }
    *rows = (struct rows){ 0 };
    return err;
}

/* ---- reading ---- */

struct store_value store_text_value(const char *text)
{
    if (!text)
        return STORE_NULL;
    return (struct store_value){ .type = STORE_IS_TEXT, .bytes = text, .len = strlen(text) };
}

void store_rows_free(struct store_rows *rows)
{
    wr_forget_free(rows->values);
    wr_forget_free(rows->memory);
    *rows = (struct store_rows){ 0 };
}

static const struct store_value *at(const struct store_rows *rows, size_t row, size_t column)
{
    WR_ASSERT(row < rows->count);
    WR_ASSERT(column < rows->columns);
    return &rows->values[row * rows->columns + column];
}

int64_t store_int(const struct store_rows *rows, size_t row, size_t column)
{
    const struct store_value *value = at(rows, row, column);
    return value->type == STORE_IS_REAL ? (int64_t)value->real : value->number;
}

double store_real(const struct store_rows *rows, size_t row, size_t column)
{
    const struct store_value *value = at(rows, row, column);
    return value->type == STORE_IS_REAL ? value->real : (double)value->number;
}

const char *store_text(const struct store_rows *rows, size_t row, size_t column)
{
    return at(rows, row, column)->bytes;
}

struct wr_wall store_wall(const struct store_rows *rows, size_t row, size_t column)
{
    return (struct wr_wall){ .ns = store_int(rows, row, column) * WR_MS(1) };
}

struct store_value store_value_at(const struct store_rows *rows, size_t row, size_t column)
{
    return *at(rows, row, column);
}
