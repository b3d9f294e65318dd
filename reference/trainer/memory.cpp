// SPDX-License-Identifier: BSD-3-Clause
#include "reference/trainer/memory.hpp"

#include <cstdlib>

#include "reference/model/memory_formula.hpp"

namespace shardstone::reference {

bool MemoryClass::agrees() const {
    return 50 * std::abs(measured_bytes - formula_bytes) <= formula_bytes;
}

std::vector<MemoryClass> memory_by_class(Trainer& trainer, const TrainOptions& options) {
    const ModelMemory measured = trainer.model().memory();
    const ModelMemory formula =
        expected_memory<float>(options.model, options.batch.micro_batch, options.batch.sequence);
    const std::int64_t parameters = options.model.parameter_count();
    const bool moments = options.optimizer.kind == OptimizerKind::adamw;
    std::vector<MemoryClass> classes{
        {"weights", measured.weights_bytes, formula.weights_bytes},
        {"gradients", measured.gradients_bytes, formula.gradients_bytes},
        {"optimizer", trainer.optimizer().memory_bytes(), moments ? 8 * parameters : 0},
        {"activations", measured.activations_bytes, formula.activations_bytes}};
    if (options.reproducible) {
        classes.push_back({"exact_sums", trainer.reduction().sums_bytes(), 16 * parameters});
    }
    return classes;
}

}  // namespace shardstone::reference
