// SPDX-License-Identifier: BSD-3-Clause
// Times of day for people.
#include "results/record/utc.hpp"

#include <array>

namespace shardstone::results {

std::string utc_text(std::time_t time) {
    std::tm utc{};
    gmtime_r(&time, &utc);
    std::array<char, 32> text{};
    std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &utc);
    return text.data();
}

}  // namespace shardstone::results
