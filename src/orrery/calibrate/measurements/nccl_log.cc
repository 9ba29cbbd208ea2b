// SPDX-License-Identifier: Apache-2.0
#include "orrery/calibrate/measurements/nccl_log.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <vector>

#include "orrery/core/limits.h"

namespace orrery::calibrate {
namespace {

using std::string_view;

/// The number after a key, such as "nranks 8"; 0: none, or too large for a number of ranks.
std::int32_t number_after(string_view line, string_view key) {
  const std::size_t found = line.find(key);
  if (found == string_view::npos) return 0;
  string_view rest = line.substr(found + key.size());
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  std::uint64_t value = 0;
  const auto parsed = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  if (parsed.ec != std::errc{} || value > limits::kRanks) return 0;
  return static_cast<std::int32_t>(value);
}

/// The number before a key, such as "24 coll channels".
std::int32_t number_before(string_view line, string_view key) {
  std::size_t end = line.find(key);
  if (end == string_view::npos) return 0;
  while (end > 0 && line[end - 1] == ' ') --end;
  std::size_t begin = end;
  while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9') --begin;
  return number_after(line.substr(begin, end - begin), "");
}

bool has(string_view line, string_view text) { return line.find(text) != string_view::npos; }

}  // namespace

// The texts of the lines are those of NVIDIA/nccl, src/init.cc, src/graph/connect.cc and
// src/enqueue.cc; ranks are counted as "nranks", or as "nRanks" with nodes.
void read_nccl_log_line(string_view line, NcclLog& log) {
  if (!has(line, "NCCL INFO")) return;
  log.seen = true;
  log.ranks = std::max({log.ranks, number_after(line, " nranks "), number_after(line, " nRanks ")});
  log.nodes = std::max(log.nodes, number_after(line, " nNodes "));
  log.channels = std::max(log.channels, number_before(line, " coll channels"));
  if (const std::size_t at = line.find("Channel "); at != string_view::npos) {
    const string_view rest = line.substr(at);
    if (has(rest.substr(0, 16), "/") && has(rest.substr(0, 20), " :")) ++log.rings;
  }
  log.has_trees = log.has_trees || has(line, "NCCL INFO Trees [");
  if (has(line, " Bytes -> Algo ")) ++log.choices;
}

std::string contents_of(const NcclLog& log) {
  std::vector<std::string> parts;
  if (log.ranks > 0)
    parts.push_back(log.nodes > 0 ? fmt::format("{} ranks on {} nodes", log.ranks, log.nodes)
                                  : fmt::format("{} ranks", log.ranks));
  if (log.channels > 0) parts.push_back(fmt::format("{} channels", log.channels));
  if (log.rings > 0) parts.push_back(fmt::format("{} rings", log.rings));
  if (log.has_trees) parts.emplace_back("trees");
  if (log.choices > 0)
    parts.push_back(
        fmt::format("{} choice{} of algorithms", log.choices, log.choices == 1 ? "" : "s"));
  return parts.empty() ? "nothing that is used" : fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace orrery::calibrate
