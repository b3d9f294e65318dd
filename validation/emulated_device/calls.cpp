// SPDX-License-Identifier: BSD-3-Clause
// Errors of the runtime: remembered, ordered by tests, and those that stay.
#include "validation/emulated_device/calls.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "validation/emulated_device/error_texts.hpp"
#include "validation/emulated_device/faults.hpp"
#include "validation/emulated_device/settings.hpp"

namespace shardstone::emulated {

namespace {

struct Order {
    int calls_before;
    cudaError_t code;
    bool lasts = false;  ///< later calls fail as well
};
using Orders = std::multimap<std::string, Order, std::less<>>;

cudaError_t usual_failure(std::string_view name) {
    if (name == "kernel") return cudaErrorIllegalAddress;
    if (name == "cudaLaunchKernel") return cudaErrorLaunchOutOfResources;
    const bool allocates = name.starts_with("cudaMalloc") || name == "cudaHostAlloc";
    return allocates ? cudaErrorMemoryAllocation : cudaErrorUnknown;
}

/// NAME:NUMBER[+][:CODE]
void add_order(Orders& orders, std::string_view text) {
    const auto refuse = [=] {
        fault(fmt::format(
            "SHARDSTONE_EMULATED_FAIL: {}: write NAME:NUMBER or NAME:NUMBER:CODE, with "
            "NUMBER+ for all from that one on, as in cudaMalloc:3:cudaErrorMemoryAllocation",
            text));
    };
    const auto colon = text.find(':');
    if (colon == std::string_view::npos) refuse();
    const std::string name(text.substr(0, colon));
    const char* const end = text.data() + text.size();
    int number = 0;
    auto parsed = std::from_chars(text.data() + colon + 1, end, number);
    if (parsed.ec != std::errc{} || number < 1) refuse();
    const bool lasts = parsed.ptr != end && *parsed.ptr == '+';
    if (lasts) ++parsed.ptr;
    cudaError_t code = usual_failure(name);
    if (parsed.ptr != end) {
        const std::string_view rest(parsed.ptr, static_cast<std::size_t>(end - parsed.ptr));
        if (rest[0] != ':' || !is_name_of_error(rest.substr(1), code)) refuse();
    }
    orders.insert({name, {number - 1, code, lasts}});
}

Orders& orders() {
    static Orders all = [] {
        Orders read;
        const char* const variable = std::getenv("SHARDSTONE_EMULATED_FAIL");
        std::string_view rest = variable == nullptr ? "" : variable;
        while (!rest.empty()) {
            const auto comma = std::min(rest.find(','), rest.size());
            add_order(read, rest.substr(0, comma));
            rest.remove_prefix(std::min(comma + 1, rest.size()));
        }
        return read;
    }();
    return all;
}

thread_local cudaError_t last_error = cudaSuccess;
cudaError_t for_good = cudaSuccess;

/// After these the process can only be started again.
bool stays(cudaError_t code) {
    switch (code) {
        case cudaErrorIllegalAddress:
        case cudaErrorLaunchFailure:
        case cudaErrorLaunchTimeout:
        case cudaErrorECCUncorrectable:
        case cudaErrorMisalignedAddress:
        case cudaErrorHardwareStackError:
        case cudaErrorIllegalInstruction:
            return true;
        default:
            return false;
    }
}

}  // namespace

void order_failure(std::string_view name, int number, cudaError_t code) {
    orders().insert({std::string(name), {number - 1, code}});
}

cudaError_t ordered_failure(std::string_view name) {
    const auto [begin, end] = orders().equal_range(name);
    cudaError_t code = cudaSuccess;
    for (auto order = begin; order != end; ++order) {
        const int before = order->second.calls_before--;
        if (before == 0 || (before < 0 && order->second.lasts)) code = order->second.code;
    }
    if (stays(code)) fail_for_good(code);
    return code;
}

void fail_for_good(cudaError_t code) {
    for_good = code;
}

cudaError_t failure_for_good() {
    return for_good;
}

cudaError_t remembered(cudaError_t code) {
    if (code != cudaSuccess) last_error = code;
    return code;
}

std::recursive_mutex& one_call_at_a_time() {
    static std::recursive_mutex one;
    return one;
}

cudaError_t general_failure() {
    return settings().devices == 0 ? cudaErrorNoDevice : for_good;
}

}  // namespace shardstone::emulated

extern "C" {

cudaError_t cudaPeekAtLastError() {
    return shardstone::emulated::last_error;
}

cudaError_t cudaGetLastError() {
    const cudaError_t last = shardstone::emulated::last_error;
    if (shardstone::emulated::for_good == cudaSuccess)
        shardstone::emulated::last_error = cudaSuccess;
    return last;
}

}  // extern "C"
