/* address.h - where a page is, in the one form in which we keep and compare it.
 *
 *     char url[ADDRESS_MAX + 1];
 *     const char *why;
 *     err = address_read(url, " HTTP://Köln.example:80/wiki/Käse und Brot#top", &why);
 *     ...url: "http://xn--kln-sna.example/wiki/K%C3%A4se%20und%20Brot"
 *
 * People paste addresses as a browser shows them, and pages link to one page in many ways.
 * All of these are the same: blanks around it; capitals in the scheme and the host; a name
 * in letters or as "xn--"; the usual port, said or not; no path or "/"; "." and ".." in the
 * path; a character as it is or as "%C3%A4", with capitals or without; what follows "#".
 * What is left of it is sent as it is: no other slash, order or case is changed.
 *
 * What comes out is read as itself again, by address_read and by fetch_url_parse.
 */
#ifndef WR_CRAWL_ADDRESS_H
#define WR_CRAWL_ADDRESS_H

#include <weir/err.h>

#define ADDRESS_MAX 4096            /* bytes */

/* On an error *ret_why is a clause, which lives for ever.  Any bytes may come in.
 * Errors: INVALID, NOMEM. */
wr_err address_read(char ret[ADDRESS_MAX + 1], const char *text, const char **ret_why);

#endif
