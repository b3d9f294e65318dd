// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "kernels/base/error.hpp"

namespace shardstone::reference {

/// A list that is read only, in blocks. Equal blocks of lists that share a pool are held once: what
/// most ranks of a step have alike takes memory once, even if each has a little of its own.
template <class T>
class SharedList {
  public:
    using Block = std::vector<T>;
    static constexpr std::size_t block_size = 256;  ///< of all blocks but the last

    /// The distinct blocks of some lists. The lists outlive it.
    class Pool {
      public:
        using Held = std::shared_ptr<const Block>;
        /// The block itself, or the equal one that is here already.
        Held hold(Held block) { return *blocks_.insert(std::move(block)).first; }

      private:
        struct Order {
            bool operator()(const Held& a, const Held& b) const { return *a < *b; }
        };
        std::set<Held, Order> blocks_;
    };

    class Iterator {
      public:
        using value_type = T;
        using difference_type = std::ptrdiff_t;

        Iterator() = default;
        Iterator(const SharedList& list, std::size_t at) : list_(&list), at_(at) {}
        const T& operator*() const { return (*list_)[at_]; }
        Iterator& operator++() {
            ++at_;
            return *this;
        }
        Iterator operator++(int) { return {*list_, at_++}; }
        bool operator==(const Iterator&) const = default;

      private:
        const SharedList* list_ = nullptr;
        std::size_t at_ = 0;
    };

    SharedList() = default;
    /// Implicit: what a vector holds may be read as a list.
    SharedList(std::vector<T> elements) {
        for (std::size_t first = 0; first < elements.size(); first += block_size) {
            const auto begin =
                std::make_move_iterator(elements.begin()) + static_cast<std::ptrdiff_t>(first);
            const std::size_t count = std::min(block_size, elements.size() - first);
            append(Block(begin, begin + static_cast<std::ptrdiff_t>(count)));
        }
    }

    /// One more block; those before it are full.
    void append(Block block) {
        SHARDSTONE_EXPECTS(size_ % block_size == 0 && block.size() <= block_size);
        size_ += block.size();
        blocks_.push_back(std::make_shared<const Block>(std::move(block)));
    }
    /// From now on the last block is held once.
    void share_last(Pool& pool) { blocks_.back() = pool.hold(std::move(blocks_.back())); }
    void share(Pool& pool) {
        for (auto& block : blocks_) block = pool.hold(std::move(block));
    }

    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    const T& operator[](std::size_t i) const { return (*blocks_[i / block_size])[i % block_size]; }
    Iterator begin() const { return {*this, 0}; }
    Iterator end() const { return {*this, size_}; }

  private:
    std::vector<typename Pool::Held> blocks_;
    std::size_t size_ = 0;
};

}  // namespace shardstone::reference
