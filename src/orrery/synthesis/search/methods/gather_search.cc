// SPDX-License-Identifier: Apache-2.0
#include "orrery/synthesis/search/methods/gather_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "orrery/core/disjoint_sets.h"
#include "orrery/synthesis/search/methods/spread_search.h"
#include "orrery/synthesis/search/methods/stream_search.h"

namespace orrery::synthesis {

namespace {

constexpr std::uint64_t kMaxSends = 64'000'000;  // maximum sends of one search, 16 bytes each
constexpr std::size_t kSmallFabric = 128;        // maximum ranks for which it also tries longer
                                                 // routes

/// Keeps only the sends that some required chunk needs.
std::vector<ChunkSend> needed_sends(const RouteGraph& route_graph, const SpreadTask& task,
                                    std::vector<ChunkSend> sends) {
  BitMatrix needed = task.required;
  std::vector<bool> is_needed(sends.size());
  for (std::size_t i = sends.size(); i-- > 0;) {
    if (!needed.test(route_graph.to[sends[i].route], sends[i].chunk)) continue;
    is_needed[i] = true;
    needed.set(route_graph.from[sends[i].route], sends[i].chunk);
  }
  std::size_t retained = 0;
  for (std::size_t i = 0; i < sends.size(); ++i) {
    if (is_needed[i]) sends[retained++] = sends[i];
  }
  sends.resize(retained);
  return sends;
}

/// The host of each store. Empty if hosts do not matter: there is only one host, each store has its
/// own, or some host cannot spread a chunk inside.
std::vector<std::uint32_t> hosts_of(const FabricState& fabric, const RouteGraph& route_graph) {
  std::map<std::uint32_t, std::uint32_t> count;
  for (const NodeIndex node : route_graph.stores) ++count[fabric.topology->host(node)];
  if (count.size() < 2 || count.contains(Topology::kNoHost) ||
      count.size() == route_graph.stores.size())
    return {};
  std::vector<std::uint32_t> hosts;
  for (const NodeIndex node : route_graph.stores)
    hosts.push_back(static_cast<std::uint32_t>(
        std::distance(count.begin(), count.find(fabric.topology->host(node)))));
  // A chunk that has entered a host must reach all its stores over routes inside.
  DisjointSets sets(route_graph.store_count());
  for (std::uint32_t route = 0; route < route_graph.routes.size(); ++route) {
    if (hosts[route_graph.from[route]] == hosts[route_graph.to[route]])
      sets.join(route_graph.from[route], route_graph.to[route]);
  }
  std::vector<std::uint32_t> first(count.size(), ~0U);
  for (std::uint32_t s = 0; s < hosts.size(); ++s) {
    first[hosts[s]] = std::min(first[hosts[s]], s);
    if (sets.find(s) != sets.find(first[hosts[s]])) return {};
  }
  return hosts;
}

class GatherSearch {
 public:
  GatherSearch(const FabricState& fabric, std::span<const Group> groups,
               const SearchOptions& options, bool reverse_links)
      : fabric_(fabric), groups_(groups), options_(options), reverse_links_(reverse_links) {}

  Result<SearchResult> run() {
    std::set<NodeIndex> members;
    for (const Group& group : groups_) members.insert(group.members.begin(), group.members.end());
    members_ = members.size();
    std::vector<NodeIndex> stores(members.begin(), members.end());
    try_piece_counts(make_route_graph(fabric_, stores, {}));
    if (best_ && !is_good_enough() && members_ <= kSmallFabric) {
      RouteGraphOptions options;
      options.all_routes = true;
      try_piece_counts(make_route_graph(fabric_, stores, options));
    }
    // Relays may be the only route, or a good one.
    if (options_.relays && (!best_ || relays_are_near(fabric_, members))) {
      stores = with_relays(fabric_, std::move(stores));
      // Members of other groups may relay, too.
      all_forward_ = stores.size() > members_ || groups_.size() > 1;
      if (all_forward_) try_piece_counts(make_route_graph(fabric_, std::move(stores), {}));
    }
    if (too_large_ && !best_)
      return fail(Errc::limit_exceeded, "synthesis",
                  fmt::format("the search needs more than {} sends", kMaxSends),
                  "use fewer --chunks or ranks");
    if (!best_)
      return fail(Errc::config_conflict, fabric_.topology->name(),
                  "some ranks cannot reach each other",
                  "'orrery network show' lists the links that are down");
    return std::move(*best_);
  }

