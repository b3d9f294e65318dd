// SPDX-License-Identifier: BSD-3-Clause
// Hostile archives and manifests of bundles: headers that lie, entries that overlap, names that
// lead elsewhere, and manifests that only a forger could have sealed.
#include <set>

#include "kernels/base/error.hpp"
#include "results/bundle/archive.hpp"
#include "results/bundle/manifest.hpp"
#include "results/bundle/opened.hpp"
#include "results/format/hash.hpp"
#include "validation/fuzz/json_mutator.hpp"
#include "validation/fuzz/small_records.hpp"
#include "validation/fuzz/trial.hpp"

namespace shardstone::validation {
namespace {

using namespace shardstone::results;
using nlohmann::json;

const std::vector<BundledFile>& small_files() {
    static const std::vector<BundledFile> files{
        {"README.md", "what is in it"},
        {"manifest.json", R"({"seal": "0"})"},
        {"records/a.json", forged_json(document_of(small_records().front()))},
        {"tables/a.steps.csv", "step,time_s\n1,0.5\n"}};
    return files;
}

/// What is accepted holds no more than the archive, under names that lead nowhere else.
void keep_promises(const std::string& bytes, const OpenedArchive& opened) {
    std::size_t total = 0;
    std::set<std::string> paths;
    for (const BundledFile& file : opened.files) {
        total += file.bytes.size();
        ASSERT_TRUE(paths.insert(file.path).second);
        ASSERT_FALSE(file.path.empty() || file.path.starts_with('/'));

        ASSERT_EQ(file.path.find_first_of("\\: \n\t\x1b"), std::string::npos);
    }
    ASSERT_LE(total, bytes.size());
    for (const std::string& damage : opened.damage) ASSERT_TRUE(is_one_line(damage));
}

TEST(BundleFuzz, AnArchiveIsReadOrRefused) {
    const std::string good = to_zip(small_files());
    Mutator mutator({good, to_zip({{"a", "b"}})}, nasty_words(), 81);
    Counts counts;
    for_each_input([&] {
        const std::string bytes = mutator.next();
        try_input([&] { keep_promises(bytes, from_zip(bytes, "fuzz.zip")); }, counts);
    });
    expect_both("archives", counts, 50);
}

/// Headers alone: where libzip has to believe something.
TEST(BundleFuzz, HeadersAreReadOrRefused) {
    const std::string good = to_zip(small_files());
    const std::size_t directory = good.find("PK\x01\x02");
    Mutator mutator({good.substr(directory)}, nasty_words(), 82);
    Counts counts;
    for_each_input([&] {
        std::string bytes = good.substr(0, directory) + mutator.next();
        for (int change = 0; change < 3; ++change) {  // numbers of a header, whole
            if (bytes.size() == directory || mutator.below(2) == 0) continue;
            const std::size_t at = directory + mutator.below(bytes.size() - directory);
            bytes[at] = static_cast<char>(mutator.below(256));
        }
        try_input([&] { keep_promises(bytes, from_zip(bytes, "fuzz.zip")); }, counts);
    });
    expect_both("headers", counts, 200);
}

/// Members of wrong types, missing, doubled, under a seal that holds.
TEST(BundleFuzz, AForgedManifestIsReadOrRefused) {
    BundleContents contents;
    contents.maker = own_maker();
    contents.records.push_back({"a", "bytes", small_records().front()});
    const std::string text = manifest_text(contents, small_files());
    const json good = json::parse(text);
    JsonMutator mutator(83);
    Counts counts;
    for_each_input([&] {
        json document = good;
        document.erase("seal");
        mutator.spoil(document);
        const std::string rest =
            document.dump(1, ' ', false, json::error_handler_t::replace).substr(1) + "\n";
        const std::string forged = "{\"seal\": \"" + hash_of_bytes(rest) + "\",\n" + rest;
        try_input([&] { manifest_from_text(forged); }, counts);
    });
    expect_both("manifests", counts, 20);
}

}  // namespace
}  // namespace shardstone::validation
