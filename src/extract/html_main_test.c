/* html_main_test.c - where the main text of a page is, and what in there is none of it. */
#include "extract/html_main.h"

#include "testing/page_rig.h"

TEST_PLAIN(prose_is_the_text_and_links_around_it_are_not)
{
    page_says("<div><a href=a>Home</a> <a href=b>News</a> <a href=c>Contact us</a></div>"
              "<div><p>" PROSE "<p>" PROSE "</div>"
              "<div><ul><li><a href=d>More of this</a><li><a href=e>And that</a></ul></div>",
              PROSE "\n\n" PROSE);
}

TEST_PLAIN(what_says_of_itself_that_it_is_beside_the_text_is)
{
    page_says("<nav><p>" PROSE "</nav><div><p>" PROSE "<p>" PROSE "<p>" PROSE "</div>"
              "<aside><p>" PROSE "</aside><footer><p>" PROSE "</footer>",
              PROSE "\n\n" PROSE "\n\n" PROSE);
    page_says("<div role=navigation><p>" PROSE "</div><div><p>" PROSE "<p>" PROSE "</div>",
              PROSE "\n\n" PROSE);
    page_says("<div class=cookie-consent><p>" PROSE "</div><div><p>" PROSE "<p>" PROSE "</div>",
              PROSE "\n\n" PROSE);
    page_says("<div><p>" PROSE "<p>" PROSE "</div><div id=comments><p>" PROSE "</div>",
              PROSE "\n\n" PROSE);
}

TEST_PLAIN(a_class_does_not_hide_most_of_a_page)
{
    page_says("<div class=with-sidebar><p>" PROSE "<p>" PROSE "</div>", PROSE "\n\n" PROSE);
    page_says("<form><p>" PROSE "<p>" PROSE "</form>", PROSE "\n\n" PROSE);
}

#define TEXT "<p>" PROSE "<p>" PROSE "<p>" PROSE "<p>" PROSE "<p>" PROSE
#define READ PROSE "\n\n" PROSE "\n\n" PROSE "\n\n" PROSE "\n\n" PROSE

TEST_PLAIN(comments_may_be_longer_than_the_text_that_they_are_about)
{
    page_says("<div><div>" TEXT "</div><ul class=comments><li>" TEXT "<li>" TEXT "</ul></div>",
              READ);
    page_says("<div><div>" TEXT "</div><div class=sidebar><div>" TEXT TEXT "</div></div></div>",
              READ "\n\n" READ "\n\n" READ);
}

TEST_PLAIN(what_are_called_comments_on_little_else_are_the_text)
{
    page_says("<div><p>" PROSE "<p>" PROSE "<div class=comments>" TEXT "</div></div>",
              PROSE "\n\n" PROSE "\n\n" READ);
}

TEST_PLAIN(categories_of_a_post_are_no_hints)
{
    page_says("<div><div class='post hentry category-newsletter'>" TEXT "</div><div>" TEXT
              "</div></div>",
              READ "\n\n" READ);
    page_says("<div><div class='type-post tag-social'>" TEXT "</div><div>" TEXT "</div></div>",
              READ "\n\n" READ);
    page_says("<div><div class='post newsletter'>" TEXT "</div><div>" TEXT "</div></div>",
              READ);
}

TEST_PLAIN(a_form_with_prose_in_it_is_read)
{
    page_says("<div><form>" TEXT "</form>" TEXT "</div>", READ "\n\n" READ);
    page_says("<div><form><p>" PROSE "</form>" TEXT "</div>", READ);
}

TEST_PLAIN(a_teaser_without_a_link_leads_into_the_text)
{
    page_says("<div><div class=teaser><p>" PROSE "</div>" TEXT "</div>", PROSE "\n\n" READ);
    page_says("<div><div class=teaser><p>" PROSE " <a href=a>More</a></div>" TEXT "</div>",
              READ);
}

TEST_PLAIN(sentences_between_the_title_and_the_text_are_part_of_it)
{
    page_says("<div><div><h1>Bridges</h1><p>" PROSE "</div><div>By <a href=a>her</a></div>"
              "<div class=body>" TEXT "</div><div>And a few words.</div></div>",
              PROSE "\n\n" READ);
}

