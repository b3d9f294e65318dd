// SPDX-License-Identifier: BSD-3-Clause
// The registry of collective operations, by name.
#include "collectives/operation/operation.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <utility>

#include "kernels/base/error.hpp"

namespace shardstone::collectives {

namespace {

std::map<std::string, Operation, std::less<>>& operation_registry() {
    static std::map<std::string, Operation, std::less<>> all;
    return all;
}

}  // namespace

OperationRegistration::OperationRegistration(Operation operation) {
    const std::string name = operation.name;
    operation_registry().emplace(name, std::move(operation));
}

std::vector<std::string> operations() {
    std::vector<std::string> names;
    for (const auto& [name, operation] : operation_registry()) names.push_back(name);
    return names;
}

const Operation& find_operation(std::string_view name) {
    const auto entry = operation_registry().find(name);
    if (entry == operation_registry().end()) {
        fail(fmt::format("unknown operation '{}': use {}", name, fmt::join(operations(), ", ")));
    }
    return entry->second;
}

}  // namespace shardstone::collectives
