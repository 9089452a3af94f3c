/* sup_int.h - the two halves of a supervisor: child.c has the table of what
 * happens to one child, sup.c the order in which it happens to all of them. */
#ifndef WR_RT_SUP_INT_H
#define WR_RT_SUP_INT_H

#include <weir/log.h>
#include <weir/metric.h>
#include <weir/sup.h>

#include "rt/rt_int.h"

#define SUP_NAME_MAX 32

struct child {
    const struct wr_child *spec;
    struct wr_sup *sup;
    struct wr_kind *kind;
    struct wr_once *drain;
    struct wr_counter *restarted;
    struct wr_child_stat stat;
    wr_time *recent;            /* ring: when it was last to be started again */
    unsigned recent_len, recent_at;
    struct wr_log_limit log_limit;

    struct spin lock;           /* guards the rest */
    struct wr_child_stat shown;
    struct wr_scope *scope;     /* that can be canceled */
    bool canceled;
};

/* From a child or its keeper to the supervisor. */
struct child_note { size_t child; bool begun; wr_err err; };

struct wr_sup {
    struct wr_sup_conf conf;
    struct wr_scope *scope;     /* of the keepers */
    struct wr_chan *notes;
    struct wr_once *stop, *abort;
    struct wr_watch *phase_watch;
    struct wr_watch_writer phase_writer;
    struct wr_bcast *events;
    enum wr_phase phase;
    wr_time drain_at;           /* when the drain is over for all */
    size_t starting;            /* the child whose turn it is to start */
    size_t group_low, group_high;   /* the children that are being stopped */
    size_t aborted;
    bool ran;
    char name[SUP_NAME_MAX + 1];
    char notes_name[SUP_NAME_MAX + 8], phase_name[SUP_NAME_MAX + 8],
        events_name[SUP_NAME_MAX + 8];
    wr_time *recent;            /* the rings of all children */
    struct child children[];
};

enum child_event {
    CHILD_START,        /* its turn has come */
    CHILD_BEGUN,        /* its task runs */
    CHILD_DONE,         /* it ended, and need not be started again */
    CHILD_FAILED,       /* it ended, and is to be started again */
    CHILD_TIMER,        /* the moment it waited for (stat.next) has come */
    CHILD_DRAIN,        /* its group is to finish */
    CHILD_ABORT,        /* there is no time left */
    CHILD_EVENT_COUNT,
};

/* Fill in a child of a supervisor that is being made.  Errors: NOMEM. */
wr_err wr_child_init(struct child *child, struct wr_sup *sup, size_t index, const char *place);
void wr_child_fini(struct child *child);

/* What happens to it. */
void wr_child_step(struct wr_sup *sup, struct child *child, enum child_event event);

/* The event that an end with this result is. */
enum child_event wr_child_end(const struct child *child, wr_err err);

#endif
