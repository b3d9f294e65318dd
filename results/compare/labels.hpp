// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "results/compare/match.hpp"

namespace shardstone::results {

/// Short names of rows: of the rows of one quantity in one table of one kind of record, the keys
/// that differ among them, "ring, 4 KiB", or all keys if there is only one row; and what they have
/// in common.
class Labels {
  public:
    Labels() = default;
    explicit Labels(const std::vector<MatchedRow>& rows);

    std::string of(const MatchedRow& row) const;
    /// "all_reduce, in_place 1, ranks 2"; "" if they have nothing in common.
    std::string common(const std::string& kind, const std::string& table,
                       const std::string& quantity) const;

  private:
    struct Keys {
        std::size_t rows = 0;
        std::map<std::string, std::map<std::string, std::size_t>> counts;  ///< name, value
        std::vector<RowKey> first;
    };
    bool is_common(const Keys& keys, const RowKey& key) const;

    /// By kind, table and quantity.
    std::map<std::tuple<std::string, std::string, std::string>, Keys> of_tables_;
};

}  // namespace shardstone::results
