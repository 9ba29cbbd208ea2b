// SPDX-License-Identifier: Apache-2.0
#include "orrery/report/terminal_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "orrery/analysis/value_text.h"
#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"

namespace orrery::report {

namespace {

constexpr std::string_view kEllipsis = "\xE2\x80\xA6";

/// The bytes of a colour sequence (ESC [ … m) at the front of `text`, or 0.
std::size_t colour_length(std::string_view text) {
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
    if (const std::size_t skip = colour_length(text.substr(at))) {
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

void Table::row(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  rows_.push_back(std::move(cells));
}

std::string Table::text(Style style, std::size_t indent, std::size_t width) const {
  std::vector<std::size_t> widths;
  for (const Column& column : columns_) widths.push_back(columns(column.title));
  for (const auto& cells : rows_) {
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
  for (const auto& cells : rows_) emit(cells, false);
  return out;
}

}  // namespace orrery::report
