/* pg_rows.c - see pg_rows.h. */
#include "store/pg_rows.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

/* Types of the server that we know. */
enum { OID_BYTEA = 17, OID_INT8 = 20, OID_INT4 = 23, OID_FLOAT8 = 701 };

/* The bits of a real number come like those of a whole one. */
static double real_of(const char *bytes)
{
    uint64_t bits;
    double real;
    memcpy(&bits, bytes, sizeof(bits));
    bits = be64toh(bits);
    memcpy(&real, &bits, sizeof(real));
    return real;
}

static void take_value(const PGresult *result, int row, int column, struct rows *rows)
{
    const char *bytes = PQgetvalue(result, row, column);
    int len = PQgetlength(result, row, column);
    int64_t wide;
    int32_t narrow;
    if (PQgetisnull(result, row, column)) {
        rows_null(rows);
    } else if (PQftype(result, column) == OID_INT8 && len == sizeof(wide)) {
        memcpy(&wide, bytes, sizeof(wide));
        rows_int(rows, (int64_t)be64toh((uint64_t)wide));
    } else if (PQftype(result, column) == OID_INT4 && len == sizeof(narrow)) {
        memcpy(&narrow, bytes, sizeof(narrow));
        rows_int(rows, (int32_t)be32toh((uint32_t)narrow));
    } else if (PQftype(result, column) == OID_FLOAT8 && len == sizeof(wide)) {
        rows_real(rows, real_of(bytes));
    } else {
        rows_bytes(rows, PQftype(result, column) == OID_BYTEA ? STORE_IS_BLOB : STORE_IS_TEXT,
                   bytes, (size_t)len);
    }
}

wr_err pg_rows(const PGresult *result, struct store_rows *ret)
{
    struct rows rows = { 0 };
    int columns = PQnfields(result);
    for (int row = 0; row < PQntuples(result); row++)
        for (int column = 0; column < columns; column++)
            take_value(result, row, column, &rows);
    wr_err err = rows_done(&rows, (size_t)columns, ret);
    ret->changed = err ? 0 : strtoull(PQcmdTuples((PGresult *)(uintptr_t)result), NULL, 10);
    return err;
}
