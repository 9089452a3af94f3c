/* xml_test.c - XML, and what is none. */
#include "extract/xml.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "testing/test.h"

static char seen[512];
static struct wr_text out;

static void start(void *arg, const char *name, const char *const *attributes)
{
    (void)arg;
    const char *id = extract_xml_attribute(attributes, "id");
    wr_text_format(&out, "<%s%s%s>", name, id ? " " : "", id ? id : "");
}

static void end(void *arg, const char *name)
{
    (void)arg;
    wr_text_format(&out, "</%s>", name);
}

static void text(void *arg, const char *bytes, size_t len)
{
    (void)arg;
    wr_text_bytes(&out, bytes, len);
}

static wr_err read_xml(const char *xml, size_t len, uint32_t *line)
{
    static const struct extract_xml reader = { start, end, text };
    out = WR_TEXT(seen);
    return extract_xml(xml, len, &reader, NULL, line);
}

TEST_PLAIN(names_come_without_their_prefix)
{
    static const char xml[] = "<w:p xmlns:w='u' xml:id=\"k\"><w:t>a &amp; b&#228;</w:t></w:p>";
    uint32_t line;
    CHECK_OK(read_xml(xml, strlen(xml), &line));
    CHECK_STR("<p k><t>a & bä</t></p>", seen);
}

TEST_PLAIN(latin_1_is_read_as_it_says_of_itself)
{
    static const char xml[] = "<?xml version='1.0' encoding='ISO-8859-1'?><a>\xe4</a>";
    uint32_t line;
    CHECK_OK(read_xml(xml, strlen(xml), &line));
    CHECK_STR("<a>ä</a>", seen);
}

TEST_PLAIN(a_mistake_is_told_with_its_line)
{
    static const char xml[] = "<a>\n<b>\n</a>";
    uint32_t line;
    CHECK_ERR(WR_INVALID, read_xml(xml, strlen(xml), &line));
    CHECK_EQ(3, line);
    CHECK_ERR(WR_INVALID, read_xml("", 0, &line));
}

TEST_PLAIN(entities_of_its_own_are_refused)
{
    static const char xml[] = "<!DOCTYPE a [<!ENTITY x 'y'><!ENTITY z '&x;&x;'>]><a>&z;</a>";
    static const char file[] = "<!DOCTYPE a [<!ENTITY x SYSTEM '/etc/passwd'>]><a>&x;</a>";
    uint32_t line;
    CHECK_ERR(WR_INVALID, read_xml(xml, strlen(xml), &line));
    CHECK_STR("", seen);
    CHECK_ERR(WR_INVALID, read_xml(file, strlen(file), &line));
    CHECK_STR("", seen);
}
