/* entity.h - the named letters of HTML for Latin-1, and a few signs: "uuml" is "ü". */
#ifndef WR_LIBRARY_ENTITY_H
#define WR_LIBRARY_ENTITY_H

/* UTF-8; NULL: it is not known. */
const char *entity_text(const char *name);

#endif
