/* node_keys_test.c - tests of node_keys.c. */
#include "conf/node_keys.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "testing/conf_rig.h"

static char folder[64];

static const char *at(const char *name)
{
    static char paths[4][200];
    static unsigned turn;
    char *path = paths[turn++ % 4];
    snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
    return path;
}

static bool enter(void)
{
    snprintf(folder, sizeof(folder), "/tmp/weir-node-XXXXXX");
    return CHECK(mkdtemp(folder) != NULL);
}

static void leave(void)
{
    static const char *const names[] = { "cert", "key", "dir" };
    for (size_t i = 0; i < 3; i++)
        if (unlink(at(names[i])) != 0)
            rmdir(at(names[i]));
    CHECK_EQ(0, rmdir(folder));
}

static void put(const char *name, const char *text, unsigned mode)
{
    FILE *file = fopen(at(name), "w");
    REQUIRE(file != NULL);
    fputs(text, file);
    fclose(file);
    CHECK_EQ(0, chmod(at(name), mode));
}

/* What is said of these flags, with the folder's name left out; NULL: nothing. */
static const char *said(char *const *flags)
{
    static const struct wr_conf_table *const tables[] = { &wr_node_keys, NULL };
    static char words[4096];
    struct wr_conf *conf = NULL;
    struct wr_conf_report report = { 0 };
    struct wr_conf_source source = { .tables = tables, .argv = flags, .cpus = 4 };
    while (flags[source.argc])
        source.argc++;
    wr_err err = wr_conf_load(&conf, &source, &report);
    CHECK((err == WR_OK) == (report.errors == 0));
    wr_conf_unref(conf);
    struct wr_text text = WR_TEXT(words);
    for (const char *from = report.text.at ? report.text.at : ""; *from;) {
        bool here = folder[0] && strncmp(from, folder, strlen(folder)) == 0;
        from += here ? strlen(folder) : 0;
        wr_text_bytes(&text, from, 1);
        from++;
    }
    wr_conf_report_free(&report);
    return words;
}
#define SAID(...) said((char *[]){ "node", __VA_ARGS__, NULL })

static char *flag(const char *name, const char *path)
{
    static char flags[4][300];
    static unsigned turn;
    char *buf = flags[turn++ % 4];
    snprintf(buf, sizeof(flags[0]), "%s=%s", name, path);
    return buf;
}

TEST_PLAIN(the_presets_are_those_of_the_seed)
{
    static const struct wr_conf_table *const tables[] = { &wr_node_keys, NULL };
    struct wr_conf *conf = NULL;
    struct wr_conf_report report = { 0 };
    struct wr_conf_source source = { .tables = tables, .cpus = 4 };
    REQUIRE_OK(wr_conf_load(&conf, &source, &report));
    CHECK_EQ(1024, wr_conf_int(conf, "max_conns"));
    CHECK_EQ(WR_S(5), wr_conf_duration(conf, "read_timeout"));
    CHECK_EQ(WR_S(5), wr_conf_duration(conf, "write_timeout"));
    CHECK_EQ(WR_S(60), wr_conf_duration(conf, "idle_timeout"));
    CHECK_EQ(512, wr_conf_int(conf, "channels.work"));
    CHECK_EQ(512, wr_conf_int(conf, "channels.telemetry"));
    CHECK_EQ(1024, wr_conf_int(conf, "channels.bus"));
    CHECK_EQ(64, wr_conf_int(conf, "channels.cfg_updates"));
    CHECK_EQ(WR_S(3), wr_conf_duration(conf, "drain_deadline"));
    CHECK_EQ(3, wr_conf_int(conf, "retry.max_tries"));
    CHECK_EQ(WR_S(2), wr_conf_duration(conf, "overlay.request_deadline"));
    CHECK_EQ(4 << 20, wr_conf_size(conf, "overlay.max_body_bytes"));
    CHECK_EQ(1 << 20, wr_conf_size(conf, "io.max_frame_bytes"));
    CHECK_EQ(WR_S(2), wr_conf_duration(conf, "io.handshake_timeout"));
    CHECK_EQ(10, wr_conf_int(conf, "limits.decompress_ratio_cap"));
    CHECK_EQ(16, wr_conf_permits(conf, "facets.feed"));
    CHECK_EQ(8, wr_conf_permits(conf, "facets.graph"));
    CHECK_EQ(16, wr_conf_permits(conf, "facets.search"));
    CHECK_EQ(4, wr_conf_permits(conf, "facets.index"));
    CHECK_EQ(16, wr_conf_permits(conf, "facets.mailbox"));
    CHECK(!wr_conf_bool(conf, "security.amnesia"));
    CHECK(wr_addr_loopback(wr_conf_addr(conf, "http_addr")));
    wr_conf_unref(conf);
    wr_conf_report_free(&report);
}

