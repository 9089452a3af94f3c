/* doctor_live.c - what a node that runs shows of itself: its limits, and its load. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "cmd/weir/doctor.h"
#include "cmd/weir/local.h"
#include "svc/index/capacity.h"

#define TEXT_MAX 8192
#define PATH_LEN 512
#define FILES_FULL 0.8              /* above this share something is about to go wrong */
#define ASK_SECONDS 10
#define WATCHED_SECONDS 1

/* A file of the system; false when there is none. */
static bool read_text(const char *path, char text[TEXT_MAX])
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t len = fd < 0 ? -1 : read(fd, text, TEXT_MAX - 1);
    if (fd >= 0)
        close(fd);
    text[len > 0 ? len : 0] = '\0';
    return len > 0;
}

/* The number behind a word at the beginning of a line; -1: there is none. */
static long long number_after(const char *text, const char *word)
{
    size_t len = strlen(word);
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, word, len) == 0)
            return strtoll(line + len, NULL, 10);
    }
    return -1;
}

/* ---- descriptors ---- */

static long count_files(long pid)
{
    char path[64];
    long count = 0;
    snprintf(path, sizeof(path), "/proc/%ld/fd", pid);
    DIR *folder = opendir(path);
    if (!folder)
        return -1;
    for (const struct dirent *entry; (entry = readdir(folder));)
        count += entry->d_name[0] != '.';
    closedir(folder);
    return count;
}

void doctor_files(struct visit *visit)
{
    struct rlimit limit;
    char path[64], text[TEXT_MAX];
    long long conns = wr_conf_int(visit->conf, "max_conns"), wanted = 2 * conns + 64;
    getrlimit(RLIMIT_NOFILE, &limit);
    long long most = limit.rlim_max > INT64_MAX ? INT64_MAX : (long long)limit.rlim_max;
    snprintf(path, sizeof(path), "/proc/%ld/limits", visit->pid);
    if (visit->pid && read_text(path, text) && number_after(text, "Max open files") > 0)
        most = number_after(text, "Max open files");
    long open = visit->pid ? count_files(visit->pid) : -1;
    bool full = open > 0 && (double)open > FILES_FULL * (double)most;
    enum grade grade = most < wanted ? FAILURE : full ? WARNING : FINE;
    const char *fix = "raise it (ulimit -n, LimitNOFILE=), or lower max_conns";
    if (open > 0)
        say(visit, grade, "descriptors", fix, "the node may have %lld open, %lld are "
                   "wanted for max_conns = %lld; it has %ld", most, wanted, conns, open);
    else
        say(visit, grade, "descriptors", fix, "%lld may be open, %lld are wanted for "
                   "max_conns = %lld", most, wanted, conns);
}

/* ---- processors ---- */

struct throttled { long long times, periods; };

/* Whether "cpu" is one of the words between these commas. */
static bool has_cpu(const char *words, size_t len)
{
    while (len > 0) {
        const char *comma = memchr(words, ',', len);
        size_t word = comma ? (size_t)(comma - words) : len;
        if (word == 3 && memcmp(words, "cpu", 3) == 0)
            return true;
        words += comma ? word + 1 : word;
        len -= comma ? word + 1 : word;
    }
    return false;
}

/* The counts of a control group, by a line of /proc/PID/cgroup: "0::/PATH" of the second
 * version, "4:cpu,cpuacct:/PATH" of the first. */
static bool read_group(const char *line, size_t len, char text[TEXT_MAX])
{
    char path[PATH_LEN];
    const char *kinds = memchr(line, ':', len);
    const char *at = kinds ? memchr(kinds + 1, ':', len - (size_t)(kinds + 1 - line)) : NULL;
    if (!at)
        return false;
    size_t kinds_len = (size_t)(at - kinds - 1);
    if (kinds_len > 0 && !has_cpu(kinds + 1, kinds_len))
        return false;
    snprintf(path, sizeof(path), "/sys/fs/cgroup%s%.*s/cpu.stat", kinds_len ? "/cpu" : "",
             (int)(len - (size_t)(at + 1 - line)), at + 1);
    return read_text(path, text);
}

static bool read_counts(long pid, char text[TEXT_MAX])
{
    char path[PATH_LEN], groups[TEXT_MAX];
    snprintf(path, sizeof(path), "/proc/%ld/cgroup", pid);
    const char *line = read_text(path, groups) ? groups : "";
    while (*line) {
        size_t len = strcspn(line, "\n");
        if (read_group(line, len, text))
            return true;
        line += line[len] ? len + 1 : len;
    }
    /* in a container that sees no other group than its own */
    return read_text("/sys/fs/cgroup/cpu.stat", text)
        || read_text("/sys/fs/cgroup/cpu/cpu.stat", text);
}

static struct throttled throttled(long pid)
{
    char text[TEXT_MAX];
    if (!read_counts(pid ? pid : (long)getpid(), text))
        return (struct throttled){ 0 };
    long long times = number_after(text, "nr_throttled "),
              periods = number_after(text, "nr_periods ");
    return (struct throttled){ times > 0 ? times : 0, periods > 0 ? periods : 0 };
}

void doctor_processors(struct visit *visit)
{
    struct throttled seen = throttled(visit->pid);
    say(visit, seen.times ? WARNING : FINE, "processor",
               "raise the quota of this control group, or lower `threads`",
               "%ld processors; throttled %lld times in %lld periods by its group",
               sysconf(_SC_NPROCESSORS_ONLN), seen.times, seen.periods);
}

/* ---- load ---- */

static bool read_metrics(const struct visit *visit, struct capacity_reading *ret)
{
    struct local_answer answer;
    bool heard = local_ask(&answer, visit->conf, "GET", "/metrics", "", ASK_SECONDS)
        && answer.status == 200 && answer.text;
    if (heard)
        capacity_read(ret, answer.text);
    local_free(&answer);
    return heard;
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void say_load(struct visit *visit, const struct capacity *seen,
                     unsigned long long workers)
{
    char fix[120];
    snprintf(fix, sizeof(fix), "index.workers = %llu, and begin the node again",
             (unsigned long long)seen->workers_wanted);
    say(visit, seen->used > CAPACITY_USED_MAX ? WARNING : FINE, "load", fix,
               "%.1f questions a second to the index, %.0f %% in its cache; each takes %.2f "
               "ms, a lookup %.2f ms more: %.0f %% of %llu workers, at most %.0f %% are good",
               seen->rate, 100 * seen->hit_ratio, 1e3 * seen->service, 1e3 * seen->lookup,
               100 * seen->used, workers, 100 * CAPACITY_USED_MAX);
}

void doctor_load(struct visit *visit)
{
    struct capacity_reading before, after;
    uint64_t workers = (uint64_t)wr_conf_int(visit->conf, "index.workers");
    if (!visit->running)
        return;
    double began = seconds_now();
    bool heard = read_metrics(visit, &before);
    nanosleep(&(struct timespec){ .tv_sec = WATCHED_SECONDS }, NULL);
    heard = heard && read_metrics(visit, &after);
    if (!heard) {
        say(visit, WARNING, "load", "ask again", "the node does not show its metrics");
        return;
    }
    struct capacity seen = capacity_of(&before, &after, seconds_now() - began, workers);
    if (seen.known)
        say_load(visit, &seen, workers);
    else
        say(visit, FINE, "load", "", "nobody has asked the index yet");
}
