/* form.h - the forms a report can be written in, by name. */
#ifndef WR_CHECK_FORM_H
#define WR_CHECK_FORM_H

#include "svc/check/report.h"

struct check_form {
    const char *name;           /* of the flag, and of ?form= */
    const char *media;          /* of the answer of HTTP */
    const char *what;           /* for the help of the command */
    void (*write)(struct wr_text *ret, const struct check_report *const *reports, size_t count);
};

#define CHECK_FORM_COUNT 6
extern const struct check_form check_forms[CHECK_FORM_COUNT];

/* NULL: there is none of this name. */
const struct check_form *check_form(const char *name);

#endif
