/* token.c - weir token: make capability tokens, look at them, take from them. */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/time.h>

#include "base/caveat.h"
#include "base/json.h"
#include "base/token.h"
#include "base/ulid.h"
#include "cmd/weir/weir.h"
#include "conf/unit.h"
#include "net/keyring.h"

#define LIST_MAX 16
#define CAVEATS_MAX 16
#define SECOND 1000000000
#define EXPIRES_S 3600                  /* when nothing else is said */

static const char usage[] =
    "usage: weir token mint --key FILE [--new-key] (--scope S... | --all-scopes) [LIMIT...]\n"
    "       weir token attenuate --key FILE LIMIT... [TOKEN]\n"
    "       weir token inspect [--key FILE] [--json] [TOKEN]\n"
    "\n"
    "A token may do what its scopes say, within its limits.  Without TOKEN it is read\n"
    "from standard input, where no list of processes shows it.\n"
    "\n"
    "  --key FILE        names and keys, a line each; mode 0600\n"
    "  --new-key         make the file first, with a new key; --kid NAME names it\n"
    "  --id ID           of the new token; a ULID otherwise\n"
    "\n"
    "limits:\n"
    "  --scope S         node.read, node.admin (what changes the node); those of services:\n"
    "                    queue.use, ...; /openapi.json has that of each route; repeatable\n"
    "  --expires D       after 1s or more: 5s, 2m, 1h, or \"never\"; mint: 1h unless it is "
    "said\n"
    "  --not-before D    only from then on\n"
    "  --aud NAME        for this service: node\n"
    "  --method M        GET, PUT, ...; may be repeated\n"
    "  --path-prefix P   this path and what is below it\n"
    "  --ip NET          from this network: 10.0.0.0/8\n"
    "  --bytes-max N     of a body: 4096, 64KiB\n"
    "  --rate N/BURST    so many a second, and so many at once\n"
    "  --tenant T        for this tenant\n"
    "  --policy D        under the policy with this digest\n"
    "  --amnesia on|off  where nothing is kept, or where it is\n"
    "\n"
    "Exit status: 0 fine, 1 the token does not verify or cannot be made, 2 wrong use.\n";

enum {
    KEY = 1, NEW_KEY, KID, ID, SCOPE, ALL_SCOPES, EXPIRES, NOT_BEFORE, AUD, METHOD, PATH_PREFIX,
    IP, BYTES_MAX, RATE, TENANT, POLICY, AMNESIA, JSON, HELP,
};

static const struct option known[] = {
    { "key", 1, NULL, KEY }, { "new-key", 0, NULL, NEW_KEY }, { "kid", 1, NULL, KID },
    { "id", 1, NULL, ID }, { "scope", 1, NULL, SCOPE }, { "all-scopes", 0, NULL, ALL_SCOPES },
    { "expires", 1, NULL, EXPIRES }, { "not-before", 1, NULL, NOT_BEFORE },
    { "aud", 1, NULL, AUD }, { "method", 1, NULL, METHOD },
    { "path-prefix", 1, NULL, PATH_PREFIX }, { "ip", 1, NULL, IP },
    { "bytes-max", 1, NULL, BYTES_MAX }, { "rate", 1, NULL, RATE },
    { "tenant", 1, NULL, TENANT }, { "policy", 1, NULL, POLICY },
    { "amnesia", 1, NULL, AMNESIA }, { "json", 0, NULL, JSON }, { "help", 0, NULL, HELP },
    { 0 },
};

struct options {
    const char *key, *kid, *id;
    bool new_key, all_scopes, json, help, expires;
    const char *scopes[LIST_MAX], *methods[LIST_MAX];
    size_t scope_count, method_count;
    const char *texts[CAVEATS_MAX];     /* what the caveats below refer to */
    struct wr_caveat_conf caveats[CAVEATS_MAX];
    size_t count;
};

/* ---- trying it out ---- */

