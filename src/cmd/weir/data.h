/* data.h - whether a data directory can be had, and who has it.
 *
 *     char why[DATA_WHY];
 *     const char *fix;
 *     if (!data_usable("/var/lib/weir", why, sizeof(why), &fix))
 *         ...why: "user 65534 may not write in /var/lib: Permission denied"
 *
 * A node that runs holds a lock on the file "lock" in it, and has written into that where it
 * is: "pid 4711, http://127.0.0.1:8080".
 */
#ifndef WEIR_DATA_H
#define WEIR_DATA_H

#include <stdbool.h>
#include <stddef.h>

#define DATA_WHY 4400
#define DATA_SIGNATURE 200

/* Whether this user could write in it, or make it where it is not there yet; *ret is what
 * exists of its path, or else says what is in the way, and *ret_fix what to do.  Nothing is
 * made. */
bool data_usable(const char *data, char *ret, size_t size, const char **ret_fix);

/* Whether a node runs on it, and where, in words.  Nothing is kept from anybody. */
bool data_in_use(const char *data, char *ret, size_t size);

/* Take the lock of an open lock file, or leave errno at EWOULDBLOCK.  A node that was killed
 * while it started a program leaves the lock to that for the moment until it ends, too: where
 * who has signed is gone, that is waited for, a second at most. */
bool data_lock(int fd);

/* Take the lock, and write into it who has it ("weir check"); the lock goes with what is
 * returned, which is to be closed.  -1: it cannot be had, and ret says who has it, or why. */
int data_take(const char *data, const char *who, char *ret, size_t size);

/* What stands in a lock file, in words. */
void data_signature(int fd, char *ret, size_t size);

#endif
