// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/collectives/collective_synthesis.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <memory>

#include "orrery/config/document.h"
#include "orrery/core/check.h"
#include "orrery/core/text/suggest.h"
#include "orrery/core/text/text.h"
#include "orrery/platform/cluster/cluster.h"
#include "orrery/platform/cluster/fabric/fabric.h"
#include "orrery/platform/topology/formats/read_topology.h"
#include "orrery/synthesis/schedules/schedule_plan.h"

namespace orrery::study {

namespace {

using graph::CollectiveType;

struct SynthesisWord {
  std::string_view word;
  CollectiveType type;
};
constexpr std::array kSynthesisWords{
    SynthesisWord{"all-gather", CollectiveType::all_gather},
    SynthesisWord{"reduce-scatter", CollectiveType::reduce_scatter},
    SynthesisWord{"all-reduce", CollectiveType::all_reduce},
    SynthesisWord{"all-to-all", CollectiveType::all_to_all},
    SynthesisWord{"broadcast", CollectiveType::broadcast},
    SynthesisWord{"reduce", CollectiveType::reduce}};

Result<CollectiveType> type_of(const std::string& word) {
  for (const SynthesisWord& one : kSynthesisWords) {
    if (one.word == word) return one.type;
  }
  return fail(Errc::usage, in_quotes(word), "is not a collective that can be synthesized",
              fmt::format("one of {}", fmt::join(synthesizable_collectives(), ", ")));
}

/// Parses "0-7,16".
Result<std::vector<std::uint32_t>> ranks_of(std::string_view text) {
  std::vector<std::uint32_t> ranks;
  while (!text.empty()) {
    const std::string_view item = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), item.size() + 1));
    std::uint32_t low = 0;
    const char* const end = item.data() + item.size();
    std::from_chars_result parsed = std::from_chars(item.data(), end, low);
    std::uint32_t high = low;
    if (parsed.ec == std::errc{} && parsed.ptr != end && *parsed.ptr == '-')
      parsed = std::from_chars(parsed.ptr + 1, end, high);
    constexpr std::uint32_t kMost = 1U << 20;
    if (parsed.ec != std::errc{} || parsed.ptr != end || high < low || high - low >= kMost)
      return fail(Errc::usage, "--ranks", fmt::format("{} is not a rank or range", in_quotes(item)),
                  "write it like 0-7,16");
    for (std::uint32_t rank = low; rank <= high; ++rank) ranks.push_back(rank);
  }
  return ranks;
}

Result<synthesis::FabricState> fabric_state_of_cluster(const std::string& file, Findings& findings,
                                                       std::vector<std::string>& notes) {
  const auto cluster = platform::read_cluster(file, findings);
  if (!cluster) return tl::unexpected(cluster.error());
  if (cluster->fabric != nullptr &&
      std::any_of(cluster->fabric->faults.begin(), cluster->fabric->faults.end(),
                  [](const platform::LinkFault& fault) { return !fault.is_permanent(); }))
    notes.emplace_back(
        "Temporary and recurring faults are ignored: a schedule is made for one state of the "
        "fabric.");
  return synthesis::make_fabric_state(*cluster);
}

Result<synthesis::FabricState> read_fabric_state(const std::string& file, Findings& findings,
                                                 std::vector<std::string>& notes) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored) && platform::is_catalog_cluster(file))
    return fabric_state_of_cluster(file, findings, notes);
  const Result<std::string> text = config::read_text(file);
  if (text && platform::topology_format(*text) == platform::TopologyFormat::cluster)
    return fabric_state_of_cluster(file, findings, notes);
  Result<platform::Topology> read = platform::read_topology_file(file, findings);
  if (!read) return tl::unexpected(read.error());
  auto topology = std::make_shared<const platform::Topology>(std::move(*read));
  std::vector<platform::NodeIndex> rank_devices(topology->devices().begin(),
                                                topology->devices().end());
  return synthesis::make_fabric_state(std::move(topology), std::move(rank_devices), {}, file);
}

