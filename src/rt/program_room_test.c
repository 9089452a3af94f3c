/* program_room_test.c - programs that talk, and jails with room for processes and files. */
#include "rt/program.h"

#include <stdio.h>
#include <string.h>

#include <weir/run.h>
#include <weir/stream.h>

#include "testing/test.h"

#define JAILED_MEMORY ((size_t)256 << 20)

/* The other processor is emulated, and what it starts is not. */
#ifdef __x86_64__
#define FOREIGN_SKIP() ((void)0)
#else
#define FOREIGN_SKIP() SKIP("a program for this processor may not run by itself")
#endif

static wr_err run_real(wr_task_fn fn, void *arg)
{
    return wr_run(&(struct wr_run_conf){ 0 }, fn, arg);
}

static const struct wr_jail roomy = {
    .folders = (const char *const[]){ "/bin", "/usr/bin", NULL }, .memory_max = JAILED_MEMORY,
    .cpu_seconds_max = 5, .roomy = true, .tmp_max = 1 << 20,
};

/* What a shell says to descriptor 4, when it has read `told` from descriptor 3. */
static const char *said(const char *script, const char *told, const struct wr_jail *in)
{
    static char text[400];
    struct wr_program *program;
    char why[WR_PROGRAM_WHY];
    size_t len = 0, n = 1;
    wr_err err = wr_program_start(&program, &(struct wr_program_conf){
        .path = "/bin/sh", .args = (const char *const[]){ "sh", "-c", script, NULL },
        .env = (const char *const[]){ "PATH=/usr/bin:/bin", NULL }, .talk = true, .jail = in },
        why, wr_after(WR_S(10)));
    if (!CHECK_OK(err)) {
        printf("# %s\n", why);
        return "";
    }
    CHECK_OK(wr_program_write(program, told, strlen(told), wr_after(WR_S(10))));
    while (n > 0 && len < sizeof(text) - 1
           && CHECK_OK(wr_program_read(program, &n, text + len, sizeof(text) - 1 - len,
                                       wr_after(WR_S(10)))))
        len += n;
    text[len] = '\0';
    wr_program_close(program);
    return text;
}

static wr_err talk_to_it(void *in)
{
    CHECK_STR("heard hello\n", said("read x <&3; echo lost; echo heard $x >&4", "hello\n", in));
    return WR_OK;
}

TEST_PLAIN(a_program_that_talks_is_told_things_while_it_runs)
{
    FOREIGN_SKIP();
    CHECK_OK(run_real(talk_to_it, NULL));
}

static wr_err look_around(void *arg)
{
    struct wr_jail *in = (void *)(uintptr_t)&roomy;
    (void)arg;
    CHECK_OK(talk_to_it(in));
    CHECK_STR("65534 1\n", said("echo $(id -u) $$ >&4", "", in));
    CHECK_STR("fine\n", said("echo fine > /tmp/x; (cat /tmp/x >&4)", "", in));
    CHECK_STR("1048576\n", said("cat /dev/zero > /tmp/x; wc -c < /tmp/x >&4", "", in));
    CHECK_STR("", said("{ echo a > /x || echo b > /usr/x; } && echo written >&4", "", in));
    CHECK_STR("lo: \n", said("sed -n 's/\\(lo:\\|eth0:\\) .*/\\1 /p' /proc/net/dev | tr -d ' ' "
                             "| sed 's/$/ /' >&4", "", in));
    CHECK_STR("bin dev lib proc tmp usr\n",
              said("echo $(ls / | grep -v 'lib[0-9]\\|etc') >&4", "", in));
    CHECK_STR("", said("unshare -U true && echo left >&4", "", in));
    return WR_OK;
}

TEST_PLAIN(a_jail_with_room_has_processes_and_a_folder_and_no_way_out)
{
    FOREIGN_SKIP();
    CHECK_OK(run_real(look_around, NULL));
}

static wr_err reach_us(void *arg)
{
    (void)arg;
    struct wr_listener *listener;
    struct wr_addr any;
    char script[120];
    struct wr_jail open_jail = roomy;
    open_jail.network = true;
    open_jail.cpu_seconds_max = 0;
    CHECK_OK(wr_addr_parse(&any, "127.0.0.1:0"));
    REQUIRE_OK(wr_listen(&listener, &any), WR_IO);
    snprintf(script, sizeof(script), "bash -c 'exec 5<>/dev/tcp/127.0.0.1/%u' && echo reached "
             "$(ulimit -t) $(id -u) >&4", wr_listener_addr(listener)->port);
    CHECK_STR("", said(script, "", &roomy));
    CHECK_STR("reached unlimited 65534\n", said(script, "", &open_jail));
    CHECK_STR("", said("unshare -U true && echo left >&4", "", &open_jail));
    wr_listener_close(listener);
    return WR_OK;
}

TEST_PLAIN(a_jail_with_a_network_has_ours_and_no_way_out_either)
{
    FOREIGN_SKIP();
    CHECK_OK(run_real(reach_us, NULL));
}

static wr_err leave_a_child(void *arg)
{
    (void)arg;
    struct wr_program *program;
    char why[WR_PROGRAM_WHY], text[10];
    size_t n = 1;
    /* The child keeps the pipe open: that it ends shows that the child has gone too. */
    REQUIRE_OK(wr_program_start(&program, &(struct wr_program_conf){
        .path = "/bin/sh", .args = (const char *const[]){ "sh", "-c",
            "cat <&3 & echo up >&4; exec 3<&-; exit 0", NULL },
        .env = (const char *const[]){ "PATH=/usr/bin:/bin", NULL }, .talk = true,
        .jail = &roomy }, why, wr_after(WR_S(10))), WR_IO);
    while (n > 0 && CHECK_OK(wr_program_read(program, &n, text, sizeof(text),
                                             wr_after(WR_S(10)))))
        ;
    struct wr_program_end end;
    CHECK_OK(wr_program_wait(program, &end, wr_after(WR_S(10))));
    wr_program_close(program);
    return WR_OK;
}

TEST_PLAIN(with_the_first_process_of_a_jail_all_of_them_end)
{
    FOREIGN_SKIP();
    CHECK_OK(run_real(leave_a_child, NULL));
}
