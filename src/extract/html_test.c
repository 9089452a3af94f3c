/* html_test.c - a page, from its bytes to its paragraphs: hostile ones too. */
#include "extract/html.h"

#include <stdlib.h>
#include <time.h>

#include "base/text.h"
#include "testing/page_rig.h"

TEST_PLAIN(the_encoding_of_the_server_goes_before_that_of_the_page)
{
    struct page_rig rig;
    static const char page[] = "<meta charset=koi8-r><p>\xcf\xf0\xe8\xe2\xe5\xf2";
    page_open_bytes(&rig, page, strlen(page), "windows-1251");
    CHECK_STR("Привет", rig.page.main);
    CHECK_STR("CP1251", rig.page.charset);
    page_close(&rig);
    page_open(&rig, "<meta charset=windows-1251><p>\xcf\xf0\xe8\xe2\xe5\xf2");
    CHECK_STR("Привет", rig.page.main);
    page_close(&rig);
}

TEST_PLAIN(a_page_in_utf_16_is_read)
{
    struct page_rig rig;
    char wide[128] = "\xff\xfe";
    const char *page = "<p>Bridges";
    for (size_t i = 0; page[i]; i++)
        wide[2 + 2 * i] = page[i];
    page_open_bytes(&rig, wide, 2 + 2 * strlen(page), NULL);
    CHECK_STR("Bridges", rig.page.main);
    CHECK_STR("UTF-16", rig.page.charset);
    page_close(&rig);
}

TEST_PLAIN(bytes_that_are_no_utf_8_and_zero_bytes_leave_valid_text)
{
    struct page_rig rig;
    static const char page[] = "<p>\xc3\xa4\xc3\xb6\xff\xc3\xbc a\0b";
    page_open_bytes(&rig, page, sizeof(page) - 1, NULL);
    CHECK_STR("äö\uFFFDü ab", rig.page.main);
    page_close(&rig);
}

static bool needs_scripts(const char *page)
{
    struct page_rig rig;
    page_open(&rig, page);
    bool needs = rig.page.needs_scripts;
    page_close(&rig);
    return needs;
}

TEST_PLAIN(a_page_that_scripts_write_is_known)
{
    CHECK(needs_scripts("<div id=root></div><script src=a.js></script>"));
    CHECK(needs_scripts("<noscript>Please enable it.</noscript><script src=a></script>"));
    CHECK(needs_scripts("<p>Loading</p><script src=a></script><script src=b></script>"
                        "<script src=c></script>"));
}

TEST_PLAIN(a_page_with_text_or_without_scripts_needs_none)
{
    CHECK(!needs_scripts("<div id=root></div>"));
    CHECK(!needs_scripts("<p>Not found</p><script src=a.js></script>"));
    CHECK(!needs_scripts("<div id=root><p>" PROSE "<p>" PROSE "</div><script src=a></script>"));
}

TEST_PLAIN(a_full_arena_is_no_memory)
{
    struct wr_arena arena = WR_ARENA(64);
    struct extract_page page;
    CHECK_ERR(WR_NOMEM, extract_html(&page, "<p>" PROSE, 3 + strlen(PROSE),
                                     &(struct extract_html_conf){ 0 }, &arena));
    wr_arena_free(&arena);
}

/* ---- hostile pages ---- */

/* The sanitizer of threads is twenty times slower, and sees one thread here. */
#ifdef __has_feature
#define WATCHES_THREADS __has_feature(thread_sanitizer)
#else
#define WATCHES_THREADS 0
#endif
#define BIG ((size_t)1 << (WATCHES_THREADS ? 16 : 20))
#define TOO_LONG 10.0               /* seconds; what grows with the square takes minutes */

static double seconds(void)
{
    struct timespec at;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &at);
    return (double)at.tv_sec + (double)at.tv_nsec / 1e9;
}

/* A page of `size` bytes that is `head` and then `piece` over and over.  What of it is read
 * does not matter: that it ends, and soon, does. */
