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
constexpr const char* source = "the text of this repository";

// Scripts have no extension.
constexpr std::array<std::string_view, 8> extensions{"",     ".cmake", ".cpp",  ".cu",
                                                     ".hpp", ".md",    ".toml", ".txt"};

/// All tokens of rank 0's pieces on every rank.
std::vector<Token> share(const collectives::Communicator& communicator, const TokenPieces& pieces) {
    std::vector<Token> tokens;
    for (const auto& piece : pieces) tokens.insert(tokens.end(), piece.begin(), piece.end());
    auto count = static_cast<std::int64_t>(tokens.size());
    communicator.broadcast(std::as_writable_bytes(std::span(&count, 1)));
    tokens.resize(static_cast<std::size_t>(count));
    communicator.broadcast(std::as_writable_bytes(std::span(tokens)));
    return tokens;
}

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
    return load_text(corpus, PrepareOptions{}.validation_fraction, source);
}

Dataset shared_repository_text(const collectives::Communicator& communicator,
                               const std::filesystem::path& root) {
    const Dataset own = communicator.agree([&] {
        return communicator.is_root() ? repository_text(root)
                                      : Dataset::from_tokens(source, byte_vocabulary, {}, {});
    });
    auto train = share(communicator, own.train());
    auto validation = share(communicator, own.validation());
    return Dataset::from_tokens(source, byte_vocabulary, std::move(train), std::move(validation));
}

}  // namespace shardstone::reference
