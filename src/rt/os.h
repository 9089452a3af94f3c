/* os.h - the runtime's real driver: threads, sleeping, polling, memory.
 *
 * Everything the runtime asks of the operating system goes through here and
 * through base/world.h; the other files of rt are pure.  In a simulation there
 * is one worker, no thread, and nothing below is asked to sleep.
 */
#ifndef WR_RT_OS_H
#define WR_RT_OS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weir/addr.h>
#include <weir/err.h>
#include <weir/fd.h>
#include <weir/file.h>
#include <weir/time.h>

unsigned wr_os_cores(void);

/* Threads.  The name is shown by the system's tools. */
struct os_thread {
    unsigned long handle;
    _Atomic long id;            /* set by the thread itself */
    void (*fn)(void *);
    void *arg;
    char name[16];
};
wr_err wr_os_thread_start(struct os_thread *thread, const char *name, void (*fn)(void *),
                          void *arg);
void wr_os_thread_join(struct os_thread *thread);

/* One turn of a spinning loop: pause, and after many rounds let other threads run. */
void wr_os_relax(unsigned round);

/* Sleep while *word is `expected`, at most `span`; wake those who do. */
void wr_os_futex_wait(_Atomic uint32_t *word, uint32_t expected, wr_time span);
void wr_os_futex_wake(_Atomic uint32_t *word, unsigned count);

/* A cheap clock of the processor, and how many of its ticks a span has. */
uint64_t wr_os_cycles(void);
uint64_t wr_os_cycles_of(wr_time span);

/* What a worker sleeps in: an epoll instance with an eventfd to be woken by. */
struct os_poll { int epoll, kick; };
struct os_event { uint64_t data; unsigned ready; bool hung_up; };

wr_err wr_os_poll_open(struct os_poll *poll);
void wr_os_poll_close(struct os_poll *poll);
wr_err wr_os_poll_add(struct os_poll *poll, int fd, uint64_t data);
void wr_os_poll_remove(struct os_poll *poll, int fd);
void wr_os_poll_kick(struct os_poll *poll);
/* Wait for events until `span` has passed (WR_NOW: look, WR_NEVER: no limit). */
size_t wr_os_poll_wait(struct os_poll *poll, struct os_event *events, size_t max, wr_time span);
/* Whether events wait, without taking them; any thread may ask. */
bool wr_os_poll_pending(const struct os_poll *poll);
void wr_os_poll_sleep(const struct os_poll *poll);      /* until they do */

/* Descriptors. */
wr_err wr_os_fd_prepare(int fd);            /* non-blocking; UNSUPPORTED for regular files */
wr_err wr_os_fd_read(int fd, size_t *ret, void *buf, size_t size);     /* BUSY: would wait */
wr_err wr_os_fd_write(int fd, size_t *ret, const struct wr_piece *pieces, size_t count);
/* The same for sockets, by the calls that the system has for them: a shorter way. */
wr_err wr_os_socket_read(int fd, size_t *ret, void *buf, size_t size);
wr_err wr_os_socket_write(int fd, size_t *ret, const struct wr_piece *pieces, size_t count);
void wr_os_fd_close(int fd);
bool wr_os_fd_ready(int fd, unsigned events);   /* would not block now, or has failed */

/* Sockets.  BUSY: would wait. */
wr_err wr_os_listen(int *ret_fd, const struct wr_addr *addr);
wr_err wr_os_listening(int fd);             /* INVALID: not a listening stream socket */
wr_err wr_os_accept(int listener, int *ret_fd, struct wr_addr *ret_peer);
wr_err wr_os_connect(int *ret_fd, const struct wr_addr *addr);     /* BUSY: under way */
wr_err wr_os_connected(int fd);             /* how it went, once writable */
void wr_os_socket_tune(int fd, const struct wr_addr *peer);
void wr_os_socket_shut(int fd);
void wr_os_socket_reset(int fd);            /* and close it */
wr_err wr_os_socket_local(int fd, struct wr_addr *ret);
wr_err wr_os_socket_process(int fd, uint32_t *ret_uid, int32_t *ret_pid);
void wr_os_unlink(const char *path);