TEST_PLAIN(before_the_title_there_is_no_text)
{
    page_says("<div><div>It rains in all of the towns by the sea, and snows elsewhere.</div>"
              "<h1>Bridges</h1><div class=body>" TEXT "</div></div>",
              READ);
}

TEST_PLAIN(what_stands_below_a_picture_does_not_lead_into_the_text)
{
    page_says("<div><h1>Bridges</h1><div><figure><figcaption>" PROSE "</figcaption></figure>"
              "</div><div class=body>" TEXT "</div></div>",
              READ);
}

TEST_PLAIN(a_main_part_that_is_mostly_links_is_searched)
{
    char page[16384] = "";
    struct wr_text text = WR_TEXT(page);
    wr_text_str(&text, "<main><div>" TEXT "</div><ul>");
    for (int i = 0; i < 100; i++)
        wr_text_str(&text, "<li><a href=a>Another text that is not this one</a>");
    wr_text_str(&text, "</ul></main>");
    page_says(page, READ);
}

TEST_PLAIN(what_is_hidden_is_not_read)
{
    page_says("<p>" PROSE "</p><div hidden><p>no</div><div style='display: none'><p>no</div>"
              "<div aria-hidden=true><p>no</div><noscript><p>no</noscript><p>" PROSE,
              PROSE "\n\n" PROSE);
}

TEST_PLAIN(nothing_is_lost_that_stands_beside_the_longest_part)
{
    page_says("<div><p>First of all, a paragraph that stands alone.<div><p>" PROSE "<p>" PROSE
              "<p>" PROSE "</div></div>",
              "First of all, a paragraph that stands alone.\n\n" PROSE "\n\n" PROSE "\n\n"
              PROSE);
    page_says("<section><p>" PROSE "<p>" PROSE "<p>" PROSE "<p>" PROSE "<p>" PROSE
              "</section><section><p>The end, which is a section of its own, is short."
              "</section>",
              PROSE "\n\n" PROSE "\n\n" PROSE "\n\n" PROSE "\n\n" PROSE
              "\n\nThe end, which is a section of its own, is short.");
}

TEST_PLAIN(an_article_is_chosen_where_little_else_is)
{
    page_says("<body><div><p>" PROSE "</div><article><p>" PROSE "<p>" PROSE "</article>",
              PROSE "\n\n" PROSE);
}

TEST_PLAIN(links_inside_the_text_go_when_they_are_a_list)
{
    page_says("<article><p>" PROSE "<ul><li><a href=a>One of them</a><li><a href=b>Other</a>"
              "</ul><p>" PROSE "</article>",
              PROSE "\n\n" PROSE);
}

TEST_PLAIN(lists_tables_and_code_of_the_text_stay)
{
    page_says("<article><p>" PROSE "<ul><li>one<li>two</ul><table><tr><th>a<th>b<tr><td>1<td>2"
              "</table><pre>x = 1\ny = 2</pre><blockquote>Said he.</blockquote></article>",
              PROSE "\n\none\ntwo\n\na | b\n1 | 2\n\nx = 1\ny = 2\n\nSaid he.");
}

TEST_PLAIN(other_texts_that_are_announced_in_this_one_go)
{
    page_says("<article><p>" PROSE "<p>" PROSE "<p>" PROSE "<div><h3><a href=a>Another</a></h3>"
              "<p>A few words of it, and no more than those.<h3><a href=b>A third</a></h3>"
              "<p>A few words of that, and no more than those.</div></article>",
              PROSE "\n\n" PROSE "\n\n" PROSE);
}

TEST_PLAIN(an_id_that_is_made_from_a_heading_is_no_hint)
{
    page_says("<div><p>" PROSE "<p>" PROSE "<section id=hidden-posts><h2>Hidden posts</h2><p>"
              PROSE "</section><div class=section id=cookies><p>" PROSE "</div></div>",
              PROSE "\n\n" PROSE "\n\nHidden posts\n\n" PROSE "\n\n" PROSE);
    page_says("<div><p>" PROSE "<table><tr id=sameSiteCookies><td>a<td>b</table></div>",
              PROSE "\n\na | b");
    page_says("<div><p>" PROSE "<p>" PROSE "</div><section class=comments><p>" PROSE
              "</section>",
              PROSE "\n\n" PROSE);
}

