/* data.c - whether a data directory can be had: see data.h. */
#include "cmd/weir/data.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What exists of a path, from its beginning. */
static void cut_to_what_exists(char *path)
{
    struct stat info;
    while (strlen(path) > 1 && stat(path, &info)) {
        char *slash = strrchr(path, '/');
        if (!slash)
            snprintf(path, 2, ".");
        else
            slash[slash == path] = '\0';
    }
}

bool data_usable(const char *data, char *ret, size_t size)
{
    char path[4200];
    struct stat info;
    snprintf(path, sizeof(path), "%s", data);
    cut_to_what_exists(path);
    if (stat(path, &info))
        snprintf(ret, size, "%s: %s", path, strerror(errno));
    else if (!S_ISDIR(info.st_mode))
        snprintf(ret, size, "%s is not a folder", path);
    else if (access(path, W_OK | X_OK))
        snprintf(ret, size, "user %u may not write in %s: %s", (unsigned)geteuid(), path,
                 strerror(errno));
    else {
        snprintf(ret, size, "%s", path);
        return true;
    }
    return false;
}
