// SPDX-License-Identifier: Apache-2.0
#include "orrery/platform/topology/formats/machines/nvidia_smi_matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "orrery/core/text/text.h"
#include "orrery/platform/topology/formats/common/line_reader.h"

namespace orrery::platform {
namespace {

constexpr std::size_t kMaxDevices = 1024;

bool is_numbered(std::string_view word, std::string_view stem) {
  return word.starts_with(stem) && whole_number(word.substr(stem.size())).has_value();
}

/// A cell's meaning; empty: it is none.
std::optional<SmiCell> smi_cell(std::string_view word) {
  struct Named {
    std::string_view name;
    SmiPath path;
  };
  constexpr Named kNames[] = {
      {"PIX", SmiPath::pix},   {"PXB", SmiPath::pxb},     {"PHB", SmiPath::phb},
      {"NODE", SmiPath::node}, {"SYS", SmiPath::sys},     {"SOC", SmiPath::sys},
      {"X", SmiPath::unknown}, {"N/A", SmiPath::unknown}, {"PSB", SmiPath::pix}};
  for (const Named& known : kNames) {
    if (known.name == word) return SmiCell{known.path, 0};
  }
  if (!word.starts_with("NV")) return std::nullopt;
  const auto links = whole_number(word.substr(2));
  if (!links || *links == 0 || *links > 1024) return std::nullopt;
  return SmiCell{SmiPath::unknown, static_cast<std::uint32_t>(*links)};
}

struct SmiRow {
  std::string name;
  std::size_t line = 0;
  std::vector<SmiCell> cells;
  std::string affinity;
};

class SmiMatrixReader {
 public:
  SmiMatrixReader(std::string_view text, const std::string& where, Findings& findings)
      : lines_(text), where_(where), findings_(findings) {}

  Result<SmiMatrix> read() {
    while (lines_.next() && !is_smi_header(lines_.words())) {
    }
    if (!is_smi_header(lines_.words()))
      return fail(Errc::input_empty, where_, "contains no matrix: no line begins with GPU0",
                  "save the output of `nvidia-smi topo -m`");
    if (auto done = read_header(); !done) return tl::unexpected(done.error());
    while (lines_.next()) {
      if (lines_.words().empty()) break;
      Result<bool> more = read_row();
      if (!more) return tl::unexpected(more.error());
      if (!*more) break;
    }
    while (lines_.next()) {
      if (lines_.words().size() > 1 && is_smi_header(lines_.words()))
        findings_.add(FindingCode::fabric_part_ignored,
                      at_line(where_, lines_.number()) + ": a second matrix");
      read_legend();
    }
    return make_matrix();
  }

 private:
  Result<void> read_header() {
    for (const std::string_view word : lines_.words()) {
      if (word == "CPU" || word == "NUMA" || word == "GPU" || mentions(word, "affinity")) break;
      columns_.emplace_back(word);
    }
    if (columns_.size() <= kMaxDevices) return {};
    return fail(
        Errc::limit_exceeded, at_line(where_, lines_.number()),
        fmt::format("{} columns, but a machine has at most {}", columns_.size(), kMaxDevices));
  }

  /// False: the line is no row, and the matrix ends before it.
  Result<bool> read_row() {
    const auto& words = lines_.words();
    SmiRow made{std::string(words[0]), lines_.number(), {}, {}};
    std::size_t i = 1;
    for (; i < words.size() && made.cells.size() < columns_.size(); ++i) {
      const auto is = smi_cell(words[i]);
      if (!is) break;
      made.cells.push_back(*is);
    }
    if (made.cells.empty()) return false;
    const std::string place = at_line(where_, lines_.number());
    if (made.cells.size() < columns_.size())
      return fail(i < words.size() ? Errc::input_corrupt : Errc::input_truncated, place,
                  i < words.size()
                      ? fmt::format("{} is not a connection type", in_quotes(words[i]))
                      : fmt::format("{} has {} cells, but must have {}", in_quotes(made.name),
                                    made.cells.size(), columns_.size()),
                  "cells must be X, NV#, PIX, PXB, PHB, NODE or SYS");
    // What follows are CPUs, then the NUMA node: the last is the better word for where it is.
    const std::size_t left = words.size() - i;
    if (left >= 2 && words[i + 1] != "N/A") made.affinity = std::string(words[i + 1]);
    if (left >= 1 && made.affinity.empty()) made.affinity = std::string(words[i]);
    if (rows_.size() == kMaxDevices)
      return fail(Errc::limit_exceeded, place, "more rows than devices");
    rows_.push_back(std::move(made));
    return true;
  }