/* A ring with one key, which nobody has and which makes nothing that is shown. */
static bool rehearsal(struct keyring *ret, const char *kid)
{
    unsigned char zero[WR_TOKEN_KEY_SIZE] = { 0 };
    struct wr_secret *secret;
    if (wr_secret_new(&secret, zero, sizeof(zero)))
        return false;
    *ret = (struct keyring){ .count = 1, .keys = { { kid, secret } } };
    return true;
}

static void end_rehearsal(struct keyring *ring)
{
    wr_secret_unref((struct wr_secret *)(uintptr_t)ring->keys[0].secret);
}

static bool possible(const struct wr_caveat_conf *caveat)
{
    struct wr_token token;
    struct keyring ring;
    if (!rehearsal(&ring, "k"))
        return false;
    bool good = !wr_token_mint(&token, &ring.keys[0], "t")
        && !wr_token_add(&token, &ring.keys[0], caveat);
    end_rehearsal(&ring);
    return good;
}

/* ---- the command line ---- */

static int64_t now_s(void)
{
    return wr_wall().ns / SECOND;
}

static bool wrong(const char *option, const char *value, const char *allowed)
{
    fprintf(stderr, "weir token: --%s \"%s\" is not possible: it must be %s\n", option, value,
            allowed);
    return false;
}

static bool add(struct options *options, struct wr_caveat_conf caveat, const char *text)
{
    if (options->count == CAVEATS_MAX) {
        fprintf(stderr, "weir token: more than %d limits\n", CAVEATS_MAX);
        return false;
    }
    options->texts[options->count] = text;
    caveat.texts = &options->texts[options->count];
    caveat.count = 1;
    options->caveats[options->count++] = caveat;
    return true;
}

