// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace shardstone {

// Sizes are binary (1 KiB = 1024 B), rates decimal (1 GB/s = 1e9 B/s), everywhere.

/// "4", "4K", "4M", "1G", also "4KiB"; binary multiples, as nccl-tests reads them.
/// Throws Error for anything else, negative numbers and overflow.
std::int64_t parse_size_bytes(std::string_view text);

/// "4 B", "1 KiB", "1.5 MiB".
std::string format_size(std::int64_t size_bytes);

/// "1 rank", "8 ranks", "4 batches".
std::string counted(std::int64_t count, std::string_view noun);

/// With so many decimals: "12.50". What rounds to zero has no sign: "0.00" of -0.001.
std::string format_fixed(double value, int decimals);

/// "12.3 us", "4.56 ms", "7.89 s": three significant digits; "1.23e+06 s".
std::string format_time(double time_s);

}  // namespace shardstone
