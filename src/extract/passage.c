/* passage.c - see passage.h. */
#include "extract/passage.h"

#include <ctype.h>
#include <string.h>

#include "base/text.h"

/* The text so far, and where the passage that is being written begins. */
struct passages {
    struct wr_text text;
    size_t begin;
    struct extract_page *page;
    size_t room;
    struct wr_arena *arena;
};

static bool is_blank(const struct extract_line *line)
{
    for (size_t i = 0; i < line->len; i++)
        if (!isspace((unsigned char)line->text[i]))
            return false;
    return true;
}

static size_t letters(const char *text, size_t len)
{
    size_t count = 0;
    for (size_t i = 0; i < len; i++)
        count += ((unsigned char)text[i] & 0xc0) != 0x80;
    return count;
}

/* Where it began is where it is in what will be `main`; its text is set at the end. */
static wr_err end_passage(struct passages *passages)
{
    struct extract_page *page = passages->page;
    size_t begin = passages->begin, len = passages->text.len - begin;
    if (len == 0)
        return WR_OK;
    if (letters(passages->text.at + begin, len) >= EXTRACT_HTML_SHORTEST
        && page->paragraph_count < EXTRACT_HTML_PARAGRAPHS) {
        struct extract_paragraph *more = wr_arena_grow(
            passages->arena, page->paragraphs, page->paragraph_count, page->paragraph_count + 1,
            sizeof(*more));
        if (!more)
            return WR_NOMEM;
        page->paragraphs = more;
        more[page->paragraph_count++] = (struct extract_paragraph){ .offset = begin,
                                                                    .len = len };
    }
    wr_text_str(&passages->text, "\n\n");
    passages->begin = passages->text.len;
    return WR_OK;
}

/* Whether what is written so far is the end of a sentence, or of a heading. */
static bool breaks_off(const struct passages *passages, const struct extract_line *next)
{
    size_t len = passages->text.len - passages->begin;
    if (len < EXTRACT_HTML_SHORTEST || next->len == 0)
        return false;
    char last = passages->text.at[passages->text.len - 1];
    return !strchr(".!?:;\")", last) && islower((unsigned char)next->text[0]);
}

static void add_line(struct passages *passages, const struct extract_line *line)
{
    struct wr_text *text = &passages->text;
    const char *begin = line->text, *end = line->text + line->len;
    while (begin < end && isspace((unsigned char)*begin))
        begin++;
    while (end > begin && isspace((unsigned char)end[-1]))
        end--;
    size_t written = text->len - passages->begin;
    bool parted = written > 1 && text->at[text->len - 1] == '-'
                  && isalpha((unsigned char)text->at[text->len - 2])
                  && begin < end && islower((unsigned char)*begin);
    if (parted)
        wr_text_rewind(text, text->len - 1);
    else if (written)
        wr_text_str(text, " ");
    wr_text_bytes(text, begin, (size_t)(end - begin));
}

static wr_err write_all(struct passages *passages, const struct extract_lines *lines)
{
    const struct extract_line *before = NULL;
    wr_err err = WR_OK;
    for (size_t i = 0; i < lines->count && !err; i++) {
        const struct extract_line *line = &lines->at[i];
        bool blank = is_blank(line);
        bool apart = before && (line->block != before->block || line->page != before->page);
        if (blank || (apart && !breaks_off(passages, line)))
            err = end_passage(passages);
        if (!blank && !err)
            add_line(passages, line);
        before = blank ? before : line;
    }
    return err ? err : end_passage(passages);
}

wr_err extract_passages(struct extract_page *ret, const struct extract_lines *lines,
                        struct wr_arena *arena)
{
    *ret = (struct extract_page){ .charset = "UTF-8", .main = "" };
    struct passages passages = { .text = wr_text_heap(EXTRACT_PASSAGE_MAIN), .page = ret,
                                 .arena = arena };
    wr_err err = write_all(&passages, lines);
    size_t len = passages.begin > 2 ? passages.begin - 2 : 0;
    const char *main = err ? NULL : wr_arena_copy(arena, len ? passages.text.at : "", len);
    ret->cut = passages.text.cut;
    wr_text_free(&passages.text);
    if (!main)
        return WR_NOMEM;
    ret->main = main;
    ret->main_len = len;
    for (size_t i = 0; i < ret->paragraph_count; i++)
        ret->paragraphs[i].text = main + ret->paragraphs[i].offset;
    return WR_OK;
}
