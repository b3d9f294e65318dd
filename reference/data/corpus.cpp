// SPDX-License-Identifier: BSD-3-Clause
// Collects text files and writes their bytes as token shards, the tail of each file held out.
#include "reference/data/corpus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "kernels/base/error.hpp"
#include "kernels/base/regular_file.hpp"
#include "reference/data/sharded_writer.hpp"

namespace shardstone::reference {

namespace {

namespace fs = std::filesystem;

/// Why a folder or file is left out by its name or kind; empty when it is not.
std::string reason_to_skip(const fs::directory_entry& entry) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with('.')) return "hidden";
    if (entry.is_symlink()) return "a link";
    if (entry.is_directory()) return name == "build" ? "build output" : "";
    return entry.is_regular_file() ? "" : "not a regular file";
}

bool holds_a_zero(const RegularFile& file) {
    std::vector<std::byte> piece(1 << 16);
    for (std::size_t at = 0;; at += piece.size()) {
        const auto read = std::span(piece).first(file.read_at(at, piece));
        if (std::ranges::find(read, std::byte{0}) != read.end()) return true;
        if (read.size() < piece.size()) return false;
    }
}

void take_file(const fs::path& path, Corpus& corpus) {
    const RegularFile file(path);
    if (file.size_bytes() == 0) {
        corpus.skipped.push_back({path, "empty"});
    } else if (holds_a_zero(file)) {
        corpus.skipped.push_back({path, "binary"});
    } else {
        corpus.files.push_back(path);
    }
}

void take_folder(const fs::path& folder, Corpus& corpus) {
    std::error_code status;
    std::vector<fs::directory_entry> entries;
    for (const auto& entry : fs::directory_iterator(folder, status)) entries.push_back(entry);
    require(!status, [&] {
        return fmt::format("cannot read folder '{}': {}", folder.string(), status.message());
    });
    std::ranges::sort(entries);
    for (const auto& entry : entries) {
        const std::string reason = reason_to_skip(entry);
        if (!reason.empty()) {
            corpus.skipped.push_back({entry.path(), reason});
        } else if (entry.is_directory()) {
            take_folder(entry.path(), corpus);
        } else {
            take_file(entry.path(), corpus);
        }
    }
}

/// Hands the bytes of every file, as tokens, to the two parts.
template <class Sink>
void split_text(const Corpus& corpus, double validation_fraction, Sink&& train, Sink&& held_out) {
    require_validation_fraction(validation_fraction);
    for (const auto& path : corpus.files) {
        const std::string text = RegularFile(path).read_all();
        std::vector<Token> tokens(text.size());
        std::ranges::transform(text, tokens.begin(),
                               [](char byte) { return static_cast<unsigned char>(byte); });
        const auto size = static_cast<double>(tokens.size());
        const auto tail = static_cast<std::size_t>(std::floor(size * validation_fraction));
        const std::span<const Token> all(tokens);
        train(all.first(all.size() - tail));
        held_out(all.last(tail));
    }
}

using TokenSink = std::function<void(std::span<const Token>)>;

}  // namespace

Corpus collect_text(const std::vector<fs::path>& paths) {
    Corpus corpus;
    for (const auto& path : paths) {
        require(fs::exists(path),
                [&] { return fmt::format("there is no file or folder '{}'", path.string()); });
        if (fs::is_directory(path)) {
            take_folder(path, corpus);
        } else {
            take_file(path, corpus);
        }
    }
    require(!corpus.files.empty(), [&] {
        return fmt::format(
            "no text in the given paths (the first is '{}'): {} entries skipped as "
            "empty, binary, hidden or build output; name files that hold text",
            paths.empty() ? "" : paths.front().string(), corpus.skipped.size());
    });
    return corpus;
}

Manifest prepare_text(const Corpus& corpus, const PrepareOptions& options, const fs::path& out) {
    OutputFolder folder(out);
    ShardedWriter train(folder.path(), "train", byte_vocabulary, options.shard_size_bytes);
    ShardedWriter held_out(folder.path(), "validation", byte_vocabulary, options.shard_size_bytes);
    split_text<TokenSink>(
        corpus, options.validation_fraction, [&](auto tokens) { train.append(tokens); },
        [&](auto tokens) { held_out.append(tokens); });
    Manifest manifest;
    manifest.source = fmt::format("bytes of {} text files", corpus.files.size());
    manifest.vocabulary = byte_vocabulary;
    manifest.train = train.finish();
    manifest.validation = held_out.finish();
    write_manifest(folder.path(), manifest);
    folder.commit();
    return manifest;
}

}  // namespace shardstone::reference
