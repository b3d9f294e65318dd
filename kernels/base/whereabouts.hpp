// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

namespace shardstone {

/// A text of at most `capacity` bytes (longer ones are truncated) in memory read by other
/// processes: a reader may see parts of two texts, but nothing else. Zeros are the empty text.
template <std::size_t capacity>
class SharedText {
    static_assert(capacity % sizeof(std::uint64_t) == 0);

  public:
    void set(std::string_view text) noexcept {
        for (std::size_t i = 0; i < words_.size(); ++i) {
            std::uint64_t word = 0;
            const std::size_t begin = i * sizeof word;
            if (begin < text.size()) {
                std::memcpy(&word, text.data() + begin, std::min(sizeof word, text.size() - begin));
            }
            std::atomic_ref(words_[i]).store(word, std::memory_order_relaxed);
        }
    }
    /// Zero-terminated.
    std::array<char, capacity + 1> get() const noexcept {
        std::array<char, capacity + 1> text{};
        for (std::size_t i = 0; i < words_.size(); ++i) {
            const std::uint64_t word = std::atomic_ref(const_cast<std::uint64_t&>(words_[i]))
                                           .load(std::memory_order_relaxed);
            std::memcpy(text.data() + i * sizeof word, &word, sizeof word);
        }
        return text;
    }
    std::string string() const { return get().data(); }

  private:
    std::array<std::uint64_t, capacity / sizeof(std::uint64_t)> words_;
};

/// The current activity of a process, to explain why it does not progress: for the failure log of
/// the process itself (failure_log.hpp), and through shared memory for the other ranks of its node,
/// even when it is stopped and cannot report anything itself. One thread writes, any may read.
/// Zeros are its initial state.
class Whereabouts {
  public:
    static constexpr std::size_t most_actions = 64;

    /// Enters a phase with its number, e.g. "step", 12; -1 for no number. A few nanoseconds.
    void enter(const char* phase, std::int64_t number) noexcept {
        phase_.set(phase);
        store(number_, number + 1);
        moved();
    }
    /// Starts action `which`. Two stores.
    void begin(std::int32_t which) noexcept {
        store(action_, which);
        moved();
    }
    /// Reports progress: a process that moves is not stuck. One store.
    void moved() noexcept { store(moves_, moves() + 1); }
    /// Reports a long wait and what it is for, valid until the next move.
    void waits(std::string_view what) noexcept {
        waits_for_.set(what);
        store(waits_since_, moves() + 1);
    }
    /// Marks the thread as inside a library until the next move (class InLibrary).
    void enters_library() noexcept { store(in_library_since_, moves() + 1); }
    /// Names action `which`, 1 to most_actions - 1; 0 stands for none.
    void name_action(std::int32_t which, std::string_view name) noexcept {
        actions_[static_cast<std::size_t>(which)].set(name);
    }

    std::array<char, 33> phase() const noexcept { return phase_.get(); }
    std::int64_t number() const noexcept { return load(number_) - 1; }
    std::int64_t moves() const noexcept { return load(moves_); }
    bool is_waiting() const noexcept { return load(waits_since_) == moves() + 1; }
    bool is_in_library() const noexcept { return load(in_library_since_) == moves() + 1; }
    /// Empty if it is not waiting, or for an unknown reason.
    std::string waits_for() const { return is_waiting() ? waits_for_.string() : std::string(); }
    /// The last action started; empty if there was none.
    std::string action() const {
        const auto which = static_cast<std::size_t>(load(action_));
        return which < most_actions ? actions_[which].string() : std::string();
    }

  private:
    template <class T>
    static void store(T& place, T value) noexcept {
        std::atomic_ref(place).store(value, std::memory_order_relaxed);
    }
    template <class T>
    static T load(const T& place) noexcept {
        return std::atomic_ref(const_cast<T&>(place)).load(std::memory_order_relaxed);
    }

    std::int64_t moves_;
    std::int32_t action_;
    std::int64_t waits_since_;       ///< moves + 1 then
    std::int64_t in_library_since_;  ///< likewise
    std::int64_t number_;            ///< plus 1
    SharedText<32> phase_;
    SharedText<256> waits_for_;
    std::array<SharedText<96>, most_actions> actions_;
};

namespace whereabouts_detail {
extern std::atomic<Whereabouts*> here;
}

/// The whereabouts of this process.
inline Whereabouts& whereabouts() noexcept {
    return *whereabouts_detail::here.load(std::memory_order_relaxed);
}

/// From now on they are stored in `place`, which holds zeros and receives the current state;
/// nullptr: in memory of the process again. Only while no other thread writes them.
void keep_whereabouts_in(Whereabouts* place) noexcept;

/// During its lifetime its thread is inside a library that waits without reporting.
class InLibrary {
  public:
    InLibrary() noexcept { whereabouts().enters_library(); }
    ~InLibrary() { whereabouts().moved(); }
    InLibrary(const InLibrary&) = delete;
    InLibrary& operator=(const InLibrary&) = delete;
};

/// A recurring action of a process, with a constant name: "all_reduce ring, 64 KiB". Movable. If
/// too many exist at a time, further ones have no name.
class NamedAction {
  public:
    NamedAction() = default;
    explicit NamedAction(std::string_view name) noexcept;
    NamedAction(NamedAction&& other) noexcept : which_(std::exchange(other.which_, 0)) {}
    NamedAction& operator=(NamedAction&& other) noexcept {
        std::swap(which_, other.which_);
        return *this;
    }
    ~NamedAction();

    /// Its end is not reported, but implied by the next begin or a wait.
    void begin() const noexcept { whereabouts().begin(which_); }

  private:
    std::int32_t which_ = 0;
};

}  // namespace shardstone
