/* ask.c - the step from a wrapper to what it wraps. */
#include <weir/ask.h>

wr_err wr_way_ask(const struct wr_way *way, struct wr_ask *ask, wr_time deadline)
{
    wr_ask_done(ask);
    ask->retry_after = 0;
    ask->tries += way->inner == NULL;
    wr_err err = way->ask(way, ask, deadline);
    if (err)
        wr_ask_done(ask);
    return err;
}

void wr_ask_done(struct wr_ask *ask)
{
    wr_bytes_unref(ask->answer);
    ask->answer = NULL;
}

enum wr_verdict wr_ask_verdict(wr_err err)
{
    switch (err) {
    case WR_CANCELED:
    case WR_BUSY:
    case WR_OPENCIRCUIT: return WR_VERDICT_NONE;
    case WR_TIMEOUT:
    case WR_IO:
    case WR_BROKENPIPE:
    case WR_CLOSED:
    case WR_SHED:
    case WR_DRAINING:
    case WR_DEGRADED:
    case WR_PANIC:
    case WR_NOFILE:
    case WR_NOMEM: return WR_VERDICT_BAD;
    default: return WR_VERDICT_GOOD;
    }
}
