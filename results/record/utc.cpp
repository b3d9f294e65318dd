// SPDX-License-Identifier: BSD-3-Clause
// Times of day for people.
#include "results/record/utc.hpp"

#include <time.h>

#include <array>

namespace shardstone::results {

std::string utc_text(std::time_t time) {
    std::tm utc{};
    gmtime_r(&time, &utc);
    std::array<char, 32> text{};
    std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &utc);
    return text.data();
}

std::optional<std::time_t> utc_time(const std::string& text) {
    std::tm utc{};
    const char* const rest = ::strptime(text.c_str(), "%Y-%m-%dT%H:%M:%SZ", &utc);
    if (rest == nullptr || *rest != '\0') return std::nullopt;
    return ::timegm(&utc);
}

}  // namespace shardstone::results
