// SPDX-License-Identifier: BSD-3-Clause
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
};

}  // namespace

std::string_view to_string(ElementType type) {
    for (const Name& entry : names) {
        if (entry.type == type) return entry.name;
    }
    fail("unknown element type");
}

ElementType parse_element_type(std::string_view name) {
    for (const Name& entry : names) {
        if (entry.name == name || entry.alias == name) return entry.type;
    }
    fail("unknown element type '" + std::string(name) + "': use fp32, fp64, bf16 or fp16");
}

}  // namespace shardstone
