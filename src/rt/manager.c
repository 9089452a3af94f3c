/* manager.c - see manager.h.  The protocol is systemd's: sd_listen_fds(3), sd_notify(3)
 * and sd_watchdog_enabled(3) say what the variables mean. */
#include <weir/manager.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/world.h"
#include "rt/os.h"

#define FIRST_FD 3              /* after the standard ones, by convention */
#define NAMES_MAX 1024
#define PATH_MAX_UNIX 107       /* of sun_path, without the zero byte */
#define UNIT_US 1000            /* nanoseconds */

struct wr_manager {
    struct wr_passed sockets[WR_MANAGER_SOCKETS_MAX];
    size_t count;
    char names[NAMES_MAX];
    char notify[PATH_MAX_UNIX + 1];     /* empty: nobody wants to be told */
    wr_time watchdog;
};

static wr_err refuse(char *why, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(why, WR_MANAGER_WHY, format, args);
    va_end(args);
    return WR_INVALID;
}

/* A number and nothing else. */
static bool read_number(const char *text, uint64_t *ret)
{
    uint64_t number = 0;
    for (const char *at = text; *at; at++) {
        if (*at < '0' || *at > '9' || number > (UINT64_MAX - 9) / 10)
            return false;
        number = number * 10 + (uint64_t)(*at - '0');
    }
    *ret = number;
    return *text != '\0';
}

/* *ret_ours: there is such a number, and it is that of this process. */
static wr_err is_ours(const char *variable, bool *ret_ours, char *why)
{
    const char *text = wr_world->env(variable);
    uint64_t pid = 0;
    *ret_ours = false;
    if (text && !read_number(text, &pid))
        return refuse(why, "%s is \"%.40s\", not the number of a process", variable, text);
    *ret_ours = text && pid == (uint64_t)wr_os_process();
    return WR_OK;
}

/* ---- sockets ---- */

/* The names are in one string, with colons between them. */
static wr_err take_names(struct wr_manager *manager, char *why)
{
    const char *text = wr_world->env("LISTEN_FDNAMES");
    size_t named = 0;
    if (!text) {
        for (size_t i = 0; i < manager->count; i++)
            manager->sockets[i].name = "unknown";
        return WR_OK;
    }
    if (strlen(text) >= sizeof(manager->names))
        return refuse(why, "LISTEN_FDNAMES has %zu bytes, at most %zu are allowed",
                      strlen(text), sizeof(manager->names) - 1);
    memcpy(manager->names, text, strlen(text) + 1);
    for (char *at = manager->names, *end; at; at = end ? end + 1 : NULL, named++) {
        end = strchr(at, ':');
        if (end)
            *end = '\0';
        if (named < manager->count)
            manager->sockets[named].name = at;
    }
    if (named != manager->count)
        return refuse(why, "LISTEN_FDNAMES has %zu names and LISTEN_FDS is %zu: they must be "
                      "as many", named, manager->count);
    return WR_OK;
}

static wr_err take_socket(struct wr_passed *passed, int fd, char *why)
{
    if (wr_os_fd_keep(fd) || wr_os_listening(fd) || wr_os_socket_local(fd, &passed->addr))
        return refuse(why, "descriptor %d (\"%.60s\"), handed over by the service manager, "
                      "does not listen for streams: its socket unit needs ListenStream= and "
                      "Accept=no", fd, passed->name);
    passed->fd = fd;
    return WR_OK;
}

static wr_err take_sockets(struct wr_manager *manager, char *why)
{
    bool ours;
    uint64_t count;
    const char *text = wr_world->env("LISTEN_FDS");
    wr_err err = is_ours("LISTEN_PID", &ours, why);
    if (err || !ours || !text)
        return err;
    if (!read_number(text, &count) || count > WR_MANAGER_SOCKETS_MAX)
        return refuse(why, "LISTEN_FDS is \"%.40s\", not a number of sockets up to %d", text,
                      WR_MANAGER_SOCKETS_MAX);
    for (size_t i = 0; i < count; i++)
        manager->sockets[i].fd = -1;
    manager->count = (size_t)count;
    err = take_names(manager, why);
    for (size_t i = 0; i < count && !err; i++)
        err = take_socket(&manager->sockets[i], FIRST_FD + (int)i, why);
    return err;
}

/* ---- where to tell, and how often ---- */