TEST_PLAIN(the_url_of_the_store_has_one_of_three_forms)
{
    static char *const good[] = {
        "sqlite:", "sqlite:weir.db", "sqlite:/var/lib/x/y.db", "postgres://db/weir",
        "postgres://me@db.example:5432/weir?sslmode=require", "postgres:///weir?host=/run/pg",
        "postgres://me@[::1]:5432/weir", "postgres://[::1]/weir",
    };
    for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
        CHECK_STR("", SAID("--store-url", good[i]));
    static const struct { char *url; const char *why; } bad[] = {
        { "weir.db", "it must begin with sqlite: (then the path of a file" },
        { "mysql://db/weir", "it must begin with sqlite: (then the path of a file" },
        { "sqlite:/var/lib/", "it must be the path of a file" },
        { "postgres://db", "it must name a database: postgres://USER@HOST:PORT/DATABASE" },
        { "postgres://db/", "it must name a database" },
        { "postgres://db/?x=y", "it must name a database" },
        { "postgres://db:0/weir", "its port must be 1 to 65535" },
        { "postgres://db:70000/weir", "its port must be 1 to 65535" },
        { "postgres://db:/weir", "its port must be 1 to 65535" },
        { "postgres://db:5x/weir", "its port must be 1 to 65535" },
        { "postgres://[::1]:x/weir", "its port must be 1 to 65535" },
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        const char *words = SAID("--store-url", bad[i].url);
        CHECK(strstr(words, bad[i].why) && strstr(words, "flag --store-url: store.url = "));
        CHECK(strchr(words, '\n') == strrchr(words, '\n'));
    }
}

TEST_PLAIN(a_password_in_the_url_of_the_store_is_refused_and_not_repeated)
{
    static char *const urls[] = { "postgres://me:secret@db/weir", "postgres://me:secret@db",
                                  "postgres://db/weir?password=secret",
                                  "postgres://db/weir?a=b&password=secret" };
    for (size_t i = 0; i < sizeof(urls) / sizeof(*urls); i++) {
        const char *words = SAID("--store-url", urls[i]);
        CHECK(strstr(words, "flag --store-url: store.url: a password must not stand in it"));
        CHECK(!strstr(words, "secret"));
    }
}

TEST_PLAIN(amnesia_has_no_store_that_lasts)
{
    CHECK_STR("", SAID("--amnesia", "--store-url", "sqlite:"));
    CHECK_STR("flag --store-url: store.url = \"sqlite:/x.db\": security.amnesia (flag "
              "--amnesia) keeps nothing: leave it out, or say sqlite: (in memory)\n",
              SAID("--amnesia", "--store-url", "sqlite:/x.db"));
    CHECK(strstr(SAID("--amnesia", "--store-url", "postgres://db/weir"), "keeps nothing"));
}

TEST_PLAIN(the_flags_of_the_seed_are_known)
{
    CHECK_STR("", SAID("--bind", "127.0.0.1:1", "--metrics", "127.0.0.1:2", "--log-level",
                       "warn", "--no-tls", "--graceful-timeout", "5s", "--services",
                       "svc-index",
                       "--max-conns", "5", "--read-timeout", "1s", "--write-timeout", "1s",
                       "--idle-timeout", "1s", "--log-format", "text", "--pq-mode", "off"));
}

TEST_PLAIN(a_key_exchange_is_not_chosen_where_there_is_none)
{
    CHECK_STR("flag --pq-mode: security.pq_mode = \"hybrid\": it is a matter of TLS, and "
              "tls.enabled is not true (--tls)\n", SAID("--pq-mode", "hybrid"));
}

TEST_PLAIN(the_drain_is_between_one_and_five_seconds)
{
    CHECK_STR("flag --graceful-timeout: drain_deadline = \"6s\": it must be a duration such as "
              "\"500ms\", \"5s\", \"2m\" or \"1h\", from 1s to 5s\n",
              SAID("--graceful-timeout", "6s"));
    CHECK_STR("flag --drain-deadline: drain_deadline = \"999ms\": it must be a duration such "
              "as \"500ms\", \"5s\", \"2m\" or \"1h\", from 1s to 5s\n",
              SAID("--drain-deadline", "999ms"));
}

