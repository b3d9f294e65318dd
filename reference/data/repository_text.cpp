// SPDX-License-Identifier: BSD-3-Clause
#include "reference/data/repository_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "kernels/base/error.hpp"
#include "reference/data/corpus.hpp"

namespace shardstone::reference {

namespace {

constexpr std::array<std::string_view, 10> places{
    "CMakeLists.txt", "README.md", "CONTRIBUTING.md", "benchmarks", "cmake",
    "collectives",    "jobs",      "kernels",         "reference",  "validation"};
// Scripts have no extension.
constexpr std::array<std::string_view, 8> extensions{"",     ".cmake", ".cpp",  ".cu",
                                                     ".hpp", ".md",    ".toml", ".txt"};

}  // namespace

Dataset repository_text(const std::filesystem::path& root) {
    std::vector<std::filesystem::path> paths;
    for (const auto& place : places) {
        if (std::filesystem::exists(root / place)) paths.push_back(root / place);
    }
    require(!paths.empty(), [&] {
        return fmt::format(
            "the source tree '{}' that this program was built from, whose text it "
            "trains on by default, is gone: name a folder of token shards with "
            "--data",
            root.string());
    });
    Corpus corpus = collect_text(paths);
    std::erase_if(corpus.files, [](const auto& path) {
        return std::ranges::find(extensions, path.extension().string()) == extensions.end();
    });
    return load_text(corpus, PrepareOptions{}.validation_fraction, "the text of this repository");
}

}  // namespace shardstone::reference
