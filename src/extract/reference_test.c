#include "extract/reference.h"

#include <stdlib.h>
#include <string.h>

#include "testing/test.h"

static struct wr_arena arena;

static struct bib_reference read(const char *raw)
{
    struct bib_reference reference = { 0 };
    wr_arena_free(&arena);
    arena = WR_ARENA(1 << 20);
    CHECK_OK(extract_reference(raw, strlen(raw), &arena, &reference));
    return reference;
}

static void check_author(const struct bib_work *work, uint32_t at, const char *family,
                         const char *given)
{
    REQUIRE(at < work->author_count);
    CHECK_STR(family, work->authors[at].family);
    CHECK_STR(given, work->authors[at].given);
}

TEST_PLAIN(ieee_in_proceedings)
{
    struct bib_reference it = read(
        "[12] K. He, X. Zhang, S. Ren, and J. Sun, \"Deep residual learning for image "
        "recognition,\" in Proc. IEEE Conf. Comput. Vis. Pattern Recognit. (CVPR), Las Vegas, "
        "NV, USA, 2016, pp. 770–778, doi: 10.1109/CVPR.2016.90.");
    CHECK_EQ(12, it.number);
    CHECK_STR("Deep residual learning for image recognition", it.work.title);
    CHECK_EQ(4, it.work.author_count);
    check_author(&it.work, 3, "Sun", "J.");
    CHECK_EQ(2016, it.work.year);
    CHECK_STR("10.1109/cvpr.2016.90", it.work.doi);
    CHECK_EQ(BIB_PAPER, it.work.kind);
    CHECK(it.raw[0] == 'K');
}

TEST_PLAIN(ieee_in_a_journal)
{
    struct bib_reference it = read(
        "D. E. Rumelhart, G. E. Hinton, and R. J. Williams, “Learning representations by "
        "back-propagating errors,” Nature, vol. 323, no. 6088, pp. 533–536, Oct. 1986.");
    CHECK_STR("Learning representations by back-propagating errors", it.work.title);
    CHECK_STR("Nature", it.work.venue);
    CHECK_STR("323", it.work.volume);
    CHECK_STR("533–536", it.work.pages);
    CHECK_EQ(BIB_ARTICLE, it.work.kind);
}

TEST_PLAIN(acm)
{
    struct bib_reference it =
        read("Leslie Lamport. 1978. Time, Clocks, and the Ordering of Events in a Distributed "
             "System. "
             "Commun. ACM 21, 7 (July 1978), 558–565. https://doi.org/10.1145/359545.359563");
    CHECK_STR("Time, Clocks, and the Ordering of Events in a Distributed System",
              it.work.title);
    check_author(&it.work, 0, "Lamport", "Leslie");
    CHECK_EQ(1978, it.work.year);
    CHECK_STR("10.1145/359545.359563", it.work.doi);
}

TEST_PLAIN(a_title_may_begin_with_in)
{
    struct bib_reference it = read(
        "Diego Ongaro and John Ousterhout. 2014. In Search of an Understandable Consensus "
        "Algorithm. In 2014 USENIX Annual Technical Conference (USENIX ATC 14). USENIX "
        "Association, Philadelphia, PA, 305–319.");
    CHECK_STR("In Search of an Understandable Consensus Algorithm", it.work.title);
    CHECK_EQ(2014, it.work.year);
}

TEST_PLAIN(lncs)
{
    struct bib_reference it = read("Maymounkov, P., Mazières, D.: Kademlia: A Peer-to-Peer "
                                   "Information System Based on the "
                                   "XOR Metric. In: Druschel, P., Kaashoek, F., Rowstron, A. "
                                   "(eds.) IPTPS 2002. LNCS, vol. "
                                   "2429, pp. 53–65. Springer, Heidelberg (2002)");
    CHECK_STR("Kademlia: A Peer-to-Peer Information System Based on the XOR Metric",
              it.work.title);
    CHECK_EQ(2, it.work.author_count);
    check_author(&it.work, 1, "Mazières", "D.");
    CHECK_EQ(2002, it.work.year);
}

