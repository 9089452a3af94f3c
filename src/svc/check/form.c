/* form.c - the forms a report can be written in. */
#include <string.h>

#include "svc/check/form.h"

/* Without colours and details, as for a file. */
static void write_text(struct wr_text *ret, const struct check_report *const *reports,
                       size_t count)
{
    check_write_text(ret, reports, count, &(struct check_text_options){ 0 });
}

const struct check_form check_forms[CHECK_FORM_COUNT] = {
    { "json", "application/json", "for programs", check_write_json },
    { "csv", "text/csv; charset=utf-8", "for spreadsheets", check_write_csv },
    { "markdown", "text/markdown; charset=utf-8", "for issues and wikis",
      check_write_markdown },
    { "html", "text/html; charset=utf-8", "a page for people", check_write_html },
    { "sarif", "application/sarif+json", "for continuous integration", check_write_sarif },
    { "text", "text/plain; charset=utf-8", "for a terminal", write_text },
};

const struct check_form *check_form(const char *name)
{
    for (size_t i = 0; i < CHECK_FORM_COUNT; i++)
        if (strcmp(check_forms[i].name, name) == 0)
            return &check_forms[i];
    return NULL;
}
