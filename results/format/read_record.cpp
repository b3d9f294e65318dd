// SPDX-License-Identifier: BSD-3-Clause
// A record is read whichever format and version it has, and refused where it is not sound.
#include <fmt/format.h>

#include "kernels/base/error.hpp"
#include "kernels/base/regular_file.hpp"
#include "results/format/hdf5_format.hpp"
#include "results/format/json_format.hpp"
#include "results/format/known_fields.hpp"
#include "results/record/record.hpp"
#include "results/record/wellformed.hpp"
#include "results/schema/older.hpp"

namespace shardstone::results {

namespace {

/// What only a forger could have sealed.
void require_sound(const Record& record, const std::string& file) {
    require_known_fields(record, file);
    try {
        require_wellformed(record);
    } catch (const Error& error) {
        fail(fmt::format("'{}': {}", file, error.what()));
    }
}

}  // namespace

Record read_record(const std::filesystem::path& path) {
    // What is no record may be larger than the memory.
    constexpr std::size_t head_bytes = 100;
    const RegularFile file(path);
    const std::string head = file.read_all(head_bytes);
    const bool may_be = looks_like_json(head) || looks_like_hdf5(head);
    return record_from_bytes(may_be ? file.read_all() : head, path);
}

Record record_from_bytes(const std::string& bytes, const std::filesystem::path& path) {
    require(path.extension() != ".journal" || !bytes.empty(), [&] {
        return fmt::format("'{}' is an empty journal: it holds nothing, and may be removed",
                           path.string());
    });
    require(path.extension() != ".journal" || looks_like_json(bytes) || looks_like_hdf5(bytes),
            [&] {
                return fmt::format(
                    "'{0}' is the journal of a run that ended early: 'shardstone recover {0}' "
                    "makes a record of it",
                    path.string());
            });
    require(looks_like_json(bytes) || looks_like_hdf5(bytes), [&] {
        return fmt::format(
            "'{}' is not a Shardstone record, or its first bytes were changed: expected what "
            "--json "
            "or --hdf5 writes",
            path.string());
    });
    Record record = looks_like_json(bytes) ? from_json_text(bytes, path.string())
                                           : from_hdf5_bytes(bytes, path.string());
    require_sound(record, path.string());
    try {
        use_present_names(record);
    } catch (const Error& error) {
        fail(fmt::format("'{}': {}", path.string(), error.what()));
    }
    require_sound(record, path.string());  // a forged one may hold a present name beside its older
    return record;
}

}  // namespace shardstone::results
