// SPDX-License-Identifier: Apache-2.0
#include "orrery/synthesis/search/methods/stream_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "orrery/synthesis/search/methods/all_to_all_search.h"
#include "orrery/synthesis/search/methods/stream_schedule.h"
#include "orrery/synthesis/search/routes/tree_packing.h"

namespace orrery::synthesis {

namespace {

constexpr std::size_t kMaxStores = 128;
constexpr std::size_t kMaxStreamRoutes = 200'000, kMaxStreamPieces = 50'000;
constexpr std::size_t kMaxTrees = 4096;
constexpr double kDepthPrices[] = {0.3, 0.03, 1};

/// The full buffer of each group in `parts` pieces, to which all members contribute.
std::vector<Piece> summed_pieces(std::span<const Group> groups, std::int64_t parts) {
  std::vector<Piece> pieces;
  for (std::uint32_t g = 0; g < groups.size(); ++g) {
    const auto upto = [&](std::int64_t part) { return part_offset(groups[g].bytes, part, parts); };
    for (std::int64_t part = 0; part < parts; ++part) {
      const std::int64_t bytes = upto(part + 1) - upto(part);
      if (bytes > 0) pieces.push_back({g, kAllMembers, kAllMembers, upto(part), bytes});
    }
  }
  return pieces;
}

class StreamSearch {
 public:
  StreamSearch(const FabricState& fabric, std::span<const Group> groups,
               const SearchOptions& options, bool reverse_links)
      : fabric_(fabric), groups_(groups), options_(options), reverse_links_(reverse_links) {
    for (const Group& group : groups) members_.insert(group.members.begin(), group.members.end());
  }

  std::optional<SearchResult> gather() {
    // A single root has few links, and its trees use all of them.
    const bool rooted = is_broadcast_or_reduce(groups_.front().type);
    for (const std::int64_t trees : rooted ? std::array{8, 32, 128} : std::array{1, 2, 16}) {
      const std::int64_t parts = options_.chunks / trees;
      if (options_.chunks > 0 && parts * trees != options_.chunks) continue;
      const auto pieces = [&](std::int64_t each) { return pieces_of(groups_, trees * each); };
      try_trees(pieces_of(groups_, trees), pieces, parts,
                fmt::format("pipelined, {} tree{} each", trees, trees == 1 ? "" : "s"));
    }
    return std::move(best_);
  }

  std::optional<SearchResult> all_reduce() {
    is_all_reduce_ = true;
    for (const std::int64_t trees : {8, 32, 64}) {
      const auto all = static_cast<std::int64_t>(groups_.front().members.size()) * options_.chunks;
      const std::int64_t parts = all / trees;
      if (options_.chunks > 0 && parts * trees != all) continue;
      const auto pieces = [&](std::int64_t each) { return summed_pieces(groups_, trees * each); };
      try_trees(summed_pieces(groups_, trees), pieces, parts,
                fmt::format("pipelined up and down {} trees", trees));
    }
    return std::move(best_);
  }

  std::optional<SearchResult> exchange() {
    for_each_route_graph([&](const RouteGraph& route_graph, bool relayed) {
      for (const std::int64_t routes : {1, 2, 4, 8}) {
        const std::int64_t parts = options_.chunks / routes;
        if (is_good_enough() || (options_.chunks > 0 && parts * routes != options_.chunks))
          continue;
        const std::vector<Piece> undivided_pieces = exchanged_pieces(groups_, routes);
        if (undivided_pieces.size() > kMaxStreamPieces) break;
        const auto pieces = [&](std::int64_t each) {
          return exchanged_pieces(groups_, routes * each);
        };
        std::vector<std::int64_t> bytes;
        for (const Piece& piece : undivided_pieces) bytes.push_back(piece.bytes);
        keep_if_faster({fabric_, groups_, route_graph,
                        find_piece_routes(route_graph, undivided_pieces), std::move(bytes), pieces},
                       parts,
                       fmt::format("pipelined, {} path{} per pair{}", routes,
                                   routes == 1 ? "" : "s", relayed ? ", with relays" : ""));
      }
    });
    return std::move(best_);
  }

