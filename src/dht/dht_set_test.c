#include "dht/dht_set.h"

#include "base/rand.h"
#include "testing/test.h"

static struct dht_record record_of(unsigned who, int64_t issued)
{
    struct dht_record record = { .kind = DHT_PROVIDER, .issued_at = { issued * 1000000 },
                                 .expires_at = { (issued + 600) * 1000000 } };
    record.id[0] = (unsigned char)who;
    record.id[1] = (unsigned char)(who >> 8);
    return record;
}

static void add(struct dht_set *set, unsigned who, int64_t issued)
{
    struct dht_record record = record_of(who, issued);
    CHECK_OK(dht_set_add(set, &record));
}

TEST_PLAIN(of_each_provider_there_is_the_freshest)
{
    struct dht_set set = { .kind = DHT_PROVIDER };
    add(&set, 1, 100);
    add(&set, 2, 300);
    add(&set, 1, 200);
    add(&set, 1, 150);
    CHECK_EQ(2, set.count);
    CHECK_EQ(2, set.records[0].id[0]);
    CHECK_EQ(1, set.records[1].id[0]);
    CHECK_EQ(200 * 1000000, set.records[1].issued_at.ns);
    dht_set_free(&set);
    dht_set_free(&set);
}

TEST_PLAIN(of_a_name_there_is_one_in_all)
{
    struct dht_set set = { .kind = DHT_NAME };
    for (unsigned who = 1; who < 4; who++) {
        struct dht_record record = record_of(who, who == 2 ? 500 : 100 + who);
        record.kind = DHT_NAME;
        CHECK_OK(dht_set_add(&set, &record));
    }
    CHECK_EQ(1, set.count);
    CHECK_EQ(2, set.records[0].id[0]);
    dht_set_free(&set);
}

TEST_PLAIN(beyond_the_bound_the_oldest_are_dropped)
{
    struct dht_set set = { .kind = DHT_PROVIDER };
    for (unsigned i = 0; i < 300; i++)
        add(&set, i, 1000 + i * 7 % 300);
    CHECK_EQ(DHT_RECORDS_MAX, set.count);
    for (size_t i = 0; i < set.count; i++)
        CHECK_EQ((1299 - (int64_t)i) * 1000000, set.records[i].issued_at.ns);
    dht_set_free(&set);
}

/* 80 records of 40 providers with few different times, in an order that the seed chooses, some
 * of them twice. */
static void add_shuffled(struct dht_set *set, uint64_t seed)
{
    struct dht_record records[80];
    struct wr_rand rand;
    for (unsigned i = 0; i < 80; i++) {
        records[i] = record_of(i % 40, 100 + i % 3);
        records[i].addr[0] = (char)('a' + i / 40);
    }
    wr_rand_seed(&rand, seed);
    for (unsigned i = 80; i > 0; i--) {
        unsigned at = (unsigned)wr_rand_below(&rand, i);
        CHECK_OK(dht_set_add(set, &records[at]));
        if (wr_rand_below(&rand, 4) == 0)
            CHECK_OK(dht_set_add(set, &records[at]));
        struct dht_record last = records[i - 1];
        records[i - 1] = records[at];
        records[at] = last;
    }
}

TEST_PLAIN(the_order_in_which_they_come_makes_no_difference)
{
    struct dht_set first = { .kind = DHT_PROVIDER };
    add_shuffled(&first, 0);
    CHECK_EQ(40, first.count);
    for (uint64_t seed = 1; seed < 200; seed++) {
        struct dht_set other = { .kind = DHT_PROVIDER };
        add_shuffled(&other, seed);
        CHECK_EQ(first.count, other.count);
        for (size_t i = 0; i < other.count; i++) {
            const struct dht_record *a = &first.records[i], *b = &other.records[i];
            CHECK_EQ(a->id[0], b->id[0]);
            CHECK_STR(a->addr, b->addr);
        }
        dht_set_free(&other);
    }
    dht_set_free(&first);
}
