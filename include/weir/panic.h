/* panic.h - rules that were broken.
 *
 * A panic says that the program is wrong: a lock held across a wait, a scope
 * left open, an assertion that does not hold.  It names the place, the fiber
 * and the values, in every build: assertions are never compiled out.
 *
 * What happens next depends on where it was raised.  In a task, with no lock
 * held and no foreign frames below (task.h, wr_foreign_enter), the panic is
 * contained: the task's cleanups run, the task ends with WR_PANIC, its scope
 * cancels its siblings, and whoever supervises it decides (sup.h).  Anywhere
 * else the process ends with SIGABRT after the report.
 */
#ifndef WEIR_PANIC_H
#define WEIR_PANIC_H

#ifdef __cplusplus
#error "the headers of Weir are for C (gnu2x): C++ cannot include them"
#endif

#define WR_STR_(x) #x
#define WR_STR(x) WR_STR_(x)

/* A place in the source, "file.c:12", as every waiting call records it. */
#define WR_HERE __FILE__ ":" WR_STR(__LINE__)

/* The hidden last parameter of calls that record their place.  A macro of the
 * same name fills it in; (wr_chan_recv)(ch, item, deadline, place) spells it. */
#define WR_AT , const char *place

/* Raise a panic, in the words of printf; wr_panic_at names another place than
 * its own.  Messages are cut at 500 bytes. */
_Noreturn void wr_panic_at(const char *place, const char *format, ...)
    __attribute__((format(printf, 2, 3), cold));

/* The same, naming the place where it stands. */
#define wr_panic(...) wr_panic_at(WR_HERE, __VA_ARGS__)

#define WR_ASSERT(cond) \
    (__builtin_expect(!(cond), 0) ? wr_panic_at(WR_HERE, "assertion failed: %s", #cond) \
                                  : (void)0)

#endif