/* Words of these characters; who is asked compares them letter by letter. */
static bool add_to(const char **list, size_t *count, const char *option, const char *text)
{
    static const char capitals[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ-";
    static const char others[] = "abcdefghijklmnopqrstuvwxyz0123456789._:";
    bool method = strcmp(option, "method") == 0;
    size_t len = strlen(text), good = 0;
    while (good < len && (strchr(capitals, text[good])
                          || (!method && strchr(others, text[good]))))
        good++;
    if (len == 0 || good < len)
        return wrong(option, text, method ? "a method in capital letters, such as GET"
                                          : "a name such as node.read: letters, digits and "
                                            ". _ - :, without blanks");
    if (*count == LIST_MAX)
        return wrong(option, text, "one of at most 16");
    list[(*count)++] = text;
    return true;
}

static bool add_time(struct options *options, int option, const char *text)
{
    int64_t ns;
    bool expires = option == EXPIRES;
    options->expires |= expires;
    if (expires && strcmp(text, "never") == 0)
        return true;
    if (!wr_unit_duration(&ns, text) || ns < SECOND)
        return wrong(expires ? "expires" : "not-before", text,
                     expires ? "a duration of 1s or more, such as 5s, 2m or 1h, or \"never\""
                             : "a duration of 1s or more, such as 5s, 2m or 1h");
    uint64_t at = (uint64_t)(now_s() + (ns + SECOND - 1) / SECOND);
    return add(options, (struct wr_caveat_conf){
        .kind = expires ? WR_CAVEAT_EXP : WR_CAVEAT_NBF, .number = at }, text);
}

static bool add_rate(struct options *options, const char *text)
{
    struct wr_caveat_conf caveat = { .kind = WR_CAVEAT_RATE };
    char end;
    if (text[0] < '1' || text[0] > '9'
        || sscanf(text, "%19" SCNu64 "/%19" SCNu64 "%c", &caveat.rate.per_s,
                  &caveat.rate.burst, &end) != 2
        || caveat.rate.burst == 0)
        return wrong("rate", text, "two numbers above zero, such as 10/20");
    return add(options, caveat, text);
}

static bool add_size(struct options *options, const char *text)
{
    int64_t size;
    if (!wr_unit_size(&size, text))
        return wrong("bytes-max", text, "a size such as 4096 or 64KiB");
    return add(options, (struct wr_caveat_conf){ .kind = WR_CAVEAT_BYTES_LE,
                                                 .number = (uint64_t)size }, text);
}

static bool add_amnesia(struct options *options, const char *text)
{
    bool on = strcmp(text, "on") == 0;
    if (!on && strcmp(text, "off") != 0)
        return wrong("amnesia", text, "on or off");
    return add(options, (struct wr_caveat_conf){ .kind = WR_CAVEAT_AMNESIA, .truth = on },
               text);
}

static bool add_text(struct options *options, enum wr_caveat_kind kind, const char *option,
                     const char *text)
{
    struct wr_caveat_conf caveat = { .kind = kind, .texts = &text, .count = 1 };
    if (*text == '\0' || !possible(&caveat))
        return wrong(option, text, kind == WR_CAVEAT_IP_CIDR
                     ? "a network such as 10.0.0.0/8 or 2001:db8::/32, or one address"
                     : kind == WR_CAVEAT_PATH_PREFIX ? "a path that begins with /"
                                                     : "a name in UTF-8");
    return add(options, (struct wr_caveat_conf){ .kind = kind }, text);
}

static bool take_limit(struct options *options, int option, const char *text)
{
    switch (option) {
    case SCOPE: return add_to(options->scopes, &options->scope_count, "scope", text);
    case METHOD: return add_to(options->methods, &options->method_count, "method", text);
    case EXPIRES:
    case NOT_BEFORE: return add_time(options, option, text);
    case AUD: return add_text(options, WR_CAVEAT_AUD, "aud", text);
    case PATH_PREFIX: return add_text(options, WR_CAVEAT_PATH_PREFIX, "path-prefix", text);
    case IP: return add_text(options, WR_CAVEAT_IP_CIDR, "ip", text);
    case TENANT: return add_text(options, WR_CAVEAT_TENANT, "tenant", text);
    case POLICY: return add_text(options, WR_CAVEAT_GOV_POLICY_DIGEST, "policy", text);
    case BYTES_MAX: return add_size(options, text);
    case RATE: return add_rate(options, text);
    case AMNESIA: return add_amnesia(options, text);
    default: return false; /* getopt has said why */
    }
}

static bool take(struct options *options, int option, const char *text)
{
    switch (option) {
    case KEY: options->key = text; return true;
    case KID: options->kid = text; return true;
    case ID: options->id = text; return true;
    case NEW_KEY: options->new_key = true; return true;
    case ALL_SCOPES: options->all_scopes = true; return true;
    case JSON: options->json = true; return true;
    case HELP: options->help = true; return true;
    default: return take_limit(options, option, text);
    }
}

/* ---- making ---- */

static bool load(struct keyring **ret, const char *path)
{
    char why[KEYRING_WHY];
    if (!keyring_load(ret, path, wr_after(WR_S(10)), why))
        return true;
    fprintf(stderr, "weir token: %s\n", why);
    return false;
}

static bool limit(struct wr_token *token, const struct keyring *ring,
                  const struct wr_caveat_conf *caveat)
{
    wr_err err = wr_token_add(token, &ring->keys[0], caveat);
    for (size_t i = 1; err == WR_DENIED && i < ring->count; i++)
        err = wr_token_add(token, &ring->keys[i], caveat);
    if (!err)
        return true;
    const char *word = caveat_word(caveat->kind);
    if (err == WR_DENIED)
        fprintf(stderr, "weir token: the token was not made with a key of this file\n");
    else if (err == WR_NOMEM)
        fprintf(stderr, "weir token: with %s the token has more than %d bytes or %d limits\n",
                word, WR_TOKEN_MAX, WR_TOKEN_CAVEATS_MAX);
    else
        fprintf(stderr, "weir token: \"%s\" cannot be a %s\n", caveat->texts[0], word);
    return false;
}

static bool limit_all(struct wr_token *token, const struct keyring *ring,
                      const struct options *options)
{
    const struct wr_caveat_conf lists[] = {
        { .kind = WR_CAVEAT_CUSTOM, .texts = options->scopes, .count = options->scope_count },
        { .kind = WR_CAVEAT_METHOD, .texts = options->methods, .count = options->method_count },
    };
    for (size_t i = 0; i < 2; i++)
        if (lists[i].count > 0 && !limit(token, ring, &lists[i]))
            return false;
    for (size_t i = 0; i < options->count; i++)
        if (!limit(token, ring, &options->caveats[i]))
            return false;
    return true;
}

static int show_token(const struct wr_token *token)
{
    char text[WR_TOKEN_TEXT_MAX];
    wr_token_print(token, text);
    printf("%s\n", text);
    explicit_bzero(text, sizeof(text));
    return 0;
}

static bool mint_with(struct wr_token *ret, const struct keyring *ring, const char *tid,
                      const struct options *options)
{
    if (!wr_token_mint(ret, &ring->keys[0], tid))
        return limit_all(ret, ring, options);
    fprintf(stderr, "weir token: --id \"%s\" is not possible: it must be 1 to %d bytes of "
            "UTF-8\n", tid, WR_TOKEN_NAME_MAX);
    return false;
}

/* Whether the token can be made, before anything is written for its sake. */
static bool rehearse(const struct options *options, const char *tid)
{
    struct wr_token token;
    struct keyring ring;
    if (!rehearsal(&ring, "k-00000000"))
        return false;
    bool good = mint_with(&token, &ring, tid, options);
    end_rehearsal(&ring);
    wr_token_wipe(&token);
    return good;
}

static int refuse(const char *why)
{
    fprintf(stderr, "weir token: %s\n`weir token --help` says more.\n", why);
    return 2;
}

/* Nobody could ever use it. */
static bool ends_before_it_begins(const struct options *options)
{
    uint64_t begin = 0, end = UINT64_MAX;
    for (size_t i = 0; i < options->count; i++) {
        const struct wr_caveat_conf *caveat = &options->caveats[i];
        if (caveat->kind == WR_CAVEAT_NBF && caveat->number > begin)
            begin = caveat->number;
        if (caveat->kind == WR_CAVEAT_EXP && caveat->number < end)
            end = caveat->number;
    }
    return begin >= end;
}

static const char never[] = "the token would end before it begins: --expires must be more than "
                            "--not-before, and is 1h for mint unless it is said";

static int mint(struct options *options, int argc)
{
    char why[KEYRING_WHY], id[WR_ULID_TEXT];
    struct wr_token token;
    struct keyring *ring;
    struct wr_rand rand;
    if (!options->key)
        return refuse("mint needs --key FILE");
    if (argc > 0)
        return refuse("mint takes no token");
    if ((options->scope_count > 0) == options->all_scopes)
        return refuse("mint needs --scope S, or else --all-scopes for a token that may do "
                      "everything");
    if (options->kid && !options->new_key)
        return refuse("--kid names a new key: it goes with --new-key");
    if (!options->expires && !add_time(options, EXPIRES, "1h"))
        return 2;
    if (ends_before_it_begins(options))
        return refuse(never);
    wr_rand_seed_from_world(&rand);
    const char *tid = options->id ? options->id : wr_ulid_make(&rand, id);
    if (!rehearse(options, tid))
        return 2;
    wr_err err = options->new_key
        ? keyring_make(options->key, options->kid, wr_after(WR_S(10)), why) : WR_OK;
    if (err) {
        fprintf(stderr, "weir token: %s\n", why);
        return err == WR_INVALID ? 2 : 1;
    }
    if (!load(&ring, options->key))
        return 1;
    int status = mint_with(&token, ring, tid, options) ? show_token(&token) : 1;
    keyring_free(ring);
    wr_token_wipe(&token);
    return status;
}

/* From the command line, or else a line of standard input. */
static bool read_token(struct wr_token *token, struct wr_token_verdict *verdict, int argc,
                       char **argv)
{
    char line[WR_TOKEN_TEXT_MAX + 64] = "";
    if (argc == 0 && !fgets(line, sizeof(line), stdin))
        line[0] = '\0';
    line[strcspn(line, "\r\n")] = '\0';
    const char *text = argc > 0 ? argv[0] : line;
    bool read = wr_token_parse(token, text, strlen(text), verdict);
    explicit_bzero(line, sizeof(line));
    return read;
}

static int attenuate(const struct options *options, int argc, char **argv)
{
    struct wr_token_verdict verdict;
    struct wr_token token;
    struct keyring *ring;
    if (!options->key)
        return refuse("attenuate needs --key FILE: each link of the chain takes the key");
    if (options->count + options->scope_count + options->method_count == 0)
        return refuse("attenuate needs a limit to add");
    if (ends_before_it_begins(options))
        return refuse(never);
    if (options->new_key || options->kid || options->id || options->all_scopes)
        return refuse("--new-key, --kid, --id and --all-scopes are for mint");
    if (!read_token(&token, &verdict, argc, argv)) {
        fprintf(stderr, "weir token: %s\n", verdict.why);
        return 1;
    }
    if (!load(&ring, options->key))
        return 1;
    int status = limit_all(&token, ring, options) ? show_token(&token) : 1;
    keyring_free(ring);
    wr_token_wipe(&token);
    return status;
}

/* ---- looking ---- */

static void show_value(struct wr_json *json, const char *key, struct wr_cbor *cbor);

static void show_items(struct wr_json *json, struct wr_cbor *cbor, bool pairs)
{
    size_t count = 0;
    char name[100];
    (void)(pairs ? wr_cbor_map(cbor, &count) : wr_cbor_array(cbor, &count));
    while (count-- > 0 && !cbor->bad) {
        struct wr_cbor_span text = { (const unsigned char *)"?", 1 }, other;
        if (pairs && !(wr_cbor_is(cbor, 3) ? wr_cbor_text(cbor, &text)
                                           : wr_cbor_any(cbor, &other)))
            return;
        snprintf(name, sizeof(name), "%.*s", (int)text.len, (const char *)text.at);
        show_value(json, pairs ? name : NULL, cbor);
    }
}

/* Any item; it lies at most WR_CBOR_DEPTH_MAX deep. */
static void show_value(struct wr_json *json, const char *key, struct wr_cbor *cbor)
{
    struct wr_cbor_span span = { 0 };
    uint64_t number = 0;
    bool truth = false;
    if (wr_cbor_is(cbor, 5) || wr_cbor_is(cbor, 4)) {
        bool pairs = wr_cbor_is(cbor, 5);
        if (pairs)
            wr_json_object(json, key);
        else
            wr_json_array(json, key);
        show_items(json, cbor, pairs);
        wr_json_end(json);
    } else if (wr_cbor_is(cbor, 0) && wr_cbor_uint(cbor, &number)) {
        wr_json_u64(json, key, number);
    } else if (wr_cbor_is(cbor, 3) && wr_cbor_text(cbor, &span)) {
        wr_json_bytes(json, key, (const char *)span.at, span.len);
    } else if (wr_cbor_is(cbor, 7) && cbor->at < cbor->end && *cbor->at != 0xf6) {
        (void)wr_cbor_bool(cbor, &truth);
        wr_json_bool(json, key, truth);
    } else {
        (void)wr_cbor_any(cbor, &span);
        wr_json_null(json, key);
    }
}

static void show_span(struct wr_json *json, const char *key, struct wr_cbor_span span)
{
    struct wr_cbor cbor = wr_cbor_over(span.at, span.len);
    show_value(json, key, &cbor);
}

static void show_json(struct wr_text *text, const struct wr_token *token,
                      const struct wr_token_verdict *verdict)
{
    struct wr_json json = wr_json_to(text);
    wr_json_object(&json, NULL);
    wr_json_bytes(&json, "id", (const char *)token->tid.at, token->tid.len);
    wr_json_bytes(&json, "kid", (const char *)token->kid.at, token->kid.len);
    show_span(&json, "scope", token->scope);
    wr_json_array(&json, "caveats");
    for (size_t i = 0; i < token->count; i++)
        show_span(&json, NULL, token->caveats[i].raw);
    wr_json_end(&json);
    if (verdict) {
        wr_json_str(&json, "state", wr_token_state_word(verdict->state));
        wr_json_str(&json, "why", verdict->why);
    }
    wr_json_end(&json);
    wr_text_str(text, "\n");
}

/* A line for each caveat: its word, and its value as JSON. */
static void show_plain(struct wr_text *text, const struct wr_token *token,
                       const struct wr_token_verdict *verdict)
{
    wr_text_str(text, "id ");
    wr_text_json(text, (const char *)token->tid.at, token->tid.len);
    wr_text_str(text, "\nkid ");
    wr_text_json(text, (const char *)token->kid.at, token->kid.len);
    wr_text_str(text, "\nscope ");
    struct wr_json json = wr_json_to(text);
    show_span(&json, NULL, token->scope);
    for (size_t i = 0; i < token->count; i++) {
        const struct wr_caveat *caveat = &token->caveats[i];
        wr_text_str(text, "\n");
        wr_text_logfmt(text, (const char *)caveat->name.at, caveat->name.len);
        wr_text_str(text, " ");
        json = wr_json_to(text);
        show_span(&json, NULL, caveat->value);
        if (caveat->kind == WR_CAVEAT_EXP || caveat->kind == WR_CAVEAT_NBF) {
            wr_text_str(text, " ");
            wr_text_rfc3339(text, (struct wr_wall){
                (int64_t)(caveat_number(caveat) % 9000000000) * SECOND });
        }
    }
    wr_text_format(text, "\n%s\n", verdict ? verdict->why : "not verified: no --key was given");
}

static int inspect(const struct options *options, int argc, char **argv)
{
    struct wr_token_verdict verdict;
    struct wr_token token;
    struct keyring *ring = NULL;
    if (options->count + options->scope_count + options->method_count > 0 || options->new_key)
        return refuse("inspect adds no limits");
    if (!read_token(&token, &verdict, argc, argv)) {
        fprintf(stderr, "weir token: %s\n", verdict.why);
        return 1;
    }
    if (options->key && !load(&ring, options->key))
        return 1;
    int status = 0;
    if (ring && !wr_token_genuine(&token, ring->keys, ring->count, now_s(), &verdict))
        status = 1;
    struct wr_text text = wr_text_heap((size_t)1 << 20);
    (options->json ? show_json : show_plain)(&text, &token, ring ? &verdict : NULL);
    fwrite(text.at, 1, text.len, stdout);
    wr_text_free(&text);
    keyring_free(ring);
    wr_token_wipe(&token);
    return status;
}

int weir_token(int argc, char **argv)
{
    struct options options = { 0 };
    if (argc < 2) {
        fputs(usage, stderr);
        return 2;
    }
    const char *verb = argv[1];
    static char name[] = "weir token";
    int option;
    argv[1] = name;                     /* getopt speaks in its name */
    optind = 1;
    while ((option = getopt_long(argc - 1, argv + 1, "", known, NULL)) != -1)
        if (!take(&options, option, optarg))
            return 2;
    if (options.help || strcmp(verb, "--help") == 0) {
        fputs(usage, stdout);
        return 0;
    }
    int left = argc - 1 - optind;
    char **rest = argv + 1 + optind;
    if (left > 1)
        return refuse("more than one token");
    if (strcmp(verb, "mint") == 0)
        return mint(&options, left);
    if (strcmp(verb, "attenuate") == 0)
        return attenuate(&options, left, rest);
    if (strcmp(verb, "inspect") == 0)
        return inspect(&options, left, rest);
    fprintf(stderr, "weir token: there is no \"%s\": it is mint, attenuate or inspect\n", verb);
    return 2;
}
