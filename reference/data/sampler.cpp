// SPDX-License-Identifier: BSD-3-Clause
// Places the training sequences of a step, of fixed or random length, and the validation windows.
#include "reference/data/sampler.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/base/error.hpp"
#include "kernels/transformer/cross_entropy.hpp"

namespace shardstone::reference {

namespace {

/// A sequence of `window.size() - 1` tokens and, one further on, its targets.
void copy_window(const TokenPieces& pieces, const Sampler::Start& from, std::span<Token> window,
                 Token* inputs, std::int32_t* targets) {
    pieces[from.piece].copy(from.first, window);
    std::copy(window.begin(), window.end() - 1, inputs);
    std::copy(window.begin() + 1, window.end(), targets);
}

std::uint64_t counter_of(std::int64_t step, std::int64_t sample) {
    return static_cast<std::uint64_t>(step * most_global_batch + sample);
}

}  // namespace

Sampler::Sampler(const TokenPieces& pieces, std::int64_t sequence, std::uint64_t seed,
                 std::int64_t shortest)
    : pieces_(pieces),
      sequence_(sequence),
      shortest_(shortest == 0 ? sequence : std::min(shortest, sequence)),
      starts_(seed, "data/sequences"),
      lengths_(seed, "data/lengths"),
      first_start_{0} {
    SHARDSTONE_EXPECTS(shortest >= 0);
    std::int64_t longest = 0;
    for (const auto& piece : pieces) {
        const std::int64_t tokens = piece.size();
        longest = std::max(longest, tokens);
        // The last target is the token behind the sequence.
        first_start_.push_back(first_start_.back() + std::max<std::int64_t>(0, tokens - sequence));
    }
    require(first_start_.back() > 0, [&] {
        return fmt::format(
            "sequences of {} tokens and their targets do not fit the data, whose "
            "longest piece has {}: choose a shorter --sequence or more data",
            sequence, longest);
    });
}

std::int64_t Sampler::length(std::int64_t step, std::int64_t sample) const {
    const auto choices = static_cast<std::uint64_t>(sequence_ - shortest_ + 1);
    if (choices == 1) return sequence_;
    return shortest_ + static_cast<std::int64_t>(lengths_.below(choices, counter_of(step, sample)));
}

std::int64_t Sampler::counting_targets(std::int64_t step, std::int64_t first,
                                       std::int64_t count) const {
    std::int64_t sum = 0;
    for (std::int64_t i = 0; i < count; ++i) sum += length(step, first + i);
    return sum;
}

Sampler::Start Sampler::place(std::int64_t step, std::int64_t sample) const {
    const auto starts = static_cast<std::uint64_t>(first_start_.back());
    const auto position =
        static_cast<std::int64_t>(starts_.below(starts, counter_of(step, sample)));
    const auto piece = std::ranges::upper_bound(first_start_, position) - 1;
    return {static_cast<std::size_t>(piece - first_start_.begin()), position - *piece};
}

void Sampler::fill(std::int64_t step, std::int64_t first, std::span<Token> inputs,
                   std::span<std::int32_t> targets) const {
    const auto batch = static_cast<std::int64_t>(inputs.size()) / sequence_;
    SHARDSTONE_EXPECTS(inputs.size() == targets.size() && first + batch <= most_global_batch);
    std::vector<Token> window(static_cast<std::size_t>(sequence_ + 1));
    for (std::int64_t b = 0; b < batch; ++b) {
        std::int32_t* row_targets = targets.data() + b * sequence_;
        copy_window(pieces_, place(step, first + b), window, inputs.data() + b * sequence_,
                    row_targets);
        std::fill(row_targets + length(step, first + b), row_targets + sequence_, ignored_target);
    }
}

ValidationWindows::ValidationWindows(const TokenPieces& pieces, std::int64_t sequence)
    : pieces_(pieces), sequence_(sequence) {
    for (std::size_t piece = 0; piece < pieces.size(); ++piece) {
        const std::int64_t last = pieces[piece].size() - 1;
        for (std::int64_t start = 0; start + sequence <= last; start += sequence) {
            starts_.push_back({piece, start});
        }
    }
}

void ValidationWindows::fill(std::int64_t index, std::int64_t of, std::span<Token> inputs,
                             std::span<std::int32_t> targets) const {
    SHARDSTONE_EXPECTS(index < of && of <= count());
    std::vector<Token> window(static_cast<std::size_t>(sequence_ + 1));
    copy_window(pieces_, starts_[static_cast<std::size_t>(index * count() / of)], window,
                inputs.data(), targets.data());
}

}  // namespace shardstone::reference
