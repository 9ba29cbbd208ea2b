// SPDX-License-Identifier: Apache-2.0
#include "orrery/calibrate/measurements/nccl_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

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

bool has(string_view line, string_view text) { return line.find(text) != string_view::npos; }

}  // namespace

// The texts of the lines are those of NVIDIA/nccl, src/init.cc; ranks are counted as "nranks", or
// as "nRanks" with nodes.
void read_nccl_log_line(string_view line, NcclLog& log) {
  if (!has(line, "NCCL INFO")) return;
  log.seen = true;
  // With several programs in one log, these lines may come after the begin of the next one.
  if (has(line, " - Destroy") || has(line, " - Abort")) return;
  log.ranks = std::max({log.ranks, number_after(line, " nranks "), number_after(line, " nRanks ")});
  log.nodes = std::max(log.nodes, number_after(line, " nNodes "));
}

std::string contents_of(const NcclLog& log) {
  if (log.ranks == 0) return "nothing that is used";
  return log.nodes > 0 ? fmt::format("{} ranks on {} nodes", log.ranks, log.nodes)
                       : fmt::format("{} ranks", log.ranks);
}

}  // namespace orrery::calibrate
