// SPDX-License-Identifier: BSD-3-Clause
// What MPI and its launcher say of this process.
#include "collectives/cluster/process.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <span>
#include <string_view>

namespace shardstone::collectives {

namespace {

std::string library_version() {
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
    int length = 0;
    MPI_Get_library_version(text.data(), &length);
    return text.data();
}

std::string without_tabs(std::string text) {
    std::ranges::replace(text, '\t', ' ');
    return text;
}

/// The value of an environment variable; empty if it is not set.
std::string variable(const char* name) {
    const char* const value = std::getenv(name);
    return value == nullptr ? "" : value;
}

/// The last but one of words that are separated by dots; empty if there is but one.
std::string last_but_one(const std::string& words) {
    const auto end = words.rfind('.');
    if (end == std::string::npos || end == 0) return "";
    const auto before = words.rfind('.', end - 1);
    const auto begin = before == std::string::npos ? 0 : before + 1;
    return words.substr(begin, end - begin);
}

/// Of environment variables, the first that is there.
int first_number_of(std::span<const char* const> variables, int otherwise) {
    for (const char* variable : variables) {
        if (const char* value = std::getenv(variable)) return std::atoi(value);
    }
    return otherwise;
}

}  // namespace

std::string node_name() {
    std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
    int length = 0;
    MPI_Get_processor_name(name.data(), &length);
    return name.data();
}

std::string mpi_library() {
    const std::string text = library_version();
    return without_tabs(text.substr(0, text.find('\n')));
}

std::string mpi_device() {
    const std::string text = library_version();
    const auto begin = text.find("Device:");  // as MPICH and its derivatives say it
    if (begin == std::string::npos) return "";
    const auto word = text.find_first_not_of("\t ", begin + std::string_view("Device:").size());
    return without_tabs(text.substr(word, text.find('\n', word) - word));
}

int launcher_rank() {
    return first_number_of(rank_variables, 0);
}

int launcher_size() {
    constexpr std::array variables{"PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "SLURM_NTASKS"};
    return first_number_of(variables, 1);
}

int launcher_local_size() {
    constexpr std::array variables{"MPI_LOCALNRANKS", "OMPI_COMM_WORLD_LOCAL_SIZE"};
    return first_number_of(variables, 0);
}

int launcher_local_rank() {
    constexpr std::array variables{"MPI_LOCALRANKID", "OMPI_COMM_WORLD_LOCAL_RANK"};
    return first_number_of(variables, 0);
}

std::string leaf_switch() {
    const std::string named = variable("SHARDSTONE_LEAF");
    if (!named.empty()) return named;
    const bool is_tree = last_but_one(variable("SLURM_TOPOLOGY_ADDR_PATTERN")) == "switch";
    return is_tree ? last_but_one(variable("SLURM_TOPOLOGY_ADDR")) : "";
}

}  // namespace shardstone::collectives
