/* proxy.h - one proxy of an OpenDHT network, over HTTP.
 *
 *     struct proxy proxy = { client, "http://127.0.0.1:8081" };
 *
 *     struct proxy_reading reading = { .take = take, .arg = mine, .enough = WR_NEVER };
 *     err = proxy_get(&proxy, key, &reading, deadline);        take is called for each value
 *     err = proxy_put(&proxy, key, id, bytes, len, deadline);
 *     err = proxy_listen(&proxy, key, &reading, deadline);
 *     err = proxy_ping(&proxy, &nodes, deadline);
 *
 * Values come as lines of JSON, one each, as the network brings them: the first often long
 * before the last, as the proxy waits a second for each node that does not answer.  So they are
 * handed on line by line, and who has enough need not wait for the end.
 *
 * What a proxy says is a stranger's, and so is what lies under a key.  A line is at most
 * PROXY_LINE_MAX bytes, an answer PROXY_LINES_MAX lines and PROXY_BYTES_MAX bytes: what is
 * longer is passed over, what is more is not read.  A line that is no JSON object makes the
 * whole answer one that is not to be believed.
 *
 * Errors of all: TIMEOUT, CANCELED, NOMEM; BUSY (429, and too many at once), CLOSED; IO: it
 * could not be reached, broke off, said 5xx, or what is no answer of a proxy.
 */
#ifndef WR_DHT_PROXY_H
#define WR_DHT_PROXY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weir/err.h>
#include <weir/fetch.h>
#include <weir/time.h>

#define PROXY_KEY 20
#define PROXY_URL_MAX 255
#define PROXY_VALUE_MAX 1024            /* bytes of a value that is of use */
#define PROXY_LINE_MAX 4096
#define PROXY_LINES_MAX 1024
#define PROXY_BYTES_MAX ((size_t)1024 * 1024)

struct proxy {
    struct wr_fetch_client *client;
    const char *url;                    /* without a slash at the end */
};

/* What one line was.  OTHER: a value that was not put by our likes (encrypted, or no bytes). */
enum proxy_line { PROXY_VALUE, PROXY_OVERSIZED, PROXY_OTHER };

struct proxy_reading {
    /* One line; bytes only of a VALUE, until it returns.  An error of it ends the reading, and
     * is the reading's.  It may set `enough`. */
    wr_err (*take)(struct proxy_reading *reading, enum proxy_line line, const void *bytes,
                   size_t len);
    void *arg;
    wr_time enough;                     /* from this moment on what has come is the answer */
    bool cut;                           /* there was more than is read of an answer */
};

/* Whether a text can be the address of one: http or https, no path but "/", no query.
 * buf has PROXY_URL_MAX + 1 bytes: the text as it is used.  Errors: INVALID, NOMEM;
 * *ret_why is a clause. */
wr_err proxy_url_read(char *buf, const char *text, const char **ret_why);

/* All values under a key. */
wr_err proxy_get(const struct proxy *proxy, const unsigned char key[PROXY_KEY],
                 struct proxy_reading *reading, wr_time deadline);

/* All values under a key, and those that are put there later.  It ends by an error:
 * TIMEOUT at the deadline. */
wr_err proxy_listen(const struct proxy *proxy, const unsigned char key[PROXY_KEY],
                    struct proxy_reading *reading, wr_time deadline);

/* Put a value of at most PROXY_VALUE_MAX bytes; its id is not 0.  A value whose id is there
 * already is not replaced.  DEGRADED: the proxy has it, but knows of no other node. */
wr_err proxy_put(const struct proxy *proxy, const unsigned char key[PROXY_KEY], uint64_t id,
                 const void *bytes, size_t len, wr_time deadline);

/* Is it there?  *ret is how many nodes of its network it knows to be good. */
wr_err proxy_ping(const struct proxy *proxy, uint64_t *ret, wr_time deadline);

/* ---- the lines of an answer: for the calls above, and for whoever tests them ---- */

struct proxy_lines {
    struct proxy_reading *reading;
    bool endless;                       /* listen: their number and their bytes have no bound */
    size_t lines, bytes, len;
    bool is_over;                       /* the present line is longer than it may be */
    char line[PROXY_LINE_MAX + 1];
};

/* Some more of it, in any pieces, and its end.  *ret_full: nothing more is wanted.
 * Errors: IO (a line that is no object), NOMEM, and those of take. */
wr_err proxy_lines_add(struct proxy_lines *lines, const char *bytes, size_t len,
                       bool *ret_full);
wr_err proxy_lines_end(struct proxy_lines *lines);

/* How many good nodes there are, out of what a ping says.  Errors: IO. */
wr_err proxy_nodes_read(uint64_t *ret, const char *bytes, size_t len);

#endif
