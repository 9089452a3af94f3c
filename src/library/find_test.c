/* find_test.c - tests of find.c: who could be meant, and in which order. */
#include <fcntl.h>
#include <sys/stat.h>

#include "library/format.h"
#include "testing/library_rig.h"

#define MAX 8

struct shelf {
    struct library_rig rig;
    struct wr_arena arena;
    struct bib_record found[MAX];
    size_t count;
};

static void shelf_open(struct shelf *shelf)
{
    shelf->arena = WR_ARENA(1 << 20);
    library_rig_open(&shelf->rig);
}

static void shelf_close(struct shelf *shelf)
{
    wr_arena_free(&shelf->arena);
    library_rig_close(&shelf->rig);
}

static void put(struct shelf *shelf, const char *id, struct bib_work work)
{
    rig_add(&shelf->rig, &(struct bib_record){ .id = id, .work = work });
}

static void find(struct shelf *shelf, struct bib_work cited)
{
    shelf->count = library_find(shelf->rig.lib, &cited, &shelf->arena, shelf->found, MAX);
}

static const char *id(const struct shelf *shelf, size_t place)
{
    return place < shelf->count ? shelf->found[place].id : "(none)";
}

#define AUTHOR(family_) .authors = (struct bib_name[]){ { family_, NULL } }, .author_count = 1

TEST(the_doi_comes_first_then_the_arxiv_id_then_the_title)
{
    struct shelf shelf;
    shelf_open(&shelf);
    put(&shelf, "title", (struct bib_work){ .title = "On rivers" });
    put(&shelf, "arxiv", (struct bib_work){ .title = "On lakes", .arxiv_id = "1001.0001" });
    put(&shelf, "doi", (struct bib_work){ .title = "On seas", .doi = "10.1/s" });
    put(&shelf, "none", (struct bib_work){ .title = "Of mountains and valleys" });
    rig_finish(&shelf.rig);
    find(&shelf, (struct bib_work){ .title = "On Rivers", .doi = "10.1/s",
                                    .arxiv_id = "1001.0001" });
    CHECK_EQ(3, shelf.count);
    CHECK_STR("doi", id(&shelf, 0));
    CHECK_STR("arxiv", id(&shelf, 1));
    CHECK_STR("title", id(&shelf, 2));
    shelf_close(&shelf);
}

TEST(of_works_with_one_title_all_come_and_those_with_the_author_and_year_first)
{
    struct shelf shelf;
    shelf_open(&shelf);
    put(&shelf, "a", (struct bib_work){ .title = "Introduction", AUTHOR("Ames") });
    put(&shelf, "b", (struct bib_work){ .title = "Introduction", AUTHOR("Burr"), .year = 9 });
    put(&shelf, "c", (struct bib_work){ .title = "Introduction", AUTHOR("Burr"), .year = 77 });
    put(&shelf, "d", (struct bib_work){ .title = "Introduction" });
    rig_finish(&shelf.rig);
    find(&shelf, (struct bib_work){ .title = "Introduction.", AUTHOR("BÜRR"), .year = 77 });
    CHECK_EQ(4, shelf.count);
    CHECK_STR("c", id(&shelf, 0));
    CHECK_STR("b", id(&shelf, 1));
    CHECK_STR("a", id(&shelf, 2));
    CHECK_STR("d", id(&shelf, 3));
    shelf_close(&shelf);
}

TEST(the_right_one_of_very_many_with_one_title_is_among_those_that_fit)
{
    struct shelf shelf;
    shelf_open(&shelf);
    for (unsigned i = 0; i < 700; i++) {
        char name[16];
        snprintf(name, sizeof(name), "Author%u", i);
        put(&shelf, name, (struct bib_work){ .title = "Editorial", AUTHOR(name) });
    }
    rig_finish(&shelf.rig);
    find(&shelf, (struct bib_work){ .title = "Editorial", AUTHOR("Author613") });
    CHECK_EQ(MAX, shelf.count);
    CHECK_STR("Author613", id(&shelf, 0));
    shelf_close(&shelf);
}

