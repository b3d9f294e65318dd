// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "results/record/record.hpp"

namespace shardstone::results {

// Layout of the JSON twin: one object; its first line holds the seal, a hash over all bytes after
// that line, so that any changed byte shows before anything is parsed:
//
//     {"seal": "<32 hexadecimal digits>",
//      "format": "shardstone record", "version": 3, "hash": "<hash_of>", "kind": "...",
//      "identity": {}, "configuration": {}, "environment": {},
//      "samples": [{"name": "...", "meaning": "...",
//                   "columns": [{"name": "time_s", "unit": "s", "meaning": "...",
//                                "numbers": [...]}, ...]}],
//      "derived": [... {"name": "algorithm", "meaning": "...", "texts": [...]} ...],
//      "verification": [{"name": "...", "passed": true, "detail": "..."}]}
//
// Numbers are the shortest that read back as the same double; "NaN", "Infinity" and "-Infinity" are
// texts, since JSON has no such numbers. "unit" and "meaning", a sentence, are those of
// results/schema, and absent if that has none. They were added in version 3; the hash does not
// cover them, and reading does not need them.

std::string to_json_text(const Record& record);

/// True when the bytes begin like a JSON record.
bool looks_like_json(const std::string& bytes);

/// Throws Error naming `source` when a byte was changed or the text is no record.
Record from_json_text(const std::string& bytes, const std::string& source);

}  // namespace shardstone::results