TEST_PLAIN(aaai)
{
    struct bib_reference it =
        read("Silver, D.; Huang, A.; Maddison, C. J.; and Hassabis, D. 2016. Mastering the "
             "game of Go "
             "with deep neural networks and tree search. Nature 529(7587): 484–489.");
    CHECK_STR("Mastering the game of Go with deep neural networks and tree search",
              it.work.title);
    CHECK_EQ(4, it.work.author_count);
    CHECK_STR("529", it.work.volume);
}

TEST_PLAIN(apa)
{
    struct bib_reference it = read(
        "Kahneman, D., & Tversky, A. (1979). Prospect theory: An analysis of decision under "
        "risk. Econometrica, 47(2), 263–291. https://doi.org/10.2307/1914185");
    CHECK_STR("Prospect theory: An analysis of decision under risk", it.work.title);
    CHECK_EQ(2, it.work.author_count);
    CHECK_STR("Econometrica", it.work.venue);
}

TEST_PLAIN(mla)
{
    struct bib_reference it = read(
        "Haraway, Donna. \"Situated Knowledges: The Science Question in Feminism and the "
        "Privilege of Partial Perspective.\" Feminist Studies, vol. 14, no. 3, 1988, pp. "
        "575-599.");
    CHECK_STR("Situated Knowledges: The Science Question in Feminism and the Privilege of "
              "Partial Perspective", it.work.title);
    check_author(&it.work, 0, "Haraway", "Donna");
    CHECK_EQ(1988, it.work.year);
}

TEST_PLAIN(chicago)
{
    struct bib_reference it = read(
        "Granovetter, Mark S. \"The Strength of Weak Ties.\" American Journal of Sociology 78, "
        "no. 6 (1973): 1360–80.");
    CHECK_STR("The Strength of Weak Ties", it.work.title);
    check_author(&it.work, 0, "Granovetter", "Mark S.");
    CHECK_STR("American Journal of Sociology", it.work.venue);
}

TEST_PLAIN(vancouver)
{
    struct bib_reference it = read(
        "Charlson ME, Pompei P, Ales KL, MacKenzie CR. A new method of classifying prognostic "
        "comorbidity in longitudinal studies: development and validation. J Chronic Dis "
        "1987;40:373-83. doi:10.1016/0021-9681(87)90171-8");
    CHECK_STR("A new method of classifying prognostic comorbidity in longitudinal studies: "
              "development and validation", it.work.title);
    CHECK_EQ(4, it.work.author_count);
    CHECK_STR("J Chronic Dis", it.work.venue);
    CHECK_STR("10.1016/0021-9681(87)90171-8", it.work.doi);
}

TEST_PLAIN(the_chinese_standard)
{
    struct bib_reference it = read("王伟, 李娜, 张敏, 等. 基于深度学习的文本分类方法研究[J]. "
                                   "计算机学报, 2019, 42(3): 512-525.");
    CHECK_STR("基于深度学习的文本分类方法研究", it.work.title);
    CHECK_EQ(3, it.work.author_count);
    CHECK(it.work.et_al);
    CHECK_EQ(2019, it.work.year);
}

TEST_PLAIN(fullwidth_signs_are_signs)
{
    struct bib_reference it = read("王伟，李娜．知识图谱构建技术综述［J］．软件学报，2018，29（5）：1001－1020．");
    CHECK_STR("知识图谱构建技术综述", it.work.title);
    CHECK_EQ(2, it.work.author_count);
    CHECK_STR("软件学报", it.work.venue);
}

TEST_PLAIN(a_book)
{
    struct bib_reference it = read("Knuth, D. E. The Art of Computer Programming, Volume 1: "
                                   "Fundamental Algorithms. 3rd ed. "
                                   "Addison-Wesley, Reading, MA, 1997.");
    CHECK_STR("The Art of Computer Programming, Volume 1: Fundamental Algorithms",
              it.work.title);
    CHECK_EQ(BIB_BOOK, it.work.kind);
    CHECK_STR("Addison-Wesley", it.work.venue);
}

