// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace shardstone::validation {

/// Makes hostile texts out of good ones, the same ones for the same seed on every machine: bytes
/// flipped, inserted, removed, stretches copied, doubled, moved from another text or cut off, and
/// numbers and words replaced by nasty ones.
class Mutator {
  public:
    /// `corpus`: texts to start from, not empty. `words`: what may be put anywhere.
    Mutator(std::vector<std::string> corpus, std::vector<std::string> words, std::uint64_t seed);

    /// A text of the corpus after one to eight mutations; at most 128 KiB.
    std::string next();
    /// A text after one to eight mutations.
    std::string mutated(std::string text);
    const std::string& any_word() { return words_[below(words_.size())]; }
    /// A number from 0 to bound - 1.
    std::size_t below(std::size_t bound);

  private:
    const std::string& any_text() { return corpus_[below(corpus_.size())]; }
    std::string piece_of(const std::string& text);
    void mutate(std::string& text);
    void replace_token(std::string& text);

    std::vector<std::string> corpus_;
    std::vector<std::string> words_;
    std::uint64_t state_;
};

/// How many inputs a fuzz test tries: SHARDSTONE_FUZZ_INPUTS, or 2000.
int fuzz_inputs();

/// Numbers and texts that break readers: overflows, NaN, signs, control characters, broken UTF-8.
const std::vector<std::string>& nasty_words();

/// What an Error's message must be: one line, not empty, not long.
bool is_one_line(std::string_view message);

}  // namespace shardstone::validation
