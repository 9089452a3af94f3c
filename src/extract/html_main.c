/* html_main.c - the values of blocks, the element that is worth most, and what goes inside. */
#include "extract/html_main.h"

#include <stdlib.h>
#include <string.h>

#include "base/forget.h"

#define PROSE 80                    /* letters that are prose without any stop */
#define SENTENCE 25                 /* and with one */
#define STOP_WORTH 10               /* letters */
#define SHORT_COST 8                /* of a few words that stand alone */
#define LINKS_COST 10               /* of a line of links, and half of its letters */
#define LINKS_MAX 200               /* letters of those that count */
#define FLOW 40                     /* value of a paragraph that belongs to those beside it */
#define LEAD 3                      /* parts before prose of their sort that belong to it */
#define TEASER 250                  /* letters of another text that are shown at most */
#define FORM 500                    /* value of prose that is more than forms have */
#define COMMENTED 800               /* value of a text that may be shorter than its comments */
#define INTRO_MAX 600               /* letters between the title of a text and the rest */
#define LEFT_MIN 250                /* letters that must be left when hints are believed */

/* What is known of an element and all that is in it. */
struct measure {
    int64_t value;
    int64_t prose;                  /* the same without what is worth less than nothing */
    uint32_t text, link, stops;     /* letters outside and inside of links */
    uint32_t teasers;               /* headings that are links: of another text */
    uint32_t heads;                 /* cells that say what a column or a row is */
    uint32_t owner;                 /* the block that it belongs to */
};

struct search {
    struct html_tree *tree;
    struct measure *at;             /* of each node */
};

static bool is_one_of(uint16_t tag, const uint16_t *tags, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (tags[i] == tag)
            return true;
    return false;
}

#define ONE_OF(tag, ...) \
    is_one_of(tag, (const uint16_t[]){ __VA_ARGS__ }, \
              sizeof((const uint16_t[]){ __VA_ARGS__ }) / sizeof(uint16_t))

static bool is_heading(uint16_t tag)
{
    return tag >= GUMBO_TAG_H1 && tag <= GUMBO_TAG_H6;
}

static bool is_inline(uint16_t tag)
{
    return ONE_OF(tag, GUMBO_TAG_A, GUMBO_TAG_ABBR, GUMBO_TAG_ACRONYM, GUMBO_TAG_BDI,
                  GUMBO_TAG_BDO, GUMBO_TAG_BR, GUMBO_TAG_CITE, GUMBO_TAG_DATA, GUMBO_TAG_DEL,
                  GUMBO_TAG_DFN, GUMBO_TAG_IMG, GUMBO_TAG_INS, GUMBO_TAG_KBD, GUMBO_TAG_LABEL,
                  GUMBO_TAG_MARK, GUMBO_TAG_OUTPUT, GUMBO_TAG_Q, GUMBO_TAG_RB, GUMBO_TAG_RT,
                  GUMBO_TAG_RP, GUMBO_TAG_RUBY, GUMBO_TAG_SAMP, GUMBO_TAG_SPAN, GUMBO_TAG_SUB,
                  GUMBO_TAG_SUP, GUMBO_TAG_TIME, GUMBO_TAG_VAR, GUMBO_TAG_WBR,
                  GUMBO_TAG_UNKNOWN);
}

/* Paragraphs and what stands between them as one of them. */
static bool is_flow(uint16_t tag)
{
    return is_heading(tag)
        || ONE_OF(tag, GUMBO_TAG_P, GUMBO_TAG_PRE, GUMBO_TAG_BLOCKQUOTE, GUMBO_TAG_UL,
                  GUMBO_TAG_OL, GUMBO_TAG_DL, GUMBO_TAG_TABLE, GUMBO_TAG_FIGURE);
}