TEST(typos_lost_spaces_and_hyphens_do_not_hide_a_title)
{
    static const char *const cited[] = {
        "Structured fibers and the cost of waitng for others",
        "Strcutured fibres and the cost of waiting for otters",
        "Structuredfibers and the costof waiting for-others",
        "Structure fibers nd the cost off waiting for others",
        "Structured fibers and the price of waiting for others",
        "Structured fibers and the cost of waiting" };
    struct shelf shelf;
    shelf_open(&shelf);
    put(&shelf, "it", (struct bib_work){
        .title = "Structured fibers and the cost of waiting for others" });
    put(&shelf, "not", (struct bib_work){ .title = "The sea, the cost and the others" });
    rig_finish(&shelf.rig);
    for (size_t i = 0; i < sizeof(cited) / sizeof(*cited); i++) {
        find(&shelf, (struct bib_work){ .title = cited[i] });
        CHECK_STR("it", id(&shelf, 0));
    }
    shelf_close(&shelf);
}

TEST(a_title_without_its_subtitle_or_with_one_is_found)
{
    struct shelf shelf;
    shelf_open(&shelf);
    put(&shelf, "long", (struct bib_work){
        .title = "Weir: bounded channels, deadlines and supervision for a language without" });
    put(&shelf, "short", (struct bib_work){ .title = "Sluice" });
    rig_finish(&shelf.rig);
    find(&shelf, (struct bib_work){ .title = "Weir" });
    CHECK_STR("long", id(&shelf, 0));
    find(&shelf, (struct bib_work){ .title = "Sluice: what nobody ever said about doors" });
    CHECK_STR("short", id(&shelf, 0));
    shelf_close(&shelf);
}

TEST(an_exact_title_by_others_does_not_hide_a_near_one_by_the_author)
{
    struct shelf shelf;
    shelf_open(&shelf);
    put(&shelf, "other", (struct bib_work){ .title = "Flow of rivers", AUTHOR("Ames") });
    put(&shelf, "meant", (struct bib_work){ .title = "Flow of rivers.", AUTHOR("Ode") });
    put(&shelf, "near", (struct bib_work){ .title = "Flows of rivers", AUTHOR("Burr") });
    rig_finish(&shelf.rig);
    find(&shelf, (struct bib_work){ .title = "Flow of Rivers", AUTHOR("Burr") });
    CHECK_EQ(3, shelf.count);
    CHECK_STR("near", id(&shelf, 2));
    find(&shelf, (struct bib_work){ .title = "Flow of Rivers", AUTHOR("Ode") });
    CHECK_EQ(2, shelf.count);
    CHECK_STR("meant", id(&shelf, 0));
    shelf_close(&shelf);
}

TEST(titles_in_other_scripts_are_found)
{
    struct shelf shelf;
    shelf_open(&shelf);
    put(&shelf, "zh", (struct bib_work){ .title = "基于深度学习的自然语言处理研究" });
    put(&shelf, "ru", (struct bib_work){ .title = "Двоичные коды с исправлением выпадений" });
    rig_finish(&shelf.rig);
    find(&shelf, (struct bib_work){ .title = "基于深度学习的自然语言处理" });
    CHECK_STR("zh", id(&shelf, 0));
    find(&shelf, (struct bib_work){ .title = "двоичные коды с исправлениям выпадений" });
    CHECK_STR("ru", id(&shelf, 0));
    shelf_close(&shelf);
}

TEST(what_nobody_wrote_is_not_found)
{
    struct shelf shelf;
    shelf_open(&shelf);
    put(&shelf, "a", (struct bib_work){ .title = "Bounded channels for structured fibers" });
    rig_finish(&shelf.rig);
    find(&shelf, (struct bib_work){ .title = "The anatomy of melancholy, by a learned man" });
    CHECK_EQ(0, shelf.count);
    find(&shelf, (struct bib_work){ .title = NULL });
    CHECK_EQ(0, shelf.count);
    find(&shelf, (struct bib_work){ .doi = "10.1/no" });
    CHECK_EQ(0, shelf.count);
    shelf_close(&shelf);
}

