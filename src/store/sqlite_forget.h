/* sqlite_forget.h - SQLite's memory, wiped before it is given back.
 *
 *     sqlite_forget_install();        before the library's first use, and before quotas
 *
 * Under amnesia (base/forget.h) a store is in memory, and all that was stored is in what the
 * library has taken.  In any other process nothing is changed.
 */
#ifndef WR_STORE_SQLITE_FORGET_H
#define WR_STORE_SQLITE_FORGET_H

/* The first call counts. */
void sqlite_forget_install(void);

#endif
