// SPDX-License-Identifier: Apache-2.0
#include "orrery/synthesis/search/flowing.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <set>

#include "orrery/synthesis/search/exchange.h"
#include "orrery/synthesis/search/streams.h"
#include "orrery/synthesis/search/trees.h"

namespace orrery::synthesis {

namespace {

constexpr std::size_t kFlowingStores = 128;
constexpr std::size_t kFlowingWays = 200'000, kFlowingPieces = 50'000;
constexpr std::size_t kFlowingTrees = 4096;
constexpr double kDepthPrices[] = {0.3, 0.03, 1};

/// Of all groups: the whole buffer of each in `parts` pieces that everyone sums.
std::vector<Piece> summed_pieces(std::span<const Group> groups, std::int64_t parts) {
  std::vector<Piece> pieces;
  for (std::uint32_t g = 0; g < groups.size(); ++g) {
    const auto upto = [&](std::int64_t part) {
      return static_cast<std::int64_t>(static_cast<__int128>(groups[g].bytes.count()) * part /
                                       parts);
    };
    for (std::int64_t part = 0; part < parts; ++part) {
      const std::int64_t bytes = upto(part + 1) - upto(part);
      if (bytes > 0) pieces.push_back({g, kEveryone, kEveryone, upto(part), bytes});
    }
  }
  return pieces;
}

class Flowing {
 public:
  Flowing(const Ground& ground, std::span<const Group> groups, const Effort& effort, bool against)
      : ground_(ground), groups_(groups), effort_(effort), against_(against) {
    for (const Group& group : groups) members_.insert(group.members.begin(), group.members.end());
  }

  std::optional<Found> gather() {
    // One root has few links, all of which its trees begin with.
    const bool rooted = groups_.front().type == graph::CollectiveType::broadcast ||
                        groups_.front().type == graph::CollectiveType::reduce;
    for (const std::int64_t trees : rooted ? std::array{8, 32, 128} : std::array{1, 2, 16}) {
      const std::int64_t parts = effort_.chunks / trees;
      if (effort_.chunks > 0 && parts * trees != effort_.chunks) continue;
      const auto pieces = [&](std::int64_t each) { return pieces_of(groups_, trees * each); };
      attempt(pieces_of(groups_, trees), pieces, parts,
              fmt::format("in streams, {} tree{} each", trees, trees == 1 ? "" : "s"));
    }
    return std::move(best_);
  }

  std::optional<Found> all_reduce() {
    sums_ = true;
    for (const std::int64_t trees : {8, 32, 64}) {
      const auto all = static_cast<std::int64_t>(groups_.front().members.size()) * effort_.chunks;
      const std::int64_t parts = all / trees;
      if (effort_.chunks > 0 && parts * trees != all) continue;
      const auto pieces = [&](std::int64_t each) { return summed_pieces(groups_, trees * each); };
      attempt(summed_pieces(groups_, trees), pieces, parts,
              fmt::format("in streams up and down {} trees", trees));
    }
    return std::move(best_);
  }

  std::optional<Found> exchange() {
    over_all([&](const Reach& reach, bool relayed) {
      for (const std::int64_t ways : {1, 2, 4, 8}) {
        const std::int64_t parts = effort_.chunks / ways;
        if (enough() || (effort_.chunks > 0 && parts * ways != effort_.chunks)) continue;
        const std::vector<Piece> whole = exchanged_pieces(groups_, ways);
        if (whole.size() > kFlowingPieces) break;
        const auto pieces = [&](std::int64_t each) {
          return exchanged_pieces(groups_, ways * each);
        };
        std::vector<std::int64_t> bytes;
        for (const Piece& piece : whole) bytes.push_back(piece.bytes);
        keep({ground_, groups_, reach, routes_of(reach, whole), std::move(bytes), pieces}, parts,
             fmt::format("in streams, {} way{} a pair{}", ways, ways == 1 ? "" : "s",
                         relayed ? ", others relay" : ""));
      }
    });
    return std::move(best_);
  }

