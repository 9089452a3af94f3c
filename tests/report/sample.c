/* sample.c - print reports of a check in any form, for parsers that are not ours.
 *
 *     sample FORM             the report with one reference of each kind
 *     sample FORM NUMBER      the one in which every text is an attack, from 0
 *     sample FORM long        one of 20,000 references
 *
 * Exit 3: there is no such number.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "svc/check/form.h"
#include "testing/report_rig.h"

int main(int argc, char **argv)
{
    const struct check_form *form = argc > 1 ? check_form(argv[1]) : NULL;
    if (!form)
        return 2;
    struct sample_hostile hostile;
    struct check_report many = { .file = "" };
    const struct check_report *report = &sample_report;
    if (argc > 2 && strcmp(argv[2], "long") == 0) {
        many = sample_make_long(20000);
        report = &many;
    } else if (argc > 2) {
        size_t number = strtoul(argv[2], NULL, 10);
        if (number >= SAMPLE_COUNT(sample_attacks))
            return 3;
        report = sample_make_hostile(&hostile, sample_attacks[number], BIB_MISMATCH);
    }
    struct wr_text page = wr_text_heap(CHECK_PAGE_MAX);
    form->write(&page, &report, 1);
    size_t put = fwrite(page.at, 1, page.len, stdout);
    bool whole = page.cut == 0 && put == page.len;
    wr_text_free(&page);
    free(many.findings);
    return whole ? EXIT_SUCCESS : EXIT_FAILURE;
}
