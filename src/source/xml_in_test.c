#include "source/xml_in.h"

#include <string.h>

#include "base/text.h"
#include "testing/test.h"

static char seen[500];
static struct wr_text log_;

static void on_begin(void *self, const char *name, const char *const *attributes)
{
    const char *type = xml_in_attribute(attributes, "type");
    (void)self;
    wr_text_format(&log_, "<%s%s%s>", name, type ? " " : "", type ? type : "");
}

static void on_end(void *self, const char *name, const char *text, size_t len)
{
    (void)self;
    wr_text_format(&log_, "%.*s</%s>", (int)(len < 100 ? len : 100), text, name);
}

static wr_err walk(const char *xml, size_t len)
{
    log_ = WR_TEXT(seen);
    return xml_in_read(xml, len, &(struct xml_in){ .begin = on_begin, .end = on_end });
}

#define WALK(xml) walk(xml, strlen(xml))

TEST_PLAIN(elements_are_told_with_their_text_and_without_prefixes)
{
    CHECK_OK(WALK("<a:x xmlns:a=\"u\"><y type=\"t\">one &amp; two</y><z>&#233;</z></a:x>"));
    CHECK_STR("<x><y t>one & two</y><z>é</z></x>", seen);
}

TEST_PLAIN(entities_of_its_own_are_refused)
{
    CHECK_ERR(WR_IO, WALK("<!DOCTYPE x [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]><x>&b;"
                          "</x>"));
    CHECK_ERR(WR_IO, WALK("<!DOCTYPE x SYSTEM \"http://x.example/x.dtd\"><x/>"));
    CHECK_ERR(WR_IO, WALK("<x>&nbsp;</x>"));
    CHECK(!strstr(seen, "aaaa"));
}

TEST_PLAIN(what_is_not_well_formed_is_refused)
{
    static const char *const bad[] = { "", "x", "<x>", "<x></y>", "<x>\xff</x>", "<x/><y/>" };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        CHECK_ERR(WR_IO, WALK(bad[i]));
}

TEST_PLAIN(depth_has_a_bound)
{
    char xml[2000];
    struct wr_text text = WR_TEXT(xml);
    for (int i = 0; i < XML_IN_DEPTH_MAX; i++)
        wr_text_str(&text, "<x>");
    size_t half = text.len;
    for (int i = 0; i < XML_IN_DEPTH_MAX; i++)
        wr_text_str(&text, "</x>");
    CHECK_OK(walk(xml, text.len));
    wr_text_rewind(&text, half);
    wr_text_str(&text, "<x>");
    for (int i = 0; i <= XML_IN_DEPTH_MAX; i++)
        wr_text_str(&text, "</x>");
    CHECK_ERR(WR_IO, walk(xml, text.len));
}

static size_t longest;

static void on_long(void *self, const char *name, const char *text, size_t len)
{
    (void)self;
    (void)name;
    (void)text;
    longest = len > longest ? len : longest;
}

TEST_PLAIN(a_long_text_is_known_by_its_beginning)
{
    static char xml[XML_IN_TEXT_MAX * 3];
    memset(xml, 'x', sizeof(xml));
    static const char begin[] = { '<', 'a', '>' }, end[] = { '<', '/', 'a', '>' };
    memcpy(xml, begin, sizeof(begin));
    memcpy(xml + sizeof(xml) - sizeof(end), end, sizeof(end));
    CHECK_OK(xml_in_read(xml, sizeof(xml), &(struct xml_in){ .end = on_long }));
    CHECK_EQ(XML_IN_TEXT_MAX, longest);
}
