// SPDX-License-Identifier: BSD-3-Clause
// Processor, cores, caches and NUMA nodes of this machine, as hwloc and the kernel see them.
#include <hwloc.h>
#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <tuple>

#include "kernels/base/error.hpp"
#include "results/record/environment.hpp"
#include "results/record/host_state.hpp"

namespace shardstone::results {

namespace {

using nlohmann::json;

struct Destroy {
    void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using Topology = std::unique_ptr<hwloc_topology, Destroy>;

Topology load_topology() {
    hwloc_topology_t raw = nullptr;
    require(hwloc_topology_init(&raw) == 0, "hwloc cannot describe this machine");
    Topology topology(raw);
    require(hwloc_topology_load(raw) == 0, "hwloc cannot load the topology of this machine");
    return topology;
}

int count(const Topology& topology, hwloc_obj_type_t type) {
    return std::max(hwloc_get_nbobjs_by_type(topology.get(), type), 0);
}

const char* cache_type(hwloc_obj_cache_type_t type) {
    if (type == HWLOC_OBJ_CACHE_INSTRUCTION) return "instruction";
    return type == HWLOC_OBJ_CACHE_DATA ? "data" : "unified";
}

json caches(const Topology& topology) {
    // (level, type, size) -> how many.
    std::map<std::tuple<unsigned, std::string, std::uint64_t>, int> found;
    for (const auto type : {HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE}) {
        for (int i = 0; i < count(topology, type); ++i) {
            const auto* attributes =
                hwloc_get_obj_by_type(topology.get(), type, static_cast<unsigned>(i))->attr;
            ++found[{attributes->cache.depth, cache_type(attributes->cache.type),
                     attributes->cache.size}];
        }
    }
    json list = json::array();
    for (const auto& [key, how_many] : found) {
        const auto& [level, type, size] = key;
        list.push_back(
            {{"level", level}, {"type", type}, {"size_bytes", size}, {"count", how_many}});
    }
    return list;
}

std::string cpu_model() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        const auto colon = line.find(": ");
        if (line.starts_with("model name") && colon != std::string::npos) {
            return line.substr(colon + 2);
        }
    }
    return "unknown";
}

int usable_threads() {
    cpu_set_t set;
    return sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;
}

}  // namespace

json machine_description() {
    utsname names{};
    uname(&names);
    const Topology topology = load_topology();
    json machine = host_state();
    machine.update({{"host", names.nodename},
                    {"kernel", std::string(names.sysname) + " " + names.release},
                    {"architecture", names.machine},
                    {"cpu", cpu_model()},
                    {"packages", count(topology, HWLOC_OBJ_PACKAGE)},
                    {"cores", count(topology, HWLOC_OBJ_CORE)},
                    {"hardware_threads", count(topology, HWLOC_OBJ_PU)},
                    {"usable_threads", usable_threads()},
                    {"caches", caches(topology)},
                    {"numa_nodes", count(topology, HWLOC_OBJ_NUMANODE)}});
    return machine;
}

}  // namespace shardstone::results
