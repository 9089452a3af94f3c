/* reader_bib_test.c - tests of reader_bib.c. */
#include "testing/reader_rig.h"

TEST_PLAIN(entries_of_bibtex_are_records_with_their_keys)
{
    struct reader_rig rig;
    reader_rig_read(&rig, &reader_bib, "@article{a1, author = {Ada Code}, title = {One},\n"
                    "  journal = {J}, year = 1999}\n@book{b2, title = {Two}, year = 2001,\n"
                    "  publisher = {P}, author = {Burr, Bob}}\n");
    CHECK_OK(rig.err);
    CHECK_STR("[article] 1999 \"One\" Code, Ada | J id=a1\n"
              "[book] 2001 \"Two\" Burr, Bob | P id=b2\n", rig.seen.at);
    CHECK_STR("", rig.faults.at);
    reader_rig_close(&rig);
}

TEST_PLAIN(a_file_without_entries_is_a_fault)
{
    struct reader_rig rig;
    reader_rig_read(&rig, &reader_bib, "nothing at all\n");
    CHECK_OK(rig.err);
    CHECK_STR("", rig.seen.at);
    CHECK_STR("1: there is no entry of BibTeX in it\n", rig.faults.at);
    reader_rig_close(&rig);
}