static bool is_never_read(uint16_t tag)
{
    return ONE_OF(tag, GUMBO_TAG_HEAD, GUMBO_TAG_SCRIPT, GUMBO_TAG_STYLE, GUMBO_TAG_NOSCRIPT,
                  GUMBO_TAG_TEMPLATE, GUMBO_TAG_IFRAME, GUMBO_TAG_OBJECT, GUMBO_TAG_EMBED,
                  GUMBO_TAG_VIDEO, GUMBO_TAG_AUDIO, GUMBO_TAG_CANVAS, GUMBO_TAG_SVG,
                  GUMBO_TAG_SELECT, GUMBO_TAG_TEXTAREA, GUMBO_TAG_BUTTON, GUMBO_TAG_INPUT,
                  GUMBO_TAG_OPTION, GUMBO_TAG_DATALIST, GUMBO_TAG_RP, GUMBO_TAG_RT,
                  GUMBO_TAG_TITLE);
}

/* By what it is or says of itself: not shown to anybody who reads the page. */
static bool is_hidden(const struct html_node *node)
{
    const char *aria = html_attribute(node, "aria-hidden");
    return html_attribute(node, "hidden") || (aria && strcmp(aria, "true") == 0);
}

/* ---- blocks ---- */

static int64_t block_value(uint16_t tag, int64_t text, int64_t link, int64_t stops)
{
    if (is_heading(tag) || text + link == 0)
        return 0;
    if (link > text && text >= SENTENCE && stops > 0)
        return 0;                   /* a sentence with many links */
    if (link > text)
        return -(LINKS_COST + (link < LINKS_MAX ? link : LINKS_MAX) / 2);
    if (text >= PROSE || (text >= SENTENCE && stops > 0)) {
        int64_t most = text / 20;
        int64_t value = text + STOP_WORTH * (stops < most ? stops : most);
        return value > link ? value - link : 0;
    }
    if (tag == GUMBO_TAG_PRE)
        return text;
    return is_flow(tag) || ONE_OF(tag, GUMBO_TAG_LI, GUMBO_TAG_TD, GUMBO_TAG_TH, GUMBO_TAG_DD,
                                  GUMBO_TAG_DT, GUMBO_TAG_CAPTION, GUMBO_TAG_FIGCAPTION,
                                  GUMBO_TAG_SUMMARY)
        ? 0 : -(SHORT_COST + link / 2);
}

/* The block that is being read. */
struct run {
    uint32_t owner;
    struct html_count all;
    uint32_t link;                  /* letters in links */
};

static void end_run(struct search *search, struct run *run)
{
    if (run->owner != HTML_NONE) {
        struct measure *to = &search->at[run->owner];
        uint32_t text = run->all.length - run->link;
        int64_t value = block_value(search->tree->at[run->owner].tag, text, run->link,
                                    run->all.stops);
        to->value += value;
        to->prose += value > 0 ? value : 0;
        to->text += text;
        to->link += run->link;
        to->stops += run->all.stops;
        to->teasers += is_heading(search->tree->at[run->owner].tag) && run->link > text;
    }
    *run = (struct run){ .owner = HTML_NONE };
}

static void read_text(struct run *run, const struct html_node *node)
{
    struct html_count count = { 0 };
    html_count_add(&count, node->text, node->len);
    run->all.length += count.length;
    run->all.stops += count.stops;
    if (node->marks & HTML_IN_LINK)
        run->link += count.length;
}

/* What each element has directly in its blocks; nothing of what is out. */
static void measure_blocks(struct search *search)
{
    struct html_tree *tree = search->tree;
    struct run run = { .owner = HTML_NONE };
    for (uint32_t i = 0; i < tree->count; i++) {
        struct html_node *node = &tree->at[i];
        const struct html_node *parent = i > 0 ? &tree->at[node->parent] : NULL;
        if (node->tag != HTML_TEXT && (is_never_read(node->tag) || is_hidden(node)))
            node->marks |= HTML_OUT;
        if (node->marks & HTML_OUT) {
            for (uint32_t inside = i; inside < node->end; inside++)
                search->at[inside].owner = HTML_NONE;
            i = node->end - 1;
            continue;
        }
        bool block = node->tag != HTML_TEXT && (!is_inline(node->tag) || i == 0);
        search->at[i].owner = block ? i : search->at[node->parent].owner;
        if (parent)
            node->marks |= parent->marks & HTML_IN_LINK;
        if (node->tag == GUMBO_TAG_A && html_attribute(node, "href"))
            node->marks |= HTML_IN_LINK;
        if (block)
            node->marks |= HTML_BLOCK;
        search->at[i].heads = node->tag == GUMBO_TAG_TH;
        if (block || search->at[i].owner != run.owner)
            end_run(search, &run);
        run.owner = search->at[i].owner;
        if (node->tag == HTML_TEXT)
            read_text(&run, node);
    }
    end_run(search, &run);
}

