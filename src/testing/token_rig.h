/* token_rig.h - a key for tokens in a file, and tokens of it.
 *
 *     struct token_rig tokens;
 *     char header[TOKEN_HEADER_MAX];
 *     token_rig_open(&tokens);
 *     ...a node with --auth-key-path tokens.path
 *     token_rig_header(&tokens, header, "index.read index.admin", "acme");
 *     token_rig_close(&tokens);
 */
#ifndef WR_TESTING_TOKEN_RIG_H
#define WR_TESTING_TOKEN_RIG_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <weir/time.h>

#include "base/token.h"
#include "net/keyring.h"
#include "testing/test.h"

#define TOKEN_HEADER_MAX 2000

struct token_rig {
    char folder[64], path[80];
    struct keyring *ring;
};

static inline void token_rig_open(struct token_rig *rig)
{
    char why[KEYRING_WHY];
    snprintf(rig->folder, sizeof(rig->folder), "/tmp/weir-tokens-XXXXXX");
    CHECK(mkdtemp(rig->folder));
    snprintf(rig->path, sizeof(rig->path), "%s/keys", rig->folder);
    CHECK_OK(keyring_make(rig->path, "k", wr_after(WR_S(5)), why));
    REQUIRE_OK(keyring_load(&rig->ring, rig->path, wr_after(WR_S(5)), why));
}

static inline void token_rig_close(struct token_rig *rig)
{
    keyring_free(rig->ring);
    unlink(rig->path);
    rmdir(rig->folder);
}

/* The text of a token for these scopes, which have blanks between them, bound to a tenant
 * unless that is NULL; `name` tells tokens apart.  Returns its length. */
static inline size_t token_rig_text(struct token_rig *rig, char *ret, const char *name,
                                    const char *scopes, const char *tenant)
{
    char words[200], *rest = words;
    const char *list[8];
    size_t count = 0;
    struct wr_token token;
    const struct wr_token_key *key = &rig->ring->keys[0];
    snprintf(words, sizeof(words), "%s", scopes);
    while (count < 8 && (list[count] = strsep(&rest, " ")))
        count++;
    CHECK_OK(wr_token_mint(&token, key, name));
    CHECK_OK(wr_token_add(&token, key, &(struct wr_caveat_conf){
        .kind = WR_CAVEAT_CUSTOM, .texts = list, .count = count }));
    if (tenant)
        CHECK_OK(wr_token_add(&token, key, &(struct wr_caveat_conf){
            .kind = WR_CAVEAT_TENANT, .texts = &tenant, .count = 1 }));
    return wr_token_print(&token, ret);
}

/* ... as headers of HTTP. */
static inline void token_rig_header_of(struct token_rig *rig, char ret[TOKEN_HEADER_MAX],
                                       const char *name, const char *scopes, const char *tenant)
{
    char text[WR_TOKEN_TEXT_MAX];
    size_t len = token_rig_text(rig, text, name, scopes, tenant);
    snprintf(ret, TOKEN_HEADER_MAX, "Authorization: Bearer %.*s\r\n%s%s%s", (int)len, text,
             tenant ? "X-Tenant: " : "", tenant ? tenant : "", tenant ? "\r\n" : "");
}

static inline void token_rig_header(struct token_rig *rig, char ret[TOKEN_HEADER_MAX],
                                    const char *scopes, const char *tenant)
{
    token_rig_header_of(rig, ret, "holder", scopes, tenant);
}

#endif
