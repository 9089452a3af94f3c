/* fold_test.c - two texts that say the same have one form. */
#include "biblio/fold.h"

#include <string.h>

#include "testing/test.h"

static const char *fold(const char *text)
{
    static char buf[BIB_FOLD_MAX];
    struct wr_text folded = WR_TEXT(buf);
    bib_fold(&folded, text, strlen(text));
    return buf;
}

static const char *words(const char *text)
{
    static char buf[BIB_FOLD_MAX];
    struct wr_text folded = WR_TEXT(buf);
    bib_fold_words(&folded, text, strlen(text));
    return buf;
}

TEST_PLAIN(normalised_titles_are_those_of_the_specification)
{
    CHECK_STR("foobar", fold("Foo &amp; Bar"));
    CHECK_STR("bunz", fold("B ¨UNZ"));
    CHECK_STR("novacek", fold("Nov´aˇcek"));
    CHECK_STR("taucfitype", fold("τCFI: Type"));
    CHECK_STR("hinfinity", fold("H∞"));
    CHECK_STR("aussenseiter", fold("Außenseiter"));
}

TEST_PLAIN(letters_that_do_not_decompose_have_their_latin_form)
{
    CHECK_STR("lodz", fold("Łódź"));
    CHECK_STR("sorengard", fold("Søren Gård"));
}

TEST_PLAIN(titles_in_every_script_keep_their_letters)
{
    CHECK_STR("深層学習", fold("深層学習"));
    CHECK_STR("воина и мир", words("Война и мир"));
    CHECK_STR("अधिगम", fold("अधिगम"));
    CHECK(fold("تعلم")[0]);
}

TEST_PLAIN(fullwidth_letters_and_punctuation_are_the_common_ones)
{
    CHECK_STR("bert pre train", words("ＢＥＲＴ：Ｐｒｅ－ｔｒａｉｎ。"));
    CHECK_STR("efficient", fold("eﬃcient"));
}

TEST_PLAIN(words_are_parted_by_one_space)
{
    CHECK_STR("scene aware 3d motion", words("  Scene-aware  3D... Motion! "));
    CHECK_STR("dont stop", words("Don’t stop"));
    CHECK_STR("dont stop", words("Don't \"stop\""));
    CHECK_STR("", words(" -- "));
}

TEST_PLAIN(an_accent_with_a_space_before_it_joins_the_word_but_a_quote_does_not)
{
    CHECK_STR("bunz", words("B ¨UNZ"));
    CHECK_STR("the quick fox", words("the `quick' fox"));
}

TEST_PLAIN(each_chinese_sign_is_a_word_and_a_japanese_one_keeps_its_strokes)
{
    CHECK_STR("深 度 学 习 bert", words("深度学习BERT"));
    CHECK_STR(words("がく"), words("か\u3099く"));
    CHECK(strcmp(words("か"), fold("が")) != 0);
}

TEST_PLAIN(entities_stand_for_their_signs)
{
    CHECK_STR("muller co", words("M&uuml;ller &#38; Co"));
    CHECK_STR("aacd 24 11th", words("AACD &apos;24: 11th"));
    CHECK_STR("a alpha b", words("a &alpha; b"));
    CHECK_STR("allocation regularization", words("ALLOCATION &AMP; REGULARIZATION"));
    CHECK_STR("at t", words("AT&T;"));
    CHECK_STR("e", fold("&#xE9;"));
    CHECK_STR("x99999999", fold("&#x99999999;"));
}

TEST_PLAIN(tags_of_public_data_sets_are_left_out)
{
    CHECK_STR("co2 in escherichia coli", words("CO<sub>2</sub> in <i>Escherichia coli</i>"));
    CHECK_STR("x2", words("<mml:math display=\"inline\">x</mml:math><sup>2</sup>"));
    CHECK_STR("a b", words("a < b"));
}

TEST_PLAIN(leftovers_of_tex_do_not_part_words)
{
    CHECK_STR("bert l2", words("{B}{E}{R}{T} $L_2$"));
    CHECK_STR("schrodinger", words("Schr\\\"odinger"));
}

TEST_PLAIN(a_greek_letter_of_mathematics_has_the_name_of_the_letter)
{
    CHECK_STR("alpha synuclein", words("α-Synuclein"));
    CHECK_STR("alpha", fold("𝛼"));
    CHECK_STR("omega", fold("Ω"));
}

TEST_PLAIN(bytes_that_are_no_text_are_passed_over)
{
    char buf[BIB_FOLD_MAX];
    struct wr_text folded = WR_TEXT(buf);
    bib_fold(&folded, "a\xff\0b\xc3", 5);
    CHECK_STR("ab", buf);
}

TEST_PLAIN(what_does_not_fit_is_cut_and_said)
{
    char buf[6];
    struct wr_text folded = WR_TEXT(buf);
    bib_fold(&folded, "abcdefgh", 8);
    CHECK_STR("abcde", buf);
    CHECK(folded.cut > 0);
}