/* Whole files; all of them block.  See file.h. */
wr_err wr_os_file_read(char **ret, size_t *ret_len, const char *path, size_t max);
wr_err wr_os_file_look(struct wr_file_info *ret, const char *path);
wr_err wr_os_file_write(const char *path, const void *bytes, size_t len, unsigned mode);
wr_err wr_os_file_make_dir(const char *path, unsigned mode);
wr_err wr_os_file_remove(const char *path);
wr_err wr_os_file_remove_dir(const char *path);
wr_err wr_os_file_copy(const char *from, const char *to);
wr_err wr_os_file_rename(const char *from, const char *to);
wr_err wr_os_file_sync(const char *path);
wr_err wr_os_file_read_part(size_t *ret_len, void *buf, size_t size, const char *path,
                            uint64_t offset);
wr_err wr_os_file_write_part(const char *path, uint64_t offset, const void *bytes, size_t size);
wr_err wr_os_file_replace(const char *from, const char *to);
wr_err wr_os_file_map(struct wr_file_map *ret, const char *path);
void wr_os_file_unmap(const struct wr_file_map *map);
wr_err wr_os_file_list(char **ret, size_t *ret_len, const char *path, size_t max);

/* A descriptor that becomes readable with every change in a folder; what was read from
 * it: a change of this name (or too many to tell), of others only, the folder's end. */
enum os_watch_event { OS_WATCH_OTHER, OS_WATCH_NAMED, OS_WATCH_GONE };
wr_err wr_os_watch_open(int *ret_fd, const char *folder);
enum os_watch_event wr_os_watch_seen(const char *events, size_t len, const char *name);

/* The process, and who has started it.  A name that begins with @ is abstract. */
long wr_os_process(void);
void wr_os_env_remove(const char *name);
wr_err wr_os_fd_keep(int fd);               /* from the programs we start */
wr_err wr_os_tell(const char *path, const char *text, size_t len);     /* BUSY: would wait */

/* Other programs; see program.h.  After an error `why` may say more. */
struct wr_program_conf;
struct os_program {
    int process, output;        /* a descriptor that stands for it; what it writes */
    int talk;                   /* what it reads; -1: it does not */
    long id;                    /* ours until it is known to have ended */
};
#define WR_OS_KILL 9
wr_err wr_os_program_start(struct os_program *ret, const struct wr_program_conf *conf,
                           char *why);
bool wr_os_program_ended(const struct os_program *program, bool *ret_killed, int *ret_code);
void wr_os_program_signal(const struct os_program *program, int number);

/* Writing to a pipe that nobody reads is an error, not the end of the process. */
void wr_os_no_sigpipe(void);

/* Memory for stacks: reserved, not committed.  NULL when there is none. */
void *wr_os_map(size_t size);
void wr_os_unmap(void *at, size_t size);
void wr_os_forget(void *at, size_t size);       /* give pages back, keep the range */
/* Make the first page of each of `count` strides fault when touched; how many
 * could be done.  Where guards cost a mapping each, they can run out. */
size_t wr_os_guard(void *at, size_t stride, size_t count);
size_t wr_os_page(void);

/* Bad addresses: `report` runs on an alternate stack with the address, then the
 * process ends by the signal.  Threads ask for their alternate stack. */
void wr_os_faults(void (*report)(int signal, void *address));
void wr_os_fault_stack_open(void **ret);
void wr_os_fault_stack_close(void *stack);

/* Signals as bytes in a pipe: every listed one, at most WR_SIGNALS_MAX, is caught
 * from now on; closing gives them the handlers they had.  The descriptor to read
 * from is the caller's and closed by it; the pipe itself stays. */
wr_err wr_os_signals_open(int *ret_fd, const int *signals, size_t count);
void wr_os_signals_close(void);

/* Interrupt a thread and run fn there, in a signal handler. */
void wr_os_interrupt(const struct os_thread *thread, void (*fn)(void));
void wr_os_thread_self(struct os_thread *ret);
size_t wr_os_backtrace(void **frames, size_t max);
void wr_os_backtrace_print(void *const *frames, size_t count);

/* Processor time a thread has used; whether it is blocked in a system call,
 * rather than running or waiting for a processor. */
wr_time wr_os_thread_used(const struct os_thread *thread);
bool wr_os_thread_blocked(const struct os_thread *thread);

void wr_os_at_fork(void (*child)(void));
unsigned long wr_os_thread_id(void);

#endif