TEST_PLAIN(words_inside_a_line_are_no_hints)
{
    page_says("<div><p>" PROSE "<pre>x = 1 <span class=comment>one</span></pre></div>",
              PROSE "\n\nx = 1 one");
}

TEST_PLAIN(what_is_beside_the_text_is_no_more_of_it_for_many_links_elsewhere)
{
    page_says("<ul><li><a href=a>A link of many letters</a><li><a href=b>A link of many letters"
              "</a><li><a href=c>A link of many letters</a><li><a href=d>And so on, and so on"
              "</a></ul><div><p>" PROSE "</div><footer>All rights to this page, and to all the "
              "others, are those of the people who have made them.</footer>",
              PROSE);
}

TEST_PLAIN(a_sentence_with_many_links_stays)
{
    page_says("<div><p>" PROSE "<div><p>The <a href=a>names of all the domains</a> are under "
              "way; beware of <a href=b>collisions of those names</a>.</div></div>",
              PROSE "\n\nThe names of all the domains are under way; beware of collisions of "
              "those names.");
}

TEST_PLAIN(a_table_or_list_that_says_more_than_its_links_stays)
{
    page_says("<div><p>" PROSE "<table><tr><th>name<th>size<tr><td><a href=a>iperf</a>"
              "<td><a href=b>349</a></table></div>",
              PROSE "\n\nname | size\niperf | 349");
    page_says("<div><p>" PROSE "<ul><li><a href=a>iperf</a><li>the bandwidth</ul></div>",
              PROSE "\n\niperf\nthe bandwidth");
    page_says("<div><p>" PROSE "<table><tr><td>by<td><a href=a>a name that is long</a></table>"
              "</div>",
              PROSE);
}

TEST_PLAIN(short_parts_before_prose_of_their_sort_stay)
{
    page_says("<div><p>" PROSE "<div class=seg>Name: x</div><div class=seg>Default: 1</div>"
              "<div class=seg>What it does, said in a sentence that is long enough.</div>"
              "<div class=vote>12</div></div>",
              PROSE "\n\nName: x\n\nDefault: 1\n\nWhat it does, said in a sentence that is "
              "long enough.");
}

TEST_PLAIN(a_part_that_is_said_to_be_the_main_one_is_whole)
{
    page_says("<main><div><p>" PROSE "<p>" PROSE "</div><div>A few more words, and a stop."
              "</div></main><div><p>Something else.</div>",
              PROSE "\n\n" PROSE "\n\nA few more words, and a stop.");
    page_says("<div role=main><div><p>" PROSE "<p>" PROSE "</div><div>A few more words, and a "
              "stop.</div></div>",
              PROSE "\n\n" PROSE "\n\nA few more words, and a stop.");
    page_says("<main><div><p>A few more words, and a stop.</div></main><div><p>" PROSE
              "<p>" PROSE "<p>" PROSE "</div>",
              PROSE "\n\n" PROSE "\n\n" PROSE);
}

TEST_PLAIN(an_article_in_the_main_part_is_the_text)
{
    page_says("<main><div><p>A few more words, and a stop.</div><article><p>" PROSE "<p>" PROSE
              "</article></main>",
              PROSE "\n\n" PROSE);
}

TEST_PLAIN(signs_without_spaces_between_them_are_prose)
{
    page_says("<div><a href=a>首页</a> <a href=b>新闻中心</a></div><div><p>"
              "研究人员发现，这座有四个拱的旧桥无法承受新列车的重量，因此议会要求建造另一座。"
              "<p>没有人预料到这个答案，但是城市里的每个人都同意了。</div>",
              "研究人员发现，这座有四个拱的旧桥无法承受新列车的重量，因此议会要求建造另一座。"
              "\n\n没有人预料到这个答案，但是城市里的每个人都同意了。");
}

TEST_PLAIN(a_page_without_prose_is_all_that_it_shows)
{
    page_says("<h1>Not found</h1><p>Sorry.</p>", "Not found\n\nSorry.");
    page_says("", "");
}
