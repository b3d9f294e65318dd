// SPDX-License-Identifier: BSD-3-Clause
// The kinds of those fields of a record that reports read: a forged one is refused by its name.
#include "results/format/known_fields.hpp"

#include <algorithm>
#include <array>

namespace shardstone::results {

namespace {

using nlohmann::json;

enum class Kind : std::uint8_t { text, number, object, texts, objects };

struct KnownField {
    const char* pointer;
    Kind kind;
};

constexpr std::array identity_fields{
    KnownField{"/id", Kind::text},           KnownField{"/title", Kind::text},
    KnownField{"/start_time", Kind::text},   KnownField{"/duration_s", Kind::number},
    KnownField{"/continues", Kind::objects}, KnownField{"/command_line", Kind::texts},
    KnownField{"/folder", Kind::text},       KnownField{"/version", Kind::text}};

constexpr std::array environment_fields{KnownField{"/machine", Kind::object},
                                        KnownField{"/machine/host", Kind::text},
                                        KnownField{"/machine/cpu", Kind::text},
                                        KnownField{"/machine/kernel", Kind::text},
                                        KnownField{"/machine/cores", Kind::number},
                                        KnownField{"/machine/packages", Kind::number},
                                        KnownField{"/machine/hardware_threads", Kind::number},
                                        KnownField{"/machine/numa_nodes", Kind::number},
                                        KnownField{"/machine/memory_bytes", Kind::number},
                                        KnownField{"/machine/caches", Kind::objects},
                                        KnownField{"/build", Kind::object},
                                        KnownField{"/libraries", Kind::object},
                                        KnownField{"/variables", Kind::object},
                                        KnownField{"/mpi", Kind::text},
                                        KnownField{"/ranks", Kind::number}};

constexpr std::array cache_fields{
    KnownField{"/type", Kind::text}, KnownField{"/count", Kind::number},
    KnownField{"/size_bytes", Kind::number}, KnownField{"/level", Kind::number}};

bool is_of(Kind kind, const json& value) {
    const auto all = [&](auto&& each) {
        return value.is_array() && std::ranges::all_of(value, each);
    };
    switch (kind) {
        case Kind::text:
            return value.is_string();
        case Kind::number:
            return value.is_number();
        case Kind::object:
            return value.is_object();
        case Kind::texts:
            return all([](const json& one) { return one.is_string(); });
        case Kind::objects:
            return all([](const json& one) { return one.is_object(); });
    }
    return false;
}

const char* name_of(Kind kind) {
    constexpr std::array names{"a text", "a number", "an object", "a list of texts",
                               "a list of objects"};
    return names[static_cast<std::size_t>(kind)];
}

template <std::size_t count>
void require_fields(const json& document, const std::array<KnownField, count>& fields,
                    const std::string& place) {
    require(document.is_object(), [&] { return place + " is not an object"; });
    for (const KnownField& field : fields) {
        const json::json_pointer pointer(field.pointer);
        if (!document.contains(pointer)) continue;
        require(is_of(field.kind, document.at(pointer)), [&] {
            return fmt::format("{}{} is {}, not {}: nothing of ours wrote that", place,
                               field.pointer, document.at(pointer).type_name(),
                               name_of(field.kind));
        });
    }
}

}  // namespace

void require_known_fields(const Record& record, const std::string& source) {
    const auto place = [&](const char* part) { return fmt::format("'{}': {}", source, part); };
    require_fields(record.identity, identity_fields, place("identity"));
    require_fields(record.configuration, std::array<KnownField, 0>{}, place("configuration"));
    require_fields(record.environment, environment_fields, place("environment"));
    const json::json_pointer caches("/machine/caches");
    if (!record.environment.contains(caches)) return;
    for (const json& cache : record.environment.at(caches)) {
        require_fields(cache, cache_fields, place("environment/machine/caches"));
    }
}

}  // namespace shardstone::results
