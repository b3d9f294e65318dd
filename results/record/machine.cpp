// SPDX-License-Identifier: BSD-3-Clause
// Processor, cores, caches and NUMA nodes of this machine, as hwloc and the kernel see them.
#include <fmt/format.h>
#include <hwloc.h>
#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <tuple>

#include "kernels/base/error.hpp"
#include "kernels/base/units.hpp"
#include "kernels/base/utf8.hpp"
#include "results/record/environment.hpp"
#include "results/record/host_state.hpp"
#include "results/record/kernel_files.hpp"

namespace shardstone::results {

namespace {

using nlohmann::json;

struct Destroy {
    void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using Topology = std::unique_ptr<hwloc_topology, Destroy>;

/// hwloc takes another root of /proc and /sys by this variable only.
class RootOfHwloc {
  public:
    explicit RootOfHwloc(const HostFiles& files) : is_set_(files.proc != HostFiles{}.proc) {
        if (is_set_) ::setenv(name, files.proc.parent_path().c_str(), 1);
    }
    RootOfHwloc(const RootOfHwloc&) = delete;
    RootOfHwloc& operator=(const RootOfHwloc&) = delete;
    ~RootOfHwloc() {
        if (is_set_) ::unsetenv(name);
    }

  private:
    static constexpr const char* name = "HWLOC_FSROOT";
    bool is_set_;
};

Topology load_topology(const HostFiles& files) {
    const RootOfHwloc root(files);
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

std::string cpu_model(const HostFiles& files) {
    std::ifstream file(files.proc / "cpuinfo");
    for (std::string line; std::getline(file, line);) {
        const auto colon = line.find(": ");
        if (line.starts_with("model name") && colon != std::string::npos) {
            return as_utf8(line.substr(colon + 2));
        }
    }
    return "unknown";
}

int usable_threads() {
    cpu_set_t set;
    return sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;
}

}  // namespace

json machine_description(const HostFiles& files) {
    utsname names{};
    uname(&names);
    const Topology topology = load_topology(files);
    const auto kernel = files.proc / "sys/kernel";
    json machine = host_state(files);
    machine.update({{"host", line_of_file(kernel / "hostname").value_or(names.nodename)},
                    {"kernel", std::string(names.sysname) + " " +
                                   line_of_file(kernel / "osrelease").value_or(names.release)},
                    {"architecture", names.machine},
                    {"cpu", cpu_model(files)},
                    {"packages", count(topology, HWLOC_OBJ_PACKAGE)},
                    {"cores", count(topology, HWLOC_OBJ_CORE)},
                    {"hardware_threads", count(topology, HWLOC_OBJ_PU)},
                    {"usable_threads", usable_threads()},
                    {"caches", caches(topology)},
                    {"numa_nodes", count(topology, HWLOC_OBJ_NUMANODE)}});
    return machine;
}

std::string caches_in_words(const json& machine) {
    std::string text;
    for (const auto& cache : machine.at("caches")) {
        text +=
            fmt::format("{}{} x {} L{} {}", text.empty() ? "" : ", ", cache.at("count").get<int>(),
                        format_size(cache.at("size_bytes").get<std::int64_t>()),
                        cache.at("level").get<int>(), cache.at("type").get<std::string>());
    }
    return text;
}

}  // namespace shardstone::results