/* Links in a table or a list that says more outside of them are part of what it says; of a
 * table that has heads, names and figures may be links. */
static bool is_table_of_facts(uint16_t tag, const struct measure *it)
{
    if (it->value >= 0)
        return false;
    if (tag == GUMBO_TAG_TABLE && it->heads > 0)
        return (uint64_t)it->text * 3 > it->link;
    return it->text > it->link
        && ONE_OF(tag, GUMBO_TAG_TABLE, GUMBO_TAG_UL, GUMBO_TAG_OL, GUMBO_TAG_DL);
}

static void add_to_parents(struct search *search)
{
    for (uint32_t i = search->tree->count; i-- > 1;) {
        struct measure *from = &search->at[i];
        if (is_table_of_facts(search->tree->at[i].tag, from))
            from->value = 0;
        if (search->tree->at[i].tag == GUMBO_TAG_TABLE)
            from->heads = 0;
        struct measure *to = &search->at[search->tree->at[i].parent];
        to->value += from->value;
        to->prose += from->prose;
        to->text += from->text;
        to->link += from->link;
        to->stops += from->stops;
        to->teasers += from->teasers;
        to->heads += from->heads;
    }
}

static void take_out(struct search *search, uint32_t out)
{
    struct html_node *nodes = search->tree->at;
    struct measure gone = search->at[out];
    nodes[out].marks |= HTML_OUT;
    for (uint32_t i = out; i != HTML_NONE; i = nodes[i].parent) {
        search->at[i].value -= gone.value;
        search->at[i].prose -= gone.prose;
        search->at[i].text -= gone.text;
        search->at[i].link -= gone.link;
        search->at[i].stops -= gone.stops;
        search->at[i].teasers -= gone.teasers;
    }
}

/* ---- what a page says of itself ---- */

static bool is_inside(const struct html_tree *tree, uint32_t node, uint16_t tag, uint16_t other)
{
    for (uint32_t i = tree->at[node].parent; i != HTML_NONE; i = tree->at[i].parent)
        if (tree->at[i].tag == tag || tree->at[i].tag == other)
            return true;
    return false;
}

static bool states_beside(const struct html_tree *tree, uint32_t i)
{
    const struct html_node *node = &tree->at[i];
    if (ONE_OF(node->tag, GUMBO_TAG_NAV, GUMBO_TAG_ASIDE, GUMBO_TAG_FOOTER, GUMBO_TAG_MENU)
        || (node->tag == GUMBO_TAG_HEADER
            && !is_inside(tree, i, GUMBO_TAG_ARTICLE, GUMBO_TAG_MAIN)))
        return true;
    static const char *const roles[] = { "navigation", "banner", "contentinfo", "complementary",
                                         "search", "dialog", "alertdialog", "alert", "menu",
                                         "menubar", "toolbar", "tablist" };
    const char *role = html_attribute(node, "role");
    for (size_t r = 0; role && r < sizeof(roles) / sizeof(roles[0]); r++)
        if (html_has_word(role, roles[r]))
            return true;
    return false;
}

/* The id of a section is made from its heading, that of a row or a term from its first words:
 * "hidden-posts", "sameSiteCookies" are what they are about. */
static bool is_named_after_text(const struct html_node *node, const char *class)
{
    return ONE_OF(node->tag, GUMBO_TAG_SECTION, GUMBO_TAG_LI, GUMBO_TAG_TR, GUMBO_TAG_TD,
                  GUMBO_TAG_TH, GUMBO_TAG_DT, GUMBO_TAG_DD, GUMBO_TAG_DL, GUMBO_TAG_PRE)
        || (class && html_has_word(class, "section"));
}

/* Words inside a line are no hints: a "comment" there is one in a program.  Nor are those that
 * WordPress makes from the categories of a post. */
