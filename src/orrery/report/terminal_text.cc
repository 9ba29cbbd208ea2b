// SPDX-License-Identifier: Apache-2.0
#include "orrery/report/terminal_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "orrery/analysis/value_text.h"
#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"

namespace orrery::report {

namespace {

constexpr std::string_view kEllipsis = "\xE2\x80\xA6";

/// The bytes of a color sequence (ESC [ … m) at the front of `text`, or 0.
std::size_t color_length(std::string_view text) {
  if (text.size() < 3 || text[0] != '\x1b' || text[1] != '[') return 0;
  const std::size_t end = text.find_first_not_of("0123456789;", 2);
  return end != std::string_view::npos && text[end] == 'm' ? end + 1 : 0;
}

std::string wrap(bool color, const char* code, std::string_view text) {
  return color && !text.empty() ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
}

std::string padded(std::string_view text, std::size_t width, bool right) {
  const std::size_t used = columns(text);
  const std::string space(used < width ? width - used : 0, ' ');
  return right ? space + std::string(text) : std::string(text) + space;
}

void trim_right(std::string& line) { line.erase(line.find_last_not_of(' ') + 1); }

}  // namespace

std::size_t columns(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size();) {
    if (const std::size_t skip = color_length(text.substr(at))) {
      at += skip;
      continue;
    }
    at += std::max<std::size_t>(utf8_length(text.substr(at)), 1);
    ++count;
  }
  return count;
}

std::string fit(std::string_view text, std::size_t width) {
  if (columns(text) <= width) return std::string(text);
  std::string cut;
  std::size_t used = 0;
  for (std::size_t at = 0; at < text.size() && used + 1 < width; ++used) {
    const std::size_t length = std::max<std::size_t>(utf8_length(text.substr(at)), 1);
    cut += text.substr(at, length);
    at += length;
  }
  if (width > 0) cut += kEllipsis;
  return cut;
}

std::string ranges(std::span<const std::uint32_t> ascending, std::size_t limit) {
  std::string text;
  std::size_t runs = 0;
  for (std::size_t i = 0; i < ascending.size(); ++runs) {
    std::size_t last = i;
    while (last + 1 < ascending.size() && ascending[last + 1] == ascending[last] + 1) ++last;
    if (!text.empty()) text += ',';
    if (runs == limit) return text + std::string(kEllipsis);
    text += last == i ? fmt::format("{}", ascending[i])
                      : fmt::format("{}-{}", ascending[i], ascending[last]);
    i = last + 1;
  }
  return text;
}

std::string percent(double share) { return analysis::share_text(share); }

std::string remote_memory_text(const analysis::MemoryLevelUse& level) {
  std::string text = fmt::format("{}: {} loaded, {} stored; in use {}", printable(level.name),
                                 analysis::bytes_text(level.loaded),
                                 analysis::bytes_text(level.stored), percent(level.in_use));
  if (level.busiest > 0)
    text += fmt::format(", {} at most (from {})", percent(level.busiest), format_time(level.from));
  return text;
}

std::string Style::strong(std::string_view text) const { return wrap(color, "1", text); }
std::string Style::good(std::string_view text) const { return wrap(color, "32", text); }
std::string Style::warn(std::string_view text) const { return wrap(color, "33", text); }
std::string Style::bad(std::string_view text) const { return wrap(color, "31", text); }

void Sheet::add(std::string_view label, std::string_view text) {
  text_ += padded(style_.strong(label), label_width_, false);
  text_ += ' ';
  const std::size_t room = width_ - label_width_ - 1;
  while (columns(text) > room) {
    // The last space that fits; a single word that is too long is left whole.
    std::size_t at = 0, used = 0, space = std::string_view::npos;
    for (; at < text.size() && (used <= room || space == std::string_view::npos); ++used) {
      if (text[at] == ' ' && used > 0) space = at;
      at += std::max<std::size_t>(utf8_length(text.substr(at)), 1);
    }
    if (space == std::string_view::npos) break;
    text_ += text.substr(0, space);
    text_ += '\n';
    text_.append(label_width_ + 1, ' ');
    text.remove_prefix(space + 1);
  }
  text_ += text;
  trim_right(text_);
  text_ += '\n';
}

