// SPDX-License-Identifier: BSD-3-Clause
// The manifest of a bundle, written under a seal and read back.
#include "results/bundle/manifest.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/base/error.hpp"
#include "results/bundle/sha256.hpp"
#include "results/format/hash.hpp"
#include "results/format/parse_json.hpp"
#include "results/format/seal.hpp"
#include "results/record/nature.hpp"
#include "results/schema/own_verdict.hpp"

namespace shardstone::results {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr const char* bundle_format = "shardstone bundle";
constexpr int bundle_version = 1;
constexpr std::string_view seal_line_begin = "{\"seal\": \"";
constexpr std::string_view seal_line_end = "\",\n";

std::string checks_in_words(const Record& record) {
    const auto passed = std::ranges::count(record.verification, true, &Check::passed);
    const auto failed = std::ssize(record.verification) - passed;
    return failed == 0 ? fmt::format("{} passed", passed)
                       : fmt::format("{} passed, {} failed", passed, failed);
}

ordered_json description_of(const BundledRecord& one) {
    const auto& identity = one.record.identity;
    const Nature nature = nature_of(one.record);
    ordered_json description{{"name", one.name},
                             {"path", one.path()},
                             {"nature", to_string(nature)},
                             {"nature_in_words", nature_in_words(one.record)},
                             {"kind", one.record.kind},
                             {"title", identity.value("title", "")},
                             {"id", identity.value("id", "")},
                             {"start_time", identity.value("start_time", "")},
                             {"hash", one.record.hash},
                             {"checks", checks_in_words(one.record)},
                             {"predicted", predicted_columns(one.record)}};
    if (const auto own = own_verdict(one.record)) {
        description["verdict"] = verdict_words(*own);
        description["reasons"] = own->reasons;
    }
    return description;
}

Manifest manifest_from_document(const json& document) {
    require(document.at("format") == bundle_format, "it is no manifest of a bundle");
    require(document.at("version") == bundle_version, [&] {
        return fmt::format(
            "it is a manifest of version {}; this program reads version {}: use a "
            "newer one",
            document.at("version").dump(), bundle_version);
    });
    Manifest manifest;
    const json& maker = document.at("made_by");
    manifest.maker = {maker.at("shardstone").get<std::string>(),
                      maker.at("revision").get<std::string>(),
                      maker.at("libzip").get<std::string>()};
    for (const json& one : document.at("records")) {
        manifest.natures[one.at("path").get<std::string>()] = one.at("nature").get<std::string>();
    }
    for (const json& one : document.at("files")) {
        manifest.files[one.at("path").get<std::string>()] = {
            one.at("size_bytes").get<std::uint64_t>(), one.at("sha256").get<std::string>()};
    }
    return manifest;
}

}  // namespace

std::string manifest_text(const BundleContents& contents, const std::vector<BundledFile>& files) {
    ordered_json document{{"format", bundle_format},
                          {"version", bundle_version},
                          {"made_by",
                           {{"shardstone", contents.maker.version},
                            {"revision", contents.maker.revision},
                            {"libzip", contents.maker.libzip}}}};
    auto& records = document["records"] = ordered_json::array();
    for (const BundledRecord& one : contents.records) records.push_back(description_of(one));
    auto& listed = document["files"] = ordered_json::array();
    for (const BundledFile& file : files) {
        listed.push_back({{"path", file.path},
                          {"size_bytes", file.bytes.size()},
                          {"sha256", sha256_of(file.bytes)}});
    }
    const std::string rest = document.dump(1).substr(2) + "\n";
    return fmt::format("{}{}{}{}", seal_line_begin, hash_of_bytes(rest), seal_line_end, rest);
}

Manifest manifest_from_text(const std::string& text) {
    const std::size_t head = seal_line_begin.size() + hash_digits + seal_line_end.size();
    require(text.size() > head && text.starts_with(seal_line_begin) &&
                text.compare(head - seal_line_end.size(), seal_line_end.size(), seal_line_end) == 0,
            [] { return changed_message(manifest_path); });
    const auto rest = std::string_view(text).substr(head);
    require_seal(std::string_view(text).substr(seal_line_begin.size(), hash_digits), rest,
                 manifest_path);
    try {
        return manifest_from_document(parse_json(text));
    } catch (const json::exception&) {
        fail("it lacks what a manifest of a bundle holds");
    }
}

}  // namespace shardstone::results
