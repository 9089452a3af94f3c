/* primary.c - see primary.h. */
#include "svc/queue/primary.h"

#include <string.h>

#include "store/evidence.h"
#include "store/verb.h"

bool primary_is(const char *domain)
{
    static const char *const names[] = { "gov", "mil", "edu", "int", "ac", "go" };
    for (const char *dot = strchr(domain, '.'); dot; dot = strchr(dot + 1, '.')) {
        size_t len = strcspn(dot + 1, ".");
        bool last = !dot[1 + len], country = !last && strlen(dot + 2 + len) == 2;
        for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
            if (len == strlen(names[i]) && strncmp(dot + 1, names[i], len) == 0
                && (country || (last && len > 2)))
                return true;
    }
    return false;
}

wr_err primary_share(int *ret, struct store *store, const char *task, wr_time deadline)
{
    struct store_rows rows;
    int64_t all = 0, primary = 0;
    wr_err err = store_evidence_sources(store, task, &rows, deadline);
    if (err)
        return err;
    for (size_t i = 0; i < rows.count; i++) {
        int64_t pages = store_int(&rows, i, 1), papers = store_int(&rows, i, 2);
        all += pages;
        primary += primary_is(store_text(&rows, i, 0)) ? pages : papers;
    }
    store_rows_free(&rows);
    *ret = all ? (int)(primary * 1000 / all) : 0;
    return WR_OK;
}
