// SPDX-License-Identifier: Apache-2.0
#include "orrery/platform/topology/formats/networks/anynet.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "orrery/core/text/text.h"
#include "orrery/platform/topology/formats/common/line_reader.h"

namespace orrery::platform {
namespace {

using Id = std::pair<bool, std::uint64_t>;  ///< is a router; its number

constexpr std::uint64_t kMaxCycles = 1'000'000'000;

class AnynetReader {
 public:
  AnynetReader(const std::string& where, Findings& findings) : where_(where), findings_(findings) {}

  /// "router 0 node 1 router 2 5 …": the first is linked to all others.
  Result<void> read_line(const LineReader& lines) {
    const std::string place = at_line(where_, lines.number());
    const auto& words = lines.words();
    std::optional<Id> head;
    for (std::size_t i = 0; i < words.size();) {
      const bool is_router = words[i] == "router";
      if (!is_router && words[i] != "node")
        return fail(Errc::input_corrupt, place,
                    fmt::format("{}, but must be \"router\" or \"node\"", in_quotes(words[i])));
      const auto number = i + 1 < words.size() ? whole_number(words[i + 1]) : std::nullopt;
      if (!number || *number > 0xFFFFFFFF)
        return fail(Errc::input_corrupt, place, fmt::format("{} without its number", words[i]));
      const Id id{is_router, *number};
      i += 2;
      std::uint64_t cycles = 1;
      if (i < words.size() && words[i] != "router" && words[i] != "node") {
        const auto stated = whole_number(words[i]);
        if (!stated || *stated > kMaxCycles)
          return fail(Errc::input_corrupt, place,
                      fmt::format("{} is not a latency in cycles", in_quotes(words[i])));
        cycles = *stated;
        ++i;
      }
      nodes_.emplace(id, 0);
      if (!head) {
        head = id;
        continue;
      }
      if (auto added = add_channel(*head, id, cycles, place); !added) return added;
    }
    return {};
  }

  Result<Topology> finish() {
    TopologyBuilder builder("anynet", "BookSim anynet");
    for (auto& [id, node] : nodes_)
      node = builder.add(id.first ? NodeClass::leaf : NodeClass::device,
                         fmt::format("{}{}", id.first ? "router" : "node", id.second));
    for (const auto& [ends, cycles] : channels_) {
      const auto add_link = [&](const Id& from, const Id& to, std::uint64_t latency) {
        builder.link(nodes_[from], nodes_[to],
                     {Bandwidth(0), ns(static_cast<std::int64_t>(latency)), 1, LinkClass::network});
      };
      add_link(ends.first, ends.second, cycles);
      if (!channels_.contains({ends.second, ends.first})) add_link(ends.second, ends.first, 1);
    }
    findings_.add(FindingCode::default_assumed, where_ + ": 1 cycle = 1 ns");
    return builder.finish(where_);
  }

 private:
  Result<void> add_channel(const Id& from, const Id& to, std::uint64_t cycles,
                           const std::string& place) {
    if (from == to)
      return fail(Errc::input_range, place, "a channel joins a node to itself", "remove it");
    if (!from.first && !to.first)
      return fail(Errc::input_corrupt, place, "a channel between two nodes",
                  "nodes can be linked only to routers");
    if (!from.first || !to.first) {
      const Id node = from.first ? to : from;
      const auto [known, added] = router_of_.emplace(node, from.first ? from : to);
      if (!added && known->second != (from.first ? from : to))
        return fail(Errc::input_corrupt, place,
                    fmt::format("node {} is linked to two routers", node.second),
                    "keep one of the links");
    }
    if (!channels_.emplace(std::pair{from, to}, cycles).second)
      findings_.add(FindingCode::fabric_link_dropped, place + ": already defined");
    return {};
  }

  const std::string& where_;
  Findings& findings_;
  std::map<Id, NodeIndex> nodes_;  // nodes, then routers, by number
  std::map<Id, Id> router_of_;
  std::map<std::pair<Id, Id>, std::uint64_t> channels_;
};

}  // namespace

Result<Topology> read_anynet(std::string_view text, const std::string& where, Findings& findings) {
  LineReader lines(text);
  AnynetReader reader(where, findings);
  while (lines.next_content_line()) {
    if (auto done = reader.read_line(lines); !done) return tl::unexpected(done.error());
  }
  return reader.finish();
}

}  // namespace orrery::platform
