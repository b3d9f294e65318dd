// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace shardstone::validation {

/// "12.3 us (12.1 to 12.6)", as all commands print 95 % intervals; "12.3 us (interval unknown: too
/// few samples)" where there is none, and "uncertain: 23.2 us (9.4 to 264)" of one that is wider
/// than a factor of ten, as the record and the report have its figures, too. `of`: what the
/// interval is over.
std::string with_interval(double value, double low, double high, const char* unit,
                          const char* of = "samples");

/// "5 to 1", "420 to 1"; "10^7 to 1" from 10^4 on.
std::string odds_in_words(double log10_odds);

}  // namespace shardstone::validation
