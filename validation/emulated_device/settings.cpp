// SPDX-License-Identifier: BSD-3-Clause
// How the emulated device behaves, from the environment.
#include "validation/emulated_device/settings.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "validation/emulated_device/faults.hpp"
#include "validation/emulated_device/sanitizers.hpp"

namespace shardstone::emulated {

namespace {

[[noreturn]] void refuse(const char* variable, std::string_view value, std::string_view allowed) {
    fault(fmt::format("{}={}: it is one of {}", variable, value, allowed));
}

template <class T>
T chosen(const char* variable, T otherwise,
         std::initializer_list<std::pair<std::string_view, T>> choices) {
    const char* value = std::getenv(variable);
    if (value == nullptr) return otherwise;
    std::string names;
    for (const auto& [name, choice] : choices) {
        if (name == value) return choice;
        names += fmt::format("{}{}", names.empty() ? "" : ", ", name);
    }
    refuse(variable, value, names);
}

std::int64_t number(const char* variable, std::int64_t otherwise) {
    const char* value = std::getenv(variable);
    if (value == nullptr) return otherwise;
    const std::string_view text = value;
    std::int64_t parsed = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), parsed);
    const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
    if (error == std::errc{} && parsed >= 0) {
        if (unit.empty()) return parsed;
        if (unit == "K") return parsed << 10;
        if (unit == "M") return parsed << 20;
        if (unit == "G") return parsed << 30;
    }
    refuse(variable, value, "whole numbers, with K, M or G behind them for powers of 1024");
}

Settings from_environment() {
    Settings read;
    read.threads = chosen("SHARDSTONE_EMULATED_ORDER", read.threads,
                          {{"forward", ThreadOrder::forward},
                           {"reverse", ThreadOrder::reverse},
                           {"random", ThreadOrder::random}});
    read.streams = chosen("SHARDSTONE_EMULATED_STREAMS", read.streams,
                          {{"lazy", StreamOrder::lazy},
                           {"others", StreamOrder::others},
                           {"random", StreamOrder::random},
                           {"issue", StreamOrder::issue}});
    read.trace = chosen("SHARDSTONE_EMULATED_TRACE", read.trace, {{"0", false}, {"1", true}});
    read.peers = chosen("SHARDSTONE_EMULATED_PEERS", read.peers, {{"0", false}, {"1", true}});
    read.races_in_kernels = chosen("SHARDSTONE_EMULATED_RACES", read.races_in_kernels,
                                   {{"streams", false}, {"all", true}});
    read.mpi_takes_memory =
        chosen("SHARDSTONE_EMULATED_MPI", read.mpi_takes_memory, {{"0", false}, {"1", true}});
    read.seed = static_cast<unsigned>(number("SHARDSTONE_EMULATED_SEED", read.seed));
    read.devices = static_cast<int>(number("SHARDSTONE_EMULATED_DEVICES", read.devices));
    read.slow_device = static_cast<int>(number("SHARDSTONE_EMULATED_SLOW", read.slow_device));
    read.memory_bytes = number("SHARDSTONE_EMULATED_MEMORY", read.memory_bytes);
    return read;
}

}  // namespace

Settings& settings() {
    static Settings one = from_environment();
    return one;
}

Sanitizer sanitizer() {
    return has_address_sanitizer  ? Sanitizer::address
           : has_thread_sanitizer ? Sanitizer::thread
                                  : Sanitizer::none;
}

std::mt19937& random_numbers() {
    static std::mt19937 one(settings().seed);
    return one;
}

}  // namespace shardstone::emulated
