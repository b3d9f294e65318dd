// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/base/random.hpp"
#include "reference/data/dataset.hpp"

namespace shardstone::reference {

/// Maximum number of sequences per step: a counter of the random stream contains the step and the
/// sample.
constexpr std::int64_t most_global_batch = 1 << 24;

/// Draws training sequences: sample i of step s starts at a position drawn uniformly from all
/// positions whose sequence and targets lie in one piece. The position is a function of (seed, s,
/// i) alone, so that every layout of ranks, micro-batches and buckets trains on the same sequences,
/// and a restart continues with the right ones.
///
/// The number of its positions with a target is also a function of (seed, s, i): an integer,
/// uniform in [shortest, sequence]; the positions after it have no target.
class Sampler {
  public:
    /// If `shortest` is 0 or at least `sequence`, all sequences are full. Throws Error if no piece
    /// is longer than `sequence`. The pieces must outlive the sampler.
    Sampler(const TokenPieces& pieces, std::int64_t sequence, std::uint64_t seed,
            std::int64_t shortest = 0);

    /// Start of a sequence.
    struct Start {
        std::size_t piece = 0;
        std::int64_t first = 0;  ///< token of the piece
    };
    Start place(std::int64_t step, std::int64_t sample) const;

    /// Number of positions of sample `sample` of step `step` that have a target.
    std::int64_t length(std::int64_t step, std::int64_t sample) const;

    /// Sum of the lengths of samples [first, first + count) of step `step`.
    std::int64_t counting_targets(std::int64_t step, std::int64_t first, std::int64_t count) const;

    /// Samples [first, first + inputs.size() / sequence) of step `step`: inputs and targets are
    /// (B, T), the targets one token further on, ignored_target (kernels/transformer/
    /// cross_entropy.hpp) from the sample's length on. first + B <= most_global_batch. Throws Error
    /// as TokenPiece::copy().
    void fill(std::int64_t step, std::int64_t first, std::span<Token> inputs,
              std::span<std::int32_t> targets) const;

  private:
    const TokenPieces& pieces_;
    std::int64_t sequence_;
    std::int64_t shortest_;
    RandomStream starts_;
    RandomStream lengths_;
    std::vector<std::int64_t> first_start_;  ///< number of starts in the pieces before each piece
};

/// The held-out sequences in order, without overlap: no token is predicted twice.
class ValidationWindows {
  public:
    /// The pieces must outlive the windows.
    ValidationWindows(const TokenPieces& pieces, std::int64_t sequence);

    /// Number of whole sequences; 0 if there is no validation part or it is too short.
    std::int64_t count() const noexcept { return std::ssize(starts_); }
    /// Window `index`, of `of` windows spread evenly over all; inputs and targets are (T). Throws
    /// Error as TokenPiece::copy().
    void fill(std::int64_t index, std::int64_t of, std::span<Token> inputs,
              std::span<std::int32_t> targets) const;

  private:
    const TokenPieces& pieces_;
    std::int64_t sequence_;
    std::vector<Sampler::Start> starts_;
};

}  // namespace shardstone::reference
