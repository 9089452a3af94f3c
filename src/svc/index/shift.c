/* shift.c - see shift.h. */
#include "svc/index/shift.h"

#include <weir/time.h>

struct shift { struct wr_scope *scope; struct wr_once *drain; };

static wr_err end(void *arg)
{
    const struct shift *shift = arg;
    wr_err err = wr_once_wait(shift->drain, NULL, WR_NEVER);
    if (!err)
        wr_scope_cancel(shift->scope);
    return err;
}

/* The one who waits for the drain is of this frame: it is not left before he is gone. */
wr_err shift_end(struct wr_scope *scope, struct wr_once *drain)
{
    struct shift shift = { scope, drain };
    wr_err err = wr_scope_go(scope, "index.shift", end, &shift);
    if (!err)
        err = wr_scope_join(scope, WR_NEVER);
    wr_scope_cancel(scope);
    wr_err of_all = wr_scope_close(scope);
    return err ? err : of_all;
}
