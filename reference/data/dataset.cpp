// SPDX-License-Identifier: BSD-3-Clause
// Opens training and validation tokens, from a folder of shards or from memory, with one hash.
#include "reference/data/dataset.hpp"

#include <fmt/format.h>

#include "kernels/base/error.hpp"
#include "reference/data/hash.hpp"
#include "reference/data/manifest.hpp"

namespace shardstone::reference {

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
    const auto take = [&](const std::vector<ShardInfo>& shards, TokenPieces& pieces) {
        for (const auto& info : shards) {
            const bool stays_open = dataset.shards_.size() < most_open;
            const auto& shard =
                dataset.shards_.emplace_back(folder, info, manifest.vocabulary, stays_open);
            pieces.emplace_back(shard);
        }
    };
    take(manifest.train, dataset.train_);
    take(manifest.validation, dataset.validation_);
    return dataset;
}

FileFate Dataset::look() const {
    FileFate first;
    for (const TokenShard& shard : shards_) {
        FileFate fate = shard.look();
        if (fate.changed) return fate;
        if (first.words.empty()) first = std::move(fate);
    }
    return first;
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
