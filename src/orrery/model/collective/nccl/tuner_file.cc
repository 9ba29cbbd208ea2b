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

constexpr std::size_t kMaxLines = 100'000;

/// The cells of a line. Like the plug-in, splits at every comma and does not support quotes.
std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells = list_items(line);
  for (std::string_view& cell : cells) cell = trim_cell(cell);
  return cells;
}

Result<TunerLine> parse_line(std::string_view text, const std::string& place) {
  const std::vector<std::string_view> cells = cells_of(text);
  if (cells.size() < 8 || cells.size() > 10)
    return fail(Errc::config_type, place, fmt::format("has {} cells", cells.size()),
                "a line needs 8 to 10 cells: collective, minimum and maximum bytes, algorithm, "
                "protocol, channels, nodes, ranks[, operations[, registered]]");
  TunerLine line;
  const auto* const type = std::find(kTunedNames.begin(), kTunedNames.end(), cells[0]);
  const auto algorithm = algorithm_named(cells[3]);
  const auto protocol = protocol_named(cells[4]);
  if (type == kTunedNames.end() || !algorithm || !protocol) {
    const std::size_t wrong = type == kTunedNames.end() ? 0 : algorithm ? 4 : 3;
    return fail(
        Errc::config_range, place,
        in_quotes(cells[wrong]) + " is not a valid value in a tuner file",
        "collectives: allreduce, allgather, reducescatter, broadcast, reduce; algorithms: tree, "
        "ring, collnet_direct, collnet_chain, nvls, nvls_tree, pat; protocols: ll, ll128, simple");
  }
  line.type = kTunedCollectives[static_cast<std::size_t>(type - kTunedNames.begin())];
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
      return fail(Errc::config_range, place,
                  fmt::format("{} is below the minimum of its column", *read));
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
    const std::string_view line = trim_cell(text.substr(begin, end - begin));
    begin = end + 1;
    ++number;
    if (line.empty() || line.front() == '#') continue;
    if (lines.size() == kMaxLines)
      return fail(Errc::limit_exceeded, where, fmt::format("has more than {} lines", kMaxLines));
    auto parsed = parse_line(line, fmt::format("{}:{}", where, number));
    if (!parsed) return tl::unexpected(std::move(parsed.error()));
    lines.push_back(*parsed);
  }
  return lines;
}

std::string write_tuner(std::span<const TunerLine> lines) {
  std::string text;
  for (const TunerLine& line : lines) {
    const auto tuned = tuned_index(line.type);
    if (!tuned) continue;
    text += fmt::format("{},{},{},{},{},{},{},{}", kTunedNames[*tuned], line.lower, line.upper,
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
