// SPDX-License-Identifier: BSD-3-Clause
// A ring of slots between two ranks of a node, with a count at each end and a bell for the other.
#include "collectives/executors/shared_memory/mailbox.hpp"

#include <atomic>

namespace shardstone::collectives {

namespace {

/// A count that this rank alone changes.
std::int64_t mine(std::int64_t& pieces) {
    return std::atomic_ref(pieces).load(std::memory_order_relaxed);
}

std::int64_t theirs(std::int64_t& pieces) {
    return std::atomic_ref(pieces).load(std::memory_order_acquire);
}

void count(std::int64_t& pieces) {
    std::atomic_ref(pieces).store(mine(pieces) + 1, std::memory_order_release);
}

}  // namespace

std::byte* Mailbox::room() const noexcept {
    const std::int64_t next = mine(shared_->put.pieces);
    return next - theirs(shared_->taken.pieces) < slots ? slot(next) : nullptr;
}

void Mailbox::put() noexcept {
    count(shared_->put.pieces);
    other_->ring();
}

const std::byte* Mailbox::piece() const noexcept {
    const std::int64_t next = mine(shared_->taken.pieces);
    return theirs(shared_->put.pieces) > next ? slot(next) : nullptr;
}

void Mailbox::take() noexcept {
    count(shared_->taken.pieces);
    other_->ring();
}

}  // namespace shardstone::collectives
