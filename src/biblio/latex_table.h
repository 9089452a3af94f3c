/* latex_table.h - what commands of TeX stand for: facts, for latex.c alone.
 *
 * The table is in the order of strcmp, since it is searched by halving.
 */
#ifndef WR_BIBLIO_LATEX_TABLE_H
#define WR_BIBLIO_LATEX_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is done for a command: its text is written, then so many groups are passed over; what
 * `close` has is written where the group that follows ends. */
struct latex_command {
    const char *name;
    const char *text;
    const char *close;
    uint8_t passed;
    bool literal;           /* the argument is taken as it stands */
    bool glue;              /* a length follows */
};

extern const struct latex_command latex_commands[];
extern const size_t latex_command_count;

/* The combining character of an accent; 0: no accent. */
uint32_t latex_accent(const char *name, size_t len);

/* NULL: not in the table. */
const struct latex_command *latex_command(const char *name, size_t len);

#endif
