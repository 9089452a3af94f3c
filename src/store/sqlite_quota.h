/* sqlite_quota.h - how much memory SQLite may take for one question.
 *
 *     sqlite_quota_begin(64 << 20);
 *     ...all that SQLite does on this thread...
 *     size_t most = sqlite_quota_end();
 *
 * A statement of a stranger may sort or collect as much as it likes, and what it sorts is in
 * memory: so the library's own calls for memory are counted for the thread that asks, and
 * beyond the quota it gets none, which ends the statement and nothing else.  Threads without a
 * quota have no bound.
 */
#ifndef WR_STORE_SQLITE_QUOTA_H
#define WR_STORE_SQLITE_QUOTA_H

#include <stdbool.h>
#include <stddef.h>

/* Once, before the library's first use. */
void sqlite_quota_install(void);

void sqlite_quota_begin(size_t max);

/* Whether it has refused any since the beginning. */
bool sqlite_quota_end(void);

#endif
