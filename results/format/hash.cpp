// SPDX-License-Identifier: BSD-3-Clause
// The content hash of a record, taken over one canonical string of bytes of everything it holds.
#include "results/format/hash.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <bit>
#include <cmath>
#include <limits>

#include "results/record/record.hpp"

namespace shardstone::results {

namespace {

/// Everything in one string of bytes in which no two different records agree: every part is led by
/// its length, numbers go by their bits (one NaN stands for all).
class Canonical {
  public:
    void add_text(std::string_view text) {
        add_bits(text.size());
        bytes_ += text;
    }
    void add_document(const nlohmann::json& document) { add_text(document.dump()); }
    void add(const std::vector<Table>& tables) {
        add_bits(tables.size());
        for (const Table& table : tables) {
            add_text(table.name);
            add_bits(table.columns.size());
            for (const auto& column : table.columns) add(column);
        }
    }
    void add(const Table::Column& column) {
        add_text(column.name);
        add_bits(column.numbers.size());
        for (const double number : column.numbers) {
            constexpr double the_nan = std::numeric_limits<double>::quiet_NaN();
            add_bits(std::bit_cast<std::uint64_t>(std::isnan(number) ? the_nan : number));
        }
        add_bits(column.texts.size());
        for (const auto& text : column.texts) add_text(text);
    }
    void add(const std::vector<Check>& checks) {
        add_bits(checks.size());
        for (const Check& check : checks) {
            add_text(check.name);
            add_bits(check.passed ? 1 : 0);
            add_text(check.detail);
        }
    }
    const std::string& bytes() const { return bytes_; }

  private:
    void add_bits(std::uint64_t value) {
        for (int byte = 0; byte < 8; ++byte) bytes_ += static_cast<char>(value >> (8 * byte));
    }

    std::string bytes_;
};

}  // namespace

std::string hash_of_bytes(std::string_view bytes) {
    const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
    return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

std::string hash_of(const Record& record) {
    Canonical canonical;
    canonical.add_text(record.kind);
    canonical.add_document(record.identity);
    canonical.add_document(record.configuration);
    canonical.add_document(record.environment);
    canonical.add(record.samples);
    canonical.add(record.derived);
    canonical.add(record.verification);
    return hash_of_bytes(canonical.bytes());
}

}  // namespace shardstone::results
