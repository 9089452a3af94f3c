/* toml.cc - TOML to entries, by toml++.
 *
 * The only C++ of the program.  toml++ is told to return its errors; what the C++
 * library itself throws (no memory) ends here too, so that nothing crosses into C.
 */
#define TOML_EXCEPTIONS 0
#define TOML_MAX_NESTED_VALUES 16
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

#include <string>
#include <string_view>

#include "conf/entry.h"

namespace {

/* A part of a key that could be mistaken for several shows its quotes. */
std::string spelled(const toml::key &key)
{
    std::string_view part = key.str();
    bool bare = !part.empty();
    for (char c : part)
        bare = bare && (c == '_' || c == '-' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z')
                        || (c >= 'A' && c <= 'Z'));
    return bare ? std::string(part) : '"' + std::string(part) + '"';
}

const char *called(toml::node_type type)
{
    switch (type) {
    case toml::node_type::table: return "a table";
    case toml::node_type::array: return "a list";
    case toml::node_type::floating_point: return "a number with a fraction";
    case toml::node_type::date: return "a date";
    case toml::node_type::time: return "a time of day";
    case toml::node_type::date_time: return "a date and time";
    default: return "no value";
    }
}

class Flat {
public:
    explicit Flat(struct entries *entries) : entries(entries) {}

    bool table(const toml::table &table, const std::string &prefix, unsigned depth)
    {
        for (auto &&[key, node] : table) {
            unsigned line = node.source().begin.line;
            std::string name = prefix + spelled(key);
            if (name.find('\0') != std::string::npos)
                return wr_entries_fail(entries, line, "a key with a zero byte in it");
            const toml::table *inner = node.as_table();
            if (inner && inner->empty()) {
                if (!add(node, name, ENTRY_TABLE, "an empty table"))
                    return false;
            } else if (inner) {
                if (depth == WR_ENTRY_DEPTH_MAX)
                    return wr_entries_fail(entries, line, "tables more than 8 deep");
                if (!this->table(*inner, name + '.', depth + 1))
                    return false;
            } else if (!value(node, name)) {
                return false;
            }
        }
        return true;
    }

private:
    struct entries *entries;

    bool add(const toml::node &node, std::string &name, enum entry_kind kind, std::string text,
             size_t count = 0)
    {
        unsigned line = node.source().begin.line;
        struct entry entry = { name.data(), kind, text.data(), count, line };
        if (count == 0 && text.find('\0') != std::string::npos)
            return wr_entries_fail(entries, line, "a string with a zero byte in it");
        return wr_entries_add(entries, &entry, text.size());
    }

    bool value(const toml::node &node, std::string &name)
    {
        if (auto boolean = node.as_boolean())
            return add(node, name, ENTRY_BOOL, boolean->get() ? "true" : "false");
        if (auto integer = node.as_integer())
            return add(node, name, ENTRY_INT, std::to_string(integer->get()));
        if (auto string = node.as_string())
            return add(node, name, ENTRY_STRING, string->get());
        if (auto array = node.as_array())
            return list(*array, name);
        return add(node, name, ENTRY_OTHER, called(node.type()));
    }

    bool list(const toml::array &array, std::string &name)
    {
        std::string text;
        bool strings = true, integers = !array.empty();
        for (auto &&item : array) {
            strings = strings && item.is_string();
            integers = integers && item.is_integer();
            if (auto string = item.as_string()) {
                if (string->get().find('\0') != std::string::npos)
                    return wr_entries_fail(entries, item.source().begin.line,
                                           "a string with a zero byte in it");
                text += string->get();
            } else if (auto integer = item.as_integer()) {
                text += std::to_string(integer->get());
            }
            text += '\0';
        }
        if (!strings && !integers)
            return add(array, name, ENTRY_OTHER, "a list of other things");
        return add(array, name, strings ? ENTRY_WORDS : ENTRY_NUMBERS, text, array.size());
    }
};

} // namespace

extern "C" bool wr_entries_toml(struct entries *ret, const char *text, size_t len)
{
    try {
        toml::parse_result parsed = toml::parse(std::string_view(text, len));
        if (!parsed)
            return wr_entries_fail(ret, parsed.error().source().begin.line,
                                   std::string(parsed.error().description()).c_str());
        return Flat(ret).table(parsed.table(), "", 1);
    } catch (...) {
        return wr_entries_fail(ret, 0, "out of memory");
    }
}