 private:
  /// Members alone, then with all others that could hand on.
  template <class Try>
  void over_all(const Try& over) {
    std::vector<NodeIndex> stores(members_.begin(), members_.end());
    ReachOptions options;
    options.peers = 0;
    options.all = true;
    options.alternatives = 8;
    options.most = kFlowingWays;
    for (const bool relayed : {false, true}) {
      if (relayed) {
        if (!effort_.relays || enough()) return;
        const std::size_t alone = stores.size();
        stores = with_relays(ground_, std::move(stores));
        if (stores.size() == alone) return;
      }
      if (stores.size() > kFlowingStores) return;
      const Reach forward = reach_of(ground_, stores, options);
      if (forward.ways.empty()) continue;
      over(against_ ? reversed(ground_, forward) : forward, relayed);
    }
  }
  [[nodiscard]] bool enough() const { return best_time_ <= effort_.good_enough; }

  template <class Cut>
  void attempt(const std::vector<Piece>& whole, const Cut& pieces, std::int64_t parts,
               const std::string& how) {
    for (const double depth_price : kDepthPrices) {
      if (enough() || members_.size() > kFlowingStores || whole.size() > kFlowingTrees) return;
      const TreeTask task = task_of(whole, depth_price);
      const PackedTrees packed = packed_trees(ground_, task);
      if (packed.busiest * 1e12 < static_cast<double>(best_time_.count()))
        keep({ground_, groups_, packed.reach, packed.routes, task.bytes, pieces, sums_}, parts,
             how);
    }
  }
  void keep(const StreamTask& task, std::int64_t parts, const std::string& how) {
    std::optional<Schedule> made = streamed(task, parts, best_time_);
    if (!made) return;
    best_time_ = made->time();
    const std::size_t cut = made->pieces.size() / std::max<std::size_t>(1, task.bytes.size());
    best_ =
        Found{std::move(*made), fmt::format("{}, {} part{} each", how, cut, cut == 1 ? "" : "s")};
  }

  [[nodiscard]] TreeTask task_of(const std::vector<Piece>& whole, double depth_price) const {
    TreeTask task;
    task.stores.assign(members_.begin(), members_.end());
    if (effort_.relays) task.stores = with_relays(ground_, std::move(task.stores));
    task.both_ways = sums_;
    task.against = against_;
    task.depth_price = depth_price;
    task.enough = seconds(effort_.good_enough);
    for (std::uint32_t i = 0; i < whole.size(); ++i) {
      const auto& members = groups_[whole[i].group].members;
      task.root.push_back(whole[i].from == kEveryone ? members[i % members.size()] : whole[i].from);
      task.group.push_back(whole[i].group);
      task.bytes.push_back(whole[i].bytes);
    }
    for (const Group& group : groups_) {
      std::vector<bool>& wanted = task.wanted.emplace_back(ground_.node_count());
      for (const NodeIndex node : group.members) wanted[node] = true;
    }
    return task;
  }

  const Ground& ground_;
  std::span<const Group> groups_;
  const Effort& effort_;
  bool against_, sums_ = false;
  std::set<NodeIndex> members_;
  std::optional<Found> best_;
  Time best_time_ = kTimeMax;  ///< nothing slower is of use
};

}  // namespace

std::optional<Found> flowing_gather(const Ground& ground, std::span<const Group> groups,
                                    const Effort& effort, bool against) {
  return Flowing(ground, groups, effort, against).gather();
}

std::optional<Found> flowing_exchange(const Ground& ground, std::span<const Group> groups,
                                      const Effort& effort) {
  return Flowing(ground, groups, effort, false).exchange();
}

std::optional<Found> flowing_all_reduce(const Ground& ground, std::span<const Group> groups,
                                        const Effort& effort) {
  return Flowing(ground, groups, effort, false).all_reduce();
}

}  // namespace orrery::synthesis