TEST(an_arena_that_is_full_says_that_not_all_came)
{
    struct shelf shelf;
    shelf_open(&shelf);
    put(&shelf, "a", (struct bib_work){ .title = "Bounded channels for structured fibers" });
    rig_finish(&shelf.rig);
    wr_arena_free(&shelf.arena);
    shelf.arena = WR_ARENA(8);
    find(&shelf, (struct bib_work){ .title = "Bounded channels for structured fibers" });
    CHECK_EQ(0, shelf.count);
    CHECK(shelf.arena.full);
    shelf_close(&shelf);
}

TEST(a_retraction_is_that_of_the_work_and_of_no_other)
{
    struct shelf shelf;
    shelf_open(&shelf);
    rig_add(&shelf.rig, &(struct bib_record){ .retraction = "10.9/notice",
        .work = { .title = "Cold fusion in a jar", .doi = "10.9/jar", AUTHOR("Pons") } });
    put(&shelf, "b", (struct bib_work){ .title = "Warm fusion", AUTHOR("Pons") });
    rig_finish(&shelf.rig);
    const struct library *lib = shelf.rig.lib;
    struct bib_work by_doi = { .title = "Anything", .doi = "10.9/jar" };
    struct bib_work by_author = { .title = "Cold Fusion in a Jar", AUTHOR("Pons") };
    struct bib_work by_others = { .title = "Cold fusion in a jar", AUTHOR("Else") };
    struct bib_work other_doi = { .title = "Cold fusion in a jar", .doi = "10.9/other",
                                  AUTHOR("Pons") };
    struct bib_work sound = { .title = "Warm fusion", AUTHOR("Pons") };
    CHECK_STR("10.9/notice", library_retraction(lib, &by_doi, &shelf.arena));
    CHECK_STR("10.9/notice", library_retraction(lib, &by_author, &shelf.arena));
    CHECK(!library_retraction(lib, &by_others, &shelf.arena));
    CHECK(!library_retraction(lib, &other_doi, &shelf.arena));
    CHECK(!library_retraction(lib, &sound, &shelf.arena));
    shelf_close(&shelf);
}

/* ---- libraries that somebody made to hurt us ---- */

/* Fill a section with bytes that mean anything, and make the hashes fit. */
static void spoil(unsigned char *bytes, size_t size, enum format_section which)
{
    struct format_header header;
    REQUIRE(!format_read(&header, bytes, size));
    struct format_range *range = &header.sections[which];
    for (uint64_t i = 0; i < range->size; i++)
        bytes[range->offset + i] = (unsigned char)(i * 167 + 13);
    range->hash = wr_hash_of(bytes + range->offset, range->size);
    format_write(&header, bytes);
}

TEST(sections_that_say_anything_with_hashes_that_are_right_do_no_harm)
{
    struct shelf shelf;
    struct stat is;
    struct bib_work cited = { .title = "Bounded channels for structured fibers",
                              .doi = "10.1/x", AUTHOR("Ames") };
    shelf_open(&shelf);
    put(&shelf, "a", cited);
    rig_finish(&shelf.rig);
    REQUIRE(stat(shelf.rig.path, &is) == 0);
    for (unsigned which = 0; which < FORMAT_SECTIONS; which++) {
        struct library *lib = NULL;
        unsigned char *bytes = malloc((size_t)is.st_size);
        int fd = open(shelf.rig.path, O_RDONLY | O_CLOEXEC);
        CHECK_EQ(is.st_size, read(fd, bytes, (size_t)is.st_size));
        close(fd);
        spoil(bytes, (size_t)is.st_size, which);
        REQUIRE_OK(library_open_bytes(&lib, bytes, (size_t)is.st_size, &shelf.rig.why));
        CHECK(library_find(lib, &cited, &shelf.arena, shelf.found, MAX) <= 1);
        library_retraction(lib, &cited, &shelf.arena);
        library_close(lib);
        free(bytes);
    }
    shelf_close(&shelf);
}
