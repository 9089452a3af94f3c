/* data.h - whether a data directory can be had.
 *
 *     char why[DATA_WHY];
 *     if (!data_usable("/var/lib/weir", why, sizeof(why)))
 *         ...why: "user 65534 may not write in /var/lib: Permission denied"
 */
#ifndef WEIR_DATA_H
#define WEIR_DATA_H

#include <stdbool.h>
#include <stddef.h>

#define DATA_WHY 4400

/* Whether this user could write in it, or make it where it is not there yet; *ret is what
 * exists of its path, or else says what is in the way.  Nothing is made. */
bool data_usable(const char *data, char *ret, size_t size);

#endif
