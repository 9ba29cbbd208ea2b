// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/collective/nccl/tuner_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "orrery/core/text/csv.h"
#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"

namespace orrery::model::nccl {

using graph::CollectiveType;

namespace {

constexpr std::size_t kMostLines = 100'000;
constexpr std::array<std::pair<std::string_view, CollectiveType>, 5> kCollectives = {
    {{"broadcast", CollectiveType::broadcast},
     {"reduce", CollectiveType::reduce},
     {"allgather", CollectiveType::all_gather},
     {"reducescatter", CollectiveType::reduce_scatter},
     {"allreduce", CollectiveType::all_reduce}}};

/// The plug-in cuts at every comma and knows no quotes.
std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells = list_items(line);
  for (std::string_view& cell : cells) cell = trimmed_cell(cell);
  return cells;
}

Result<TunerLine> parse_line(std::string_view text, const std::string& place) {
  const std::vector<std::string_view> cells = cells_of(text);
  if (cells.size() < 8 || cells.size() > 10)
    return fail(Errc::config_type, place, fmt::format("has {} cells", cells.size()),
                "a line has 8 to 10: collective, least and most bytes, algorithm, protocol, "
                "channels, nodes, ranks[, operations[, registered]]");
  TunerLine line;
  const auto type = std::find_if(kCollectives.begin(), kCollectives.end(),
                                 [&](const auto& one) { return one.first == cells[0]; });
  const auto algorithm = algorithm_named(cells[3]);
  const auto protocol = protocol_named(cells[4]);
  if (type == kCollectives.end() || !algorithm || !protocol) {
    const std::size_t wrong = type == kCollectives.end() ? 0 : algorithm ? 4 : 3;
    return fail(Errc::config_range, place,
                in_quotes(cells[wrong]) + " is no word of a tuner's file",
                "collectives are allreduce, allgather, reducescatter, broadcast, reduce; "
                "algorithms tree, ring, collnet_direct, collnet_chain, nvls, nvls_tree, pat; "
                "protocols ll, ll128, simple");
  }
  line.type = type->second;
  line.algorithm = *algorithm;
  line.protocol = *protocol;
  const std::array<std::pair<std::size_t, std::int64_t*>, 7> numbers = {{{1, &line.lower},
                                                                         {2, &line.upper},
                                                                         {5, &line.channels},
                                                                         {6, &line.nodes},
                                                                         {7, &line.ranks},
                                                                         {8, &line.operations},
                                                                         {9, &line.registered}}};
  for (const auto& [cell, number] : numbers) {
    if (cell >= cells.size()) continue;
    const auto read = parse_integer(cells[cell], place);
    if (!read) return tl::unexpected(read.error());
    if (*read < (cell < 3 ? 0 : -1))
      return fail(Errc::config_range, place, fmt::format("{} is less than it may be", *read));
    *number = *read;
  }
  return line;
}

}  // namespace

Result<std::vector<TunerLine>> parse_tuner(std::string_view text, const std::string& where) {
  std::vector<TunerLine> lines;
  std::size_t number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = trimmed_cell(text.substr(begin, end - begin));
    begin = end + 1;
    ++number;
    if (line.empty() || line.front() == '#') continue;
    if (lines.size() == kMostLines)
      return fail(Errc::limit_exceeded, where, fmt::format("has more than {} lines", kMostLines));
    auto parsed = parse_line(line, fmt::format("{}:{}", where, number));
    if (!parsed) return tl::unexpected(std::move(parsed.error()));
    lines.push_back(*parsed);
  }
  return lines;
}

std::string write_tuner(std::span<const TunerLine> lines) {
  std::string text;
  for (const TunerLine& line : lines) {
    const auto* const type = std::find_if(kCollectives.begin(), kCollectives.end(),
                                          [&](const auto& one) { return one.second == line.type; });
    if (type == kCollectives.end()) continue;
    text += fmt::format("{},{},{},{},{},{},{},{}", type->first, line.lower, line.upper,
                        name(line.algorithm), name(line.protocol), line.channels, line.nodes,
                        line.ranks);
    if (line.operations >= 0 || line.registered >= 0) text += fmt::format(",{}", line.operations);
    if (line.registered >= 0) text += fmt::format(",{}", line.registered);
    text += '\n';
  }
  return text;
}

std::optional<Choice> tuner_choice(std::span<const TunerLine> lines, CollectiveType type,
                                   std::int64_t bytes, const Shape& shape, const Machine& machine) {
  for (const TunerLine& line : lines) {
    const bool fits = line.type == type && bytes >= line.lower && bytes <= line.upper &&
                      (line.nodes < 0 || line.nodes == shape.nodes) &&
                      (line.ranks < 0 || line.ranks == shape.ranks) && line.operations <= 1 &&
                      line.registered <= 0;
    if (!fits) continue;
    Allowed only = Allowed::only(line.algorithm, line.protocol);
    if (line.channels > 0)
      only.min_channels = only.max_channels =
          static_cast<int>(std::min<std::int64_t>(line.channels, 64));
    if (auto choice = choose(type, bytes, shape, machine, only)) return choice;
  }
  return std::nullopt;
}

}  // namespace orrery::model::nccl
