/* venue_table.h - conferences and journals that go by more than one name. */
#ifndef WR_BIBLIO_VENUE_TABLE_H
#define WR_BIBLIO_VENUE_TABLE_H

#include <stddef.h>

enum {
    VENUE_MEETING = 1,      /* a conference, a symposium */
    VENUE_JOURNAL = 2,
    VENUE_SERIES = 4,       /* a series or a publisher: many venues appear there */
    VENUE_PREPRINT = 8,     /* a server of preprints */
    VENUE_NO_DOI = 16,      /* its papers have no DOI of their own */
    VENUE_WORKSHOP = 32,    /* a workshop that goes by a name of its own */
};

/* Both lists are folded words with "|" between the names.  A name has only the words that
 * tell it from others: no "proceedings", "international", "conference", no "of" and "the". */
struct venue_entry {
    const char *acronyms, *names;
    unsigned flags;
};

extern const struct venue_entry venue_table[];
extern const size_t venue_table_count;

#endif
