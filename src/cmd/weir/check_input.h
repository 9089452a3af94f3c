/* check_input.h - what is to be checked: a file, standard input, or a paper by its name.
 *
 *     err = check_input_read(&(struct check_input){ .name = "paper.pdf", .deadline = ... },
 *                            &arena, &documents);
 *
 * A file of that name wins; where there is none, an arXiv id or a DOI is fetched
 * (svc/check/named.h).  What is wrong is said on standard error.
 */
#ifndef WEIR_CMD_CHECK_INPUT_H
#define WEIR_CMD_CHECK_INPUT_H

#include "extract/document.h"
#include "source/sources.h"

struct check_input {
    const char *name;               /* "-" is standard input */
    bool one_per_line, quiet;
    const struct sources *sources;  /* NULL: offline */
    wr_time deadline;
};

/* Everything in *ret lies in the arena.  Errors: those of wr_file_read, extract_document and
 * named_fetch. */
wr_err check_input_read(const struct check_input *input, struct wr_arena *arena,
                        struct extract_documents *ret);

/* Whether it is no file, but the name of a paper. */
bool check_input_is_named(const char *name);

/* The bytes of a file or of standard input, for free.  Errors: those of wr_file_read. */
wr_err check_input_bytes(const char *name, char **ret, size_t *ret_len);

#endif
