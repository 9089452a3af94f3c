/* pg_tree.c - see pg_tree.h. */
#include "store/pg_tree.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/store_int.h"

#define WORD_MAX 64
#define TYPE_MIN 16                 /* numbers below it are no types: fields as jointype have
                                     * a name that ends alike */

/* Expressions that compute, and what a select is made of.  Some have another name since 16. */
static const char *const nodes[] = {
    "AGGREF", "ALIAS", "ARRAY", "ARRAYCOERCEEXPR", "ARRAYEXPR", "BOOLEANTEST", "BOOLEXPR",
    "CASE", "CASEEXPR", "CASETESTEXPR", "CASEWHEN", "COALESCE", "COALESCEEXPR", "COERCEVIAIO",
    "COLLATE", "COLLATEEXPR", "COMMONTABLEEXPR", "CONST", "CONVERTROWTYPEEXPR",
    "CTECYCLECLAUSE", "CTESEARCHCLAUSE", "DISTINCTEXPR", "FIELDSELECT", "FROMEXPR", "FUNCEXPR",
    "GROUPINGFUNC", "GROUPINGSET", "JOINEXPR", "MINMAX", "MINMAXEXPR", "NAMEDARGEXPR",
    "NULLIFEXPR", "NULLTEST", "OPEXPR", "QUERY", "RANGETBLENTRY", "RANGETBLFUNCTION",
    "RANGETBLREF", "RELABELTYPE", "ROW", "ROWCOMPARE", "ROWCOMPAREEXPR", "ROWEXPR", "RTE",
    "RTEPERMISSIONINFO", "SCALARARRAYOPEXPR", "SETOPERATIONSTMT", "SORTGROUPCLAUSE",
    "SQLVALUEFUNCTION", "SUBLINK", "SUBSCRIPTINGREF", "TARGETENTRY", "VAR", "WHEN",
    "WINDOWCLAUSE", "WINDOWFUNC",
};

/* Fields that have one value in what only reads. */
static const struct { const char *name, *value; } musts[] = {
    { ":commandType", "1" }, { ":utilityStmt", "<>" }, { ":rowMarks", "<>" },
    { ":hasForUpdate", "false" }, { ":hasModifyingCTE", "false" },
};

/* ---- words ---- */

struct word {
    const char *from;
    size_t len;
    char text[WORD_MAX];            /* its beginning */
};

/* The next one, a brace or a bracket by itself; false: there is none. */
static bool next_word(const char **at, struct word *ret)
{
    *at += strspn(*at, " \t\r\n");
    ret->from = *at;
    if (!**at)
        return false;
    if (strchr("(){}", **at))
        (*at)++;
    else
        while (**at && !strchr("(){} \t\r\n", **at))
            *at += **at == '\\' && (*at)[1] ? 2 : 1;
    ret->len = (size_t)(*at - ret->from);
    snprintf(ret->text, sizeof(ret->text), "%.*s", (int)(ret->len < WORD_MAX ? ret->len
                                                                      : WORD_MAX - 1),
             ret->from);
    return true;
}

static bool is(const struct word *word, const char *text)
{
    return word->len < WORD_MAX && strcmp(word->text, text) == 0;
}

static bool ends(const struct word *word, const char *end)
{
    size_t len = strlen(end);
    return word->len < WORD_MAX && word->len > len
        && strcasecmp(word->text + word->len - len, end) == 0;
}

/* ---- what is in it ---- */

static wr_err refuse(struct store_why *why, const char *what)
{
    store_say(why, "%s is not allowed here: one select over the tables of research, tasks and "
              "jobs, with functions that only compute", what);
    return WR_INVALID;
}

static wr_err note(struct pg_ids *ids, uint32_t id, struct store_why *why)
{
    for (size_t i = 0; i < ids->count; i++)
        if (ids->ids[i] == id)
            return WR_OK;
    if (ids->count == PG_TREE_IDS_MAX) {
        store_say(why, "the statement reads or calls more than %d different things: ask for "
                  "less at once", PG_TREE_IDS_MAX);
        return WR_INVALID;
    }
    ids->ids[ids->count++] = id;
    return WR_OK;
}

static struct pg_ids *sort_of(struct pg_tree *tree, const struct word *field)
{
    if (is(field, ":relid"))
        return &tree->relations;
    if (is(field, ":funcid") || is(field, ":opfuncid") || is(field, ":aggfnoid")
        || is(field, ":winfnoid"))
        return &tree->functions;
    return ends(field, "type") || ends(field, "typeid") ? &tree->types : NULL;
}

/* What the word behind it says is its value, if it is one: a made-up name may look like a
 * field, and then the next field is behind it. */
static wr_err take_field(struct pg_tree *tree, const struct word *field, const char *at,
                         struct store_why *why)
{
    struct word value;
    if (!next_word(&at, &value))
        return WR_OK;
    for (size_t i = 0; i < sizeof(musts) / sizeof(musts[0]); i++)
        if (is(field, musts[i].name) && !is(&value, musts[i].value))
            return refuse(why, "changing or locking anything");
    struct pg_ids *ids = sort_of(tree, field);
    if (!ids || value.len != strspn(value.text, "0123456789"))
        return WR_OK;
    uint32_t id = (uint32_t)strtoul(value.text, NULL, 10);
    if (id == 0 || (ids == &tree->types && id < TYPE_MIN))
        return WR_OK;
    return note(ids, id, why);
}

static wr_err take_node(const char *at, struct store_why *why)
{
    struct word name = { 0 };
    (void)next_word(&at, &name);
    for (size_t i = 0; i < sizeof(nodes) / sizeof(nodes[0]); i++)
        if (is(&name, nodes[i]))
            return WR_OK;
    for (char *letter = name.text; *letter; letter++)
        *letter = (char)tolower((unsigned char)*letter);
    return refuse(why, name.text);
}

static wr_err take_all(struct pg_tree *tree, const char *at, struct store_why *why)
{
    struct word word;
    size_t depth = 0, queries = 0;
    wr_err err = WR_OK;
    while (!err && next_word(&at, &word)) {
        if (is(&word, "{")) {
            queries += depth++ == 0;
            err = take_node(at, why);
        } else if (is(&word, "}")) {
            if (depth-- == 0)
                return refuse(why, "a tree that cannot be read");
        } else if (word.text[0] == ':') {
            err = take_field(tree, &word, at, why);
        }
    }
    if (!err && depth)
        return refuse(why, "a tree that cannot be read");
    if (!err && queries != 1) {
        store_say(why, "there are %zu statements: write one select", queries);
        return WR_INVALID;
    }
    return err;
}

wr_err pg_tree_read(struct pg_tree **ret, const char *text, struct store_why *why)
{
    struct pg_tree *tree = calloc(1, sizeof(*tree));
    if (!tree)
        return WR_NOMEM;
    wr_err err = take_all(tree, text, why);
    if (err) {
        free(tree);
        return err;
    }
    *ret = tree;
    return WR_OK;
}
