/* html_tree.c - gumbo's tree, in memory of ours, laid out as an array. */
#include "extract/html_tree.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <weir/panic.h>

#include "base/forget.h"

#define ALIGN 16
#define PER_TAG ((size_t)1024)      /* bytes that gumbo wants for an element and its tokens */
#define PER_BYTE 8                  /* of its markup */
#define FIRST ((size_t)64 << 10)

/* gumbo takes memory piece by piece, believes that there always is some, and frees a tree by
 * going down into it.  Here it has what it may need at once, or does not begin; and all of that
 * goes at once. */
struct html_block {
    struct html_block *before;
    size_t used, room;
    char *last;                     /* the piece that was given last */
    _Alignas(ALIGN) char bytes[];
};

static struct html_block *block_new(struct html_block *before, size_t room)
{
    struct html_block *block = malloc(sizeof(*block) + room);
    if (block)
        *block = (struct html_block){ .before = before, .room = room };
    return block;
}

static void *give(void *arg, size_t size)
{
    struct html_block **memory = arg, *block = *memory;
    size = (size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    if (block->room - block->used < size) {
        block = block_new(block, size > block->room ? 2 * size : block->room);
        if (!block)
            wr_panic("no memory for %zu more bytes of a page", size);
        *memory = block;
    }
    block->last = block->bytes + block->used;
    block->used += size;
    return block->last;
}

/* Only what was given last comes back before the end: most of what gumbo throws away. */
static void take_back(void *arg, void *piece)
{
    struct html_block *block = *(struct html_block **)arg;
    if (!piece || piece != block->last)
        return;
    block->used = (size_t)(block->last - block->bytes);
    block->last = NULL;
}

/* ---- signs ---- */

/* What a text says, when signs in it stand for pieces; NULL: none of them. */
static const char *next_sign(const char *text)
{
    uint32_t sign;
    for (; (text = strpbrk(text, "\xf3\xf4")); text++)
        if (extract_markup_sign(text, &sign))
            return text;
    return NULL;
}

static struct markup_piece *piece_of(struct extract_markup *markup, const char *at)
{
    uint32_t sign;
    if (!extract_markup_sign(at, &sign) || sign >= markup->piece_count
        || markup->pieces[sign].used)
        return NULL;
    markup->pieces[sign].used = true;
    return &markup->pieces[sign];
}

/* A text that is more than one sign. */
static void join(struct html_tree *tree, struct html_node *node, struct extract_markup *markup,
                 const char *text)
{
    struct wr_text whole = wr_text_heap(SIZE_MAX / 2);
    for (const char *sign; (sign = next_sign(text)); text = sign + 4) {
        wr_text_bytes(&whole, text, (size_t)(sign - text));
        struct markup_piece *piece = piece_of(markup, sign);
        if (piece)
            wr_text_bytes(&whole, piece->at, piece->len);
    }
    wr_text_str(&whole, text);
    char *copy = give(&tree->memory, whole.len + 1);
    memcpy(copy, whole.at, whole.len);
    node->text = copy;
    node->len = whole.len;
    wr_text_free(&whole);
}

static void read_text(struct html_tree *tree, struct html_node *node,
                      struct extract_markup *markup, const char *text)
{
    const char *sign = next_sign(text);
    if (sign == text && text[4] == '\0') {
        const struct markup_piece *piece = piece_of(markup, sign);
        node->text = piece ? piece->at : "";
        node->len = piece ? piece->len : 0;
    } else if (sign) {
        join(tree, node, markup, text);
    } else {
        node->text = text;
        node->len = strlen(text);
    }
}

static void read_attributes(struct html_node *node, const struct extract_markup *markup)
{
    uint32_t sign;
    const GumboVector *all = node->attributes;
    if (all->length == 0)
        return;
    const GumboAttribute *last = all->data[all->length - 1];
    if (strcmp(last->name, MARKUP_SIGN_NAME) != 0 || !extract_markup_sign(last->value, &sign)
        || sign >= markup->element_count)
        return;
    node->own = markup->attributes + markup->elements[sign].first;
    node->own_count = markup->elements[sign].count;
}

/* ---- the tree ---- */

static uint32_t count_tags(const char *markup, size_t len)
{
    uint32_t count = 0;
    const char *end = markup + len;
    for (const char *at = markup; (at = memchr(at, '<', (size_t)(end - at))); at++)
        count++;
    return count;
}

static const GumboVector *children_of(const GumboNode *node)
{
    return node->type == GUMBO_NODE_ELEMENT ? &node->v.element.children : NULL;
}

static bool is_wanted(const GumboNode *node)
{
    return node->type == GUMBO_NODE_ELEMENT || node->type == GUMBO_NODE_TEXT
        || node->type == GUMBO_NODE_WHITESPACE;
}

/* The next one in the order of the page; `down`: also in this one. */
static const GumboNode *next_of(const GumboNode *node, const GumboNode *root, bool down)
{
    const GumboVector *children = children_of(node);
    if (down && children && children->length > 0)
        return children->data[0];
    for (; node != root; node = node->parent) {
        const GumboVector *beside = children_of(node->parent);
        if (beside && node->index_within_parent + 1 < beside->length)
            return beside->data[node->index_within_parent + 1];
    }
    return NULL;
}

static void lay_out(struct html_tree *tree, struct extract_markup *markup,
                    const GumboNode *root)
{
    uint32_t parent = HTML_NONE;
    const GumboNode *above = NULL;              /* whose place is `parent` */
    for (const GumboNode *node = root; node; node = next_of(node, root, true)) {
        for (; above && node->parent != above; above = above->parent) {
            tree->at[parent].end = tree->count;
            parent = tree->at[parent].parent;
        }
        if (!is_wanted(node))
            continue;
        struct html_node *at = &tree->at[tree->count];
        *at = (struct html_node){ .parent = parent, .end = tree->count + 1, .tag = HTML_TEXT };
        if (node->type == GUMBO_NODE_ELEMENT) {
            at->tag = (uint16_t)node->v.element.tag;
            at->attributes = &node->v.element.attributes;
            read_attributes(at, markup);
            if (node->v.element.children.length > 0) {
                parent = tree->count;
                above = node;
            }
        } else {
            read_text(tree, at, markup, node->v.text.text);
        }
        tree->count++;
    }
    for (; parent != HTML_NONE; parent = tree->at[parent].parent)
        tree->at[parent].end = tree->count;
}

static uint32_t count_nodes(const GumboNode *root)
{
    uint32_t count = 0;
    for (const GumboNode *node = root; node; node = next_of(node, root, true))
        count++;
    return count;
}

wr_err html_tree_build(struct html_tree *ret, struct extract_markup *markup)
{
    const char *text = markup->text.at;
    size_t len = markup->text.len;
    *ret = (struct html_tree){ 0 };
    ret->memory = block_new(NULL, FIRST + PER_TAG * count_tags(text, len) + PER_BYTE * len);
    if (!ret->memory)
        return WR_NOMEM;
    GumboOptions options = kGumboDefaultOptions;
    options.allocator = give;
    options.deallocator = take_back;
    options.userdata = &ret->memory;
    options.max_errors = 0;
    GumboOutput *output = gumbo_parse_with_options(&options, text, len);
    ret->at = calloc(count_nodes(output->root) + 1, sizeof(ret->at[0]));
    if (!ret->at) {
        html_tree_free(ret);
        return WR_NOMEM;
    }
    lay_out(ret, markup, output->root);
    return WR_OK;
}

void html_tree_free(struct html_tree *tree)
{
    for (struct html_block *block = tree->memory, *before; block; block = before) {
        before = block->before;
        wr_forget_free(block);
    }
    wr_forget_free(tree->at);
    *tree = (struct html_tree){ 0 };
}

const char *html_attribute(const struct html_node *node, const char *name)
{
    for (size_t i = 0; i < node->own_count; i++)
        if (node->own[i].name[0] == name[0] && strcmp(node->own[i].name, name) == 0)
            return node->own[i].value;
    for (unsigned i = 0; node->attributes && i < node->attributes->length; i++) {
        const GumboAttribute *attribute = node->attributes->data[i];
        if (strcmp(attribute->name, name) == 0)
            return attribute->value;
    }
    return NULL;
}

bool html_has_word(const char *value, const char *word)
{
    size_t len = strlen(word);
    for (const char *at = value; at && *at;) {
        at += strspn(at, " \t\r\n\f,");
        size_t have = strcspn(at, " \t\r\n\f,");
        if (have == len && strncasecmp(at, word, len) == 0)
            return true;
        at += have;
    }
    return false;
}
