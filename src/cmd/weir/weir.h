/* weir.h - the subcommands of the binary.  Each takes its own argv, prints its
 * own help and returns the process's exit status: 0 fine, 1 found something,
 * 2 wrong use.  The node: 0 drained, 1 not all of it in time, 2 it did not start, because
 * of how it is set up or where; 70 it ended by itself. */
#ifndef WEIR_CMD_H
#define WEIR_CMD_H

#include <stdbool.h>

#include <weir/err.h>
#include <weir/topo.h>

/* The services that this program has, which services.enable may name; NULL at the end. */
extern const char *const weir_services[];

/* Everything that can be configured; NULL at the end. */
struct wr_conf_table;
extern const struct wr_conf_table *const weir_tables[];

/* Load a configuration, and say on standard error what there is to say; NULL: it is wrong. */
struct wr_conf;
struct wr_conf_source;
struct wr_conf *weir_load(const struct wr_conf_source *source);

/* Amnesia begins: nothing is written any more, and memory that is given back says nothing. */
void weir_forget(void);

/* The whole path of a backup, without slashes at its end; `ret` has ARCHIVE_PATH_MAX bytes.
 * False: it is none, or too long. */
bool backup_place(char *ret, const char *path);

int weir_backup(int argc, char **argv);
int weir_bench(int argc, char **argv);
int weir_check(int argc, char **argv);
int weir_config(int argc, char **argv);
int weir_demo(int argc, char **argv);
int weir_doctor(int argc, char **argv);
int weir_index(int argc, char **argv);
int weir_library(int argc, char **argv);
int weir_mcp(int argc, char **argv);
int weir_queue(int argc, char **argv);
int weir_restore(int argc, char **argv);
int weir_run(int argc, char **argv);
int weir_keep(int argc, char **argv);       /* the arguments are the program's */
int weir_sim(int argc, char **argv);
int weir_token(int argc, char **argv);
int weir_topology(int argc, char **argv);
int weir_version(int argc, char **argv);

#endif
