// SPDX-License-Identifier: BSD-3-Clause
// NVIDIA's management library, loaded where it is there, and what is called of it.
#include "results/inventory/nvml_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include "kernels/base/utf8.hpp"

namespace shardstone::results {

namespace {

using namespace nvml;

template <class Function>
void find(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
}

Functions functions_of(void* library) {
    Functions f;
    find(library, "nvmlInit_v2", f.init);
    find(library, "nvmlShutdown", f.shutdown);
    find(library, "nvmlSystemGetDriverVersion", f.driver_version);
    find(library, "nvmlDeviceGetCount_v2", f.count);
    find(library, "nvmlDeviceGetHandleByIndex_v2", f.handle);
    find(library, "nvmlDeviceGetName", f.name);
    find(library, "nvmlDeviceGetVbiosVersion", f.firmware);
    find(library, "nvmlDeviceGetPciInfo_v3", f.pci);
    find(library, "nvmlDeviceGetMemoryInfo", f.memory);
    find(library, "nvmlDeviceGetMemoryBusWidth", f.memory_bus_bits);
    find(library, "nvmlDeviceGetMaxClockInfo", f.most_clock_mhz);
    find(library, "nvmlDeviceGetEnforcedPowerLimit", f.power_limit_mw);
    find(library, "nvmlDeviceGetEccMode", f.ecc);
    find(library, "nvmlDeviceGetMigMode", f.mig);
    find(library, "nvmlDeviceGetPersistenceMode", f.persistence);
    find(library, "nvmlDeviceGetTotalEccErrors", f.memory_errors);
    find(library, "nvmlDeviceGetNvLinkState", f.link_state);
    find(library, "nvmlDeviceGetFieldValues", f.field_values);
    find(library, "nvmlDeviceGetHandleByPciBusId_v2", f.handle_at);
    find(library, "nvmlDeviceGetTotalEnergyConsumption", f.energy_mj);
    find(library, "nvmlDeviceGetPowerUsage", f.power_mw);
    find(library, "nvmlDeviceGetClockInfo", f.clock_mhz);
    find(library, "nvmlDeviceGetTemperature", f.celsius);
    find(library, "nvmlDeviceGetCurrentClocksThrottleReasons", f.clock_limits);  // until 12
    if (f.clock_limits == nullptr) {
        find(library, "nvmlDeviceGetCurrentClocksEventReasons", f.clock_limits);
    }
    return f;
}

}  // namespace

NvmlLibrary::NvmlLibrary(const std::string& name)
    : library_(dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (library_ == nullptr) {
        const char* why = dlerror();
        why_none_ = why == nullptr ? name + " cannot be loaded" : as_utf8(why);
        return;
    }
    functions_ = functions_of(library_);
    if (functions_.init == nullptr || functions_.count == nullptr || functions_.handle == nullptr) {
        why_none_ = name + " lacks functions of NVML";
    } else if (const Code code = functions_.init(); code != success) {
        why_none_ = fmt::format("{} does not start: NVML's error {}", name, code);
    }
}

NvmlLibrary::~NvmlLibrary() {
    if (library_ == nullptr) return;
    if (why_none_.empty() && functions_.shutdown != nullptr) functions_.shutdown();
    dlclose(library_);
}

}  // namespace shardstone::results
