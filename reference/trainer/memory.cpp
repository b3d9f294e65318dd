// SPDX-License-Identifier: BSD-3-Clause
#include "reference/trainer/memory.hpp"

#include <cstdlib>
#include <map>

#include "reference/step/placement.hpp"

namespace shardstone::reference {

bool MemoryClass::agrees() const {
    return 50 * std::abs(measured_bytes - formula_bytes) <= formula_bytes;
}

MemoryOptions memory_options(const OptimizerOptions& optimizer, std::int64_t element_bytes) {
    return {.moments = traits_of(optimizer.kind).moments, .element_bytes = element_bytes};
}

template <class Real>
std::vector<MemoryClass> memory_by_class(Trainer<Real>& trainer, const TrainOptions& options) {
    const std::map<std::string, std::int64_t> measured{
        {"weights", trainer.memory().weights_bytes()},
        {"gradients", trainer.memory().gradients_bytes()},
        {"optimizer", trainer.optimizer().memory_bytes()},
        {"master_weights", trainer.optimizer().master_bytes()},
        {"gradient_wire", trainer.memory().wire_bytes()},
        {"exact_sums", trainer.memory().sums_bytes()},
        {"activations", trainer.model().activations_bytes()}};
    std::vector<MemoryClass> classes;
    for (const PredictedClass& predicted :
         predicted_memory(options, rank_at(options.plan, trainer.at()),
                          memory_options(options.optimizer, sizeof(Real)))) {
        classes.push_back({predicted.name, measured.at(predicted.name), predicted.bytes});
    }
    return classes;
}

template std::vector<MemoryClass> memory_by_class(Trainer<float>&, const TrainOptions&);
template std::vector<MemoryClass> memory_by_class(Trainer<double>&, const TrainOptions&);

}  // namespace shardstone::reference
