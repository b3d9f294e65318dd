// SPDX-License-Identifier: BSD-3-Clause
// What a GPU would silently do wrong ends the process here, with one line that says what and where.
// What CUDA reports as an error is reported as that error instead.
#pragma once

#include <source_location>
#include <string>
#include <string_view>

namespace shardstone::emulated {

using Where = std::source_location;

bool is_same(const Where& a, const Where& b);
/// "kernels/transformer/layernorm_cuda.cu:40", wherever it was compiled.
std::string text_of(const Where& where);

inline constexpr int fault_exit_code = 3;

/// Ends the process with that code and the line "emulated device: WHAT".
[[noreturn]] void fault(std::string_view what);

/// The same on behalf of the CUDA thread that runs, which is named.
[[noreturn]] void thread_fault(std::string_view what, const Where& at);

/// The function's name as it is in the source, from the program's own table of symbols.
std::string name_of_kernel(const void* function);

}  // namespace shardstone::emulated
