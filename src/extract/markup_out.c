/* markup_out.c - signs for texts and attributes, and what is handed on as it is. */
#include "extract/markup_out.h"

#include <string.h>

#include "base/forget.h"

#define FIRST_PLANE 65534u          /* signs of plane 15: its last two characters are none */
#define SIGN 4                      /* bytes of one */
#define ENTITY_MAX 40               /* bytes of the longest name of an entity, and some */

const char *const markup_wanted[MARKUP_WANTED] = {
    [MARKUP_HIDDEN] = "hidden", [MARKUP_STYLE] = "style", [MARKUP_TYPE] = "type",
    "href", "class", "id", "name", "content", "property", "charset", "http-equiv", "rel",
    "lang", "role", "aria-hidden", "datetime", "itemprop",
};

static void put_sign(struct wr_text *to, uint32_t number)
{
    uint32_t code = number < FIRST_PLANE ? 0xf0000 + number
                                         : 0x100000 + (number - FIRST_PLANE);
    char bytes[SIGN] = { (char)(0xf0 | code >> 18), (char)(0x80 | (code >> 12 & 0x3f)),
                      (char)(0x80 | (code >> 6 & 0x3f)), (char)(0x80 | (code & 0x3f)) };
    wr_text_bytes(to, bytes, sizeof(bytes));
}

size_t extract_markup_sign(const char *at, uint32_t *ret)
{
    const unsigned char *c = (const unsigned char *)at;
    if ((c[0] != 0xf3 && c[0] != 0xf4) || (c[1] & 0xc0) != 0x80 || (c[2] & 0xc0) != 0x80
        || (c[3] & 0xc0) != 0x80)
        return 0;
    uint32_t code = (c[0] & 0x07u) << 18 | (c[1] & 0x3fu) << 12 | (c[2] & 0x3fu) << 6
        | (c[3] & 0x3fu);
    if (code < 0xf0000)
        return 0;
    *ret = code < 0x100000 ? code - 0xf0000 : code - 0x100000 + FIRST_PLANE;
    return SIGN;
}

/* Room for one more. */
static bool room_for(struct extract_markup *to, void *array, size_t count, size_t *room,
                     size_t size)
{
    if (count < *room)
        return true;
    size_t more = *room ? 2 * *room : 256;
    void **at = array, *longer = wr_forget_realloc(*at, more * size);
    if (!longer) {
        to->no_memory = true;
        return false;
    }
    *at = longer;
    *room = more;
    return true;
}

/* Bytes that can be part of a sign, and zero bytes, which are part of no text. */
static bool is_odd(const char *at, size_t len)
{
    return memchr(at, '\0', len) || memchr(at, '\xf3', len) || memchr(at, '\xf4', len);
}

/* "&" and what may be the name behind it. */
static size_t entity_at(const char *at, size_t len)
{
    size_t used = 1;
    while (used < len && used < ENTITY_MAX
           && ((at[used] >= 'a' && at[used] <= 'z') || (at[used] >= 'A' && at[used] <= 'Z')
               || (at[used] >= '0' && at[used] <= '9') || at[used] == '#'))
        used++;
    return used + (used < len && at[used] == ';');
}

static int digit_of(char c)
{
    return c >= '0' && c <= '9' ? c - '0'
        : c >= 'a' && c <= 'f'  ? c - 'a' + 10
        : c >= 'A' && c <= 'F'  ? c - 'A' + 10
                                : 16;
}

/* Whether it is a number that no character has; the parser reads it with too few bits. */
static bool is_too_high(const char *at, size_t len)
{
    uint32_t value = 0;
    size_t i = 2;
    int base = len > 2 && (at[2] == 'x' || at[2] == 'X') ? 16 : 10;
    if (len < 3 || at[1] != '#')
        return false;
    for (i += base == 16; i < len && digit_of(at[i]) < base; i++) {
        value = value * (uint32_t)base + (uint32_t)digit_of(at[i]);
        if (value > 0x10ffff)
            return true;
    }
    return false;
}

static void put_entity(struct wr_text *to, const char *at, size_t len)
{
    if (is_too_high(at, len))
        wr_text_str(to, "\xef\xbf\xbd");
    else
        wr_text_bytes(to, at, len);
}