 private:
  [[nodiscard]] bool is_good_enough() const { return best_ && best_time_ <= options_.stop_at; }

  /// Tries more and smaller pieces while this is fast; then other seeds for the best number.
  void try_piece_counts(const RouteGraph& forward) {
    if (forward.routes.empty()) return;
    const RouteGraph route_graph = reverse_links_ ? reversed(fabric_, forward) : forward;
    const std::vector<std::uint32_t> hosts = hosts_of(fabric_, route_graph);
    const bool rooted = is_broadcast_or_reduce(groups_.front().type);
    std::vector<std::int64_t> counts = rooted ? std::vector<std::int64_t>{8, 1, 32, 128, 512, 2048}
                                              : std::vector<std::int64_t>{1, 2, 4, 8, 16};
    if (options_.chunks > 0) counts = {options_.chunks};
    const bool rates_differ = std::any_of(
        route_graph.routes.begin(), route_graph.routes.end(),
        [&](const Route& route) { return route.rate != route_graph.routes.front().rate; });
    // Many small pieces over routes that share links need more time to search.
    const std::uint64_t send_limit =
        rooted && route_graph.routes.size() > 8 * route_graph.stores.size() ? kQuickSends / 2
                                                                            : kQuickSends;
    std::uint64_t sends = 0;
    std::int64_t best_chunks = counts.front();
    for (const std::int64_t chunks : counts) {
      const Time before = best_ ? best_time_ : kTimeMax;
      const std::vector<Piece> pieces = pieces_of(groups_, chunks);
      const std::uint64_t sends_per_try =
          static_cast<std::uint64_t>(pieces.size()) * route_graph.stores.size();
      too_large_ |= sends_per_try > kMaxSends;
      if (sends_per_try > kMaxSends ||
          (sends > 0 && (sends + sends_per_try > send_limit || is_good_enough() ||
                         pieces.front().bytes < kSmallPiece)))
        break;
      sends += sends_per_try;
      for (const bool defer_slow_links : {false, true}) {
        if (defer_slow_links && (is_good_enough() || !rates_differ)) continue;
        try_once(route_graph, hosts, pieces, chunks, options_.seed, defer_slow_links);
      }
      if (best_ && best_time_ < before) best_chunks = chunks;
    }
    if (sends == 0) return;
    const std::vector<Piece> pieces = pieces_of(groups_, best_chunks);
    const std::uint64_t sends_per_try =
        static_cast<std::uint64_t>(pieces.size()) * route_graph.stores.size();
    for (std::uint64_t seed = 1;
         seed < 16 && sends + sends_per_try <= send_limit && !is_good_enough(); ++seed) {
      sends += sends_per_try;
      const bool defer_slow_links = rates_differ && seed % 2 == 0;
      try_once(route_graph, {}, pieces, best_chunks, options_.seed + seed, defer_slow_links);
      if (!hosts.empty())
        try_once(route_graph, hosts, pieces, best_chunks, options_.seed + seed, defer_slow_links);
    }
  }

  [[nodiscard]] SpreadTask task_of(const RouteGraph& route_graph,
                                   const std::vector<Piece>& pieces) const {
    SpreadTask task;
    task.required = BitMatrix(route_graph.stores.size(), pieces.size());
    for (std::uint32_t i = 0; i < pieces.size(); ++i) {
      task.origin.push_back(route_graph.store_of[pieces[i].from]);
      task.bytes.push_back(pieces[i].bytes);
      for (const NodeIndex node : groups_[pieces[i].group].members)
        task.required.set(route_graph.store_of[node], i);
    }
    // Pieces of a shard differ by a byte if their number does not divide it. Equal sizes keep the
    // sends in step.
    std::vector<std::int64_t> max_bytes(groups_.size());
    for (const Piece& piece : pieces)
      max_bytes[piece.group] = std::max(max_bytes[piece.group], piece.bytes);
    for (std::size_t i = 0; i < pieces.size(); ++i) task.bytes[i] = max_bytes[pieces[i].group];
    task.useful = task.required;
    for (std::size_t s = 0; all_forward_ && s < route_graph.stores.size(); ++s) {
      for (std::size_t i = 0; i < pieces.size(); ++i) task.useful.set(s, i);
    }
    return task;
  }

