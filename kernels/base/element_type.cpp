// SPDX-License-Identifier: BSD-3-Clause
// Converts between element types and their names, aliases included.
#include "kernels/base/element_type.hpp"

#include <array>
#include <string>

namespace shardstone {

namespace {

struct Name {
    std::string_view name, alias;
    ElementType type;
};

constexpr std::array names{
    Name{"fp32", "float", ElementType::fp32},
    Name{"fp64", "double", ElementType::fp64},
    Name{"bf16", "bfloat16", ElementType::bf16},
    Name{"fp16", "half", ElementType::fp16},
    Name{"fp8_e4m3", "f8e4m3", ElementType::fp8_e4m3},
    Name{"fp8_e5m2", "f8e5m2", ElementType::fp8_e5m2},
    Name{"int32", "int32", ElementType::int32},
    Name{"int64", "int64", ElementType::int64},
};

}  // namespace

std::string_view to_string(ElementType type) {
    for (const Name& entry : names) {
        if (entry.type == type) return entry.name;
    }
    fail("unknown element type");
}

ElementType parse_element_type(std::string_view name) {
    std::string choices;
    for (const Name& entry : names) {
        if (entry.name == name || entry.alias == name) return entry.type;
        choices += (choices.empty() ? "" : ", ") + std::string(entry.name);
    }
    fail("unknown element type '" + std::string(name) + "': use one of " + choices);
}

}  // namespace shardstone
