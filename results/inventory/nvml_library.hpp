// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

#include "results/inventory/nvml_functions.hpp"

namespace shardstone::results {

/// The library that comes with NVIDIA's driver.
constexpr const char* nvml_library = "libnvidia-ml.so.1";

/// NVIDIA's management library, loaded and started as long as this lives. Nothing is linked, and no
/// GPU is used.
class NvmlLibrary {
  public:
    /// `name`: a path, or a name for the loader.
    explicit NvmlLibrary(const std::string& name = nvml_library);
    NvmlLibrary(const NvmlLibrary&) = delete;
    NvmlLibrary& operator=(const NvmlLibrary&) = delete;
    ~NvmlLibrary();

    /// Why it cannot be asked; empty if it can.
    const std::string& why_none() const noexcept { return why_none_; }
    const nvml::Functions& functions() const noexcept { return functions_; }

  private:
    void* library_ = nullptr;
    nvml::Functions functions_;
    std::string why_none_;
};

namespace nvml {

/// What the function writes into its last argument; nothing where it fails or is not there.
template <class Value, class... Given, class... Arguments>
std::optional<Value> asked(Code (*function)(Given...), Arguments... arguments) {
    Value value{};
    if (function == nullptr || function(arguments..., &value) != success) return std::nullopt;
    return value;
}

}  // namespace nvml

}  // namespace shardstone::results
