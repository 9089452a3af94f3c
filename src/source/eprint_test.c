#include "testing/source_rig.h"

#define OAI(inside) "<?xml version=\"1.0\"?><OAI-PMH xmlns=\"http://www.openarchives.org/" \
    "OAI/2.0/\">" \
    inside "</OAI-PMH>"

TEST_PLAIN(a_paper_of_the_eprint_archive_is_asked_for_by_number)
{
    CHECK_STR("https://eprint.iacr.org/oai?verb=GetRecord&metadataPrefix=oai_dc&"
              "identifier=oai:eprint.iacr.org:2023/1234",
              asked(&source_eprint, SOURCE_BY_EPRINT, "2023/1234"));
}

TEST_PLAIN(a_paper_of_the_eprint_archive_becomes_a_record)
{
    CHECK_STR("Quiet Proofs | Doe, Jane; Roe, R. | 2023 | Cryptology ePrint Archive | - | "
              "- | - | "
              "- | 2023/1234",
              told(&source_eprint, SOURCE_BY_EPRINT, "2023/1234",
        OAI("<GetRecord><record><header><identifier>oai:x</identifier></header><metadata>"
            "<oai_dc:dc xmlns:oai_dc=\"a\" xmlns:dc=\"b\"><dc:title>Quiet Proofs</dc:title>"
            "<dc:creator>Doe, Jane</dc:creator><dc:creator>R. Roe</dc:creator>"
            "<dc:date>2023-08-14</dc:date></oai_dc:dc></metadata></record></GetRecord>")));
}

TEST_PLAIN(a_number_that_the_eprint_archive_does_not_have)
{
    CHECK_STR("NotFound: ", told(&source_eprint, SOURCE_BY_EPRINT, "2023/99999",
              OAI("<error code=\"idDoesNotExist\">no</error>")));
    CHECK_STR("Io: IACR ePrint: sent no record of a paper",
              told(&source_eprint, SOURCE_BY_EPRINT, "2023/1",
                   OAI("<error code=\"badArgument\">no</error>")));
}
