// SPDX-License-Identifier: Apache-2.0
#include "orrery/core/text/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace orrery {

std::string_view trim_cell(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

TrimmedLineReader::TrimmedLineReader(std::string_view text, std::string where)
    : rest_(text), where_(std::move(where)) {
  if (rest_.starts_with("\xEF\xBB\xBF")) rest_.remove_prefix(3);
}

bool TrimmedLineReader::next(std::string_view& line) {
  if (rest_.empty()) return false;
  const std::size_t end = std::min(rest_.find('\n'), rest_.size());
  line = trim_cell(rest_.substr(0, end));
  rest_.remove_prefix(std::min(end + 1, rest_.size()));
  ++number_;
  return true;
}

std::string TrimmedLineReader::place() const { return fmt::format("{}:{}", where_, number_); }

bool split_csv_row(std::string_view row, std::vector<std::string_view>& cells,
                   std::vector<std::string>& retained) {
  cells.clear();
  retained.clear();
  retained.reserve(row.size() / 2 + 1);  // views must not move
  while (true) {
    row = trim_cell(row);
    if (!row.starts_with('"')) {
      const std::size_t comma = row.find(',');
      cells.push_back(trim_cell(row.substr(0, comma)));
      if (comma == std::string_view::npos) return true;
      row.remove_prefix(comma + 1);
      continue;
    }
    std::size_t end = 1;
    bool doubled = false;
    for (;; end += 2) {
      end = row.find('"', end);
      if (end == std::string_view::npos) return false;
      if (end + 1 >= row.size() || row[end + 1] != '"') break;
      doubled = true;
    }
    const std::string_view inside = row.substr(1, end - 1);
    if (doubled) {
      std::string& text = retained.emplace_back();
      for (std::size_t i = 0; i < inside.size(); ++i) {
        text += inside[i];
        if (inside[i] == '"') ++i;
      }
      cells.push_back(trim_cell(text));
    } else {
      cells.push_back(trim_cell(inside));
    }
    row = trim_cell(row.substr(end + 1));
    if (row.empty()) return true;
    if (row.front() != ',') return false;
    row.remove_prefix(1);
  }
}

std::string csv_cell(std::string_view text) {
  if (text.find_first_of(",\"\n\r") == std::string_view::npos) return std::string(text);
  std::string cell = "\"";
  for (const char c : text) cell.append(c == '"' ? 2 : 1, c);
  return cell + '"';
}

}  // namespace orrery
