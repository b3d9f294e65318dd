// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "results/record/record.hpp"

namespace shardstone::results {

/// Where a property of a run stands: group ("environment" or "settings") and path in that part of
/// the record, "libraries.hdf5".
using PropertyName = std::pair<std::string, std::string>;

/// All that a record says of its environment and settings, as texts. Not what varies from one run
/// to the next by itself (free memory, the clock's present rate, the number of a Slurm job, what
/// was noticed during the run), nor the entries `scope` of the configuration, nor what is null or
/// empty. The machines of several nodes are one property each, with all their values; the memory of
/// a machine is rounded to GiB.
using Properties = std::map<PropertyName, std::string>;
Properties properties_of(const Record& record, const std::vector<std::string>& scope);

/// A property whose values, over all runs of a side, are not the same on both.
struct Difference {
    PropertyName name;
    std::string a, b;  ///< "1.10.8", "posix,self; not set"

    bool operator==(const Difference&) const = default;
};

/// In the order of groups and names; neither side empty.
std::vector<Difference> differences_between(const std::vector<const Properties*>& a,
                                            const std::vector<const Properties*>& b);

/// What a property is if a record does not have it.
inline constexpr const char* not_set = "not set";

}  // namespace shardstone::results
