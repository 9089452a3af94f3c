/* venue.h - whether two names mean the same journal or conference.
 *
 *     bib_venue_compare("ICML", "Proc. of the 38th Int. Conf. on Machine Learning")
 *                                                                  BIB_VENUE_SAME
 *
 * Years, ordinals, "Proceedings of the", societies and places make no difference; words may
 * be abbreviated as librarians do ("J. Mach. Learn. Res."), names by their initials, and the
 * common ones go by a table of facts.  A workshop is not the conference it is held at.
 *
 * Two names are different only where that is certain enough to say it to an author: when
 * one of them is a publisher, a series or an acronym nobody knows, it is not.
 *
 * Any bytes may come in.  Nothing allocates.
 */
#ifndef WR_BIBLIO_VENUE_H
#define WR_BIBLIO_VENUE_H

#include <stdbool.h>

enum bib_venue_match { BIB_VENUE_SAME, BIB_VENUE_UNSURE, BIB_VENUE_DIFFERENT };

enum bib_venue_match bib_venue_compare(const char *a, const char *b);

/* A server of preprints: arXiv (CoRR), bioRxiv, SSRN, ePrint. */
bool bib_venue_is_preprint(const char *venue);

/* Known to publish without DOIs: a paper that appeared there has none of its own. */
bool bib_venue_lacks_dois(const char *venue);

#endif
