/* os_manager.c - the process as its service manager sees it. */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "rt/os.h"

long wr_os_process(void)
{
    return getpid();
}

void wr_os_env_remove(const char *name)
{
    unsetenv(name);
}

wr_err wr_os_fd_keep(int fd)
{
    return fcntl(fd, F_SETFD, FD_CLOEXEC) == 0 ? WR_OK : wr_err_errno(errno);
}

/* A name that begins with @ is not in the file system: its first byte is zero and
 * its length counts. */
wr_err wr_os_tell(const char *path, const char *text, size_t len)
{
    struct sockaddr_un to = { .sun_family = AF_UNIX };
    size_t size = strlen(path);
    if (size == 0 || size >= sizeof(to.sun_path))
        return WR_INVALID;
    memcpy(to.sun_path, path, size);
    if (path[0] == '@')
        to.sun_path[0] = '\0';
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return wr_err_errno(errno);
    ssize_t sent = sendto(fd, text, len, MSG_NOSIGNAL | MSG_DONTWAIT,
                          (const struct sockaddr *)&to,
                          (socklen_t)(offsetof(struct sockaddr_un, sun_path) + size));
    int number = errno;
    close(fd);
    if (sent >= 0)
        return WR_OK;
    if (number == ECONNREFUSED)
        return WR_NOTFOUND;
    return number == EAGAIN ? WR_BUSY : wr_err_errno(number);
}
