// SPDX-License-Identifier: BSD-3-Clause
#include "results/format/record.hpp"

#include <algorithm>

namespace shardstone::results {

bool Record::verified() const {
    return !verification.empty() && std::ranges::all_of(verification, &Check::passed);
}

}  // namespace shardstone::results
