// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "reference/model/gpt.hpp"

namespace shardstone::reference {

/// The memory that Gpt<Real>(config, micro_batch, sequence) must hold, in closed form from the
/// sizes alone; Gpt::memory() measures what it has allocated.
template <class Real>
ModelMemory expected_memory(const GptConfig& config, std::int64_t micro_batch,
                            std::int64_t sequence);

extern template ModelMemory expected_memory<float>(const GptConfig&, std::int64_t, std::int64_t);
extern template ModelMemory expected_memory<double>(const GptConfig&, std::int64_t, std::int64_t);

}  // namespace shardstone::reference