 private:
  /// Tries with members only, then with all devices that may relay.
  template <class Try>
  void for_each_route_graph(const Try& over) {
    std::vector<NodeIndex> stores(members_.begin(), members_.end());
    RouteGraphOptions options;
    options.max_peers = 0;
    options.all_routes = true;
    options.max_alternatives = 8;
    options.max_routes = kMaxStreamRoutes;
    for (const bool relayed : {false, true}) {
      if (relayed) {
        if (!options_.relays || is_good_enough()) return;
        const std::size_t members_only = stores.size();
        stores = with_relays(fabric_, std::move(stores));
        if (stores.size() == members_only) return;
      }
      if (stores.size() > kMaxStores) return;
      const RouteGraph forward = make_route_graph(fabric_, stores, options);
      if (forward.routes.empty()) continue;
      over(reverse_links_ ? reversed(fabric_, forward) : forward, relayed);
    }
  }
  [[nodiscard]] bool is_good_enough() const { return best_time_ <= options_.stop_at; }

  template <class Cut>
  void try_trees(const std::vector<Piece>& undivided_pieces, const Cut& pieces, std::int64_t parts,
                 const std::string& how) {
    for (const double depth_price : kDepthPrices) {
      if (is_good_enough() || members_.size() > kMaxStores || undivided_pieces.size() > kMaxTrees)
        return;
      const TreeTask task = task_of(undivided_pieces, depth_price);
      const TreePacking packed = pack_trees(fabric_, task);
      if (packed.bottleneck_seconds * 1e12 < static_cast<double>(best_time_.count()))
        keep_if_faster({fabric_, groups_, packed.route_graph, packed.piece_routes, task.bytes,
                        pieces, is_all_reduce_},
                       parts, how);
    }
  }
  void keep_if_faster(const StreamTask& task, std::int64_t parts, const std::string& how) {
    std::optional<Schedule> made = schedule_streams(task, parts, best_time_);
    if (!made) return;
    best_time_ = made->end();
    const std::size_t cut = made->pieces.size() / std::max<std::size_t>(1, task.bytes.size());
    best_ = SearchResult{std::move(*made),
                         fmt::format("{}, {} part{} each", how, cut, cut == 1 ? "" : "s")};
  }

  [[nodiscard]] TreeTask task_of(const std::vector<Piece>& undivided_pieces,
                                 double depth_price) const {
    TreeTask task;
    task.stores.assign(members_.begin(), members_.end());
    if (options_.relays) task.stores = with_relays(fabric_, std::move(task.stores));
    task.up_and_down = is_all_reduce_;
    task.reverse_links = reverse_links_;
    task.depth_price = depth_price;
    task.target_seconds = seconds(options_.stop_at);
    for (std::uint32_t i = 0; i < undivided_pieces.size(); ++i) {
      const auto& members = groups_[undivided_pieces[i].group].members;
      task.root.push_back(undivided_pieces[i].from == kAllMembers ? members[i % members.size()]
                                                                  : undivided_pieces[i].from);
      task.group.push_back(undivided_pieces[i].group);
      task.bytes.push_back(undivided_pieces[i].bytes);
    }
    for (const Group& group : groups_) {
      std::vector<bool>& required = task.required.emplace_back(fabric_.node_count());
      for (const NodeIndex node : group.members) required[node] = true;
    }
    return task;
  }

  const FabricState& fabric_;
  std::span<const Group> groups_;
  const SearchOptions& options_;
  bool reverse_links_, is_all_reduce_ = false;
  std::set<NodeIndex> members_;
  std::optional<SearchResult> best_;
  Time best_time_ = kTimeMax;  ///< slower schedules are discarded
};

}  // namespace

std::optional<SearchResult> stream_gather(const FabricState& fabric, std::span<const Group> groups,
                                          const SearchOptions& options, bool reverse_links) {
  return StreamSearch(fabric, groups, options, reverse_links).gather();
}

std::optional<SearchResult> stream_exchange(const FabricState& fabric,
                                            std::span<const Group> groups,
                                            const SearchOptions& options) {
  return StreamSearch(fabric, groups, options, false).exchange();
}

std::optional<SearchResult> stream_all_reduce(const FabricState& fabric,
                                              std::span<const Group> groups,
                                              const SearchOptions& options) {
  return StreamSearch(fabric, groups, options, false).all_reduce();
}

}  // namespace orrery::synthesis