TEST_PLAIN(a_thesis)
{
    struct bib_reference it = read(
        "Claude Shannon. A Symbolic Analysis of Relay and Switching Circuits. Master's thesis, "
        "Massachusetts Institute of Technology, 1937.");
    CHECK_STR("A Symbolic Analysis of Relay and Switching Circuits", it.work.title);
    CHECK_EQ(BIB_THESIS, it.work.kind);
}

TEST_PLAIN(a_paper_that_is_only_on_arxiv)
{
    struct bib_reference it = read(
        "Diederik P. Kingma and Jimmy Ba. Adam: A method for stochastic optimization. arXiv "
        "preprint arXiv:1412.6980, 2014.");
    CHECK_STR("Adam: A method for stochastic optimization", it.work.title);
    CHECK_STR("1412.6980", it.work.arxiv_id);
    CHECK_EQ(BIB_PREPRINT, it.work.kind);
    CHECK_EQ(2014, it.work.year);
}

TEST_PLAIN(a_web_page_is_of_its_own_year_and_not_of_the_visit)
{
    struct bib_reference it = read("OpenAI. GPT-4 Technical Report. https://openai.com/"
                                   "research/gpt-4, 2023. Accessed: 2024-01-15.");
    CHECK_STR("GPT-4 Technical Report", it.work.title);
    CHECK_EQ(2023, it.work.year);
    CHECK_EQ(1, it.work.url_count);
    check_author(&it.work, 0, "OpenAI", NULL);
}

TEST_PLAIN(an_article_of_physics_has_no_title)
{
    struct bib_reference it = read("W.-M. Yao et al., J. Phys. G 33, 1 (2006).");
    CHECK(!it.work.title);
    CHECK(it.work.et_al);
    CHECK_EQ(2006, it.work.year);
    CHECK_STR("it has no title and no identifier", it.skip);
}

TEST_PLAIN(whom_the_authors_write_for_is_no_title)
{
    struct bib_reference it = read("B. P. Abbott et al. (LIGO Scientific Collaboration "
                                   "and Virgo Collaboration), Phys. Rev. Lett. 116, "
                                   "061102 (2016).");
    CHECK(!it.work.title);
    check_author(&it.work, 0, "Abbott", "B. P.");
}

TEST_PLAIN(a_reference_may_be_broken_into_lines_anywhere)
{
    struct bib_reference it = read(
        "[57] Petar Maymounkov and David Mazieres. Kademlia: A peer-to-peer informa-\n"
        "tion system based on the XOR metric. In IPTPS,\n2002.");
    CHECK_EQ(57, it.number);
    CHECK_STR("Kademlia: A peer-to-peer information system based on the XOR metric",
              it.work.title);
    CHECK_EQ(2, it.work.author_count);
    CHECK_STR("Petar Maymounkov and David Mazieres. Kademlia: A peer-to-peer informa- tion "
              "system based on the XOR metric. In IPTPS, 2002.", it.raw);
}

TEST_PLAIN(labels_are_told_from_numbers)
{
    uint32_t number;
    CHECK_EQ(5, extract_reference_label("[12] A", 6, &number));
    CHECK_EQ(12, number);
    CHECK_EQ(3, extract_reference_label("7. A", 4, &number));
    CHECK_EQ(7, number);
    CHECK_EQ(4, extract_reference_label("(3) A", 5, &number));
    CHECK_EQ(3, number);
    CHECK_EQ(9, extract_reference_label("[ABC+20] A", 10, &number));
    CHECK_EQ(0, number);
    CHECK_EQ(0, extract_reference_label("1.5 million", 11, &number));
    CHECK_EQ(0, extract_reference_label("1984. Orwell", 12, &number));
    CHECK_EQ(0, extract_reference_label("(1984) Orwell", 13, &number));
    CHECK_EQ(0, extract_reference_label("[12]", 4, &number));
    CHECK_EQ(0, extract_reference_label("", 0, &number));
}

