// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace shardstone::results {

/// A document that is safe inside a <script> element: nothing in it can end or comment out the
/// element. Infinite and undefined numbers become null.
std::string json_for_script(const nlohmann::json& document);

/// A table of texts (escaped here). Columns whose cells all begin like numbers are right-aligned,
/// except the first, which labels the row.
class HtmlTable {
  public:
    explicit HtmlTable(std::vector<std::string> header) : header_(std::move(header)) {}

    /// Sources of the numbers: attributes of the table and its headings, by which a script finds
    /// them.
    struct Origin {
        std::string file, table;
        std::vector<std::string> columns;   ///< one per heading
        std::vector<std::string> meanings;  ///< shown as tooltips; one per heading, or none
    };
    void tell_scripts(Origin origin) { origin_ = std::move(origin); }

    /// One cell for each column of the header. Cells that begin with "error:" (words.hpp:
    /// share_text) are marked. `below`, if given, is placed under them over the whole width: for
    /// sentences, which do not fit into a column.
    void add_row(std::vector<std::string> cells, const std::string& below = "");
    /// The next rows are under `heading`, which has a row of its own above the first of them: for
    /// long names that rows share. The first column has then what tells the rows apart, and may be
    /// one of numbers.
    void put_under(const std::string& heading);
    /// Leaves out columns of which no row has anything ("-" or nothing at all).
    void drop_empty_columns();
    bool empty() const { return rows_.empty(); }
    std::size_t size() const { return rows_.size(); }
    std::string html() const;

  private:
    bool is_numeric(std::size_t column) const;
    bool is_empty(std::size_t column) const;
    bool stands_right(std::size_t column) const;
    bool has_long_labels() const;
    bool has_many_columns() const;
    std::string heading_html() const;
    std::string row_html(std::size_t row, const std::vector<bool>& numeric) const;

    std::vector<std::string> header_;
    std::vector<std::vector<std::string>> rows_;
    std::vector<std::string> below_;               ///< one per row, mostly empty
    std::map<std::size_t, std::string> headings_;  ///< by the row that they precede
    Origin origin_;
};

/// `inner` (HTML) folded behind a summary line; `summary` is escaped here.
std::string foldable(const std::string& summary, const std::string& inner);

/// <p> with escaped text.
std::string paragraph(std::string_view text);

}  // namespace shardstone::results
