// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/base/error.hpp"

namespace shardstone {

void contract_violated(const char* expression, const char* file, int line) {
    throw std::logic_error(std::string(file) + ":" + std::to_string(line) +
                           ": contract violated: " + expression);
}

}  // namespace shardstone
