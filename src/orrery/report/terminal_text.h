// SPDX-License-Identifier: Apache-2.0
//
// Text for terminals: lines that fit, a sheet of labeled lines, a table of columns.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/analysis/metrics/memory_level_use.h"

namespace orrery::report {

inline constexpr std::size_t kWidth = 80;

/// Number of columns of `text`: one per UTF-8 character, none for color sequences.
[[nodiscard]] std::size_t columns(std::string_view text);

/// `text` cut to `width` columns, with "…" in place of what was cut. Counts characters, not
/// color sequences.
[[nodiscard]] std::string fit(std::string_view text, std::size_t width);

/// "0-3,7" for {0,1,2,3,7}; at most `most` runs, then "…".
[[nodiscard]] std::string ranges(std::span<const std::uint32_t> ascending, std::size_t limit = 6);

/// "61.2 %": one decimal; "0 %" and "100 %" only when exact; "<0.1 %" for what would round to
/// nothing.
[[nodiscard]] std::string percent(double share);

/// Emphasis of text. Without color every function returns its argument.
struct Style {
  bool color = false;

  [[nodiscard]] std::string strong(std::string_view text) const;
  [[nodiscard]] std::string good(std::string_view text) const;
  [[nodiscard]] std::string warn(std::string_view text) const;
  [[nodiscard]] std::string bad(std::string_view text) const;
};

/// "16 groups of memory: 160.6 GB loaded, 144.5 GB stored; in use 18.5 %, 93 % at most (from 1
/// ms)".
[[nodiscard]] std::string remote_memory_text(const analysis::MemoryLevelUse& level);

/// Lines of "label   text". Long text wraps at spaces, indented to its beginning.
class Sheet {
 public:
  explicit Sheet(Style style, std::size_t label_width = 14, std::size_t width = kWidth)
      : style_(style), label_width_(label_width), width_(width) {}

  void add(std::string_view label, std::string_view text);
  /// A separate line, not wrapped.
  void line(std::string_view text);
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  Style style_;
  std::size_t label_width_;
  std::size_t width_;
  std::string text_;
};

/// Gives texts such as "24.77 MB" one unit, that of the largest. Texts that are no bytes in SI
/// units, other than "" and "-", leave all unchanged.
void unify_bytes(std::vector<std::string>& texts);

/// Columns with headings. Numbers are right-aligned; bytes in such a column get one unit. When rows
/// are wider than the page, the widest left-aligned column is cut.
class Table {
 public:
  struct Column {
    std::string title;
    bool right = false;
  };
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  /// One cell per column; missing ones are empty.
  void row(std::vector<std::string> cells);
  [[nodiscard]] bool empty() const { return rows_.empty(); }
  [[nodiscard]] std::string text(Style style, std::size_t indent = 0,
                                 std::size_t width = kWidth) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace orrery::report
