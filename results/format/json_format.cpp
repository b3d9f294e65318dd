// SPDX-License-Identifier: BSD-3-Clause
// Records as JSON and back, under a seal over all bytes behind the first line.
#include "results/format/json_format.hpp"

#include <fmt/format.h>

#include "kernels/base/error.hpp"
#include "results/format/atomic_file.hpp"
#include "results/format/hash.hpp"
#include "results/format/json_tables.hpp"
#include "results/format/known_fields.hpp"
#include "results/format/parse_json.hpp"
#include "results/format/seal.hpp"
#include "results/record/wellformed.hpp"

namespace shardstone::results {

namespace {

using nlohmann::json;

constexpr std::string_view opening = "{\"seal\": \"";
constexpr std::string_view closing = "\",\n";
constexpr std::size_t head_size = opening.size() + hash_digits + closing.size();

Record record_from_json(const json& document, const std::string& source) {
    Record record;
    record.kind = member<std::string>(document, "kind", source);
    record.identity = member<json>(document, "identity", source);
    record.configuration = member<json>(document, "configuration", source);
    record.environment = member<json>(document, "environment", source);
    record.samples = tables_from_json(document, "samples", source);
    record.derived = tables_from_json(document, "derived", source);
    record.verification = checks_from_json(document, source);
    return record;
}

/// The object without its opening brace: what the seal covers.
std::string sealed_part(const Record& record) {
    nlohmann::ordered_json document;
    document["format"] = "shardstone record";
    document["version"] = format_version;
    document["hash"] = hash_of(record);
    document["kind"] = record.kind;
    document["identity"] = record.identity;
    document["configuration"] = record.configuration;
    document["environment"] = record.environment;
    document["verification"] = to_json(record.verification);
    document["derived"] = to_json(record.derived);
    document["samples"] = to_json(record.samples);
    return document.dump(1).substr(2) + "\n";
}

json parsed(const std::string& bytes, const std::string& source) {
    try {
        return parse_json(bytes);
    } catch (const json::exception&) {
        fail(fmt::format("'{}' is not a Shardstone record: it is no JSON", source));
    }
}

}  // namespace

std::string to_json_text(const Record& record) {
    require_wellformed(record);
    const std::string rest = sealed_part(record);
    return fmt::format("{}{}{}{}", opening, hash_of_bytes(rest), closing, rest);
}

bool looks_like_json(const std::string& bytes) {
    return bytes.starts_with(opening);
}

Record from_json_text(const std::string& bytes, const std::string& source) {
    require(bytes.size() > head_size &&
                bytes.compare(head_size - closing.size(), closing.size(), closing) == 0,
            [&] { return changed_message(source); });
    const auto rest = std::string_view(bytes).substr(head_size);
    require_seal(std::string_view(bytes).substr(opening.size(), hash_digits), rest, source);
    const json document = parsed(bytes, source);
    const std::string place = fmt::format("'{}' is not a Shardstone record", source);
    const int version = member<int>(document, "version", place);
    require_version(version, source);
    Record record = record_from_json(document, place);
    record.version = version;
    record.hash = member<std::string>(document, "hash", place);
    require_content_hash(record, record.hash, source);
    return record;
}

void write_json(const Record& record, const std::filesystem::path& path) {
    write_file(path, to_json_text(record));
}

}  // namespace shardstone::results
