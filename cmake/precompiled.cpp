// SPDX-License-Identifier: BSD-3-Clause
// Holds nothing: the source that CMake wants of a target which only precompiles headers.
