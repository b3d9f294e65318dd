// SPDX-License-Identifier: BSD-3-Clause
// Softmax, summed cross-entropy and its gradient in FP64; rows with a negative target are left out.
#include <algorithm>
#include <cmath>

#include "validation/oracle/layers.hpp"

namespace shardstone::validation::oracle {

Values softmax(const Values& logits, Size n) {
    const Size classes = static_cast<Size>(logits.size()) / n;
    Values p(logits.size());
    for (Size r = 0; r < n; ++r) {
        const double* row = logits.data() + r * classes;
        const double highest = *std::max_element(row, row + classes);
        double sum = 0.0;
        for (Size c = 0; c < classes; ++c) sum += std::exp(row[c] - highest);
        for (Size c = 0; c < classes; ++c) p[r * classes + c] = std::exp(row[c] - highest) / sum;
    }
    return p;
}

double cross_entropy(const Values& logits, const std::vector<std::int32_t>& targets) {
    const Size n = static_cast<Size>(targets.size());
    const Size classes = static_cast<Size>(logits.size()) / n;
    const Values p = softmax(logits, n);
    double loss = 0.0;
    for (Size r = 0; r < n; ++r) {
        if (targets[r] >= 0) loss -= std::log(p[r * classes + targets[r]]);
    }
    return loss;
}

Values cross_entropy_gradient(const Values& logits, const std::vector<std::int32_t>& targets,
                              double scale) {
    const Size n = static_cast<Size>(targets.size());
    const Size classes = static_cast<Size>(logits.size()) / n;
    const Values p = softmax(logits, n);
    Values gradient(logits.size(), 0.0);
    for (Size r = 0; r < n; ++r) {
        if (targets[r] < 0) continue;
        for (Size c = 0; c < classes; ++c) {
            const double one_hot = c == targets[r] ? 1.0 : 0.0;
            gradient[r * classes + c] = scale * (p[r * classes + c] - one_hot);
        }
    }
    return gradient;
}

}  // namespace shardstone::validation::oracle
