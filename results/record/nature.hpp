// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "results/record/record.hpp"

namespace shardstone::results {

/// What the figures of a record are.
enum class Nature : std::uint8_t {
    measured,
    paced,      ///< messages are real, computations only took a device's time (train --pace)
    simulated,  ///< no message was sent
    emulated,   ///< on GPUs that tests emulate on cores: sound numbers, times of nothing
    described,  ///< read from files that describe other machines (topology --root)
    computed,   ///< from other records (compare)
};

/// "measured", "paced", "simulated", "emulated", "described", "computed".
const char* to_string(Nature nature);

/// Whether its nodes are ranks of fewer machines that were grouped as if they were on several.
bool has_declared_nodes(const Record& record);
inline constexpr const char* declared_nodes_words = "nodes declared (--ranks-per-node), not found";

/// What a record is, for readers, and whether its nodes were only declared.
std::string nature_in_words(const Record& record);

/// Whether the name of a record in a bundle ends in its nature, "train.paced", or, if it was
/// measured, in none.
bool is_named_for(const std::string& name, Nature nature);

/// The name with that ending.
std::string named_for(std::string name, Nature nature);

/// The folder of files that describe other machines, from which the record was read (topology
/// --root); "" of a record of the machines that it ran on.
std::string root_of_files(const Record& record);

/// By every mark that a record carries, so that one that was taken away does not make it measured:
/// its kind, its tables, its command line, each setting of a pace, the losses that a paced training
/// lacks, and every place that has the name of a GPU.
Nature nature_of(const Record& record);

/// Whether it is of a program with emulated GPUs: somewhere it has the name of one.
bool names_an_emulated_gpu(const Record& record);

/// Columns of a record that were never measured, in whatever record they are: "predicted_s" of
/// table collectives, and so on; "TABLE.COLUMN".
std::vector<std::string> predicted_columns(const Record& record);

}  // namespace shardstone::results
