/* local.c - see local.h. */
#include "cmd/weir/local.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/text.h"

#define ASKED_MAX ((size_t)17 << 20)        /* more than any route takes */
#define ANSWER_MAX ((size_t)32 << 20)

volatile sig_atomic_t local_given_up;

/* The socket of the node with this configuration, connected; -1: errno says why. */
static int dial(const struct wr_conf *conf, struct sockaddr_un *addr, int seconds)
{
    const char *said = wr_conf_text(conf, "uds.path"), *data = wr_conf_text(conf, "data");
    *addr = (struct sockaddr_un){ .sun_family = AF_UNIX };
    struct wr_text path = WR_TEXT(addr->sun_path);
    wr_text_format(&path, "%s%s", said ? said : data ? data : ".", said ? "" : "/node.sock");
    if (path.cut) {
        errno = ENAMETOOLONG;
        return -1;
    }
    struct timeval patience = { .tv_sec = seconds };
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
    if (connect(fd, (struct sockaddr *)addr, sizeof(*addr)) == 0)
        return fd;
    int number = errno;
    close(fd);
    errno = number;
    return -1;
}

/* All that comes until the node closes.  false: errno says why. */
static bool talk(int fd, const struct wr_text *request, char *answer, size_t *len)
{
    for (size_t done = 0; done < request->len;) {
        ssize_t n = send(fd, request->at + done, request->len - done, MSG_NOSIGNAL);
        if (n < 0 && errno != EINTR)
            return false;
        done += n > 0 ? (size_t)n : 0;
    }
    for (*len = 0; *len < ANSWER_MAX;) {
        ssize_t n = recv(fd, answer + *len, ANSWER_MAX - *len, 0);
        if (n < 0 && (errno != EINTR || local_given_up))
            return false;
        if (n == 0)
            break;
        *len += n > 0 ? (size_t)n : 0;
    }
    answer[*len] = '\0';
    return true;
}

static bool understand(struct local_answer *ret, const char *text, size_t len)
{
    const char *body = strstr(text, "\r\n\r\n");
    ret->status = strncmp(text, "HTTP/1.1 ", 9) == 0 ? (int)strtol(text + 9, NULL, 10) : 0;
    ret->closed = !body || !ret->status;
    if (ret->closed) {
        snprintf(ret->why, sizeof(ret->why), "the node has closed the connection without an "
                 "answer: it may be ending");
        return false;
    }
    ret->body = json_loads(body + 4, 0, NULL);
    ret->len = len - (size_t)(body + 4 - text);
    ret->head = strndup(text, (size_t)(body + 2 - text));
    ret->text = malloc(ret->len + 1);
    if (ret->text)
        memcpy(ret->text, body + 4, ret->len + 1);
    else
        ret->len = 0;
    const char *said = json_string_value(json_object_get(ret->body, "detail"));
    snprintf(ret->why, sizeof(ret->why), "%s", said ? said : "it has not said why");
    return true;
}

bool local_ask(struct local_answer *ret, const struct wr_conf *conf, const char *method,
               const char *target, const char *body, int seconds)
{
    return local_send(ret, conf, method, target, &(struct local_bytes){ body, strlen(body) },
                      seconds);
}

bool local_send(struct local_answer *ret, const struct wr_conf *conf, const char *method,
                const char *target, const struct local_bytes *body, int seconds)
{
    struct sockaddr_un addr;
    *ret = (struct local_answer){ 0 };
    int fd = dial(conf, &addr, seconds);
    if (fd < 0) {
        ret->absent = errno == ENOENT || errno == ECONNREFUSED;
        snprintf(ret->why, sizeof(ret->why), "the node does not answer at %s: %s",
                 addr.sun_path, strerror(errno));
        return false;
    }
    struct wr_text request = wr_text_heap(ASKED_MAX);
    wr_text_format(&request, "%s %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                   "Content-Length: %zu\r\n\r\n", method, target, body->len);
    wr_text_bytes(&request, body->at, body->len);
    char *answer = malloc(ANSWER_MAX + 1);
    size_t len;
    bool heard = answer && !request.cut && talk(fd, &request, answer, &len);
    /* A reset is what comes of bytes that the other end has left unread. */
    ret->unread = answer && !request.cut && !heard && (errno == ECONNRESET || errno == EPIPE);
    if (request.cut)
        snprintf(ret->why, sizeof(ret->why), "this is too much for one question: %zu bytes, "
                 "at most %zu", body->len, ASKED_MAX);
    else if (!heard)
        snprintf(ret->why, sizeof(ret->why), "the node does not answer at %s: %s",
                 addr.sun_path, answer ? strerror(errno) : "out of memory");
    bool good = heard && understand(ret, answer, len);
    free(answer);
    wr_text_free(&request);
    close(fd);
    return good;
}

bool local_header(const struct local_answer *answer, const char *name, char *ret, size_t size)
{
    size_t len = strlen(name);
    for (const char *line = answer->head; line && (line = strstr(line, "\r\n"));) {
        line += 2;
        if (strncasecmp(line, name, len) != 0 || line[len] != ':')
            continue;
        const char *value = line + len + 1 + strspn(line + len + 1, " ");
        size_t size_of = strcspn(value, "\r");
        if (size_of >= size)
            return false;
        memcpy(ret, value, size_of);
        ret[size_of] = '\0';
        return true;
    }
    return false;
}

void local_free(struct local_answer *answer)
{
    json_decref(answer->body);
    free(answer->text);
    free(answer->head);
    answer->body = NULL;
    answer->text = NULL;
    answer->head = NULL;
}
