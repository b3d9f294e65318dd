// SPDX-License-Identifier: BSD-3-Clause
#include "reference/data/dataset.hpp"

#include <fmt/format.h>

#include "kernels/base/error.hpp"
#include "reference/data/hash.hpp"
#include "reference/data/manifest.hpp"

namespace shardstone::reference {

std::int64_t token_count(const TokenPieces& pieces) {
    std::int64_t total = 0;
    for (const auto& piece : pieces) total += std::ssize(piece);
    return total;
}

Dataset Dataset::open(const std::filesystem::path& folder) {
    const Manifest manifest = read_manifest(folder);
    require(!manifest.train.empty(), [&] {
        return fmt::format("'{}' holds no shard to train on; prepare the data again",
                           folder.string());
    });
    Dataset dataset;
    dataset.source_ = manifest.source;
    dataset.hash_ = manifest.checksum;
    dataset.vocabulary_ = manifest.vocabulary;
    dataset.entropy_rate_nats_ = manifest.entropy_rate_nats;
    const auto map = [&](const std::vector<ShardInfo>& shards, TokenPieces& pieces) {
        for (const auto& info : shards) {
            dataset.shards_.emplace_back(folder, info, manifest.vocabulary);
            pieces.push_back(dataset.shards_.back().tokens());
        }
    };
    map(manifest.train, dataset.train_);
    map(manifest.validation, dataset.validation_);
    return dataset;
}

Dataset Dataset::from_tokens(std::string source, std::int64_t vocabulary, std::vector<Token> train,
                             std::vector<Token> validation) {
    Dataset dataset;
    dataset.source_ = std::move(source);
    dataset.vocabulary_ = vocabulary;
    Hasher hasher;
    const auto count = static_cast<std::uint64_t>(train.size());
    hasher.add(std::span(&count, 1));
    hasher.add(std::span<const Token>(train));
    hasher.add(std::span<const Token>(validation));
    dataset.hash_ = to_hex(hasher.value());
    const auto keep = [&](std::vector<Token>&& tokens, TokenPieces& pieces) {
        if (tokens.empty()) return;
        dataset.owned_.push_back(std::move(tokens));
        pieces.emplace_back(dataset.owned_.back());
    };
    keep(std::move(train), dataset.train_);
    keep(std::move(validation), dataset.validation_);
    return dataset;
}

}  // namespace shardstone::reference
