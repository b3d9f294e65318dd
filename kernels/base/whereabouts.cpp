// SPDX-License-Identifier: BSD-3-Clause
// What a process is doing, where others can read it.
#include "kernels/base/whereabouts.hpp"

#include <mutex>

namespace shardstone {

namespace {

// Made without running any code, so that they are there whenever a signal comes.
constinit Whereabouts own{};

/// Which of the actions have a name.
struct Taken {
    std::mutex mutex;
    std::array<bool, Whereabouts::most_actions> places{true};  // 0 stands for none
};
Taken& taken() {
    static Taken all;
    return all;
}

}  // namespace

namespace whereabouts_detail {
constinit std::atomic<Whereabouts*> here = &own;
}

void keep_whereabouts_in(Whereabouts* place) noexcept {
    Whereabouts* const to = place == nullptr ? &own : place;
    *to = whereabouts();
    whereabouts_detail::here = to;
}

NamedAction::NamedAction(std::string_view name) noexcept {
    const std::lock_guard lock(taken().mutex);
    const auto free = std::ranges::find(taken().places, false);
    if (free == taken().places.end()) return;
    *free = true;
    which_ = static_cast<std::int32_t>(free - taken().places.begin());
    whereabouts().name_action(which_, name);
}

NamedAction::~NamedAction() {
    if (which_ == 0) return;
    const std::lock_guard lock(taken().mutex);
    taken().places[static_cast<std::size_t>(which_)] = false;
}

}  // namespace shardstone