static enum html_hint hint_of(const struct html_node *node)
{
    const char *class = html_attribute(node, "class"), *id = html_attribute(node, "id");
    enum html_hint hint = HTML_HINT_NONE;
    if (!(node->marks & HTML_BLOCK) || is_heading(node->tag) || node->tag == GUMBO_TAG_P
        || (class && (html_has_word(class, "hentry") || html_has_word(class, "type-post"))))
        return HTML_HINT_NONE;
    if (class)
        hint = html_hint_against(class);
    if (!hint && id && !is_named_after_text(node, class))
        hint = html_hint_against(id);
    return hint;
}

/* What leads to another text has a link to it. */
static bool is_beside(const struct search *search, uint32_t i, enum html_hint hint)
{
    return states_beside(search->tree, i)
        || (search->tree->at[i].tag == GUMBO_TAG_FORM && search->at[i].prose < FORM)
        || (hint == HTML_HINT_TEASER ? search->at[i].link > 0 : hint != HTML_HINT_NONE);
}

/* What holds most of the prose is the text, whatever it is called; but the comments on one may
 * be much longer than it is. */
static bool may_go(const struct search *search, uint32_t at, int64_t all, enum html_hint hint)
{
    int64_t prose = search->at[at].prose;
    return prose * 10 <= all * 6 || (hint == HTML_HINT_COMMENTS && all - prose >= COMMENTED);
}

/* Take out what is beside the text: never what holds most of the prose. */
static void take_hints(struct search *search, bool words)
{
    struct html_tree *tree = search->tree;
    int64_t all = search->at[0].prose;
    for (uint32_t i = 1; i < tree->count; i++) {
        struct html_node *node = &tree->at[i];
        if (node->tag == HTML_TEXT || node->tag == GUMBO_TAG_BODY)
            continue;
        enum html_hint hint = words ? hint_of(node) : HTML_HINT_NONE;
        if (!(node->marks & HTML_OUT) && may_go(search, i, all, hint)
            && is_beside(search, i, hint))
            take_out(search, i);
        if (node->marks & HTML_OUT)
            i = node->end - 1;
    }
}

/* ---- the element that holds the text ---- */

static bool is_said_to_be_main(const struct html_node *node)
{
    const char *role = html_attribute(node, "role"), *prop = html_attribute(node, "itemprop");
    const char *class = html_attribute(node, "class"), *id = html_attribute(node, "id");
    return node->tag == GUMBO_TAG_ARTICLE || node->tag == GUMBO_TAG_MAIN
        || (role && (html_has_word(role, "main") || html_has_word(role, "article")))
        || (prop && html_has_word(prop, "articleBody")) || (class && html_hint_for(class))
        || (id && html_hint_for(id));
}

/* Parts of one text: sections of it, or the pieces of a page that lists several. */
static bool are_peers(const struct html_node *a, const struct html_node *b)
{
    const char *one = html_attribute(a, "class"), *other = html_attribute(b, "class");
    if (a->tag != b->tag)
        return false;
    if (one && other)
        return strcmp(one, other) == 0;
    return !one && !other
        && ONE_OF(a->tag, GUMBO_TAG_SECTION, GUMBO_TAG_ARTICLE, GUMBO_TAG_TR, GUMBO_TAG_TD);
}

/* The child that has nearly everything, or HTML_NONE. */
static uint32_t child_with_all(const struct search *search, uint32_t at)
{
    const struct html_node *nodes = search->tree->at;
    int64_t all = search->at[at].value, own = all;
    uint32_t best = HTML_NONE;
    for (uint32_t i = at + 1; i < nodes[at].end; i = nodes[i].end) {
        if (nodes[i].marks & HTML_OUT)
            continue;
        own -= search->at[i].value;
        if (best == HTML_NONE || search->at[i].value > search->at[best].value)
            best = i;
    }
    if (best == HTML_NONE || own >= FLOW
        || (is_flow(nodes[best].tag) && nodes[best].tag != GUMBO_TAG_TABLE))
        return HTML_NONE;
    int64_t enough = is_said_to_be_main(&nodes[best]) ? 6 : 9;
    if (search->at[best].value * 10 < all * enough)
        return HTML_NONE;
    for (uint32_t i = at + 1; i < nodes[at].end; i = nodes[i].end)
        if (i != best && !(nodes[i].marks & HTML_OUT) && search->at[i].value >= FLOW
            && (is_flow(nodes[i].tag) || are_peers(&nodes[i], &nodes[best])))
            return HTML_NONE;
    return best;
}

