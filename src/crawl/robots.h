/* robots.h - what a site lets robots read: robots.txt, as RFC 9309 has it.
 *
 *     struct robots *robots;
 *     err = robots_parse(&robots, bytes, len, "weir");
 *     if (robots_allow(robots, "/papers/7.html?lang=en"))
 *         ...
 *     robots_free(robots);
 *
 * Of the file only the rules that are for us are kept: those of all groups that name our
 * product token, in any case; else those of the groups for "*"; else none, and all is allowed.
 * Of the rules that match a path the longest decides, an Allow before a Disallow of the same
 * length; "*" stands for anything and "$" at the end for the end of the path.  Both sides are
 * compared as they are when percent-encoded, so that /%7Ejoe and /~joe are the same.
 *
 * Nothing in a file is an error: lines that say nothing are passed over, and what is beyond the
 * first ROBOTS_MAX bytes is not looked at.  A parsed one does not change: any fiber may ask it.
 */
#ifndef WR_CRAWL_ROBOTS_H
#define WR_CRAWL_ROBOTS_H

#include <stdbool.h>
#include <stddef.h>

#include <weir/err.h>
#include <weir/time.h>

#define ROBOTS_MAX (500u << 10)
#define ROBOTS_DELAY_MAX WR_S(3600)     /* who asks for more gets this */

struct robots;

/* Read a file for this product token.  Takes some milliseconds for the largest.
 * Errors: NOMEM. */
wr_err robots_parse(struct robots **ret, const char *bytes, size_t len, const char *token);
void robots_free(struct robots *robots);

/* Whether this path may be asked for; it begins with a slash, and the query is part of it.
 * /robots.txt always may.  Takes longer with more rules: see robots_effort. */
bool robots_allow(const struct robots *robots, const char *target);

/* About how many bytes robots_allow compares, at worst, for a path of this length. */
size_t robots_effort(const struct robots *robots, size_t target_len);

/* The time from one request to the next that the site asks for; 0: none. */
wr_time robots_delay(const struct robots *robots);

/* Bytes of memory that it holds. */
size_t robots_size(const struct robots *robots);

#endif
