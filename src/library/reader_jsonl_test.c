/* reader_jsonl_test.c - tests of reader_jsonl.c. */
#include "testing/reader_rig.h"

TEST_PLAIN(fields_of_bibtex_as_json_are_read_as_bibtex)
{
    struct reader_rig rig;
    reader_rig_read(&rig, &reader_jsonl,
        "{\"type\":\"inproceedings\",\"author\":\"Jiawei Ames 0002 and Burr, B. and {Acme}\","
        "\"title\":\"{\\\\\\\"U}ber toys\",\"booktitle\":\"TOY\",\"year\":\"2023\","
        "\"doi\":\"10.1109/TOY.1\",\"url\":\"https://example.org/1\"}\n"
        "{\"ENTRYTYPE\":\"article\",\"ID\":\"k2\",\"author\":[\"Ada Code\",\"Bob Burr\"],"
        "\"title\":\"Two\",\"journal\":\"J\",\"year\":1999}\n");
    CHECK_OK(rig.err);
    CHECK_STR("[paper] 2023 \"\u00dcber toys\" Ames, Jiawei; Burr, B.; Acme | TOY "
              "doi=10.1109/toy.1 id=https://example.org/1\n"
              "[article] 1999 \"Two\" Code, Ada; Burr, Bob | J id=k2\n", rig.seen.at);
    CHECK_STR("", rig.faults.at);
    reader_rig_close(&rig);
}