static wr_err take_notify(struct wr_manager *manager, char *why)
{
    const char *text = wr_world->env("NOTIFY_SOCKET");
    if (!text)
        return WR_OK;
    if ((text[0] != '/' && text[0] != '@') || strlen(text) < 2
        || strlen(text) >= sizeof(manager->notify))
        return refuse(why, "NOTIFY_SOCKET is \"%.110s\": it must begin with / or @ and have 2 "
                      "to %d bytes", text, PATH_MAX_UNIX);
    memcpy(manager->notify, text, strlen(text) + 1);
    return WR_OK;
}

/* Without a process it is for whoever has the other variable. */
static wr_err take_watchdog(struct wr_manager *manager, char *why)
{
    bool ours;
    uint64_t span;
    const char *text = wr_world->env("WATCHDOG_USEC");
    wr_err err = is_ours("WATCHDOG_PID", &ours, why);
    manager->watchdog = WR_NEVER;
    if (err || !text || (!ours && wr_world->env("WATCHDOG_PID")))
        return err;
    if (!read_number(text, &span) || span < 2 || span > INT64_MAX / UNIT_US)
        return refuse(why, "WATCHDOG_USEC is \"%.40s\", not a number of microseconds above 1",
                      text);
    manager->watchdog = (wr_time)span * UNIT_US / 2;
    return WR_OK;
}

/* ---- the calls ---- */

static void forget_variables(void)
{
    static const char *const variables[] = {
        "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "NOTIFY_SOCKET", "WATCHDOG_PID",
        "WATCHDOG_USEC",
    };
    for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++)
        if (wr_world->env(variables[i]))
            wr_os_env_remove(variables[i]);
}

wr_err wr_manager_open(struct wr_manager **ret, char *why)
{
    struct wr_manager *manager = calloc(1, sizeof(*manager));
    if (!manager) {
        snprintf(why, WR_MANAGER_WHY, "out of memory");
        return WR_NOMEM;
    }
    wr_err err = take_sockets(manager, why);
    if (!err)
        err = take_notify(manager, why);
    if (!err)
        err = take_watchdog(manager, why);
    forget_variables();
    if (err) {
        wr_manager_close(manager);
        return err;
    }
    *ret = manager;
    return WR_OK;
}

void wr_manager_close(struct wr_manager *manager)
{
    if (!manager)
        return;
    for (size_t i = 0; i < manager->count; i++)
        if (manager->sockets[i].fd >= 0)
            wr_os_fd_close(manager->sockets[i].fd);
    free(manager);
}

size_t wr_manager_sockets(const struct wr_manager *manager, const struct wr_passed **ret)
{
    *ret = manager->sockets;
    return manager->count;
}

int wr_manager_take(struct wr_manager *manager, const char *name)
{
    for (size_t i = 0; i < manager->count; i++) {
        struct wr_passed *passed = &manager->sockets[i];
        if (passed->fd >= 0 && strcmp(passed->name, name) == 0) {
            int fd = passed->fd;
            passed->fd = -1;
            return fd;
        }
    }
    return -1;
}

/* One line: what comes after a newline would be another message. */
static void add_status(struct wr_text *text, const char *status)
{
    wr_text_str(text, "STATUS=");
    size_t len = strlen(status), from = text->len;
    wr_text_bytes(text, status, len < WR_MANAGER_STATUS_MAX ? len : WR_MANAGER_STATUS_MAX);
    for (char *at = text->at + from; *at; at++)
        if ((unsigned char)*at < ' ')
            *at = ' ';
    wr_text_str(text, "\n");
}

wr_err wr_manager_tell(const struct wr_manager *manager, enum wr_news news,
                       const char *status)
{
    char buf[WR_MANAGER_STATUS_MAX + 80];
    struct wr_text text = WR_TEXT(buf);
    if (!manager->notify[0])
        return WR_OK;
    switch (news) {
    case WR_NEWS_STATUS: break;
    case WR_NEWS_READY:         /* who started us through a script does not know us yet */
        wr_text_format(&text, "READY=1\nMAINPID=%ld\n", wr_os_process());
        break;
    case WR_NEWS_RELOADING:
        wr_text_format(&text, "RELOADING=1\nMONOTONIC_USEC=%lld\n",
                       (long long)(wr_now() / UNIT_US));
        break;
    case WR_NEWS_STOPPING: wr_text_str(&text, "STOPPING=1\n"); break;
    case WR_NEWS_ALIVE: wr_text_str(&text, "WATCHDOG=1\n"); break;
    }
    if (status)
        add_status(&text, status);
    return wr_os_tell(manager->notify, text.at, text.len);
}

wr_time wr_manager_watchdog(const struct wr_manager *manager)
{
    return manager->watchdog;
}