TEST_PLAIN(there_are_at_most_256_workers)
{
    CHECK_STR("", SAID("--workers-count", "256"));
    CHECK_STR("flag --workers-count: workers.count = \"257\": it comes to 257; at most 256 are "
              "allowed\n", SAID("--workers-count", "257"));
}

TEST_PLAIN(a_certificate_without_tls_is_not_passed_over_in_silence)
{
    CHECK_STR("flag --tls-cert: tls.cert_path = \"/nowhere\": it is not used unless "
              "tls.enabled is true (--tls)\n", SAID("--tls-cert=/nowhere"));
    CHECK_STR("", SAID("--no-tls", "--tls-cert=/nowhere"));
}

TEST_PLAIN(tls_needs_its_files)
{
    REQUIRE(enter());
    CHECK_STR("tls.cert_path: it has no value: tls.enabled needs it\n"
              "tls.key_path: it has no value: tls.enabled needs it\n", SAID("--tls"));
    put("cert", "x", 0644);
    CHECK_STR("flag --tls-key: tls.key_path = \"/key\": there is no such file\n",
              SAID("--tls", flag("--tls-cert", at("cert")), flag("--tls-key", at("key"))));
    put("key", "", 0600);
    CHECK_STR("flag --tls-key: tls.key_path = \"/key\": the file is empty\n",
              SAID("--tls", flag("--tls-cert", at("cert")), flag("--tls-key", at("key"))));
    put("key", "x", 0600);
    CHECK_STR("", SAID("--tls", flag("--tls-cert", at("cert")), flag("--tls-key", at("key"))));
    leave();
}

TEST_PLAIN(a_key_that_others_can_read_is_refused)
{
    REQUIRE(enter());
    put("cert", "x", 0644);
    put("key", "x", 0640);
    CHECK_STR("flag --tls-key: tls.key_path = \"/key\": its mode is 0640, so others than its "
              "owner can use it; it must be 0600 (chmod 600)\n",
              SAID("--tls", flag("--tls-cert", at("cert")), flag("--tls-key", at("key"))));
    CHECK_STR("flag --auth-key-path: auth.key_path = \"/key\": its mode is 0640, so others "
              "than its owner can use it; it must be 0600 (chmod 600)\n",
              SAID(flag("--auth-key-path", at("key"))));
    put("key", "x", 0604);
    CHECK_STR("flag --admin-token-path: admin.token_path = \"/key\": its mode is 0604, so "
              "others than its owner can use it; it must be 0600 (chmod 600)\n",
              SAID(flag("--admin-token-path", at("key"))));
    leave();
}

TEST_PLAIN(a_path_that_is_no_file_is_refused)
{
    REQUIRE(enter());
    CHECK_STR("flag --auth-key-path: auth.key_path = \"\": it must be a regular file\n",
              SAID(flag("--auth-key-path", folder)));
    leave();
}

TEST_PLAIN(the_unix_socket_lies_in_a_folder_of_its_owner)
{
    REQUIRE(enter());
    CHECK_STR("", SAID(flag("--uds", at("socket"))));
    CHECK_STR("flag --uds: uds.path = \"/dir/socket\": its folder must exist (mkdir -m 700)\n",
              SAID(flag("--uds", at("dir/socket"))));
    CHECK_EQ(0, chmod(folder, 0750));
    CHECK_STR("flag --uds: uds.path = \"/socket\": the mode of its folder is 0750; it must be "
              "0700 (chmod 700)\n", SAID(flag("--uds", at("socket"))));
    char name[100];
    memset(name, 'a', sizeof(name));
    name[sizeof(name) - 1] = '\0';
    CHECK(strstr(SAID(flag("--uds", at(name))), "it must be shorter than 108 bytes\n") != NULL);
    leave();
}

TEST_PLAIN(amnesia_has_no_persistent_data)
{
    CHECK_STR("flag --data: data = \"/proc/data\": security.amnesia (flag --amnesia) keeps "
              "nothing: leave it out, or name a folder in memory (tmpfs)\n",
              SAID("--amnesia", "--data", "/proc/data"));
    CHECK_STR("", SAID("--amnesia"));
    struct stat is;
    if (stat("/dev/shm", &is) == 0)
        CHECK_STR("", SAID("--amnesia", "--data", "/dev/shm/not/there"));
}