static bool says_main(const struct html_node *node)
{
    return node->tag == GUMBO_TAG_MAIN
        || (node->tag != HTML_TEXT && html_has_word(html_attribute(node, "role"), "main"));
}

/* What the page says is its main part, if that is one and has most of the prose; or
 * HTML_NONE. */
static uint32_t stated_main(const struct search *search)
{
    const struct html_tree *tree = search->tree;
    uint32_t found = HTML_NONE;
    for (uint32_t i = 0; i < tree->count; i++) {
        const struct html_node *node = &tree->at[i];
        if (node->marks & HTML_OUT) {
            i = node->end - 1;
        } else if (says_main(node)) {
            if (found != HTML_NONE)
                return HTML_NONE;
            found = i;
            i = node->end - 1;
        }
    }
    if (found == HTML_NONE || search->at[found].prose == 0
        || search->at[found].prose * 10 < search->at[0].prose * 9)
        return HTML_NONE;
    return found;
}

static uint32_t most_worth(const struct search *search)
{
    const struct html_tree *tree = search->tree;
    uint32_t best = 0;
    for (uint32_t i = 0; i < tree->count; i++) {
        if (tree->at[i].marks & HTML_OUT)
            i = tree->at[i].end - 1;
        else if ((tree->at[i].marks & HTML_BLOCK)
                 && search->at[i].value >= search->at[best].value)
            best = i;
    }
    if (search->at[best].value <= 0)
        return 0;
    while (is_flow(tree->at[best].tag) && tree->at[best].parent != HTML_NONE)
        best = tree->at[best].parent;
    return best;
}

static uint32_t find_root(const struct search *search)
{
    uint32_t stated = stated_main(search);
    uint32_t best = most_worth(search);
    /* Believed, but not if there is more beside the text in it than text. */
    if (stated != HTML_NONE && search->at[stated].value <= 0
        && search->at[best].prose * 10 >= search->at[stated].prose * 8)
        stated = HTML_NONE;
    if (stated != HTML_NONE)
        best = stated;
    for (uint32_t child; search->at[best].value > 0
                         && (child = child_with_all(search, best)) != HTML_NONE;) {
        if (stated != HTML_NONE && !is_said_to_be_main(&search->tree->at[child]))
            break;
        best = child;
    }
    return best;
}

/* ---- what stands between the title and the text ---- */

static bool is_in(const struct html_tree *tree, uint32_t node, uint32_t at)
{
    return node >= at && node < tree->at[at].end;
}

static bool is_picture(uint16_t tag)
{
    return tag == GUMBO_TAG_FIGURE || tag == GUMBO_TAG_FIGCAPTION;
}

/* A few sentences, and not those below a picture. */
static bool is_intro(const struct search *search, uint32_t at)
{
    const struct measure *it = &search->at[at];
    if (it->value < FLOW || it->link > 0 || it->text > INTRO_MAX)
        return false;
    for (uint32_t i = at; i < search->tree->at[at].end; i++)
        if (is_picture(search->tree->at[i].tag))
            return false;
    return true;
}

/* The first one before the text, or HTML_NONE. */
static uint32_t find_intro(const struct search *search, uint32_t from, uint32_t root)
{
    const struct html_tree *tree = search->tree;
    for (uint32_t i = from; i < root;) {
        const struct html_node *node = &tree->at[i];
        bool skip = (node->marks & HTML_OUT) || !(node->marks & HTML_BLOCK)
            || is_picture(node->tag);
        if (!skip && !is_in(tree, root, i) && is_intro(search, i))
            return i;
        i = skip ? node->end : i + 1;
    }
    return HTML_NONE;
}

