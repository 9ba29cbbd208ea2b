// SPDX-License-Identifier: Apache-2.0
#include "orrery/synthesis/search/methods/stream_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <set>

#include "orrery/synthesis/search/methods/all_to_all_search.h"
#include "orrery/synthesis/search/methods/stream_schedule.h"
#include "orrery/synthesis/search/routes/tree_packing.h"

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
      if (bytes > 0) pieces.push_back({g, kAllMembers, kAllMembers, upto(part), bytes});
    }
  }
  return pieces;
}

class Flowing {
 public:
  Flowing(const FabricState& fabric, std::span<const Group> groups, const SynthesisEffort& effort,
          bool against)
      : fabric_(fabric), groups_(groups), effort_(effort), against_(against) {
    for (const Group& group : groups) members_.insert(group.members.begin(), group.members.end());
  }

  std::optional<SearchResult> gather() {
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

  std::optional<SearchResult> all_reduce() {
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

  std::optional<SearchResult> exchange() {
    over_all([&](const RouteGraph& route_graph, bool relayed) {
      for (const std::int64_t routes : {1, 2, 4, 8}) {
        const std::int64_t parts = effort_.chunks / routes;
        if (enough() || (effort_.chunks > 0 && parts * routes != effort_.chunks)) continue;
        const std::vector<Piece> whole = exchanged_pieces(groups_, routes);
        if (whole.size() > kFlowingPieces) break;
        const auto pieces = [&](std::int64_t each) {
          return exchanged_pieces(groups_, routes * each);
        };
        std::vector<std::int64_t> bytes;
        for (const Piece& piece : whole) bytes.push_back(piece.bytes);
        keep({fabric_, groups_, route_graph, find_piece_routes(route_graph, whole),
              std::move(bytes), pieces},
             parts,
             fmt::format("in streams, {} way{} a pair{}", routes, routes == 1 ? "" : "s",
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
    RouteGraphOptions options;
    options.peers = 0;
    options.all = true;
    options.alternatives = 8;
    options.most = kFlowingWays;
    for (const bool relayed : {false, true}) {
      if (relayed) {
        if (!effort_.relays || enough()) return;
        const std::size_t alone = stores.size();
        stores = with_relays(fabric_, std::move(stores));
        if (stores.size() == alone) return;
      }
      if (stores.size() > kFlowingStores) return;
      const RouteGraph forward = make_route_graph(fabric_, stores, options);
      if (forward.routes.empty()) continue;
      over(against_ ? reversed(fabric_, forward) : forward, relayed);
    }
  }
  [[nodiscard]] bool enough() const { return best_time_ <= effort_.stop_at; }

  template <class Cut>
  void attempt(const std::vector<Piece>& whole, const Cut& pieces, std::int64_t parts,
               const std::string& how) {
    for (const double depth_price : kDepthPrices) {
      if (enough() || members_.size() > kFlowingStores || whole.size() > kFlowingTrees) return;
      const TreeTask task = task_of(whole, depth_price);
      const TreePacking packed = pack_trees(fabric_, task);
      if (packed.busiest * 1e12 < static_cast<double>(best_time_.count()))
        keep({fabric_, groups_, packed.route_graph, packed.piece_routes, task.bytes, pieces, sums_},
             parts, how);
    }
  }
  void keep(const StreamTask& task, std::int64_t parts, const std::string& how) {
    std::optional<Schedule> made = schedule_streams(task, parts, best_time_);
    if (!made) return;
    best_time_ = made->end();
    const std::size_t cut = made->pieces.size() / std::max<std::size_t>(1, task.bytes.size());
    best_ = SearchResult{std::move(*made),
                         fmt::format("{}, {} part{} each", how, cut, cut == 1 ? "" : "s")};
  }

  [[nodiscard]] TreeTask task_of(const std::vector<Piece>& whole, double depth_price) const {
    TreeTask task;
    task.stores.assign(members_.begin(), members_.end());
    if (effort_.relays) task.stores = with_relays(fabric_, std::move(task.stores));
    task.up_and_down = sums_;
    task.against = against_;
    task.depth_price = depth_price;
    task.enough = seconds(effort_.stop_at);
    for (std::uint32_t i = 0; i < whole.size(); ++i) {
      const auto& members = groups_[whole[i].group].members;
      task.root.push_back(whole[i].from == kAllMembers ? members[i % members.size()]
                                                       : whole[i].from);
      task.group.push_back(whole[i].group);
      task.bytes.push_back(whole[i].bytes);
    }
    for (const Group& group : groups_) {
      std::vector<bool>& wanted = task.wanted.emplace_back(fabric_.node_count());
      for (const NodeIndex node : group.members) wanted[node] = true;
    }
    return task;
  }

  const FabricState& fabric_;
  std::span<const Group> groups_;
  const SynthesisEffort& effort_;
  bool against_, sums_ = false;
  std::set<NodeIndex> members_;
  std::optional<SearchResult> best_;
  Time best_time_ = kTimeMax;  ///< nothing slower is of use
};

}  // namespace

std::optional<SearchResult> stream_gather(const FabricState& fabric, std::span<const Group> groups,
                                          const SynthesisEffort& effort, bool against) {
  return Flowing(fabric, groups, effort, against).gather();
}

std::optional<SearchResult> stream_exchange(const FabricState& fabric,
                                            std::span<const Group> groups,
                                            const SynthesisEffort& effort) {
  return Flowing(fabric, groups, effort, false).exchange();
}

std::optional<SearchResult> stream_all_reduce(const FabricState& fabric,
                                              std::span<const Group> groups,
                                              const SynthesisEffort& effort) {
  return Flowing(fabric, groups, effort, false).all_reduce();
}

}  // namespace orrery::synthesis
