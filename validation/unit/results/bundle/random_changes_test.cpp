// SPDX-License-Identifier: BSD-3-Clause
// Every change of a single byte of a bundle is found, and the file in which it lies is named.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <random>

#include "kernels/base/error.hpp"
#include "validation/unit/results/bundle/bundled.hpp"

namespace shardstone::validation {
namespace {

using namespace results;

int changes() {
    const char* wanted = std::getenv("SHARDSTONE_BUNDLE_CHANGES");
    return wanted == nullptr ? 1000 : std::atoi(wanted);
}

/// Where the contents of each file of the archive begin.
std::map<std::size_t, const BundledFile*> places_of(const std::vector<BundledFile>& files) {
    std::map<std::size_t, const BundledFile*> places;
    std::size_t from = 0;
    for (const BundledFile& file : files) {
        const std::size_t place = example_archive().find(file.bytes, from);
        EXPECT_NE(place, std::string::npos) << file.path;
        places[place] = &file;
        from = place + file.bytes.size();
    }
    return places;
}

/// The file whose contents hold a byte; null for the archive's own headers.
const BundledFile* file_at(const std::map<std::size_t, const BundledFile*>& places,
                           std::size_t at) {
    const auto behind = places.upper_bound(at);
    if (behind == places.begin()) return nullptr;
    const auto& [begin, file] = *std::prev(behind);
    return at < begin + file->bytes.size() ? file : nullptr;
}

/// Whether a complaint says where in the file: line, figure, table, member.
bool names_the_place(const std::string& path, const std::string& lines) {
    const auto says = [&](const char* words) { return lines.find(words) != std::string::npos; };
    if (path.ends_with(".toml")) return says("acceptance.toml: line ");
    if (path.ends_with(".csv")) return says("column");
    if (path.ends_with(".md")) return says("README.md: line ");
    if (path.ends_with(".json")) return says(" instead of ");
    if (path == "records/pod.h5") return says("is another one, in ");  // no chart rests on it
    if (path.ends_with(".h5")) return says("figures from it") || says("records/probe.h5");
    if (path != "report.html") return true;
    return says("section '") || says("finding ") || says("headline ") || says("of the page") ||
           says("script that draws") || says("precedes the page's text") || says("own seal");
}

TEST(BundleChanges, OneByteIsFoundAndItsFileIsNamed) {
    ASSERT_TRUE(judgement_of(example_archive()).wrong.empty())
        << lines_of(judgement_of(example_archive()));
    const auto files = bundle_files(example_contents());
    const auto places = places_of(files);
    std::mt19937_64 random(17);
    std::map<std::string, int> found;
    int of_interconnect = 0;
    for (int i = 0; i < changes(); ++i) {
        std::string bytes = example_archive();
        // Half of them anywhere, half in a file chosen first, so that small ones have their turn.
        std::size_t at = random() % bytes.size();
        if (i % 2 == 1) {
            const auto one =
                std::next(places.begin(), static_cast<std::ptrdiff_t>(random() % places.size()));
            at = one->first + random() % std::max<std::size_t>(1, one->second->bytes.size());
        }
        bytes[at] = static_cast<char>(bytes[at] ^ static_cast<char>(1 + random() % 255));
        const BundledFile* file = file_at(places, at);
        SCOPED_TRACE(fmt::format("change {}, byte {} in {}", i, at,
                                 file == nullptr ? "the headers" : file->path));
        try {
            const auto judgement = judgement_of(bytes);
            ASSERT_FALSE(judgement.wrong.empty());
            if (file == nullptr) {
                ++found["headers"];
                continue;
            }
            const std::string lines = lines_of(judgement);
            ASSERT_NE(lines.find(file->path + ": "), std::string::npos) << lines;
            ASSERT_TRUE(names_the_place(file->path, lines)) << lines;
            ++found[file->path.substr(file->path.rfind('.') + 1)];
            of_interconnect += file->path.find("/pod.") != std::string::npos ? 1 : 0;
        } catch (const Error& error) {
            ASSERT_EQ(file, nullptr) << error.what();
            ++found["headers, not readable"];
        }
    }
    EXPECT_GT(of_interconnect, changes() / 5) << "of its record, its JSON and its tables";
    for (const auto& [what, count] : found) std::printf("%s: %d found\n", what.c_str(), count);
}

}  // namespace
}  // namespace shardstone::validation
