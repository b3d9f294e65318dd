// SPDX-License-Identifier: BSD-3-Clause
#include "reference/data/dataset.hpp"

#include <fmt/format.h>

#include "kernels/base/error.hpp"
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
