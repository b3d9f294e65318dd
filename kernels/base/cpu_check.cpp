// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/base/cpu_check.hpp"

#include <string>

#include "kernels/base/error.hpp"

namespace shardstone {

namespace {

void require_feature(bool present, const char* feature) {
    require(present, [&] {
        return std::string("this CPU has no ") + feature + ", which this program was built for (" +
               SHARDSTONE_ARCH + "): rebuild on this machine, or with -DSHARDSTONE_ARCH=<this CPU>";
    });
}

}  // namespace

void require_cpu_supported() {
#if defined(__x86_64__)
#define SHARDSTONE_REQUIRE_FEATURE(name) require_feature(__builtin_cpu_supports(name) != 0, name)
#ifdef __AVX512BF16__
    SHARDSTONE_REQUIRE_FEATURE("avx512bf16");
#endif
#ifdef __AVX512F__
    SHARDSTONE_REQUIRE_FEATURE("avx512f");
#endif
#ifdef __AVX512VL__
    SHARDSTONE_REQUIRE_FEATURE("avx512vl");
#endif
#ifdef __AVX512VBMI2__
    SHARDSTONE_REQUIRE_FEATURE("avx512vbmi2");
#endif
#ifdef __AVX2__
    SHARDSTONE_REQUIRE_FEATURE("avx2");
#endif
#ifdef __FMA__
    SHARDSTONE_REQUIRE_FEATURE("fma");
#endif
#undef SHARDSTONE_REQUIRE_FEATURE
#endif
}

}  // namespace shardstone
