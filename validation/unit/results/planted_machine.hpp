// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>

#include "results/record/host_state.hpp"

namespace shardstone::validation {

/// Files of the kernel of a made-up server, under a folder of its own: two processors of two cores
/// with a NUMA node each; behind a PCIe switch of the first gpu0 (0000:13:00.0) and mlx5_0
/// (0000:14:00.0), of the second gpu1 (0000:93:00.0) and mlx5_1 (0000:94:00.0), of 400 Gb/s each;
/// beside the first switch eth0 (0000:15:00.0) of 1 Gb/s. Nothing about it is odd.
class PlantedMachine {
  public:
    /// `root` holds its proc and sys; what is there goes first.
    PlantedMachine(std::filesystem::path root, const std::string& host);
    PlantedMachine(const PlantedMachine&) = delete;
    PlantedMachine& operator=(const PlantedMachine&) = delete;
    ~PlantedMachine();

    /// `text` as the whole of a file, "sys/class/net/eth0/speed"; folders are made.
    void write(const std::string& file, const std::string& text) const;
    void remove(const std::string& file) const;

    results::HostFiles files() const { return {root_ / "proc", root_ / "sys"}; }
    const std::filesystem::path& root() const { return root_; }

  private:
    void plant_processors(const std::string& host) const;
    void plant_device(const std::string& path, const std::string& ids, int numa_node) const;
    void plant_adapter(const std::string& name, const std::string& pci) const;

    std::filesystem::path root_;
};

/// Where the planted devices lie, below sys.
constexpr const char* planted_gpu0 = "sys/bus/pci/devices/0000:13:00.0/";
constexpr const char* planted_nic1 = "sys/bus/pci/devices/0000:94:00.0/";

}  // namespace shardstone::validation
