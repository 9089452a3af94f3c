/* panic_int.h - how the runtime takes part in a panic. */
#ifndef WR_BASE_PANIC_INT_H
#define WR_BASE_PANIC_INT_H

/* Called with the finished report's facts.  May print more; returns when the
 * process must end, and does not return when the panic was contained. */
extern void (*wr_panic_hook)(const char *place, const char *message);

#endif
