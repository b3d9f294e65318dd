// SPDX-License-Identifier: BSD-3-Clause
// Generates a synthetic data set, training and validation shards, from a random Markov chain.
#include "reference/data/synthetic.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/base/error.hpp"
#include "reference/data/markov.hpp"
#include "reference/data/sharded_writer.hpp"

namespace shardstone::reference {

namespace {

/// The chain starts in its first context; by then it has forgotten it for all practical purposes.
constexpr std::int64_t burn_in = 1000;
constexpr std::int64_t piece_tokens = 1 << 16;

class Text {
  public:
    explicit Text(const SyntheticOptions& options)
        : language_(options.order, options.symbols, options.seed),
          random_(options.seed, "data/markov/text") {
        draw(burn_in);
    }

    const MarkovLanguage& language() const { return language_; }

    std::span<const Token> draw(std::int64_t count) {
        piece_.resize(static_cast<std::size_t>(count));
        context_ = language_.generate(random_, drawn_, context_, piece_);
        drawn_ += count;
        return piece_;
    }

  private:
    MarkovLanguage language_;
    RandomStream random_;
    std::vector<Token> piece_;
    std::int64_t context_ = 0;
    std::int64_t drawn_ = 0;
};

std::vector<ShardInfo> write_part(Text& text, ShardedWriter writer, std::int64_t tokens) {
    for (std::int64_t written = 0; written < tokens; written += piece_tokens) {
        writer.append(text.draw(std::min(piece_tokens, tokens - written)));
    }
    return writer.finish();
}

void validate(const SyntheticOptions& options) {
    require(options.tokens >= 2,
            [&] { return fmt::format("--tokens {}: give at least 2", options.tokens); });
    constexpr std::int64_t most_tokens = std::int64_t{1} << 40;
    require(options.tokens <= most_tokens, [&] {
        return fmt::format("--tokens {}: give {} at most", options.tokens, most_tokens);
    });
    require_validation_fraction(options.validation_fraction);
}

}  // namespace

Manifest prepare_synthetic(const SyntheticOptions& options, const std::filesystem::path& out) {
    validate(options);
    Text text(options);
    OutputFolder folder(out);
    const auto held_out = static_cast<std::int64_t>(static_cast<double>(options.tokens) *
                                                    options.validation_fraction);
    const auto writer = [&](const char* prefix) {
        return ShardedWriter(folder.path(), prefix, options.symbols, options.shard_size_bytes);
    };
    Manifest manifest;
    manifest.source = fmt::format("random Markov chain: order {}, {} symbols, seed {}",
                                  options.order, options.symbols, options.seed);
    manifest.vocabulary = options.symbols;
    manifest.entropy_rate_nats = text.language().entropy_rate_nats();
    manifest.train = write_part(text, writer("train"), options.tokens - held_out);
    manifest.validation = write_part(text, writer("validation"), held_out);
    write_manifest(folder.path(), manifest);
    folder.commit();
    return manifest;
}

}  // namespace shardstone::reference
