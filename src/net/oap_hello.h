/* oap_hello.h - HELLO, the first words of a connection: who asks, and what is agreed.
 *
 *     {"ua":"sdk/0.1"}                    asks; also {"ua":null,"max_frame":65536}
 *     {"max_frame":1048576,"max_inflight":64,"flags_supported":255,"versions":[1],
 *      "transports":["tcp+tls"]}          agrees
 */
#ifndef WR_NET_OAP_HELLO_H
#define WR_NET_OAP_HELLO_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/* Read the request.  *frame_max is lowered to what the peer wants, never raised.  False
 * for what is no HELLO, or wants frames below OAP_FRAME_MIN. */
bool oap_hello_read(size_t *frame_max, const void *payload, size_t len);

/* Write the answer. */
void oap_hello_write(struct wr_text *text, size_t frame_max, unsigned inflight_max, bool tls);

/* Read the answer, as a client: *frame_max is lowered as above. */
bool oap_hello_read_answer(size_t *frame_max, const void *payload, size_t len);

#endif
