/* document.h - what a file cites, whatever kind of file it is: the one door of this room.
 *
 *     struct wr_arena arena = WR_ARENA(EXTRACT_ARENA_MAX);
 *     struct extract_documents documents;
 *     char why[EXTRACT_WHY];
 *     err = extract_document("paper.pdf", bytes, size, &(struct extract_conf){
 *         .deadline = wr_after(WR_S(60)) }, &arena, &documents, why);
 *     ... documents.at[0].references
 *     wr_arena_free(&arena);
 *
 * Read are PDF, BibTeX, .bbl of any style, .tex with thebibliography, Word (.docx), TEI as
 * GROBID writes it, plain text in UTF-8, UTF-16 or Latin-1, and zip, tar, tar.gz and gz with
 * any of them.  What a file is, is decided by what is in it; its name counts only where that
 * says nothing.
 *
 * An archive has several documents.  One of them that cannot be read has an error and a note,
 * and the others are read all the same.
 *
 * It must be called by a task: what takes long is done by other threads and processes.
 */
#ifndef WR_EXTRACT_DOCUMENT_H
#define WR_EXTRACT_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>

#include <weir/err.h>
#include <weir/time.h>

#include "base/arena.h"
#include "biblio/bibtex.h"
#include "biblio/work.h"
#include "extract/refusal.h"

#define EXTRACT_ARENA_MAX ((size_t)512 << 20)   /* what the largest document may need */
#define EXTRACT_NESTED_MAX 8                    /* archives in an archive that are opened */

struct extract_conf {
    wr_time deadline;               /* of all of it */
    bool one_per_line;              /* text: every line is a reference */
    bool typeset;                   /* an archive is what a paper was typeset from: only TeX and
                                     * bibliographies in it are read, no figures */
    const char *pdftotext;          /* stands in for it; NULL: itself */
};

struct extract_document {
    const char *name;               /* "refs.bib", "paper.zip/refs.bib" */
    const char *kind;               /* "BibTeX", for a person */
    struct bib_references references;
    const struct bibtex_fault *faults;      /* of a .bib file */
    size_t fault_count;
    const char *note;               /* for a person: what was odd; or NULL */
    wr_err err;                     /* it could not be read, and the note says why */
};

struct extract_documents {
    struct extract_document *at;
    size_t count;
};

/* Everything in *ret lies in the arena.  After an error `why` says what is wrong.
 * Errors: INVALID (no kind of file that is known, or damaged), DENIED (over a limit, encrypted,
 * or no jail for pdftotext), UNSUPPORTED (pdftotext is not there), TIMEOUT, CANCELED, NOMEM
 * (also: the arena is full), BUSY, NOFILE, IO. */
wr_err extract_document(const char *name, const char *bytes, size_t size,
                        const struct extract_conf *conf, struct wr_arena *arena,
                        struct extract_documents *ret, char why[EXTRACT_WHY]);

#endif
