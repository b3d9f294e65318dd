// SPDX-License-Identifier: BSD-3-Clause
// Memory by class, allocated against the formula, and what it saves or costs beside FP32.
#include "benchmarks/training/run/memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <type_traits>

#include "kernels/base/error.hpp"
#include "kernels/base/units.hpp"
#include "kernels/tensor/cuda.hpp"
#include "kernels/tensor/paced.hpp"
#include "reference/step/mesh.hpp"

namespace shardstone::benchmarks {

using namespace reference;

bool MemoryClass::agrees() const {
    return 50 * std::abs(measured_bytes - formula_bytes) <= formula_bytes;
}

std::vector<MemoryClass> predicted_beside_fp32(const TrainOptions& options, int rank,
                                               const MemoryOptions& memory) {
    std::vector<MemoryClass> classes;
    for (const PredictedClass& one : predicted_memory(options, rank, memory)) {
        classes.push_back({one.name, 0, one.bytes, 0});
    }
    TrainOptions fp32 = options;
    fp32.precision = {};
    for (const PredictedClass& one : predicted_memory(fp32, rank, memory_options(fp32))) {
        const auto same = std::ranges::find(classes, one.name, &MemoryClass::name);
        SHARDSTONE_EXPECTS(same != classes.end());  // FP32 has no class that others have not
        same->fp32_bytes = one.bytes;
    }
    return classes;
}

std::string saving_in_words(const std::vector<MemoryClass>& classes) {
    std::int64_t bytes = 0, fp32_bytes = 0;
    std::string parts;
    for (const MemoryClass& one : classes) {
        bytes += one.formula_bytes;
        fp32_bytes += one.fp32_bytes;
        const std::int64_t more = one.formula_bytes - one.fp32_bytes;
        if (more == 0) continue;
        parts += fmt::format("{}{} {}{}", parts.empty() ? "" : ", ", one.name, more > 0 ? "+" : "-",
                             format_size(std::abs(more)));
    }
    const double share = static_cast<double>(bytes) / static_cast<double>(fp32_bytes) - 1.0;
    return fmt::format("{:.1f} % {} than FP32: {}", 100.0 * std::abs(share),
                       share > 0.0 ? "more" : "less", parts.empty() ? "nothing differs" : parts);
}

template <class Real, class Space>
std::vector<MemoryClass> memory_by_class(Trainer<Real, Space>& trainer,
                                         const TrainOptions& options) {
    std::map<std::string, std::int64_t> measured{
        {"weights", trainer.memory().weights_bytes()},
        {"gradients", trainer.memory().gradients_bytes()},
        {"optimizer", trainer.optimizer().memory_bytes()},
        {"master_weights", trainer.optimizer().master_bytes()},
        {"gradient_wire", trainer.memory().wire_bytes()},
        {"exact_sums", trainer.memory().sums_bytes()},
        {"activations", trainer.model().activations_bytes()}};
    std::int64_t rest = trainer.allocated_bytes();
    for (const auto& [name, bytes] : measured) rest -= bytes;
    measured["bookkeeping"] = rest;
    MemoryOptions memory = memory_options(options.optimizer, sizeof(Real));
    memory.on_gpu = std::is_same_v<Space, Cuda>;
    auto classes = predicted_beside_fp32(options, rank_at(options.plan, trainer.at()), memory);
    for (MemoryClass& one : classes) one.measured_bytes = measured.at(one.name);
    return classes;
}

template std::vector<MemoryClass> memory_by_class(Trainer<float>&, const TrainOptions&);
template std::vector<MemoryClass> memory_by_class(Trainer<double>&, const TrainOptions&);
template std::vector<MemoryClass> memory_by_class(Trainer<float, Paced>&, const TrainOptions&);
#ifdef SHARDSTONE_HAS_CUDA
template std::vector<MemoryClass> memory_by_class(Trainer<float, Cuda>&, const TrainOptions&);
#endif

}  // namespace shardstone::benchmarks
