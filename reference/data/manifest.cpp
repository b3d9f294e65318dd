// SPDX-License-Identifier: BSD-3-Clause
// Writes and reads the manifest of a folder of token shards, and refuses a damaged one.
#include "reference/data/manifest.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "kernels/base/error.hpp"
#include "results/format/atomic_file.hpp"
#include "results/format/known_fields.hpp"
#include "results/format/parse_json.hpp"
#include "results/record/texts.hpp"

namespace shardstone::reference {

namespace {

using nlohmann::json;
using results::member;

constexpr const char* manifest_name = "manifest.json";
constexpr const char* manifest_format = "shardstone-tokens";
constexpr int manifest_version = 1;
/// Of one shard; sums of them over all shards of a manifest fit 64 bits.
constexpr std::int64_t most_tokens = std::int64_t{1} << 40;

std::string checksum_of(const json& content) {
    const std::string text = content.dump();
    return to_hex(hash_of_bytes(std::as_bytes(std::span(text))));
}

json to_json(const std::vector<ShardInfo>& shards) {
    json list = json::array();
    for (const auto& shard : shards) {
        list.push_back(
            {{"file", shard.file}, {"tokens", shard.tokens}, {"checksum", to_hex(shard.checksum)}});
    }
    return list;
}

std::vector<ShardInfo> shards_from(const json& list) {
    std::vector<ShardInfo> shards;
    for (const auto& entry : list) {
        shards.push_back({member<std::string>(entry, "file", "a shard"),
                          member<std::int64_t>(entry, "tokens", "a shard"),
                          from_hex(member<std::string>(entry, "checksum", "a shard"))});
        const std::filesystem::path file(shards.back().file);
        require(file.filename() == file && file != "..", "a shard lies outside the folder");
        require(shards.back().tokens > 0 && shards.back().tokens <= most_tokens,
                "a shard announces no tokens, or more than there are");
    }
    return shards;
}

/// But for the end of a line. The checksum is of the object alone, and the parser takes a zero byte
/// for the end, and any blanks.
bool ends_with_its_object(std::string_view text) {
    if (text.ends_with('\n')) text.remove_suffix(1);
    if (text.ends_with('\r')) text.remove_suffix(1);
    return text.ends_with('}') && text.find('\0') == std::string_view::npos;
}

Manifest parse(const std::string& text) {
    json content = results::parse_json(text);
    require(ends_with_its_object(text), "it is followed by other bytes");
    require(content.at("format") == manifest_format, "it is not a manifest of token shards");
    require(content.at("version") == manifest_version, "it has a different version of the format");
    const auto checksum = member<std::string>(content, "checksum", "it");
    content.erase("checksum");
    require(checksum == checksum_of(content), "its checksum is wrong");
    Manifest manifest;
    manifest.checksum = checksum;
    manifest.source = member<std::string>(content, "source", "it");
    manifest.vocabulary = member<std::int64_t>(content, "vocabulary", "it");
    const json& rate = content.at("entropy_rate_nats");
    if (!rate.is_null()) manifest.entropy_rate_nats = rate.get<double>();
    manifest.train = shards_from(content.at("train"));
    manifest.validation = shards_from(content.at("validation"));
    return manifest;
}

}  // namespace

std::int64_t token_count(const std::vector<ShardInfo>& shards) {
    std::int64_t total = 0;
    for (const auto& shard : shards) total += shard.tokens;
    return total;
}

void write_manifest(const std::filesystem::path& folder, const Manifest& manifest) {
    json content{{"format", manifest_format},
                 {"version", manifest_version},
                 {"source", manifest.source},
                 {"vocabulary", manifest.vocabulary},
                 {"entropy_rate_nats", nullptr},
                 {"train", to_json(manifest.train)},
                 {"validation", to_json(manifest.validation)}};
    if (manifest.entropy_rate_nats) content["entropy_rate_nats"] = *manifest.entropy_rate_nats;
    results::escape_texts(content);  // the source may be a path
    content["checksum"] = checksum_of(content);
    results::write_file(folder / manifest_name, content.dump(2) + "\n");
}

Manifest read_manifest(const std::filesystem::path& folder) {
    const auto path = folder / manifest_name;
    require(std::filesystem::is_regular_file(path), [&] {
        return fmt::format(
            "'{}' holds no {}: name a folder that 'shardstone data prepare' or "
            "'data synthetic' wrote",
            folder.string(), manifest_name);
    });
    const std::string text = results::read_file(path);
    const auto damaged = [&](const char* why) {
        return fmt::format("'{}' is damaged ({}); prepare the data again", path.string(), why);
    };
    try {
        return parse(text);
    } catch (const json::exception&) {
        fail(damaged("it does not parse"));
    } catch (const Error& error) {
        fail(damaged(error.what()));
    }
}

}  // namespace shardstone::reference
