// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace shardstone::validation {

/// What a source file does that the house does not allow, one line each; empty when all is well.
///
/// `path` is relative to the repository root. Checked: project includes point only in the direction
/// of CONTRIBUTING.md's table; each foreign header is included only by its owner (mpi.h in
/// collectives, Kokkos in kernels/tensor, NCCL in its executor, ...) and what needs CUDA by sources
/// that a build without it leaves out; the licence line stands first; the file is at most
/// 300 lines long, a function 45.
std::vector<std::string> lint_source(std::string_view path, std::string_view text);

}  // namespace shardstone::validation
