/* process.c - a part of a run that can die and be started again.
 *
 * A real process vanishes between two instructions.  Here its tasks must
 * return, or their memory would be lost, so a killed process is cut off
 * instead: it is canceled, and whatever it does on its way out has no effect
 * on what outlives it.
 */
#include <weir/sim.h>

#include <string.h>

#include "sim/sim_int.h"

static void unlink_process(void *arg)
{
    struct process **at = &wr_sim.processes;
    while (*at && *at != arg)
        at = &(*at)->next;
    if (*at)
        *at = (*at)->next;
}

wr_err wr_sim_process(bool *ret_killed, const char *name, wr_task_fn fn, void *arg)
{
    if (!wr_sim.running)
        wr_panic("process \"%s\" outside a simulation", name);
    struct process process = { .name = name };
    *ret_killed = false;
    wr_err err = wr_scope_new(&process.scope, &(struct wr_scope_conf){ .name = name,
                                                                       .deadline = WR_NEVER });
    if (err)
        return err;
    process.next = wr_sim.processes;
    wr_sim.processes = &process;
    struct wr_cleanup cleanup = { .fn = unlink_process, .arg = &process };
    wr_cleanup_push(&cleanup);
    err = wr_scope_go(process.scope, "process", fn, arg);
    if (!err)
        err = wr_scope_join(process.scope, WR_NEVER);
    wr_err closed = wr_scope_close(process.scope);
    wr_cleanup_pop(&cleanup);
    unlink_process(&process);
    *ret_killed = process.killed;
    if (process.killed)
        return WR_OK;
    return err ? err : closed;
}

bool wr_sim_alive(void)
{
    if (!wr_sim.running || wr_task_number() == 0)
        return true;
    for (struct process *process = wr_sim.processes; process; process = process->next)
        if (process->killed && wr_scope_within(process->scope))
            return false;
    return true;
}

bool wr_sim_write(void *to, const void *from, size_t size)
{
    wr_sim_point("write");
    if (!wr_sim_alive())
        return false;
    memcpy(to, from, size);
    return true;
}
