/* doi_address.h - DOIs and the addresses that lead to them.
 *
 *     char doi[DOI_MAX + 1], url[ADDRESS_MAX + 1];
 *     doi_of_resolver("https://doi.org/10.1002/A%3C1%3E", doi);       ("10.1002/a<1>")
 *     doi_in_address("https://a.example/doi/full/10.1000/182", doi);  ("10.1000/182")
 *     err = doi_address(url, "10.1002/a<1>");       ("https://doi.org/10.1002/a%3C1%3E")
 *
 * A DOI has no case; here it is in lower case.  Its page has the one address that doi_address
 * makes, whoever has told of it.
 */
#ifndef WR_QUEUE_DOI_ADDRESS_H
#define WR_QUEUE_DOI_ADDRESS_H

#include <stdbool.h>

#include <weir/err.h>

#include "crawl/address.h"

#define DOI_MAX 2000                /* bytes; what is longer is none */

/* Whether it looks like one: 10.1000/182, without blanks. */
bool doi_is(const char *text);

/* The DOI that an address of doi.org stands for, or NULL.  Returns ret. */
const char *doi_of_resolver(const char *address, char ret[DOI_MAX + 1]);

/* ... or that is in an address as publishers write them (/doi/full/10.1000/182,
 * ?doi=10.1000/182).  What comes after it, of a question or of a form, is no part of it. */
const char *doi_in_address(const char *address, char ret[DOI_MAX + 1]);

/* Where it leads.  Errors: INVALID (it is too long to be an address), NOMEM. */
wr_err doi_address(char ret[ADDRESS_MAX + 1], const char *doi);

#endif