TEST_PLAIN(what_is_too_long_is_cut_and_says_so)
{
    static char raw[EXTRACT_REFERENCE_MAX + 100];
    size_t len = sizeof(raw);
    struct bib_reference it = { 0 };
    wr_arena_free(&arena);
    arena = WR_ARENA(1 << 20);
    for (size_t i = 0; i < len; i++)
        raw[i] = i % 7 ? 'x' : ' ';
    CHECK_OK(extract_reference(raw, len, &arena, &it));
    CHECK(it.truncated);
    CHECK(strlen(it.raw) <= EXTRACT_REFERENCE_MAX);
}

TEST_PLAIN(a_text_that_says_nothing_is_skipped)
{
    CHECK(read("").skip);
    CHECK(read("  \n ").skip);
    CHECK(read("{{{{ \xff\xfe ]] ").skip);
}

TEST_PLAIN(a_full_arena_is_an_error)
{
    struct wr_arena small = WR_ARENA(64);
    struct bib_reference it;
    CHECK_ERR(WR_NOMEM, extract_reference("K. He. Deep learning. 2016.", 27, &small, &it));
    wr_arena_free(&small);
}

TEST_PLAIN(two_short_sentences_are_an_author_and_a_title)
{
    struct bib_reference it = read("A. Turing. On Computable Numbers. 1936.");
    CHECK_STR("On Computable Numbers", it.work.title);
    check_author(&it.work, 0, "Turing", "A.");
    CHECK_EQ(1936, it.work.year);
}

TEST_PLAIN(references_as_standards_of_the_internet_write_them)
{
    struct bib_reference it = read(
        "[RFC5246] Rescorla, E. and T. Dierks, \"The Transport Layer Security (TLS) Protocol "
        "Version 1.2\", BCP 14, RFC 5246, DOI 10.17487/RFC5246, August 2008, "
        "<https://www.rfc-editor.org/info/rfc5246>.");
    CHECK_STR("The Transport Layer Security (TLS) Protocol Version 1.2", it.work.title);
    CHECK_EQ(2, it.work.author_count);
    check_author(&it.work, 1, "Dierks", "T.");
    CHECK_EQ(2008, it.work.year);
    CHECK_STR("10.17487/rfc5246", it.work.doi);
}

TEST_PLAIN(one_that_repeats_the_one_before_is_skipped_and_says_so)
{
    struct bib_reference it = read("[2] Ibid., p. 12.");
    REQUIRE(it.skip != NULL);
    CHECK_STR("it repeats the reference before it", it.skip);
}

TEST_PLAIN(the_year_of_a_conference_is_not_that_of_the_work)
{
    struct bib_reference it = read(
        "J. Smith and B. Lee. Parsing of Old Words. In Proceedings of the 8th International "
        "Workshop on Semantic Evaluation (SemEval 2014), 2017.");
    CHECK_EQ(2017, it.work.year);
    it = read("M. Smith, \"Models of old words for the recognition of speech,\" in Speech and "
              "Language: Proceedings of a Workshop Held at Harriman, New York, February 23-26, "
              "1992, 1989.");
    CHECK_EQ(1989, it.work.year);
}

TEST_PLAIN(a_venue_is_read_to_its_end)
{
    struct bib_reference it = read(
        "Lee, A., Smith, B.: Words of old and what became of them. In: Journal of Machine "
        "Learning Research (2022).");
    CHECK_STR("Journal of Machine Learning Research", it.work.venue);
    it = read("P. Lee, \"The translation of old words,\" in Nature, 2020.");
    CHECK_STR("Nature", it.work.venue);
}

TEST_PLAIN(korean_quotes_and_japanese_commas_bound_a_title)
{
    struct bib_reference it = read("김민수, 이서연, '단어의 역사에 관한 연구,' 한국어학연구, "
                                   "제16권, 제4호, pp.307-330, 2014.");
    CHECK_STR("단어의 역사에 관한 연구", it.work.title);
    CHECK_EQ(2014, it.work.year);
}
