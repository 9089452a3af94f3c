/* venue_test.c - one venue, many names. */
#include "biblio/venue.h"

#include "testing/test.h"

static enum bib_venue_match compare(const char *a, const char *b)
{
    CHECK_EQ(bib_venue_compare(a, b), bib_venue_compare(b, a));
    return bib_venue_compare(a, b);
}

#define SAME(a, b) CHECK_EQ(BIB_VENUE_SAME, compare(a, b))
#define UNSURE(a, b) CHECK_EQ(BIB_VENUE_UNSURE, compare(a, b))
#define DIFFERENT(a, b) CHECK_EQ(BIB_VENUE_DIFFERENT, compare(a, b))

TEST_PLAIN(an_acronym_is_the_full_name)
{
    SAME("ICML", "International Conference on Machine Learning");
    SAME("ICML", "Proc. of the 38th Int. Conf. on Machine Learning");
    SAME("NeurIPS", "Advances in Neural Information Processing Systems 33");
    SAME("NIPS", "NeurIPS");
    SAME("CVPR", "2019 IEEE/CVF Conference on Computer Vision and Pattern Recognition (CVPR)");
    SAME("CVPR2019", "CVPR");
    SAME("AAAI", "Proceedings of the AAAI Conference on Artificial Intelligence");
    SAME("ACL", "Proceedings of the 58th Annual Meeting of the Association for Computational "
                "Linguistics");
}

TEST_PLAIN(words_may_be_abbreviated_as_librarians_do)
{
    SAME("J. Mach. Learn. Res.", "Journal of Machine Learning Research");
    SAME("Eur Heart J Cardiovasc Pharmacother",
         "European heart journal. Cardiovascular pharmacotherapy");
    SAME("Front Immunol", "Frontiers in Immunology");
    SAME("Proc. Natl. Acad. Sci. U.S.A.", "Proceedings of the National Academy of Sciences");
    SAME("ACM Trans. Graph.", "ACM Transactions on Graphics");
    SAME("Mach. Learn.", "Machine Learning");
}

TEST_PLAIN(initials_spell_a_name_that_no_table_knows)
{
    SAME("IJWMC", "International Journal of Wireless and Mobile Computing");
    SAME("TOMPECS", "Transactions on Modeling and Performance Evaluation of Computing Systems");
}

TEST_PLAIN(places_years_and_editions_make_no_difference)
{
    SAME("ICML 2020, Vienna, Austria", "Proceedings of the 37th International Conference on "
                                       "Machine Learning");
    SAME("European journal of pain (London, England)", "European Journal of Pain");
}

TEST_PLAIN(a_joint_conference_is_each_of_its_parts)
{
    const char *joint = "Proceedings of the 2019 Conference on Empirical Methods in Natural "
                        "Language Processing and the 9th International Joint Conference on "
                        "Natural Language Processing (EMNLP-IJCNLP)";
    SAME("EMNLP", joint);
    SAME("IJCNLP", joint);
    DIFFERENT("ACL", joint);
}

TEST_PLAIN(a_track_is_part_of_its_conference)
{
    SAME("ACL 2015", "Proceedings of ACL-IJCNLP 2015 System Demonstrations");
    SAME("NAACL", "Proceedings of the Human Language Technology Conference of the NAACL, "
                  "Companion Volume");
    SAME("SemEval", "Proceedings of the 13th International Workshop on Semantic Evaluation");
    SAME("SemDeep", "Proceedings of the 6th Workshop on Semantic Deep Learning (SemDeep-6)");
}

TEST_PLAIN(another_venue_is_different)
{
    DIFFERENT("ICML", "ICLR");
    DIFFERENT("ICML", "Conference on Neural Information Processing Systems");
    DIFFERENT("Nature", "Science");
    DIFFERENT("Journal of Machine Learning Research", "Trans. Mach. Learn. Res.");
    DIFFERENT("Machine Learning", "ICML");
    DIFFERENT("Journal of Pain Research", "Tropical Doctor");
}

TEST_PLAIN(a_name_nobody_knows_is_not_a_known_one)
{
    DIFFERENT("Symposium on Neural Scaling Laws", "ICML");
    DIFFERENT("International Conference on Quantum Machine Learning", "ICML");
    DIFFERENT("Pacific Rim Symposium on Neural Information Systems", "NeurIPS");
}

TEST_PLAIN(a_workshop_is_not_its_conference)
{
    DIFFERENT("ICML Workshop on Uncertainty", "ICML");
    DIFFERENT("Workshop on Robot Gardening", "Conference on Robot Gardening");
    DIFFERENT("Findings of the Association for Computational Linguistics: EMNLP 2020", "EMNLP");
    SAME("Findings of EMNLP", "Findings of the Association for Computational Linguistics: "
                              "EMNLP 2020");
}

TEST_PLAIN(a_publisher_or_a_series_says_nothing)
{
    UNSURE("PMLR", "ICML");
    UNSURE("Springer", "ECCV");
    UNSURE("Lecture Notes in Computer Science", "ECCV");
    UNSURE("", "ICML");
}

TEST_PLAIN(an_acronym_nobody_knows_is_not_certain)
{
    UNSURE("XYZQ", "Festival of Obscure Gardens");
    DIFFERENT("XYZQ", "ICML");
}

TEST_PLAIN(servers_of_preprints_are_known)
{
    CHECK(bib_venue_is_preprint("arXiv preprint arXiv:1706.03762"));
    CHECK(bib_venue_is_preprint("CoRR"));
    CHECK(bib_venue_is_preprint("bioRxiv : the preprint server for biology"));
    CHECK(!bib_venue_is_preprint("ICML"));
    SAME("CoRR", "arXiv");
}

TEST_PLAIN(venues_without_dois_are_known)
{
    CHECK(bib_venue_lacks_dois("ICLR"));
    CHECK(!bib_venue_lacks_dois("CVPR"));
    CHECK(!bib_venue_lacks_dois("ICLR Workshop on Things"));
    CHECK(!bib_venue_lacks_dois("Tropical Doctor"));
}
