// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "validation/emulated_device/settings.hpp"

namespace shardstone::emulated {

/// The threads of a block that can go on, in the order in which they do.
class ReadyThreads {
  public:
    /// For a block of so many threads.
    void begin(ThreadOrder order, unsigned threads) {
        order_ = order;
        count_ = 0;
        listed_.clear();
        words_.assign((threads + word_bits - 1) / word_bits, 0);
    }
    bool empty() const { return count_ == 0; }

    void add(unsigned thread) {
        ++count_;
        if (order_ == ThreadOrder::random) {
            listed_.push_back(thread);
        } else {
            words_[thread / word_bits] |= Word{1} << thread % word_bits;
        }
    }

    unsigned take() {
        --count_;
        return order_ == ThreadOrder::forward   ? take_first()
               : order_ == ThreadOrder::reverse ? take_last()
                                                : take_any();
    }

  private:
    using Word = std::uint64_t;
    static constexpr unsigned word_bits = 64;

    unsigned take_first() {
        unsigned word = 0;
        while (words_[word] == 0) ++word;
        return taken(word, static_cast<unsigned>(std::countr_zero(words_[word])));
    }
    unsigned take_last() {
        auto word = static_cast<unsigned>(words_.size()) - 1;
        while (words_[word] == 0) --word;
        return taken(word, word_bits - 1 - static_cast<unsigned>(std::countl_zero(words_[word])));
    }
    unsigned taken(unsigned word, unsigned bit) {
        words_[word] &= ~(Word{1} << bit);
        return word_bits * word + bit;
    }
    unsigned take_any() {
        std::swap(listed_[random_numbers()() % listed_.size()], listed_.back());
        const unsigned thread = listed_.back();
        listed_.pop_back();
        return thread;
    }

    ThreadOrder order_ = ThreadOrder::forward;
    unsigned count_ = 0;
    std::vector<Word> words_;       ///< a bit for each thread, in fixed orders
    std::vector<unsigned> listed_;  ///< in the random one
};

}  // namespace shardstone::emulated
