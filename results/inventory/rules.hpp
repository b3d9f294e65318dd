// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace shardstone::results {

/// How a property is compared between nodes, and what a difference means.
struct Rule {
    std::string_view kind;
    std::string_view subject;  ///< empty: any other of that kind
    bool bends = true;         ///< measurements; otherwise a difference is only noted
    double tolerance = 0.0;    ///< relative, of numbers
    std::string_view why;
    std::string_view command;  ///< that shows it on a node; {subject} stands for the subject
};

/// The rule for a property. Each kind that occurs has one; throws Error for others, which a record
/// of somebody else may hold.
const Rule& rule_for(std::string_view kind, std::string_view subject);

/// The place of a kind in the order in which asymmetries are listed.
int order_of_kind(std::string_view kind);

/// The rule's command with the subject filled in.
std::string command_of(const Rule& rule, std::string_view subject);

}  // namespace shardstone::results
