// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "kernels/base/whereabouts.hpp"

namespace shardstone::collectives {

/// The state that a rank publishes to the others of its node, in shared memory whose zeros are its
/// initial state. The words are read and written by std::atomic_ref.
struct BoardEntry {
    Whereabouts whereabouts;  ///< written by the working thread, on every move
    // Written by the rank's watchdog, four times a second.
    std::int64_t heartbeat;
    std::int64_t cpu_ns;  ///< CPU time of the thread that works
    std::int32_t process;
    std::int32_t left;    ///< it has ended normally and is no longer awaited
    std::int32_t sealed;  ///< its results are written, as far as possible
    // Of the first entry of the node only.
    std::int32_t alarm;  ///< whether an alarm was raised on this node
    SharedText<512> reason;
};

template <class T>
T load(const T& word) noexcept {
    return std::atomic_ref(const_cast<T&>(word)).load(std::memory_order_acquire);
}

template <class T>
void store(T& word, T value) noexcept {
    std::atomic_ref(word).store(value, std::memory_order_release);
}

}  // namespace shardstone::collectives
