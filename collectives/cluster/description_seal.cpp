// SPDX-License-Identifier: BSD-3-Clause
// The hash line at the head of a cluster description, by which a changed byte is refused.
#include "collectives/cluster/description_seal.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>

#include "kernels/base/error.hpp"

namespace shardstone::collectives {

namespace {

constexpr std::string_view seal_opening = "# seal ";

std::string seal_line(std::string_view text) {
    return fmt::format("{}{:016x} of all that follows: measured, not to be edited\n", seal_opening,
                       XXH3_64bits(text.data(), text.size()));
}

}  // namespace

std::string sealed(std::string_view text) {
    return seal_line(text).append(text);
}

bool has_seal(std::string_view text) {
    return text.starts_with(seal_opening);
}

void require_seal_intact(std::string_view text, const std::string& file) {
    if (!has_seal(text)) return;
    const auto rest = text.substr(std::min(text.find('\n'), text.size() - 1) + 1);
    require(text == sealed(rest), [&] {
        return fmt::format(
            "{}: it was changed or cut after it was measured: calibrate again (or, if the change "
            "is intended, remove its first line and set measured = false)",
            file);
    });
}

}  // namespace shardstone::collectives
