// SPDX-License-Identifier: Apache-2.0
//
// A packet network that does not simulate again what it has simulated before.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "orrery/network/packet_skipping/steady_engine.h"
#include "orrery/network/skipping/traffic_groups.h"

namespace orrery::model {

/// Why messages with these settings are always simulated packet by packet, as a part of a sentence.
/// Empty: they need not be.
[[nodiscard]] std::string why_not_skipped(const platform::PacketSettings& settings, bool sprays,
                                          bool may_fail);

/// The packet network, as TrafficGroups needs it. Results are those of PacketEngine.
class PacketTraffic {
 public:
  using Message = PacketPost;
  using Report = PacketEngine::Report;
  using Engine = SteadyEngine;
  static constexpr std::uint64_t kMostPosts = 1'000'000;  // engines are small
  struct Final {};                                        // an idle network is always the same

  /// A link that a pattern uses first with this connection, and the link in the other direction if
  /// pauses may use it.
  struct NewLink {
    PacketLink link;
    std::optional<PacketLink> back;
  };
  /// The token of the message is its number in the pattern.
  struct Post : PatternPost {
    PacketPost message;
    // Of a new connection: its routes, as numbers of links in the order of their use.
    std::vector<NewLink> links;
    std::vector<std::uint32_t> forth, back;
  };
  /// By number in the network: numbers in the pattern.
  struct Names {
    std::unordered_map<std::uint32_t, std::uint32_t> links, nodes, ends;
    std::unordered_set<std::uint64_t> pairs;  // whose routes the pattern has
    std::uint32_t messages = 0;
  };
  struct Pair {
    std::vector<std::uint32_t> forth, back;  // links
    std::vector<std::uint32_t> shared;       // links and nodes that only one group may use
  };

  /// why_not_skipped() is empty.
  PacketTraffic(const platform::PacketSettings& settings, std::vector<PacketLink> links,
                std::shared_ptr<PacketRouter> router, std::optional<std::int64_t> usual_window);

  [[nodiscard]] const Pair& pair_of(const PacketPost& message);
  [[nodiscard]] std::size_t part_count() const { return links_.size() + nodes_; }
  [[nodiscard]] static std::int64_t begin_of(std::int64_t now) { return now; }
  [[nodiscard]] static std::int64_t time_of(std::int64_t now) { return now; }
  [[nodiscard]] Post describe(Names& names, const Pair& pair, const PacketPost& message) const;
  static void end(const Names& /*names*/, const Final& /*final*/) {}
  [[nodiscard]] static bool is_full() { return false; }

  [[nodiscard]] std::unique_ptr<SteadyEngine> new_engine(const Names& /*names*/) const {
    return std::make_unique<SteadyEngine>(settings_, usual_window_);
  }
  [[nodiscard]] static bool fits(const SteadyEngine& /*engine*/, const Post& /*post*/,
                                 const Names& /*names*/) {
    return true;
  }
  static void post(SteadyEngine& engine, const Post& post, const Names& names);
  static void run(SteadyEngine& engine, std::int64_t until, std::vector<PatternArrival>* log);
  [[nodiscard]] static Final final_of(const SteadyEngine& /*engine*/) { return {}; }

 private:
  void add_routes(Names& names, const Pair& pair, Post& post) const;
  void add_link(Names& names, std::uint32_t link, std::vector<std::uint32_t>& route,
                Post& post) const;
  [[nodiscard]] PacketLink renamed(Names& names, std::uint32_t link,
                                   std::vector<std::uint64_t>& key) const;

  platform::PacketSettings settings_;
  std::vector<PacketLink> links_;
  std::shared_ptr<PacketRouter> router_;
  std::optional<std::int64_t> usual_window_;
  bool pauses_, shares_buffers_, samples_;
  std::uint32_t nodes_ = 0;
  std::unordered_map<std::uint64_t, Pair> pairs_;
};

using PacketSkipper = TrafficGroups<PacketTraffic>;

}  // namespace orrery::model
