// SPDX-License-Identifier: BSD-3-Clause
// Names of the storage types, for the command line and for records.
#include "reference/precision/storage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "kernels/base/error.hpp"

namespace shardstone::reference {

namespace {

constexpr std::array<std::string_view, 3> names{"full", "bf16", "fp16"};

}  // namespace

std::string to_string(Storage storage) {
    return std::string(names[static_cast<std::size_t>(storage)]);
}

Storage parse_storage(std::string_view name) {
    const auto found = std::ranges::find(names, name);
    require(found != names.end(),
            [&] { return fmt::format("'{}' is none of full, bf16, fp16", name); });
    return static_cast<Storage>(found - names.begin());
}

}  // namespace shardstone::reference
