// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "collectives/cluster/communicator.hpp"

namespace shardstone::benchmarks {

/// The items of all ranks in rank order on rank 0, none elsewhere; ranks may have different
/// numbers. Their bytes are sent as they are, since all ranks run one program. Collective.
template <class Item>
std::vector<Item> gathered(const collectives::Communicator& world, const std::vector<Item>& mine) {
    static_assert(std::is_trivially_copyable_v<Item>);
    const std::string bytes(reinterpret_cast<const char*>(mine.data()), mine.size() * sizeof(Item));
    std::vector<Item> all;
    for (const std::string& one : world.gather(bytes)) {
        const std::size_t before = all.size();
        all.resize(before + one.size() / sizeof(Item));
        if (!one.empty()) std::memcpy(all.data() + before, one.data(), one.size());
    }
    return all;
}

}  // namespace shardstone::benchmarks