/* The sentences that lead into a text often stand before the element that holds all else of it:
 * then one that holds both, without what else is in there. */
static uint32_t with_intro(struct search *search, uint32_t root)
{
    struct html_tree *tree = search->tree;
    uint32_t title = HTML_NONE, all = root;
    for (uint32_t i = 0; i < root; i++)
        if (tree->at[i].tag == GUMBO_TAG_H1)
            title = i;
    if (title == HTML_NONE)
        return root;
    uint32_t intro = find_intro(search, tree->at[title].end, root);
    if (intro == HTML_NONE)
        return root;
    while (!is_in(tree, intro, all))
        all = tree->at[all].parent;
    for (uint32_t i = all + 1; i < tree->at[all].end; i++) {
        if (i != intro && i != root) {
            if (is_in(tree, intro, i) || is_in(tree, root, i))
                continue;
            take_out(search, i);
        }
        i = tree->at[i].end - 1;
    }
    return all;
}

/* A list of other texts, with a few words from each. */
static bool is_list_of_teasers(const struct measure *it, const struct measure *all)
{
    return it->teasers >= 2 && it->text < TEASER * it->teasers && 2 * it->value < all->value;
}

/* Whether prose of its own sort follows: what stands before it then belongs to that. */
static bool leads_to_prose(const struct search *search, uint32_t at)
{
    const struct html_node *nodes = search->tree->at;
    uint32_t end = nodes[nodes[at].parent].end;
    const char *class = html_attribute(&nodes[at], "class");
    unsigned looked = 0;
    for (uint32_t i = nodes[at].end; class && i < end && looked < LEAD; i = nodes[i].end) {
        if (!(nodes[i].marks & HTML_BLOCK) || (nodes[i].marks & HTML_OUT))
            continue;
        if (search->at[i].value >= FLOW && are_peers(&nodes[at], &nodes[i]))
            return true;
        looked++;
    }
    return false;
}

/* What is worth less than nothing; rows and items go with all of their table or list. */
static void clean_inside(struct search *search, uint32_t root)
{
    struct html_tree *tree = search->tree;
    for (uint32_t i = root + 1; i < tree->at[root].end; i++) {
        const struct html_node *node = &tree->at[i];
        if ((node->marks & HTML_BLOCK) && !(node->marks & HTML_OUT)
            && ((search->at[i].value < 0 && !leads_to_prose(search, i))
                || is_list_of_teasers(&search->at[i], &search->at[root]))
            && !ONE_OF(node->tag, GUMBO_TAG_LI, GUMBO_TAG_TR, GUMBO_TAG_TD, GUMBO_TAG_TH,
                       GUMBO_TAG_DT, GUMBO_TAG_DD, GUMBO_TAG_TBODY, GUMBO_TAG_THEAD,
                       GUMBO_TAG_TFOOT))
            take_out(search, i);
        if (node->marks & HTML_OUT)
            i = node->end - 1;
    }
}

static void clear_marks(struct search *search)
{
    for (uint32_t i = 0; i < search->tree->count; i++) {
        search->tree->at[i].marks = 0;
        search->at[i] = (struct measure){ 0 };
    }
}

wr_err html_main_find(struct html_found *ret, struct html_tree *tree)
{
    struct search search = { tree, calloc(tree->count, sizeof(*search.at)) };
    if (!search.at)
        return WR_NOMEM;
    measure_blocks(&search);
    add_to_parents(&search);
    uint32_t page = search.at[0].text + search.at[0].link;
    take_hints(&search, true);
    if (search.at[0].text < LEFT_MIN && page >= 2 * LEFT_MIN) {
        clear_marks(&search);
        measure_blocks(&search);
        add_to_parents(&search);
        take_hints(&search, false);
    }
    uint32_t root = find_root(&search);
    if (search.at[root].value > 0)
        root = with_intro(&search, root);
    if (search.at[root].value > 0)
        clean_inside(&search, root);
    const struct measure *all = &search.at[root];
    *ret = (struct html_found){ .root = root, .page_length = page,
                                .length = all->text + all->link,
                                .value = all->value > 0 ? all->value : 0 };
    wr_forget_free(search.at);
    return WR_OK;
}