static void survives(const char *head, const char *piece, size_t size)
{
    struct wr_arena arena = WR_ARENA(EXTRACT_HTML_ARENA);
    struct wr_text text = wr_text_heap(size + 4096);
    struct extract_page page;
    size /= (size_t)test_rounds(16) < 16 ? 16 : 1;
    wr_text_str(&text, head);
    while (text.len < size)
        wr_text_str(&text, piece);
    double start = seconds();
    wr_err err = extract_html(&page, text.at, text.len,
                              &(struct extract_html_conf){ .url = PAGE_URL }, &arena);
    CHECK(err == WR_OK || (err == WR_NOMEM && arena.full));
    CHECK(seconds() - start < TOO_LONG);
    wr_arena_free(&arena);
    wr_text_free(&text);
}

TEST_PLAIN(deep_pages_end)
{
    survives("", "<div>", BIG);
    survives("", "<div class=a><span id=b>", BIG);
    survives("", "<b><i><a href=x>", BIG);
    survives("", "<table><tr><td>", BIG);
    survives("", "<ul><li>", BIG);
    survives("", "<svg>", BIG);
    survives("", "<math>", BIG);
    survives("", "<x-y>", BIG);
}

TEST_PLAIN(pages_of_unclosed_tags_end)
{
    survives("", "<p>", BIG);
    survives("<b><i><u><font><em>", "<p>text", BIG);
    survives("", "<a href=x>link", BIG);
    survives("", "<li>x<dd>y<td>z<option>w", BIG);
    survives("<table>", "text<b>", BIG);
    survives("<select>", "<option>x", BIG);
    survives("<template>", "<template><p>", BIG);
    survives("", "<form><button>", BIG);
    survives("", "</div></p></span>", BIG);
    survives("", "<frameset><frame>", BIG);
}

TEST_PLAIN(pages_of_one_tag_end)
{
    survives("<p ", "a=b ", BIG);
    survives("<p ", "class=b ", BIG);
    survives("<p class='", "nav ", BIG);
    survives("<p ", "=", BIG);
    survives("<", "a", BIG);
    survives("<a href=\"", "<p>", BIG);
}

TEST_PLAIN(pages_of_what_is_no_tag_end)
{
    survives("", "<", BIG);
    survives("", "</", BIG);
    survives("", "<!--", BIG);
    survives("", "<!-- -", BIG);
    survives("", "<script>", BIG);
    survives("<script>", "</scrip", BIG);
    survives("<title>", "</titl", BIG);
    survives("", "&amp", BIG);
    survives("", "&#xF0000;", BIG);
    survives("<p>long text</p>", "&#xF0000;<br>", BIG);
    survives("", "\xf3\xb0\x80\x80", BIG);
    survives("", "\xff", BIG);
}

TEST_PLAIN(pages_of_much_text_end)
{
    survives("<p>", "Some words, and more of them. ", BIG);
    survives("<p>", "。", BIG);
    survives("<p>", "x", BIG);
    survives("<pre>", "\n", BIG);
    survives("<h1>", "x ", BIG);
    survives("", "<p>Some words, and <a href=y>more</a> of them. ", BIG);
    survives("", "<h1>x</h1><p>Some words that are long enough.", BIG);
    survives("", "<meta name=citation_author content=x>", BIG);
    survives("", "<base href=x>", BIG);
    survives("", "x<br>", BIG);
}

TEST_PLAIN(a_page_of_four_megabytes_takes_no_longer_than_its_length_does)
{
    survives("", "<div><p>" PROSE "<a href=/x>y</a></div>", 4 * BIG);
    survives("", "<div class=a>", 4 * BIG);
    survives("", "<", 4 * BIG);
}

TEST_PLAIN(of_a_page_that_is_too_long_the_beginning_is_read)
{
    if (WATCHES_THREADS)
        SKIP("sixteen megabytes take minutes");
    struct page_rig rig;
    struct wr_text text = wr_text_heap(EXTRACT_HTML_MAX + 4096);
    wr_text_str(&text, "<p>" PROSE "</p>");
    while (text.len <= EXTRACT_HTML_MAX)
        wr_text_str(&text, "<!-- a comment which is only there to make the page longer, by far "
                           "too much of it, so that there is no end of it at all any more -->");
    page_open_bytes(&rig, text.at, text.len, NULL);
    CHECK(rig.page.cut);
    CHECK_STR(PROSE, rig.page.main);
    page_close(&rig);
    wr_text_free(&text);
}
