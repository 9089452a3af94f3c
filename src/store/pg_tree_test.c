#include "store/pg_tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "testing/test.h"

static struct store_why why;

static wr_err read_it(const char *text)
{
    struct pg_tree *tree = NULL;
    wr_err err = pg_tree_read(&tree, text, &why);
    free(tree);
    return err;
}

TEST(what_is_read_called_and_made_is_listed_once)
{
    struct pg_tree *tree;
    CHECK_OK(pg_tree_read(
        &tree,
        "(({QUERY :commandType 1 :rtable ({RTE :relid 4711 "
        ":relkind r} {RTE :relid 0} {JOINEXPR :jointype 2}) :targetList ({TARGETENTRY :expr "
        "{FUNCEXPR "
        ":funcid 870 :funcresulttype 25 :args ({OPEXPR :opno 96 :opfuncid 65 :opresulttype 16} "
        "{AGGREF :aggfnoid 2803 :aggtype 20} {WINDOWFUNC :winfnoid 3100 :wintype 20} {CONST "
        ":consttype 25 :constvalue 4 [ 1 0 0 0 ]} {ARRAYEXPR :array_typeid 1007})}}) "
        ":rowMarks <>}))",
        &why));
    CHECK_EQ(1, tree->relations.count);
    CHECK_EQ(4711, tree->relations.ids[0]);
    CHECK_EQ(4, tree->functions.count);
    CHECK_EQ(870, tree->functions.ids[0]);
    CHECK_EQ(65, tree->functions.ids[1]);
    CHECK_EQ(2803, tree->functions.ids[2]);
    CHECK_EQ(3100, tree->functions.ids[3]);
    CHECK_EQ(4, tree->types.count);
    free(tree);
}

TEST(what_is_no_select_is_refused)
{
    CHECK_OK(read_it("(({QUERY :commandType 1 :utilityStmt <> :hasForUpdate false}))"));
    CHECK_ERR(WR_INVALID, read_it("(({QUERY :commandType 4}))"));
    CHECK_ERR(WR_INVALID, read_it("(({QUERY :commandType 1 :utilityStmt {CONST}}))"));
    CHECK_ERR(WR_INVALID, read_it("(({QUERY :commandType 1 :hasForUpdate true}))"));
    CHECK_ERR(WR_INVALID, read_it("(({QUERY :commandType 1 :rowMarks ({ALIAS})}))"));
    CHECK_ERR(WR_INVALID, read_it("(({QUERY :commandType 1 :ctes ({QUERY :commandType 2})}))"));
    CHECK(strstr(why.text, "changing or locking anything is not allowed"));
}

TEST(one_statement_is_one)
{
    CHECK_ERR(WR_INVALID, read_it("(({QUERY :commandType 1} {QUERY :commandType 1}))"));
    CHECK_STR("there are 2 statements: write one select", why.text);
    CHECK_ERR(WR_INVALID, read_it("(())"));
    CHECK_ERR(WR_INVALID, read_it("{QUERY"));
    CHECK_ERR(WR_INVALID, read_it("{QUERY }}"));
    CHECK_ERR(WR_INVALID, read_it(""));
}

TEST(a_node_that_is_not_known_is_refused)
{
    CHECK_ERR(WR_INVALID, read_it("({QUERY :x {XMLEXPR :op 1}})"));
    CHECK(strstr(why.text, "xmlexpr is not allowed here"));
    CHECK_ERR(WR_INVALID, read_it("({QUERY :x { }})"));
    CHECK_ERR(WR_INVALID, read_it("({QUERY :x {CONSTANTLY }})"));
}

TEST(a_name_that_was_made_up_hides_nothing)
{
    struct pg_tree *tree;
    CHECK_OK(pg_tree_read(&tree, "({QUERY :resname :funcid :funcid 7 :alias a\\ \\{XMLEXPR\\} "
                          ":names (\"\\\"\\)\" \":relid\" 9) :relid 8 :resname \\:relid})",
                          &why));
    CHECK_EQ(1, tree->functions.count);
    CHECK_EQ(7, tree->functions.ids[0]);
    CHECK_EQ(1, tree->relations.count);
    CHECK_EQ(8, tree->relations.ids[0]);
    free(tree);
}

TEST(too_many_different_things_are_refused)
{
    static char text[8192];
    struct wr_text tree = WR_TEXT(text);
    wr_text_str(&tree, "{QUERY");
    for (int i = 1; i <= PG_TREE_IDS_MAX; i++)
        wr_text_format(&tree, " :funcid %d", i);
    size_t len = tree.len;
    wr_text_str(&tree, "}");
    CHECK_OK(read_it(text));
    wr_text_rewind(&tree, len);
    wr_text_str(&tree, " :funcid 9999}");
    CHECK_ERR(WR_INVALID, read_it(text));
    CHECK(strstr(why.text, "more than 256 different things"));
}