  /// "NIC0: mlx5_0"
  void read_legend() {
    const auto& words = lines_.words();
    if (words.size() == 2 && words[0].ends_with(':') &&
        is_numbered(words[0].substr(0, words[0].size() - 1), "NIC"))
      legend_.emplace(words[0].substr(0, words[0].size() - 1), words[1]);
  }

  Result<SmiMatrix> make_matrix() {
    SmiMatrix made;
    std::map<std::string, std::size_t, std::less<>> at;
    for (const std::string& name : columns_) at.emplace(name, at.size());
    for (const SmiRow& row : rows_) at.emplace(row.name, at.size());
    if (columns_.empty() || at.size() < columns_.size())
      return fail(Errc::input_corrupt, where_, "a column appears twice");
    const std::size_t size = at.size();
    made.names.resize(size);
    made.affinity.resize(size);
    made.gpu.resize(size);
    made.cells.assign(size, std::vector<SmiCell>(size));
    for (const auto& [name, i] : at) {
      made.gpu[i] = is_numbered(name, "GPU");
      const auto known = legend_.find(name);
      made.names[i] = printable(known == legend_.end() ? name : known->second, kShownBytes);
    }
    std::vector<bool> seen(size);
    for (const SmiRow& row : rows_) {
      const std::size_t i = at.find(row.name)->second;
      if (seen[i])
        return fail(Errc::input_corrupt, at_line(where_, row.line),
                    fmt::format("a second row of {}", in_quotes(row.name)));
      seen[i] = true;
      made.affinity[i] = row.affinity;
      for (std::size_t k = 0; k < columns_.size(); ++k)
        if (auto done = set_cell(made, i, at.find(columns_[k])->second, row.cells[k]); !done)
          return tl::unexpected(done.error());
    }
    for (std::size_t i = 0; i < size; ++i) {
      if (!seen[i])
        return fail(Errc::input_truncated, where_,
                    fmt::format("{} has a column but no row", in_quotes(made.names[i])),
                    "save the complete output of `nvidia-smi topo -m`");
    }
    return made;
  }

  Result<void> set_cell(SmiMatrix& made, std::size_t row, std::size_t column, const SmiCell& cell) {
    if (row == column) return {};
    SmiCell& mirrored = made.cells[column][row];
    const bool was_stated = mirrored.nvlinks > 0 || mirrored.path != SmiPath::unknown;
    const bool is_stated = cell.nvlinks > 0 || cell.path != SmiPath::unknown;
    if (was_stated && is_stated &&
        (mirrored.path != cell.path || mirrored.nvlinks != cell.nvlinks)) {
      findings_.add(FindingCode::fabric_contradicts,
                    fmt::format("{}: {} and {}", where_, made.names[row], made.names[column]));
      return {};  // What stood there first counts.
    }
    if (!is_stated) return {};
    mirrored = cell;
    made.cells[row][column] = cell;
    return {};
  }

  LineReader lines_;
  const std::string& where_;
  Findings& findings_;
  std::vector<std::string> columns_;
  std::vector<SmiRow> rows_;
  std::map<std::string, std::string, std::less<>> legend_;
};

}  // namespace

bool is_smi_header(const std::vector<std::string_view>& words) {
  return !words.empty() && is_numbered(words[0], "GPU") &&
         (words.size() == 1 || !smi_cell(words[1]).has_value());
}

bool is_smi_cell(std::string_view word) { return smi_cell(word).has_value(); }

bool is_cut_smi_cell(std::string_view word) {
  constexpr std::string_view kCells[] = {"NV", "PIX", "PXB", "PHB", "NODE", "SYS", "SOC", "N/A"};
  return !word.empty() && std::any_of(std::begin(kCells), std::end(kCells),
                                      [&](auto cell) { return cell.starts_with(word); });
}

std::string strip_escapes(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    // Copied from a terminal, "\x1b[4m" is often left without its first byte.
    const bool bare = text[i] == '[' && i + 2 < text.size() &&
                      (text[i + 1] == '4' || text[i + 1] == '0') && text[i + 2] == 'm';
    if (bare) {
      i += 2;
      continue;
    }
    if (text[i] != '\x1b') {
      out.push_back(text[i]);
      continue;
    }
    if (i + 1 < text.size() && text[i + 1] == '[') ++i;
    while (i + 1 < text.size() &&
           (text[i + 1] == ';' || (text[i + 1] >= '0' && text[i + 1] <= '9')))
      ++i;
    ++i;
  }
  return out;
}

Result<SmiMatrix> read_smi_matrix(std::string_view text, const std::string& where,
                                  Findings& findings) {
  return SmiMatrixReader(text, where, findings).read();
}

}  // namespace orrery::platform