void Sheet::line(std::string_view text) {
  text_ += text;
  trim_right(text_);
  text_ += '\n';
}

namespace {

constexpr std::array<std::string_view, 6> kByteUnits = {"B", "kB", "MB", "GB", "TB", "PB"};

/// A cell such as "24.77 MB".
struct ByteCell {
  double bytes = 0;
  std::size_t unit = 0;
};

std::optional<ByteCell> byte_cell(std::string_view cell) {
  const std::size_t blank = cell.find(' ');
  if (blank == std::string_view::npos) return std::nullopt;
  const auto* const unit = std::find(kByteUnits.begin(), kByteUnits.end(), cell.substr(blank + 1));
  if (unit == kByteUnits.end()) return std::nullopt;
  double number = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + blank, number);
  if (error != std::errc() || end != cell.data() + blank) return std::nullopt;
  const auto power = static_cast<std::size_t>(unit - kByteUnits.begin());
  return ByteCell{number * std::pow(1000, static_cast<double>(power)), power};
}

/// At most four digits, and at most four decimals: "104.7", "0.0248".
std::string in_unit(double bytes, std::size_t unit) {
  const double number = bytes / std::pow(1000, static_cast<double>(unit));
  if (number == 0 || number >= 0.1) return fmt::format("{:.4g} {}", number, kByteUnits.at(unit));
  if (number < 0.0001) return fmt::format("<0.0001 {}", kByteUnits.at(unit));
  return fmt::format("{:.4f} {}", number, kByteUnits.at(unit));
}

}  // namespace

void unify_bytes(std::vector<std::string>& texts) {
  std::size_t largest = 0;
  bool differ = false, any = false;
  for (const std::string& text : texts) {
    if (text.empty() || text == "-") continue;
    const auto cell = byte_cell(text);
    if (!cell) return;
    if (cell->bytes == 0) continue;
    differ = differ || (any && cell->unit != largest);
    largest = std::max(largest, cell->unit);
    any = true;
  }
  if (!differ) return;
  for (std::string& text : texts)
    if (const auto cell = byte_cell(text)) text = in_unit(cell->bytes, largest);
}

void Table::row(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  rows_.push_back(std::move(cells));
}

std::string Table::text(Style style, std::size_t indent, std::size_t width) const {
  std::vector<std::vector<std::string>> rows = rows_;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    if (!columns_[c].right) continue;
    std::vector<std::string> cells;
    for (const auto& row : rows) cells.push_back(row[c]);
    unify_bytes(cells);
    for (std::size_t r = 0; r < rows.size(); ++r) rows[r][c] = std::move(cells[r]);
  }
  std::vector<std::size_t> widths;
  for (const Column& column : columns_) widths.push_back(columns(column.title));
  for (const auto& cells : rows) {
    for (std::size_t c = 0; c < cells.size(); ++c)
      widths[c] = std::max(widths[c], columns(cells[c]));
  }
  std::size_t total = indent + 2 * (widths.empty() ? 0 : widths.size() - 1);
  for (const std::size_t w : widths) total += w;
  while (total > width) {
    std::size_t widest = columns_.size();
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      if (!columns_[c].right && (widest == columns_.size() || widths[c] > widths[widest]))
        widest = c;
    }
    if (widest == columns_.size() || widths[widest] <= 8) break;
    const std::size_t cut = std::min(total - width, widths[widest] - 8);
    widths[widest] -= cut;
    total -= cut;
  }

  std::string out;
  const auto emit = [&](const std::vector<std::string>& cells, bool heading) {
    std::string line(indent, ' ');
    for (std::size_t c = 0; c < cells.size(); ++c) {
      if (c > 0) line += "  ";
      const std::string cell = padded(fit(cells[c], widths[c]), widths[c], columns_[c].right);
      line += heading ? style.strong(cell) : cell;
    }
    trim_right(line);
    out += line + '\n';
  };
  std::vector<std::string> titles;
  for (const Column& column : columns_) titles.push_back(column.title);
  if (std::any_of(titles.begin(), titles.end(), [](const auto& t) { return !t.empty(); }))
    emit(titles, true);
  for (const auto& cells : rows) emit(cells, false);
  return out;
}

}  // namespace orrery::report
