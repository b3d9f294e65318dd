// SPDX-License-Identifier: BSD-3-Clause
// Faults end the process with one line.
#include "validation/emulated_device/faults.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "validation/emulated_device/block.hpp"

namespace shardstone::emulated {

bool is_same(const Where& a, const Where& b) {
    return a.line() == b.line() && a.column() == b.column() &&
           (a.file_name() == b.file_name() || std::strcmp(a.file_name(), b.file_name()) == 0);
}

std::string text_of(const Where& where) {
    std::string_view file = where.file_name();
    for (const std::string_view folder : {"/kernels/", "/collectives/", "/validation/"}) {
        const std::size_t at = file.find(folder);
        if (at == std::string_view::npos) continue;
        file.remove_prefix(at + 1);
        break;
    }
    return fmt::format("{}:{}", file, where.line());
}

// The process ends at once: destructors of static objects would run on the small stack of a fiber.
void fault(std::string_view what) {
    std::fflush(stdout);
    std::fputs(fmt::format("emulated device: {}\n", what).c_str(), stderr);
    std::_Exit(fault_exit_code);
}

void thread_fault(std::string_view what, const Where& at) {
    fault(fmt::format("{}: {}, at {}", what, text_of_running_thread(), text_of(at)));
}

}  // namespace shardstone::emulated