  void try_once(const RouteGraph& route_graph, const std::vector<std::uint32_t>& hosts,
                const std::vector<Piece>& pieces, std::int64_t chunks, std::uint64_t seed,
                bool defer_slow_links) {
    SpreadTask task = task_of(route_graph, pieces);
    task.host = hosts;
    SpreadOptions options;
    options.seed = seed;
    options.defer_slow_links = defer_slow_links;
    options.prefer_rarest_at_origin = is_broadcast_or_reduce(groups_.front().type);
    options.time_limit = best_ ? best_time_ - Time(1) : kTimeMax;
    auto sends = spread(route_graph, task, options);
    if (!sends) return;
    if (all_forward_) *sends = needed_sends(route_graph, task, std::move(*sends));
    SearchResult found;
    Schedule& schedule = found.schedule;
    schedule.groups.assign(groups_.begin(), groups_.end());
    schedule.pieces = pieces;
    schedule.routes = route_graph.routes;
    schedule.wires.reserve(route_graph.link_uses.size());
    for (const LinkUse& use : route_graph.link_uses) schedule.wires.push_back(use.wire);
    schedule.sends.reserve(sends->size());
    for (const ChunkSend& send : *sends)
      schedule.sends.push_back({send.chunk, send.route, 0, send.start});
    const Time time = schedule.end();
    if (best_ && time >= best_time_) return;
    found.method = fmt::format("search, seed {}, {} piece{} each{}{}", seed, chunks,
                               chunks == 1 ? "" : "s", hosts.empty() ? "" : ", once into each host",
                               all_forward_ ? ", with relays" : "");
    best_time_ = time;
    best_ = std::move(found);
  }

  const FabricState& fabric_;
  std::span<const Group> groups_;
  const SearchOptions& options_;
  bool reverse_links_;
  std::size_t members_ = 0;
  bool too_large_ = false;
  bool all_forward_ = false;  // every receiver forwards pieces, also those of other groups
  std::optional<SearchResult> best_;
  Time best_time_{};
};

}  // namespace

std::vector<Piece> pieces_of(std::span<const Group> groups, std::int64_t chunks) {
  std::vector<Piece> pieces;
  for (std::uint32_t g = 0; g < groups.size(); ++g) {
    const Group& group = groups[g];
    const bool rooted = is_broadcast_or_reduce(group.type);
    const std::int64_t parts =
        (rooted ? 1 : static_cast<std::int64_t>(group.members.size())) * chunks;
    const auto upto = [&](std::int64_t part) { return part_offset(group.bytes, part, parts); };
    for (std::int64_t part = 0; part < parts; ++part) {
      const std::int64_t bytes = upto(part + 1) - upto(part);
      const std::size_t owner = rooted ? group.root : static_cast<std::size_t>(part / chunks);
      if (bytes > 0) pieces.push_back({g, group.members[owner], kAllMembers, upto(part), bytes});
    }
  }
  return pieces;
}

Result<SearchResult> gather(const FabricState& fabric, std::span<const Group> groups,
                            const SearchOptions& options, bool reverse_links) {
  Result<SearchResult> found = GatherSearch(fabric, groups, options, reverse_links).run();
  if (!found || !options.streams || found->schedule.end() <= options.stop_at) return found;
  auto flowing = stream_gather(fabric, groups, options, reverse_links);
  if (flowing && flowing->schedule.end() < found->schedule.end()) return std::move(*flowing);
  return found;
}

Schedule time_reversed(const Schedule& schedule) {
  Schedule other;
  other.groups = schedule.groups;
  other.pieces = schedule.pieces;
  for (Piece& piece : other.pieces) std::swap(piece.from, piece.to);
  for (const Route& route : schedule.routes) {
    Route turned = route;
    std::swap(turned.from, turned.to);
    turned.first = static_cast<std::uint32_t>(other.wires.size());
    const auto wires = schedule.wires_of(route);
    other.wires.insert(other.wires.end(), wires.rbegin(), wires.rend());
    other.routes.push_back(turned);
  }
  const Time end = schedule.end();
  other.sends.reserve(schedule.sends.size());
  for (const Send& send : schedule.sends)
    other.sends.push_back({send.piece, send.route, 1, end - schedule.arrival(send)});
  sort_sends(other.sends);
  return other;
}

}  // namespace orrery::synthesis
