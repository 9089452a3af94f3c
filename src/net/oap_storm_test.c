/* Many requests at once, in many frames, mixed and cut anywhere: each gets its answer. */
#include "base/rand.h"
#include "testing/oap_rig.h"

#define REQUESTS 64
#define STREAM_MAX (1 << 20)

struct request {
    uint16_t proto;
    char payload[300];
    size_t sent;                /* of the payload */
    bool begun, ended;
    size_t answered;            /* bytes */
    bool first, last;           /* START and END came */
    unsigned code;
};

static struct request requests[REQUESTS];
static unsigned char bytes[STREAM_MAX];

/* Whether its payload is how long the answer shall be. */
static bool says_length(const struct request *request)
{
    return request->proto == LARGE || request->proto == PARTS;
}

static void make_requests(struct wr_rand *rand)
{
    static const uint16_t protos[] = { PING, ECHO, ECHO, ECHO, CONFLICT, LARGE, PARTS,
                                       SMALL, 999 };
    memset(requests, 0, sizeof(requests));
    for (size_t i = 0; i < REQUESTS; i++) {
        struct request *request = &requests[i];
        request->proto = protos[wr_rand_below(rand, sizeof(protos) / sizeof(protos[0]))];
        size_t len = wr_rand_below(rand, sizeof(request->payload));
        memset(request->payload, (int)('a' + i % 26), len);
        if (says_length(request))
            snprintf(request->payload, sizeof(request->payload), "%d",
                     (int)wr_rand_below(rand, 100000));
    }
}

/* The next frame of a request: all of it, or some. */
static size_t put_frame(struct wr_rand *rand, unsigned char *at, size_t index)
{
    struct request *request = &requests[index];
    char piece[300];
    size_t left = strlen(request->payload) - request->sent;
    size_t len = wr_rand_below(rand, 2) ? left : wr_rand_below(rand, left + 1);
    bool end = len == left && wr_rand_below(rand, 2);
    unsigned flags = OAP_REQ | (request->begun ? 0 : OAP_START) | (end ? OAP_END : 0);
    if (!request->begun && len == left && wr_rand_below(rand, 2)) {
        flags = OAP_REQ;                /* one frame alone needs neither */
        end = true;
    }
    memcpy(piece, request->payload + request->sent, len);
    piece[len] = '\0';
    request->sent += len;
    request->begun = true;
    request->ended = end;
    return encode(at, flags, request->proto, index + 1, "", piece);
}

/* All frames of all requests, mixed. */
static size_t make_stream(struct wr_rand *rand)
{
    size_t len = encode(bytes, OAP_REQ, 0, 0, "", "{\"ua\":null}"), open = REQUESTS;
    while (open > 0 && len + 1000 < STREAM_MAX) {
        size_t index = wr_rand_below(rand, REQUESTS);
        if (requests[index].ended)
            continue;
        len += put_frame(rand, bytes + len, index);
        open -= requests[index].ended;
    }
    CHECK_EQ(0, open);
    return len;
}

struct sender { struct peer *peer; struct wr_rand rand; size_t len; };

static wr_err send_all(void *arg)
{
    struct sender *self = arg;
    for (size_t at = 0; at < self->len;) {
        size_t size = 1 + wr_rand_below(&self->rand, wr_rand_below(&self->rand, 3) ? 60 : 3000);
        size = size < self->len - at ? size : self->len - at;
        say_bytes(self->peer, bytes + at, size);
        at += size;
        if (wr_rand_below(&self->rand, 4) == 0)
            (void)!wr_sleep(wr_after(WR_US(100)));
    }
    return WR_OK;
}

static size_t hear_one(struct peer *peer)
{
    unsigned code, flags, proto;
    unsigned long long corr;
    size_t len = 0;
    const char *line = hear(peer);
    if (!CHECK_EQ(4, sscanf(line, "%u %u %u %llu", &code, &flags, &proto, &corr)) || corr == 0)
        return 0;
    struct request *request = &requests[corr - 1];
    if (sscanf(line, "%*u %*u %*u %*u (%zu)", &len) != 1)
        len = strlen(line)
            - (size_t)snprintf(NULL, 0, "%u %u %u %llu ", code, flags, proto, corr);
    CHECK_EQ(request->proto, proto);
    CHECK(!request->last);
    CHECK(code != 200 || request->first != (bool)(flags & OAP_START));
    request->first = true;
    request->last = flags & OAP_END;
    request->code = code;
    request->answered += len;
    return request->last;
}

static void check_answers(void)
{
    for (size_t i = 0; i < REQUESTS; i++) {
        const struct request *request = &requests[i];
        size_t len = strlen(request->payload);
        bool fits = request->proto != SMALL || len <= 100;
        unsigned code = request->proto == 999 ? 404 : request->proto == CONFLICT ? 400 : 200;
        CHECK_EQ(fits ? code : 413, request->code);
        if (request->code == 200)
            CHECK_EQ(says_length(request) ? strtoul(request->payload, NULL, 10) : len,
                     request->answered);
    }
}

TEST(every_request_of_a_storm_gets_one_answer)
{
    struct site site;
    struct wr_rand rand;
    wr_rand_seed(&rand, 1);
    open_site(&site, 2, REQUESTS, (struct wr_oap_conf){ 0 });
    for (int round = 0; round < test_rounds(20); round++) {
        struct peer peer;
        struct wr_scope *scope;
        make_requests(&rand);
        struct sender sender = { .peer = &peer, .rand = rand, .len = make_stream(&rand) };
        dial(&site, &peer);
        CHECK_OK(wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "test.sender",
                                                               .deadline = WR_NEVER }));
        CHECK_OK(wr_scope_go(scope, "test.sender", send_all, &sender));
        CHECK_BEGINS("200 2 0 0 {", hear(&peer));
        size_t answered = 0;
        for (int i = 0; i < 100 * REQUESTS && answered < REQUESTS; i++)
            answered += hear_one(&peer);
        CHECK_EQ(REQUESTS, answered);
        check_answers();
        CHECK_OK(wr_scope_join(scope, WR_NEVER));
        CHECK_OK(wr_scope_close(scope));
        hang_up(&peer);
    }
    close_site(&site);
}
