#include "svc/index/object_verb.h"

#include "svc/index/catalog.h"
#include "svc/index/index_ask.h"

#define ASK_MAX 1024                    /* bytes of what it is asked with */
#define SERVE_WITHIN WR_S(20)           /* of which the peer has three quarters */

/* It was offered, and is there, and is right. */
static wr_err read_object(struct wr_oap_call *call, const struct index_key *key,
                          struct object_got *ret)
{
    struct object_desk *desk = wr_oap_arg(call);
    wr_time deadline = wr_oap_deadline(call);
    wr_err err = catalog_is_offered(desk->conf.store, key->text, deadline);
    if (!err)
        err = object_get_own(desk->object, &key->cid, ret, deadline);
    /* What is damaged is not there, for others. */
    if (err == WR_NOTFOUND || err == WR_QUARANTINE)
        return wr_oap_fail(call, WR_NOTFOUND, "this node does not offer it");
    return err;
}

static wr_err obj_get(struct wr_oap_call *call)
{
    struct object_desk *desk = wr_oap_arg(call);
    struct index_ask ask;
    struct object_got got = { 0 };
    const char *clause;
    size_t len;
    const void *payload = wr_oap_payload(call, &len);
    if (index_ask_read(&ask, WR_OAP_OBJ_GET, payload, len, &clause))
        return wr_oap_fail(call, WR_INVALID, "%s", clause);
    wr_err err = read_object(call, &ask.key, &got);
    if (err)
        return err;
    err = wr_oap_send(call, got.bytes, got.len, wr_oap_deadline(call));
    if (err)
        book_served_in_vain(desk->book);
    else
        book_served(desk->book, got.len);
    object_got_free(&got);
    return err;
}

void object_verbs(struct node_verb *ret, struct object_desk *desk)
{
    ret[0] = (struct node_verb){
        .row = { .id = WR_OAP_OBJ_GET, .name = "OBJ_GET", .handler = obj_get, .arg = desk,
                 .payload_max = ASK_MAX, .deadline = SERVE_WITHIN },
        .scope = "index.read", .open_to_all = true, .enter = object_desk_enter,
        .leave = object_desk_leave, .submit = object_desk_submit };
}
