// SPDX-License-Identifier: BSD-3-Clause
// Compiled for the least CPU (kernels/CMakeLists.txt): see the header for what it may call.
#include "kernels/base/cpu_check.hpp"

#include <stdio.h>
#include <string.h>

namespace shardstone {

bool cpu_has(const char* feature) noexcept {
#if defined(__x86_64__)
    __builtin_cpu_init();
    // The compiler asks for a literal.
#define SHARDSTONE_CPU_FEATURE(name) \
    if (strcmp(feature, name) == 0) return __builtin_cpu_supports(name) != 0
    SHARDSTONE_CPU_FEATURE("sse3");
    SHARDSTONE_CPU_FEATURE("ssse3");
    SHARDSTONE_CPU_FEATURE("sse4.1");
    SHARDSTONE_CPU_FEATURE("sse4.2");
    SHARDSTONE_CPU_FEATURE("popcnt");
    SHARDSTONE_CPU_FEATURE("avx");
    SHARDSTONE_CPU_FEATURE("f16c");
    SHARDSTONE_CPU_FEATURE("fma");
    SHARDSTONE_CPU_FEATURE("avx2");
    SHARDSTONE_CPU_FEATURE("bmi");
    SHARDSTONE_CPU_FEATURE("bmi2");
    SHARDSTONE_CPU_FEATURE("lzcnt");
    SHARDSTONE_CPU_FEATURE("avx512f");
    SHARDSTONE_CPU_FEATURE("avx512cd");
    SHARDSTONE_CPU_FEATURE("avx512bw");
    SHARDSTONE_CPU_FEATURE("avx512dq");
    SHARDSTONE_CPU_FEATURE("avx512vl");
    SHARDSTONE_CPU_FEATURE("avx512ifma");
    SHARDSTONE_CPU_FEATURE("avx512vbmi");
    SHARDSTONE_CPU_FEATURE("avx512vbmi2");
    SHARDSTONE_CPU_FEATURE("avx512vnni");
    SHARDSTONE_CPU_FEATURE("avx512bitalg");
    SHARDSTONE_CPU_FEATURE("avx512vpopcntdq");
    SHARDSTONE_CPU_FEATURE("avx512bf16");
#undef SHARDSTONE_CPU_FEATURE
#endif
    (void)feature;
    return false;
}

int missing_cpu_features(const char* const* required, char* text, size_t room) noexcept {
    int missing = 0;
    size_t length = 0;
    text[0] = '\0';
    for (; *required != nullptr; ++required) {
        if (cpu_has(*required)) continue;
        const int written =
            snprintf(text + length, room - length, "%s%s", missing++ == 0 ? "" : ", ", *required);
        if (written > 0) length += static_cast<size_t>(written);
        if (length >= room) length = room - 1;
    }
    return missing;
}

static bool has_all(const char* const* features) {
    while (*features != nullptr && cpu_has(*features)) ++features;
    return *features == nullptr;
}

const char* nearest_architecture() noexcept {
    static const char* const second[] = {"sse3", "ssse3", "sse4.1", "sse4.2", "popcnt", nullptr};
    static const char* const third[] = {"avx",  "avx2",  "bmi", "bmi2",
                                        "f16c", "lzcnt", "fma", nullptr};
    static const char* const fourth[] = {"avx512f",  "avx512bw", "avx512cd",
                                         "avx512dq", "avx512vl", nullptr};
    if (!has_all(second)) return "x86-64";
    if (!has_all(third)) return "x86-64-v2";
    return has_all(fourth) ? "x86-64-v4" : "x86-64-v3";
}

}  // namespace shardstone
