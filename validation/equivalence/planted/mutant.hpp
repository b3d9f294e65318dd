// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "validation/equivalence/matrix.hpp"

namespace shardstone::validation {

/// A bug planted in one line, and where the matrix has to see it first.
struct Mutant {
    std::string name;
    std::string bug;         ///< in words
    std::string layout;      ///< Layout::name() of one of the matrix
    std::string difference;  ///< how Difference::text() of the verdict begins: step and tensor
    std::string place = "step program";  ///< or the source file
    reference::OptimizerKind optimizer = reference::OptimizerKind::adamw;

    /// The layout, and the optimizer unless it is AdamW.
    std::string training() const;
    /// The same training as the matrix runs it.
    reference::TrainOptions options(std::int64_t steps) const;
};

/// The bugs in the sources, code_mutants.json: their lines are replaced in copies of the sources,
/// which are linked into one test program each (tests.cmake), so that the product knows of none.
std::vector<Mutant> code_mutants();

/// The layout of the matrix with this name; throws Error if there is none.
Layout layout_of_matrix(const std::string& name);

}  // namespace shardstone::validation