static void put_odd(struct wr_text *to, const char *at, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        uint32_t sign;
        if (at[i] == '\0')
            continue;
        if (at[i] == '&') {
            size_t entity = entity_at(at + i, len - i);
            put_entity(to, at + i, entity);
            i += entity - 1;
        } else if (i + SIGN <= len && extract_markup_sign(at + i, &sign)) {
            wr_text_str(to, "\xef\xbf\xbd");
            i += SIGN - 1;
        } else {
            wr_text_bytes(to, at + i, 1);
        }
    }
}

static bool is_blank(const char *at, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (at[i] != ' ' && !(at[i] >= '\t' && at[i] <= '\r'))
            return false;
    return true;
}

static void put_piece(struct extract_markup *to, const char *at, size_t len)
{
    if (is_blank(at, len)) {
        wr_text_str(&to->text, memchr(at, '\n', len) ? "\n" : " ");
    } else if (is_odd(at, len)) {
        put_odd(&to->text, at, len);
    } else if (len <= SIGN || to->piece_count == MARKUP_SIGNS
               || !room_for(to, &to->pieces, to->piece_count, &to->piece_room,
                            sizeof(to->pieces[0]))) {
        wr_text_bytes(&to->text, at, len);
    } else {
        put_sign(&to->text, (uint32_t)to->piece_count);
        to->pieces[to->piece_count++] = (struct markup_piece){ .at = at, .len = len };
    }
}

void markup_put_text(struct extract_markup *to, const char *at, size_t len)
{
    for (const char *mark; (mark = memchr(at, '&', len));) {
        size_t before = (size_t)(mark - at), entity = entity_at(mark, len - before);
        if (before > 0)
            put_piece(to, at, before);
        put_entity(&to->text, mark, entity);
        at = mark + entity;
        len -= before + entity;
    }
    if (len > 0)
        put_piece(to, at, len);
}

static void put_value(struct extract_markup *to, const char *name, struct markup_slice value)
{
    struct wr_text *text = &to->text;
    wr_text_str(text, " ");
    wr_text_str(text, name);
    wr_text_str(text, "=\"");
    for (const char *quote; (quote = memchr(value.at, '"', value.len));) {
        put_odd(text, value.at, (size_t)(quote - value.at));
        wr_text_str(text, "&quot;");
        value.len -= (size_t)(quote - value.at) + 1;
        value.at = quote + 1;
    }
    put_odd(text, value.at, value.len);
    wr_text_str(text, "\"");
}

static void keep_value(struct extract_markup *to, const char *name, struct markup_slice value)
{
    if (!room_for(to, &to->attributes, to->attribute_count, &to->attribute_room,
                  sizeof(to->attributes[0])))
        return;
    to->attributes[to->attribute_count++] = (struct markup_attribute){
        .name = name, .at = to->values.len };
    wr_text_bytes(&to->values, value.at, value.len);
    wr_text_bytes(&to->values, "", 1);
}

void markup_put_tag(struct extract_markup *to, const struct markup_tag *tag)
{
    struct wr_text *text = &to->text;
    size_t first = to->attribute_count;
    wr_text_str(text, tag->end ? "</" : "<");
    wr_text_str(text, tag->name);
    for (size_t i = 0; !tag->end && i < MARKUP_WANTED; i++) {
        struct markup_slice value = tag->values[i];
        if (!value.at || i == MARKUP_STYLE || i == MARKUP_TYPE)
            continue;
        if (memchr(value.at, '&', value.len) || is_odd(value.at, value.len))
            put_value(to, markup_wanted[i], value);
        else
            keep_value(to, markup_wanted[i], value);
    }
    if (to->attribute_count > first
        && room_for(to, &to->elements, to->element_count, &to->element_room,
                    sizeof(to->elements[0]))) {
        wr_text_str(text, " " MARKUP_SIGN_NAME "=");
        put_sign(text, (uint32_t)to->element_count);
        to->elements[to->element_count++] = (struct markup_attributes){
            first, to->attribute_count - first };
    }
    wr_text_str(text, ">");
}

bool markup_put_end(struct extract_markup *to)
{
    for (size_t i = 0; i < to->attribute_count; i++)
        to->attributes[i].value = to->values.at + to->attributes[i].at;
    return !to->no_memory && to->text.cut == 0 && to->values.cut == 0;
}
