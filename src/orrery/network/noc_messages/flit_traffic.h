// SPDX-License-Identifier: Apache-2.0
//
// A network of flits that does not simulate again what it has simulated before.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "orrery/network/noc_messages/flit_messages.h"
#include "orrery/network/skipping/traffic_groups.h"

namespace orrery::model {

/// Why messages are always simulated flit by flit, as a part of a sentence. Empty: they need not
/// be.
[[nodiscard]] std::string why_flits_not_skipped(platform::NocRouting routing);

/// The network of flits, as TrafficGroups needs it. Results are those of FlitMessages.
///
/// Packets affect each other only in a part that they share: a link, the entry or the exit of a
/// node. Allocators compare only requests that share an input or an output. What an idle part keeps
/// are the pointers of its allocators, so a pattern has them in its key, and leaves them when it
/// has ended. Parts are equal if their routers have as many ports and the same clocks, their links
/// the same delays, and routes the same ports and channels there.
class FlitTraffic {
 public:
  using Message = FlitMessage;
  class Report {
   public:
    virtual ~Report() = default;
    virtual void arrives(std::uint32_t token) = 0;
    /// `link` carries `bytes` from `from` to `until`.
    virtual void carries(std::uint32_t link, std::int64_t from, std::int64_t until,
                         std::int64_t bytes) = 0;
  };
  static constexpr std::uint64_t kMostPosts = 2;
  using Final = std::vector<std::uint32_t>;  ///< pointers, part by part

  /// The token of the message is its number in the pattern, and its nodes are numbered in the order
  /// of their use.
  struct Post : PatternPost {
    FlitMessage message;
    std::size_t ends = 0, parts = 0;  ///< of the pattern, with this message
  };
  /// Nodes, routers and parts in the order of their use.
  struct Names {
    std::unordered_map<std::uint32_t, std::uint32_t> end_of, router_of, part_of;
    std::vector<std::uint32_t> ends, parts;
    std::unordered_set<std::uint64_t> pairs;  // whose routes the pattern has
    std::uint32_t messages = 0;
  };
  struct Pair {
    std::vector<std::uint32_t> forth;     // links of a way
    std::vector<std::uint32_t> shared;    // parts
    std::vector<std::uint64_t> channels;  // for each link of each way
    bool varies = false;                  // packets choose one of several ways
  };
  /// Simulates a pattern in the place where it was first seen.
  class Engine {
   public:
    [[nodiscard]] bool is_quiet() const { return messages_.engine().is_idle(); }
    [[nodiscard]] std::int64_t quiet_since() const;
    [[nodiscard]] std::int64_t next_arrival() const { return messages_.next_arrival(); }
    [[nodiscard]] std::uint64_t events() const { return simulated(); }
    /// Flits that have passed a router.
    [[nodiscard]] std::uint64_t simulated() const { return messages_.engine().counts().hops; }

   private:
    friend class FlitTraffic;
    Engine(const FlitMessages& messages, std::shared_ptr<const int> alive)
        : messages_(messages), alive_(std::move(alive)) {}
    FlitMessages messages_;
    std::vector<std::uint32_t> ends_, parts_;  // as Names
    std::shared_ptr<const int> alive_;
  };

  /// why_flits_not_skipped() is empty; nothing is in flight.
  explicit FlitTraffic(FlitMessages idle);

  [[nodiscard]] const Pair& pair_of(const FlitMessage& message);
  [[nodiscard]] std::size_t part_count() const { return idle_.engine().part_count(); }
  /// A time at which all clocks, and the diagonals of `wavefront`, are as at 0.
  [[nodiscard]] std::int64_t begin_of(std::int64_t now) const {
    return repeats_ > 0 ? now - now % repeats_ : 0;
  }
  /// With one clock: just before its next edge, as what is posted until then is the same.
  [[nodiscard]] std::int64_t time_of(std::int64_t now) const;
  [[nodiscard]] Post describe(Names& names, const Pair& pair, const FlitMessage& message) const;
  void end(const Names& names, const Final& final);
  [[nodiscard]] bool is_full() const;

  [[nodiscard]] std::unique_ptr<Engine> new_engine(const Names& names) const;
  [[nodiscard]] static bool fits(const Engine& engine, const Post& post, const Names& names);
  void post(Engine& engine, const Post& post, const Names& names) const;
  static void run(Engine& engine, std::int64_t until, std::vector<PatternArrival>* log);
  [[nodiscard]] static Final final_of(const Engine& engine);

 private:
  [[nodiscard]] const noc::NocGraph& graph() const { return idle_.engine().graph(); }
  void add_way(const FlitMessage& message, std::uint64_t key, Pair& pair) const;
  void add_part(Names& names, std::uint32_t part, std::vector<std::uint64_t>& key) const;

  FlitMessages idle_;  // has the pointers that groups have left
  std::shared_ptr<const noc::NocPorts> ports_;
  std::int64_t repeats_ = 0;  // 0: never within the range of times
  std::shared_ptr<const int> alive_ = std::make_shared<const int>();  // shared with engines
  std::unordered_map<std::uint64_t, Pair> pairs_;
};

using FlitSkipper = TrafficGroups<FlitTraffic>;

}  // namespace orrery::model
