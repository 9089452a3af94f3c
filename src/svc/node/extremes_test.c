/* extremes_test.c - a value that the table of keys allows is one that a node can run with:
 * each number at its least and at its most. */
#include <weir/task.h>

#include "testing/node_rig.h"

/* Whether a file could say it: some need another key beside them. */
static bool allowed(const char *flag, const char *value)
{
    char *argv[] = { "weir", "--amnesia", (char *)(uintptr_t)flag, (char *)(uintptr_t)value };
    struct wr_conf_source source = { .tables = rig_tables, .argc = 4, .argv = argv, .cpus = 2 };
    struct wr_conf_report report = { 0 };
    struct wr_conf *conf = NULL;
    bool fine = !wr_conf_load(&conf, &source, &report);
    wr_conf_report_free(&report);
    wr_conf_unref(conf);
    return fine;
}

/* "--limits-max-body-bytes" */
static void flag_of(const struct wr_conf_key *key, char *ret, size_t size)
{
    snprintf(ret, size, "--%s", key->name);
    for (char *at = ret + 2; *at; at++)
        if (*at == '.' || *at == '_')
            *at = '-';
}

static bool write_value(const struct wr_conf_key *key, bool most, char *ret, size_t size)
{
    int64_t number = most ? key->max : key->min;
    switch (key->type) {
    case WR_CONF_INT:
    case WR_CONF_SIZE: snprintf(ret, size, "%lld", (long long)number); break;
    case WR_CONF_DURATION: snprintf(ret, size, "%lldms", (long long)(number / WR_MS(1))); break;
    case WR_CONF_PERMITS: snprintf(ret, size, "%s", most ? "1000000" : "1"); break;
    default: return false;
    }
    return true;
}

static bool try(const struct wr_conf_key *key, bool most)
{
    struct rig rig;
    char flag[100], value[40];
    flag_of(key, flag, sizeof(flag));
    if (!write_value(key, most, value, sizeof(value)) || !allowed(flag, value))
        return false;
    rig_open(&rig, (const char *const[]){ "--oap-addr", "127.0.0.1:0", flag, value, NULL });
    if (!CHECK_OK(wr_once_wait(rig.ready, NULL, wr_after(WR_S(5)))))
        printf("# %s %s: %s\n", flag, value, rig.start.why);
    CHECK_OK(rig_end(&rig));
    return true;
}

TEST(a_node_runs_with_every_number_at_its_least_and_at_its_most)
{
    int tried = 0;
    for (size_t i = 0; i < wr_node_keys.count; i++)
        for (int most = 0; most < 2; most++)
            tried += try(&wr_node_keys.keys[i], most);
    CHECK(tried > 50);
}
