// SPDX-License-Identifier: BSD-3-Clause
// Hostile /proc, /sys and SLURM_*: what is read of them is a number within bounds or nothing, never
// an exception, and fits a record.
#include <cmath>
#include <cstdlib>

#include "benchmarks/harness/machine_reader.hpp"
#include "kernels/base/available_memory.hpp"
#include "results/inventory/asymmetries.hpp"
#include "results/inventory/gpus.hpp"
#include "results/inventory/nics.hpp"
#include "results/record/binding.hpp"
#include "results/record/health.hpp"
#include "results/record/host_state.hpp"
#include "validation/fuzz/memory_folder.hpp"
#include "validation/fuzz/trial.hpp"

namespace shardstone::validation {
namespace {

struct HostFile {
    const char* name;
    std::string text;
};

/// Writes a few of the files anew, mutated; the others are good.
class Machine {
  public:
    Machine(std::vector<HostFile> files, std::uint64_t seed)
        : files_(std::move(files)), mutator_({""}, nasty_words(), seed) {
        for (const HostFile& file : files_) folder_.write(file.name, file.text);
    }

    void spoil() {
        for (const std::size_t file : spoilt_) folder_.write(files_[file].name, files_[file].text);
        spoilt_.clear();
        for (std::size_t times = 1 + mutator_.below(2); times > 0; --times) {
            const std::size_t file = mutator_.below(files_.size());
            spoilt_.push_back(file);
            folder_.write(files_[file].name, mutator_.mutated(files_[file].text));
        }
    }

    Mutator& mutator() { return mutator_; }
    const std::filesystem::path& path() const { return folder_.path(); }