LinkUse use_of(const CollectiveSynthesisAnswer& answer) {
  LinkUse use;
  const synthesis::FabricState& fabric_state = answer.fabric_state;
  const std::vector<std::int64_t> loads = synthesis::link_loads(fabric_state, answer.made.schedule);
  const double duration = seconds(answer.made.time);
  use.links = loads.size();
  for (std::size_t wire = 0; wire < loads.size(); ++wire) {
    if (loads[wire] == 0 || duration == 0) continue;
    const double share =
        static_cast<double>(loads[wire]) / fabric_state.wires[wire].capacity / duration;
    ++use.used;
    use.mean += share;
    if (share <= use.busiest) continue;
    use.busiest = share;
    use.busiest_name = fabric_state.topology->link_name(fabric_state.wires[wire].link);
  }
  if (use.used > 0) use.mean /= static_cast<double>(use.used);
  return use;
}

}  // namespace

double CollectiveSynthesisAnswer::gap() const {
  const auto least = static_cast<double>(made.bound.total.count());
  return least > 0 ? static_cast<double>(made.time.count()) / least - 1 : 0;
}

std::vector<std::string_view> synthesizable_collectives() {
  std::vector<std::string_view> words;
  for (const SynthesisWord& one : kSynthesisWords) words.emplace_back(one.word);
  return words;
}

Result<CollectiveSynthesisAnswer> synthesize(const CollectiveSynthesisQuestion& question,
                                             Findings& findings) {
  const auto type = type_of(question.collective);
  if (!type) return tl::unexpected(type.error());
  synthesis::SynthesisQuestion asked;
  asked.type = *type;
  asked.bytes = question.size;
  asked.constructions = !question.search;
  asked.relays = question.relays;
  asked.streams = question.streams;
  asked.seed = static_cast<std::uint64_t>(question.seed);
  constexpr std::int64_t kMaxChunks = 1 << 16;
  if (question.chunks < 0 || question.chunks > kMaxChunks)
    return fail(Errc::usage, "--shard-chunks", fmt::format("must be 1 to {}", kMaxChunks), {});
  asked.chunks = question.chunks;
  if (question.root < 0 || question.root > std::numeric_limits<std::uint32_t>::max())
    return fail(Errc::usage, "--root", "must be the position of a rank in its group, from 0", {});
  asked.root = static_cast<std::uint32_t>(question.root);
  for (const std::string& text : question.ranks) {
    auto ranks = ranks_of(text);
    if (!ranks) return tl::unexpected(ranks.error());
    asked.groups.push_back(std::move(*ranks));
  }
  CollectiveSynthesisAnswer answer;
  Result<synthesis::FabricState> fabric_state =
      read_fabric_state(question.fabric, findings, answer.notes);
  if (!fabric_state) return tl::unexpected(fabric_state.error());
  answer.fabric_state = std::move(*fabric_state);
  Result<synthesis::Synthesis> made = synthesis::synthesize(answer.fabric_state, asked);
  if (!made) return tl::unexpected(made.error());
  answer.made = std::move(*made);
  // Returned schedules are verified by replaying them.
  constexpr std::size_t kPlayedSends = 4'000'000;
  if (answer.made.schedule.sends.size() <= kPlayedSends) {
    ORRERY_CHECK(synthesis::schedule_error(answer.fabric_state, answer.made.schedule).empty());
  } else {
    answer.notes.emplace_back("The schedule is too large to be replayed, so it is not verified.");
  }
  answer.collective = question.collective;
  answer.size = question.size;
  for (const synthesis::Group& group : answer.made.schedule.groups)
    answer.ranks += group.members.size();
  answer.depth = synthesis::dependency_depth(answer.made.schedule);
  answer.use = use_of(answer);
  return answer;
}

Result<std::vector<synthesis::Plan>> collective_plans(const CollectiveSynthesisAnswer& answer) {
  return synthesis::plans_of_schedule(
      answer.made.schedule,
      fmt::format("{} for {}", answer.collective, answer.fabric_state.topology->name()));
}

}  // namespace orrery::study
