/* index_key_fuzz.c - whatever is asked for: a content id, a name, or why it is neither.
 *
 * For any text: what is taken has one form, is taken again as the same, and holds nothing that
 * could be taken for something else (a path, another key, a second name); where both may stand,
 * with and without its prefix, it is the same thing.  What is refused comes with a sentence.
 * A node of the graph is every key, in the same form, and a page, and nothing else.
 */
#include <stdint.h>
#include <string.h>

#include <weir/panic.h>

#include "store/graph.h"
#include "svc/index/index_graph.h"

#define INPUT_MAX 1024

static void check_cid(const struct index_key *key, const char *text)
{
    struct wr_hash bare, prefixed;
    const char *clause;
    WR_ASSERT(strcmp(key->text, text) == 0 && strlen(text) == WR_CID_TEXT - 1);
    WR_ASSERT(index_cid_read(&bare, text + 3, true, &clause) == WR_OK);
    WR_ASSERT(index_cid_read(&prefixed, text, true, &clause) == WR_OK);
    WR_ASSERT(wr_hash_equal(&key->cid, &bare) && wr_hash_equal(&key->cid, &prefixed));
    WR_ASSERT(index_cid_read(&bare, text + 3, false, &clause) == WR_INVALID);
}

static void check_name(const struct index_key *key, const char *text)
{
    const char *name = index_key_name(key), *clause;
    char again[INDEX_NAME_MAX + 1];
    size_t len = strlen(name);
    WR_ASSERT(len > 0 && len <= INDEX_NAME_MAX && len + 5 <= strlen(text));
    WR_ASSERT(strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789._-") == len);
    WR_ASSERT(name[0] != '.' && name[len - 1] != '.' && !strstr(name, ".."));
    WR_ASSERT(index_name_read(again, text + 5, &clause) == WR_OK && strcmp(again, name) == 0);
}

static void check_bare(const char *text)
{
    char name[INDEX_NAME_MAX + 1];
    struct wr_hash hash;
    const char *clause = NULL;
    bool is_name = index_name_read(name, text, &clause) == WR_OK;
    WR_ASSERT(is_name || (clause && *clause));
    clause = NULL;
    bool is_cid = index_cid_read(&hash, text, true, &clause) == WR_OK;
    WR_ASSERT(is_cid || (clause && *clause));
}

static void check_node(const char *text, const struct index_key *key)
{
    char node[INDEX_KEY_TEXT], again[INDEX_KEY_TEXT];
    const char *clause = NULL;
    if (index_graph_read(node, text, &clause)) {
        WR_ASSERT(!key && clause && *clause);
        return;
    }
    WR_ASSERT(store_node_kind(node) == (!key           ? STORE_NODE_PAGE
                                        : key->is_name ? STORE_NODE_NAME
                                                       : STORE_NODE_CONTENT));
    WR_ASSERT(strcmp(node, key ? key->text : text) == 0);
    WR_ASSERT(index_graph_read(again, node, &clause) == WR_OK && strcmp(again, node) == 0);
    WR_ASSERT(key || strlen(node) == 29);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char text[INPUT_MAX + 1];
    struct index_key key, again;
    const char *clause = NULL;
    if (size > INPUT_MAX)
        return -1;
    memcpy(text, data, size);
    text[size] = '\0';
    check_bare(text);
    if (index_key_read(&key, text, &clause)) {
        WR_ASSERT(clause && *clause);
        check_node(text, NULL);
        return 0;
    }
    check_node(text, &key);
    if (key.is_name)
        check_name(&key, text);
    else
        check_cid(&key, text);
    WR_ASSERT(index_key_read(&again, key.text, &clause) == WR_OK);
    WR_ASSERT(again.is_name == key.is_name && strcmp(again.text, key.text) == 0);
    return 0;
}
