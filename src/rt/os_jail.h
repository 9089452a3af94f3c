/* os_jail.h - what a child process does to itself before it becomes a program that is not
 * trusted.  For os_program.c alone; see program.h for what such a program can still do.
 */
#ifndef WR_RT_OS_JAIL_H
#define WR_RT_OS_JAIL_H

#include <stdbool.h>

#include "rt/program.h"

/* Where it can fail. */
enum os_step {
    OS_STEP_NONE,
    OS_STEP_DESCRIPTORS,
    OS_STEP_USER,
    OS_STEP_FILES,
    OS_STEP_LIMITS,
    OS_STEP_FILTER,
    OS_STEP_EXEC,
};

/* How a child says so. */
struct os_failure {
    enum os_step step;
    int number;                 /* errno */
};

struct os_jail {
    const struct wr_program_conf *conf;
    unsigned long namespaces;   /* flags of clone */
    bool own_user;              /* a user namespace, as we are not root */
    char uid_map[32], gid_map[32];
    char tmp[64];               /* how the folder of a roomy one is mounted */
};

/* In the parent: what the child will need.  Then, if a clone with these namespaces is
 * refused, whether another kind can be tried. */
void wr_os_jail_prepare(struct os_jail *jail, const struct wr_program_conf *conf);
bool wr_os_jail_try_user(struct os_jail *jail);

/* In the child, while it may do everything: go into a file system of its own.  *path is
 * where the program is there.  Nothing but system calls are made. */
enum os_step wr_os_jail_enter(const struct os_jail *jail, const char **path);

/* In the child, last of all: limits, user, filter. */
enum os_step wr_os_jail_lock(const struct os_jail *jail);

#endif
