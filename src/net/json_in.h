/* json_in.h - a JSON object out of bytes that somebody sent.
 *
 * jansson calls itself as deep as brackets nest, and a fiber's stack is small.  So bytes
 * with more of them than JSON_IN_BRACKETS_MAX, which no request of ours needs, are not
 * read at all.  They count where they stand in strings too, which is simpler, and no harm.
 */
#ifndef WR_NET_JSON_IN_H
#define WR_NET_JSON_IN_H

#include <stddef.h>

#include <jansson.h>

#define JSON_IN_BRACKETS_MAX 64

/* For json_decref; NULL when it is no object, has a key twice, nests too deep, or there is
 * no memory. */
json_t *json_in_object(const void *bytes, size_t len);

/* The same where requests are large: what nests no deeper than JSON_IN_DEPTH_MAX, and has no
 * more than JSON_IN_VALUES_MAX values.  A megabyte takes milliseconds: not in a fiber then, but
 * by wr_offload.  With NULL, *ret_why says why. */
#define JSON_IN_DEPTH_MAX 32
#define JSON_IN_VALUES_MAX 200000
json_t *json_in_large(const void *bytes, size_t len, const char **ret_why);

/* How large it is, before jansson may have it: JSON_IN_FITS when it nests no deeper than
 * JSON_IN_DEPTH_MAX and has at most so many values.  Brackets in strings do not count. */
enum json_in_size { JSON_IN_FITS, JSON_IN_DEEP, JSON_IN_MANY };
enum json_in_size json_in_measure(const char *text, size_t len, size_t values_max);

/* 30.0 is the integer 30: as JSON Schema has it, and as json_in_large reads it.  It must not
 * nest deeper than that. */
void json_in_whole(json_t *json);

#endif
