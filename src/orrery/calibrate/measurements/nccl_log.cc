// SPDX-License-Identifier: Apache-2.0
#include "orrery/calibrate/measurements/nccl_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <utility>

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

/// The number before a text, such as "8 coll channels"; 0: none.
std::int32_t number_before(string_view line, string_view text) {
  const std::size_t end = line.find(text);
  if (end == string_view::npos) return 0;
  std::size_t begin = end;
  while (begin > 0 && std::isdigit(static_cast<unsigned char>(line[begin - 1])) != 0) --begin;
  return begin == end ? 0 : number_after(line.substr(begin), "");
}

/// The number of rings of "Channel 00/08 :   0   1   2".
std::int32_t rings_of(string_view line) {
  const std::size_t found = line.find("Channel ");
  const std::size_t slash = found == string_view::npos ? found : line.find('/', found);
  if (slash == string_view::npos || slash > found + 12) return 0;
  const std::size_t colon = line.find(" :", slash);
  return colon == string_view::npos || colon > slash + 5 ? 0
                                                         : number_after(line.substr(slash), "/");
}

/// The adapters of "NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/RoCE [RO]; OOB eth0".
std::int32_t adapters_of(string_view line) {
  const std::size_t found = line.find("NET/IB : Using ");
  if (found == string_view::npos) return 0;
  std::int32_t count = 0;
  string_view rest = line.substr(found);
  for (std::size_t at = rest.find('['); at != string_view::npos; at = rest.find('[', at + 1))
    count += at + 1 < rest.size() && std::isdigit(static_cast<unsigned char>(rest[at + 1])) != 0;
  return count;
}

// include/nccl_device.h: NCCL_ALGO_*, NCCL_PROTO_*. Since 2.24 lines have the words.
constexpr std::array<string_view, 7> kAlgorithms = {
    "tree", "ring", "collnet_direct", "collnet_chain", "nvls", "nvls_tree", "pat"};
constexpr std::array<string_view, 3> kProtocols = {"ll", "ll128", "simple"};

/// The word after a key: a name in lower case, or that of a number.
template <std::size_t kCount>
std::string word_after(string_view line, string_view key,
                       const std::array<string_view, kCount>& names) {
  const std::size_t found = line.find(key);
  if (found == string_view::npos) return {};
  const string_view rest = line.substr(found + key.size());
  std::string word(rest.substr(0, rest.find_first_of(" ,\r")));
  std::transform(word.begin(), word.end(), word.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (word.size() == 1 && word[0] >= '0' && static_cast<std::size_t>(word[0] - '0') < kCount)
    return std::string(names[static_cast<std::size_t>(word[0] - '0')]);
  return std::find(names.begin(), names.end(), word) == names.end() ? std::string() : word;
}

/// "AllReduce ring simple" of "AllReduce: 4194304 Bytes -> Algo 1 proto 2 time 35.2"; empty: the
/// line has no choice.
std::string choice_of(string_view line) {
  const std::size_t bytes = line.find(" Bytes -> Algo ");
  const std::size_t colon = bytes == string_view::npos ? bytes : line.rfind(": ", bytes);
  if (colon == string_view::npos) return {};
  const std::size_t begin = line.find_last_of(" \t", colon - 1) + 1;
  const std::string algorithm = word_after(line, " Algo ", kAlgorithms);
  const std::string protocol = word_after(line, " proto ", kProtocols);
  if (algorithm.empty() || protocol.empty() || colon - begin > 20) return {};
  return fmt::format("{} {} {}", line.substr(begin, colon - begin), algorithm, protocol);
}

/// The version of "NCCL version 2.21.5+cuda12.4"; empty: the line has none.
std::string version_of(string_view line) {
  const std::size_t found = line.find("CCL version ");
  if (found == string_view::npos || found == 0) return {};
  const string_view rest = line.substr(found + 12);
  const string_view word = rest.substr(0, rest.find_first_of(" \r\t"));
  if (word.empty() || word.size() > 40 || std::isdigit(static_cast<unsigned char>(word[0])) == 0)
    return {};
  return fmt::format("{}CCL {}", line[found - 1], word);
}

}  // namespace

// The texts of the lines are those of NVIDIA/nccl, src/init.cc; ranks are counted as "nranks", or
// as "nRanks" with nodes.
void read_nccl_log_line(string_view line, NcclLog& log) {
  if (std::string version = version_of(line); !version.empty()) log.version = std::move(version);
  if (!has(line, "NCCL INFO")) return;
  log.seen = true;
  // With several programs in one log, these lines may come after the begin of the next one.
  if (has(line, " - Destroy") || has(line, " - Abort")) return;
  log.ranks = std::max({log.ranks, number_after(line, " nranks "), number_after(line, " nRanks ")});
  log.nodes = std::max(log.nodes, number_after(line, " nNodes "));
  log.channels = std::max({log.channels, number_before(line, " coll channels"), rings_of(line)});
  log.adapters = std::max(log.adapters, adapters_of(line));
  constexpr std::size_t kChoices = 256;
  if (const std::string choice = choice_of(line);
      !choice.empty() && (log.choices.size() < kChoices || log.choices.contains(choice)))
    ++log.choices[choice];
}

NcclLog read_nccl_log(string_view text) {
  NcclLog log;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    read_nccl_log_line(text.substr(0, end), log);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return log;
}

std::string contents_of(const NcclLog& log) {
  std::string text = log.ranks == 0  ? ""
                     : log.nodes > 0 ? fmt::format("{} ranks on {} nodes", log.ranks, log.nodes)
                                     : fmt::format("{} ranks", log.ranks);
  const auto add = [&](std::int32_t count, string_view what) {
    if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, what);
  };
  add(log.channels, "channels for collectives");
  add(log.adapters, "network adapters in a node");
  return text.empty() ? "nothing that is used" : text;
}

}  // namespace orrery::calibrate