  private:
    std::vector<HostFile> files_;
    Mutator mutator_;
    MemoryFolder folder_;
    std::vector<std::size_t> spoilt_;
};

std::vector<HostFile> memory_files() {
    return {
        {"sys/devices/system/node/node0/cpulist", "0-1023\n"},
        {"proc/meminfo", "MemTotal:       65536 kB\nMemAvailable:   32768 kB\n"},
        {"proc/self/cgroup", "12:memory:/jobs/7\n0::/jobs/7\n"},
        {"proc/self/mountinfo",
         "30 24 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"
         "31 24 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"},
        {"proc/self/limits",
         "Max data size             unlimited            bytes\n"
         "Max address space         1099511627776        bytes\n"},
        {"proc/self/status", "VmSize:\t   1000 kB\nVmData:\t   500 kB\n"},
        {"sys/fs/cgroup/jobs/7/memory.max", "1073741824\n"},
        {"sys/fs/cgroup/jobs/7/memory.high", "max\n"},
        {"sys/fs/cgroup/jobs/7/memory.current", "4096\n"},
        {"sys/fs/cgroup/jobs/7/memory.stat", "active_file 1024\ninactive_file 512\n"},
        {"sys/fs/cgroup/memory/jobs/7/memory.limit_in_bytes", "536870912\n"},
        {"sys/fs/cgroup/memory/jobs/7/memory.usage_in_bytes", "8192\n"},
    };
}

/// A variable that goes with this object, but for the value that it had.
void set_or_clear(const char* name, const std::string& value) {
    value.empty() ? ::unsetenv(name) : ::setenv(name, value.c_str(), 1);
}

TEST(HostFilesFuzz, MemoryThatCanBeTakenIsANumberOrUnknown) {
    Machine machine(memory_files(), 61);
    const AvailableMemory good = available_memory(machine.path());
    ASSERT_TRUE(good.of_node && good.of_process);
    int as_good = 0, other = 0;
    for_each_input([&] {
        machine.spoil();
        Mutator& mutator = machine.mutator();
        for (const char* name : {"SLURM_MEM_PER_NODE", "SLURM_MEM_PER_CPU", "SLURM_CPUS_ON_NODE"}) {
            set_or_clear(name, mutator.below(4) == 0 ? mutator.mutated("4096") : "");
        }
        const AvailableMemory memory = available_memory(machine.path());
        const auto for_each = memory.for_each_of(static_cast<int>(mutator.below(9)));
        for (const auto& limit : {memory.of_node, memory.of_process, for_each}) {
            if (!limit) continue;
            ASSERT_GE(limit->bytes, 0) << limit->name;
            ASSERT_FALSE(limit->name.empty());
        }
        const bool same = memory.of_node && memory.of_node->bytes == good.of_node->bytes;
        (same ? as_good : other) += 1;
    });
    for (const char* name : {"SLURM_MEM_PER_NODE", "SLURM_MEM_PER_CPU", "SLURM_CPUS_ON_NODE"}) {
        ::unsetenv(name);
    }
    std::printf("memory: %d as without mutation, %d other\n", as_good, other);
    EXPECT_GE(as_good, fuzz_inputs() / 20);
    EXPECT_GE(other, fuzz_inputs() / 20);
}

std::vector<HostFile> state_files() {
    return {
        {"proc/cpuinfo",
         "processor\t: 0\nmodel name\t: CPU\ncpu MHz\t\t: 2400.5\n\n"
         "processor\t: 1\ncpu MHz\t\t: 2500.5\n"},
        {"proc/meminfo", "MemTotal:       65536 kB\nMemAvailable:   32768 kB\n"},
        {"sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n"},
        {"sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "3600000\n"},
        {"sys/class/net/eth0/speed", "10000\n"},
        {"sys/class/infiniband/mlx5_0/ports/1/rate", "100 Gb/sec (4X EDR)\n"},
        {"sys/class/infiniband/mlx5_0/ports/1/counters/symbol_error", "3\n"},
        {"sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "12\n"},
        {"sys/bus/pci/devices/0000:00:01.0/aer_dev_fatal", "Undefined 0\nTOTAL_ERR_FATAL 2\n"},
    };
}

/// Whether a record could hold it: finite numbers, UTF-8.
void require_fits_a_record(const nlohmann::json& state) {
    const nlohmann::json leaves = state.flatten();
    for (const auto& [pointer, value] : leaves.items()) {
        if (!value.is_number_float()) continue;
        ASSERT_TRUE(std::isfinite(value.get<double>())) << pointer;
    }
    ASSERT_EQ(nlohmann::json::parse(state.dump()), state);
}

TEST(HostFilesFuzz, TheStateOfAMachineFitsARecord) {
    Machine machine(state_files(), 62);
    const results::HostFiles files{machine.path() / "proc", machine.path() / "sys"};
    const auto good = results::host_state(files);
    const auto good_health = results::read_health(files);
    ASSERT_EQ(good_health.size(), 3U);
    const benchmarks::MachineReader reader(files.proc);
    const std::array<int, 2> cores{0, 1};
    int as_good = 0, other = 0;
    for_each_input([&] {
        machine.spoil();
        const auto state = results::host_state(files);
        require_fits_a_record(state);
        const auto binding = results::binding_of_process(files);
        require_fits_a_record(binding);
        const auto nodes = binding.at("numa_nodes").get<std::string>();
        ASSERT_TRUE(nodes.empty() || nodes == "0") << nodes;
        const double mhz = reader.clock_mhz(cores);
        ASSERT_FALSE(std::isinf(mhz));
        const auto changes = results::health_changes(good_health, results::read_health(files));
        ASSERT_LE(changes.size(), good_health.size());
        (state == good && changes.empty() && mhz == 2450.5 ? as_good : other) += 1;
    });
    std::printf("state: %d as without mutation, %d other\n", as_good, other);
    EXPECT_GE(as_good, fuzz_inputs() / 20);
    EXPECT_GE(other, fuzz_inputs() / 20);
}

std::vector<HostFile> device_files() {
    return {
        {"sys/class/net/eth0/device/0000:00:03.0/x", ""},
        {"sys/class/net/eth0/speed", "10000\n"},
        {"sys/class/net/eth0/operstate", "up\n"},
        {"sys/class/net/eth0/mtu", "1500\n"},
        {"sys/class/infiniband/mlx5_0/ports/1/rate", "100 Gb/sec (4X EDR)\n"},
        {"sys/class/infiniband/mlx5_0/ports/1/state", "4: ACTIVE\n"},
        {"sys/class/infiniband/mlx5_0/hca_type", "MT4115\n"},
        {"sys/bus/pci/devices/0000:00:04.0/class", "0x030200\n"},
        {"sys/bus/pci/devices/0000:00:04.0/vendor", "0x10de\n"},
        {"sys/bus/pci/devices/0000:00:04.0/device", "0x2330\n"},
        {"sys/bus/pci/devices/0000:00:04.0/numa_node", "0\n"},
        {"sys/bus/pci/devices/0000:00:04.0/current_link_width", "8\n"},
        {"sys/bus/pci/devices/0000:00:04.0/max_link_width", "16\n"},
        {"sys/bus/pci/devices/0000:00:04.0/current_link_speed", "16.0 GT/s PCIe\n"},
        {"sys/bus/pci/devices/0000:00:04.0/max_link_speed", "32.0 GT/s PCIe\n"},
        {"proc/driver/nvidia/gpus/0000:00:04.0/information", "Model: \t\t NVIDIA H100\n"},
    };
}

/// Devices as files show them, without hwloc and NVML, which read others.
results::Inventory devices_in(const results::HostFiles& files) {
    const auto pci = results::read_pci_devices(files);
    const auto gpus = results::read_gpus(files, pci, {});
    const auto nics = results::read_nics(files, pci);
    results::Inventory all{results::counter_facts(files, {}), gpus,
                           results::links_between(gpus, nics, pci)};
    all.devices.insert(all.devices.end(), nics.begin(), nics.end());
    results::Inventory of_node;
    add_node(0, std::move(all), of_node);
    return of_node;
}

TEST(HostFilesFuzz, DevicesAreSentAndCompared) {
    Machine machine(device_files(), 64);
    const results::HostFiles files{machine.path() / "proc", machine.path() / "sys"};
    const auto good = devices_in(files);
    ASSERT_EQ(good.devices.size(), 3U);
    int as_good = 0, other = 0;
    for_each_input([&] {
        machine.spoil();
        const auto found = devices_in(files);
        const std::string text = to_text(found);
        ASSERT_EQ(to_text(results::inventory_from_text(text)), text);
        for (const auto& row : results::find_asymmetries(found, {"here"})) {
            ASSERT_FALSE(row.found.empty());
        }
        for (const auto& device : found.devices) {
            ASSERT_FALSE(device.pcie_width < 0.0 || device.rate_gb_s < 0.0);
        }
        (text == to_text(good) ? as_good : other) += 1;
    });
    std::printf("devices: %d as without mutation, %d other\n", as_good, other);
    EXPECT_GE(as_good, fuzz_inputs() / 20);
    EXPECT_GE(other, fuzz_inputs() / 20);
}

TEST(HostFilesFuzz, CoreTimesAreToldOrNot) {
    const std::string good =
        "cpu  4 3 2 1 0 0 0 0 0 0\ncpu0 2 1 1 10 0 0 0 5 0 0\ncpu1 2 2 1 9 0 0 0 0 0 0\nintr 5\n";
    Mutator mutator({good}, nasty_words(), 63);
    const std::array<int, 2> cores{0, 1};
    Counts counts;
    for_each_input([&] {
        const auto times = benchmarks::parse_core_times(mutator.next(), cores);
        (times ? counts.accepted : counts.refused) += 1;
        ASSERT_EQ(times.value_or(benchmarks::CoreTimes{2}).cores, 2);
    });
    expect_both("core times", counts, 20);
}

}  // namespace
}  // namespace shardstone::validation
