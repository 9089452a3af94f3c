/* robots_fuzz.c - rules for robots, whatever a site writes into them.
 *
 * The first line of an input is a path, the rest is a robots.txt.  The answer is compared with
 * a slow and simple reading of the same rules: patterns are matched letter by letter, going
 * back where a star could have taken more.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <weir/panic.h>

#include "crawl/challenge.h"
#include "crawl/media.h"
#include "crawl/robots.h"

#define INPUT_MAX 400               /* going back takes long */

/* Whether a pattern of letters, stars and perhaps a dollar matches a path of letters. */
static bool matches(const char *pattern, size_t len, const char *path)
{
    if (len == 0)
        return true;
    if (*pattern == '$' && len == 1)
        return *path == '\0';
    if (*pattern == '*')
        return matches(pattern + 1, len - 1, path)
               || (*path && matches(pattern, len, path + 1));
    return *path == *pattern && matches(pattern + 1, len - 1, path + 1);
}

/* A file that is only rules for all, in letters that need no encoding; else there is nothing to
 * compare. */
static bool is_simple(const char *text)
{
    return strspn(text, "abc/*$:\nDA") == strlen(text);
}

static void compare(const char *path, const char *patterns)
{
    static char file[64 + 24 * INPUT_MAX];
    size_t best = 0, len = 0, stars = 0;
    bool allowed = true;
    len += (size_t)stpcpy(file, "User-agent: weir\n") - (size_t)file;
    for (const char *line = patterns; *line; line += strcspn(line, "\n"), line += *line != 0) {
        size_t size = strcspn(line, "\n");
        bool allow = *line == 'A';
        if (size < 2 || (line[0] != 'A' && line[0] != 'D') || line[1] != '/'
            || memchr(line + 1, ':', size - 1) || memchr(line + 1, 'A', size - 1)
            || memchr(line + 1, 'D', size - 1) || memmem(line, size, "**", 2)
            || (memchr(line, '$', size - 1)))
            continue;
        for (size_t i = 0; i < size; i++)
            stars += line[i] == '*';
        if (stars > 6)
            return;
        char *end = stpcpy(file + len, allow ? "Allow:" : "Disallow:");
        memcpy(end, line + 1, size - 1);
        len = (size_t)(end - file) + size - 1;
        file[len++] = '\n';
        if (size - 1 >= best && matches(line + 1, size - 1, path)) {
            allowed = size - 1 > best ? allow : allowed || allow;
            best = size - 1;
        }
    }
    file[len] = '\0';
    struct robots *robots;
    if (robots_parse(&robots, file, len, "weir"))
        return;
    if (robots_allow(robots, path) != allowed)
        wr_panic("%s should%s be allowed by:\n%s", path, allowed ? "" : " not", file);
    robots_free(robots);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    struct robots *robots;
    memcpy(text, data, size);
    text[size] = '\0';
    char *file = text + strcspn(text, "\n");
    size_t len = size - (size_t)(file - text);
    if (*file) {
        *file++ = '\0';
        len--;
    }
    if (!robots_parse(&robots, file, len, "weir")) {
        (void)robots_allow(robots, text);
        if (robots_delay(robots) < 0 || robots_delay(robots) > ROBOTS_DELAY_MAX)
            wr_panic("a delay of %lld", (long long)robots_delay(robots));
        robots_free(robots);
    }
    if (size < INPUT_MAX && strlen(file) == len && is_simple(text) && *text == '/'
        && !strpbrk(text, "*$") && is_simple(file))
        compare(text, file);
    (void)media_read(text);
    (void)media_sniff(MEDIA_UNKNOWN, file, len);
    (void)challenge_find(&(struct challenge_page){ .status = 200, .bytes = file, .len = len });
    (void)challenge_find(&(struct challenge_page){ .status = 403, .bytes = file, .len = len });
    free(text);
    return 0;
}