TEST_PLAIN(data_is_a_folder)
{
    REQUIRE(enter());
    put("key", "x", 0600);
    CHECK_STR("flag --data: data = \"/key\": it must be a folder\n",
              SAID(flag("--data", at("key"))));
    CHECK_STR("", SAID(flag("--data", at("not/there/yet"))));
    CHECK_STR("", SAID(flag("--data", folder)));
    leave();
}

TEST_PLAIN(two_listeners_do_not_share_an_address)
{
    CHECK_STR("flag --oap-addr: oap_addr = \"127.0.0.1:8080\": it must not be that of "
              "http_addr (default)\n", SAID("--oap-addr", "127.0.0.1:8080"));
    CHECK_STR("flag --metrics: metrics_addr = \"127.0.0.1:1\": it must not be that of "
              "http_addr (flag --bind): leave it out, and health and metrics are served "
              "there\n",
              SAID("--metrics", "127.0.0.1:1", "--bind", "127.0.0.1:1"));
    CHECK_STR("flag --oap-addr: oap_addr = \"0.0.0.0:1\": it must not be that of metrics_addr "
              "(flag --metrics)\n", SAID("--oap-addr", "0.0.0.0:1", "--metrics",
                                         "127.0.0.1:1"));
    CHECK_STR("flag --oap-addr: oap_addr = \"unix:/s\": it must not be that of http_addr "
              "(flag --bind)\n", SAID("--oap-addr", "unix:/s", "--bind", "unix:/s"));
    CHECK_STR("", SAID("--oap-addr", "127.0.0.1:0", "--bind", "127.0.0.1:0", "--metrics",
                       "127.0.0.1:0"));
    CHECK_STR("", SAID("--oap-addr", "127.0.0.2:8080", "--metrics", "127.0.0.1:8081"));
}

TEST_PLAIN(who_can_be_reached_from_elsewhere_has_a_key_or_a_token)
{
    if (!enter())
        return;
    CHECK_STR("flag --bind: http_addr = \"0.0.0.0:1\": " WR_NODE_UNGUARDED "\n",
              SAID("--bind", "0.0.0.0:1"));
    CHECK_STR("flag --bind: http_addr = \"[::]:1\": " WR_NODE_UNGUARDED "\n",
              SAID("--bind", "[::]:1"));
    CHECK_STR("", SAID("--bind", "[::1]:1"));
    CHECK_STR("", SAID("--bind", "unix:/s"));
    put("key", "k", 0600);
    CHECK_STR("", SAID("--bind=0.0.0.0:1", flag("--auth-key-path", at("key"))));
    CHECK_STR("", SAID("--bind=0.0.0.0:1", flag("--admin-token-path", at("key"))));
    leave();
}

TEST_PLAIN(numbers_beyond_what_a_machine_has_are_refused_with_what_is_allowed)
{
    CHECK_STR("flag --limits-max-body-bytes: limits.max_body_bytes = \"2GiB\": it must be a "
              "size such as 65536, \"64KiB\", \"4MiB\" or \"1MB\", from 1KiB to 1GiB\n",
              SAID("--limits-max-body-bytes", "2GiB"));
    CHECK_STR("flag --meta-version: meta.version = \"-1\": it must be an integer from 0 to "
              "9223372036854775807\n", SAID("--meta-version", "-1"));
    CHECK_STR("flag --facets-feed: facets.feed = \"2000000\": it must be a positive integer, "
              "or a multiple of the processors such as \"4xCPU\", from 1 to 1000000\n",
              SAID("--facets-feed", "2000000"));
    CHECK_STR("flag --channels-work: channels.work = \"65537\": it must be an integer from 1 "
              "to 65536\n", SAID("--channels-work", "65537"));
}

TEST_PLAIN(more_users_than_can_be_told_apart_are_refused)
{
    char list[3 * (WR_NODE_UIDS_MAX + 1)];
    for (size_t i = 0; i <= WR_NODE_UIDS_MAX; i++)
        memcpy(list + 3 * i, "10,", 3);
    list[sizeof(list) - 1] = '\0';
    CHECK(strstr(SAID("--uds-allow-uids", list), "it must have at most 63 items\n"));
    list[sizeof(list) - 4] = '\0';
    CHECK_STR("", SAID("--uds-allow-uids", list));
}
