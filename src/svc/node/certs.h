/* certs.h - the node's certificate and key, out of the files that the configuration
 * names, and again when they have changed. */
#ifndef WR_NODE_CERTS_H
#define WR_NODE_CERTS_H

#include <weir/tls.h>

#include "conf/conf.h"

/* Read the files and make *ret of them; without tls.enabled it stays as it is.  On an
 * error `why` is a sentence.
 * Errors: as wr_file_read and wr_tls_new. */
wr_err certs_load(struct wr_tls **ret, const struct wr_conf *conf, char *why, size_t size);

#endif
