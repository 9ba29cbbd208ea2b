// SPDX-License-Identifier: Apache-2.0
#include "orrery/synthesis/search/methods/all_to_all_search.h"

#include <algorithm>
#include <map>
#include <queue>
#include <set>
#include <utility>

#include "orrery/core/random.h"
#include "orrery/synthesis/search/methods/stream_schedule.h"
#include "orrery/synthesis/search/methods/stream_search.h"
#include "orrery/synthesis/search/routes/piece_routes.h"

namespace orrery::synthesis {

namespace {

constexpr std::uint64_t kMaxPieces = 2'000'000;
constexpr std::size_t kFewRanks = 64;  // maximum ranks for which it tries longer
                                       // routes than necessary

/// Computes the times of all sends along given routes.
class Timetable {
 public:
  Timetable(const RouteGraph& route_graph, std::span<const Piece> pieces,
            const PieceRoutes& piece_routes, std::span<const std::int64_t> bytes)
      : route_graph_(route_graph),
        piece_routes_(piece_routes),
        bytes_(bytes),
        free_capacity_(route_graph.capacity),
        waiting_(route_graph.capacity.size()),
        is_blocked_(route_graph.routes.size()),
        last_tried_(route_graph.routes.size(), -1),
        queue_(route_graph.routes.size()),
        step_(pieces.size()),
        remaining_time_(pieces.size()) {
    for (std::uint32_t i = 0; i < pieces.size(); ++i) {
      const auto count = static_cast<std::uint32_t>(route_graph.stores.size());
      rank_distance_.push_back(
          (route_graph.store_of[pieces[i].to] + count - route_graph.store_of[pieces[i].from]) %
          count);
      for (const std::uint32_t route : piece_routes.of(i)) remaining_time_[i] += duration(i, route);
      enqueue(i);
    }
    sends_.reserve(piece_routes.routes.size());
    for (const std::uint32_t turn : route_graph.receiver_order)
      receiver_orders_ = std::max(receiver_orders_, turn + 1);
  }

  std::vector<Send> run() {
    std::int64_t now = 0;
    for (;;) {
      try_candidates(now);
      if (buckets_.empty()) break;
      auto node = buckets_.extract(buckets_.begin());
      now = node.key();
      ++round_;
      handle(node.mapped());
    }
    return std::move(sends_);
  }

 private:
  struct Waiting {
    std::int64_t remaining_time;
    std::uint32_t turn, piece;
    bool operator<(const Waiting& other) const {
      if (remaining_time != other.remaining_time) return remaining_time < other.remaining_time;
      return std::pair(turn, piece) > std::pair(other.turn, other.piece);
    }
  };
  struct Release {
    std::uint32_t wire;
    std::int64_t rate;
  };
  struct Bucket {
    std::vector<Release> released;
    std::vector<std::uint32_t> arrived;
  };

  [[nodiscard]] std::int64_t duration(std::uint32_t piece, std::uint32_t route) const {
    return transfer_duration(bytes_[piece], route_graph_.routes[route].rate).count();
  }
  void candidate(std::uint32_t route) {
    if (is_blocked_[route] || last_tried_[route] == round_) return;
    last_tried_[route] = round_;
    candidates_.push_back(route);
  }
  void enqueue(std::uint32_t piece) {
    const auto path = piece_routes_.of(piece);
    if (step_[piece] == path.size()) return;
    const std::uint32_t route = path[step_[piece]];
    queue_[route].push({remaining_time_[piece], rank_distance_[piece], piece});
    candidate(route);
  }
  void handle(const Bucket& bucket) {
    for (const Release& one : bucket.released) {
      free_capacity_[one.wire] += one.rate;
      for (const std::uint32_t route : waiting_[one.wire]) {
        is_blocked_[route] = false;
        candidate(route);
      }
      waiting_[one.wire].clear();
    }
    for (const std::uint32_t piece : bucket.arrived) {
      remaining_time_[piece] -= duration(piece, piece_routes_.of(piece)[step_[piece]]);
      ++step_[piece];
      enqueue(piece);
    }
  }
  void try_candidates(std::int64_t now) {
    // Pieces with the most remaining hops first; equal ones by their turn.
    order_.clear();
    for (const std::uint32_t route : candidates_) {
      if (!queue_[route].empty()) order_.push_back({queue_[route].top(), route});
    }
    candidates_.clear();
    const std::uint32_t first_turn =
        static_cast<std::uint32_t>(mix_bits(static_cast<std::uint64_t>(round_)) % receiver_orders_);
    const auto place = [&](std::uint32_t route) {
      return (route_graph_.receiver_order[route] + receiver_orders_ - first_turn) %
             receiver_orders_;
    };
    std::sort(order_.begin(), order_.end(), [&](const CandidateRoute& a, const CandidateRoute& b) {
      const auto pa = place(a.route), pb = place(b.route);
      if (pa != pb) return pa < pb;
      return b.first < a.first || (!(a.first < b.first) && a.route < b.route);
    });
    for (const CandidateRoute& one : order_) {
      while (!queue_[one.route].empty() && send(one.route, now)) {
      }
    }
  }
  bool send(std::uint32_t route, std::int64_t now) {
    const std::int64_t rate = route_graph_.routes[route].rate;
    for (const LinkUse& use : route_graph_.uses_of(route)) {
      if (free_capacity_[use.wire] >= rate) continue;
      waiting_[use.wire].push_back(route);
      is_blocked_[route] = true;
      return false;
    }
    const std::uint32_t piece = queue_[route].top().piece;
    queue_[route].pop();
    const std::int64_t end = now + duration(piece, route);
    for (const LinkUse& use : route_graph_.uses_of(route)) {
      free_capacity_[use.wire] -= rate;
      buckets_[end + use.extra_delay.count()].released.push_back({use.wire, rate});
    }
    buckets_[end + route_graph_.routes[route].latency.count()].arrived.push_back(piece);
    sends_.push_back({piece, route, 0, Time(now)});
    return true;
  }

  struct CandidateRoute {
    Waiting first;
    std::uint32_t route;
  };

  const RouteGraph& route_graph_;
  const PieceRoutes& piece_routes_;
  std::span<const std::int64_t> bytes_;
  std::vector<std::int64_t> free_capacity_;
  std::vector<std::vector<std::uint32_t>> waiting_;  // by wire
  std::vector<bool> is_blocked_;
  std::vector<std::int64_t> last_tried_;
  std::vector<std::priority_queue<Waiting>> queue_;  // by route
  std::vector<std::uint32_t> step_, rank_distance_;
  std::vector<std::int64_t> remaining_time_;
  std::map<std::int64_t, Bucket> buckets_;
  std::vector<std::uint32_t> candidates_;
  std::vector<CandidateRoute> order_;
  std::uint32_t receiver_orders_ = 1;
  std::vector<Send> sends_;
  std::int64_t round_ = 0;
};

/// Sends between all pairs at a fixed distance in the order of ranks concurrently, one distance
/// after another. Possible if all ranks reach each other equally and links have the capacity.
/// `lanes`: number of concurrent distances, each over another route of a pair.
/// Empty: links lack the capacity.
std::vector<Send> rotate_pairs(const RouteGraph& route_graph, std::span<const Piece> pieces,
                               std::span<const std::int64_t> bytes, std::uint32_t lanes) {
  const std::uint32_t count = route_graph.store_count();
  const Route& first = route_graph.routes.front();
  if (pieces.size() != std::size_t{count} * (count - 1)) return {};
  for (const Route& route : route_graph.routes) {
    if (route.rate != first.rate || route.latency != first.latency) return {};
  }
  for (const LinkUse& use : route_graph.link_uses) {
    if (use.extra_delay != Time{}) return {};
  }
  std::vector<std::vector<std::uint32_t>> by_distance(count);
  for (std::uint32_t i = 0; i < pieces.size(); ++i)
    by_distance[(route_graph.store_of[pieces[i].to] + count -
                 route_graph.store_of[pieces[i].from]) %
                count]
        .push_back(i);
  const std::int64_t duration = transfer_duration(bytes.front(), first.rate).count();
  std::vector<Send> sends;
  std::vector<std::int64_t> free_capacity = route_graph.capacity;
  std::vector<std::uint32_t> used_routes;
  for (std::uint32_t turn = 1; turn < count; ++turn) {
    const std::uint32_t lane = (turn - 1) % lanes;
    if (lane == 0) {
      for (const std::uint32_t route : used_routes) {
        for (const LinkUse& use : route_graph.uses_of(route)) free_capacity[use.wire] += first.rate;
      }
      used_routes.clear();
    }
    for (const std::uint32_t piece : by_distance[turn]) {
      const std::uint32_t from = route_graph.store_of[pieces[piece].from];
      const std::uint32_t to = route_graph.store_of[pieces[piece].to];
      std::uint32_t begin = route_graph.out_offsets[from];
      while (begin < route_graph.out_offsets[from + 1] && route_graph.to[begin] != to) ++begin;
      std::uint32_t end = begin;
      while (end < route_graph.out_offsets[from + 1] && route_graph.to[end] == to) ++end;
      // make_route_graph() sorts the routes of a pair starting with the switch that the receiver's
      // number selects.
      const std::uint32_t choices = end - begin;
      std::uint32_t tried = 0, route = begin;
      for (; tried < choices; ++tried) {
        route = begin + (lane + tried + choices - to % choices) % choices;
        const auto uses = route_graph.uses_of(route);
        if (std::all_of(uses.begin(), uses.end(),
                        [&](const LinkUse& one) { return free_capacity[one.wire] >= first.rate; }))
          break;
      }
      if (tried == choices || bytes[piece] != bytes.front()) return {};
      for (const LinkUse& use : route_graph.uses_of(route)) free_capacity[use.wire] -= first.rate;
      used_routes.push_back(route);
      sends.push_back({piece, route, 0, Time((turn - 1) / lanes * duration)});
    }
  }
  return sends;
}

}  // namespace

std::vector<Piece> exchanged_pieces(std::span<const Group> groups, std::int64_t chunks) {
  std::vector<Piece> pieces;
  for (std::uint32_t g = 0; g < groups.size(); ++g) {
    const Group& group = groups[g];
    const auto count = static_cast<std::int64_t>(group.members.size());
    const auto upto = [&](std::int64_t part) {
      return part_offset(group.bytes, part, count * chunks);
    };
    for (std::int64_t from = 0; from < count; ++from) {
      for (std::int64_t turn = 1; turn < count; ++turn) {
        const std::int64_t to = (from + turn) % count;
        for (std::int64_t part = to * chunks; part < (to + 1) * chunks; ++part) {
          const std::int64_t bytes = upto(part + 1) - upto(part);
          if (bytes > 0)
            pieces.push_back({g, group.members[static_cast<std::size_t>(from)],
                              group.members[static_cast<std::size_t>(to)], upto(part), bytes});
        }
      }
    }
  }
  // With several groups, the pieces of a device must be consecutive.
  std::stable_sort(pieces.begin(), pieces.end(),
                   [](const Piece& a, const Piece& b) { return a.from < b.from; });
  return pieces;
}

namespace {

/// Searches with the given stores.
Result<SearchResult> search_over(const FabricState& fabric, std::span<const Group> groups,
                                 std::vector<NodeIndex> stores, const SearchOptions& options,
                                 bool all_routes) {
  const bool cut = options.chunks > 0;
  const std::int64_t chunks = cut ? options.chunks : 1;
  const std::size_t count = stores.size();
  RouteGraphOptions graph_options;
  graph_options.max_peers = 0;
  graph_options.all_routes = all_routes;
  const RouteGraph route_graph = make_route_graph(fabric, std::move(stores), graph_options);
  if (route_graph.routes.empty())
    return fail(Errc::config_conflict, fabric.topology->name(),
                "some ranks cannot reach each other, or only over too many paths",
                "'orrery network show' lists the links that are down");
  SearchResult found;
  Schedule& schedule = found.schedule;
  schedule.groups.assign(groups.begin(), groups.end());
  schedule.pieces = exchanged_pieces(groups, chunks);
  std::vector<std::int64_t> most(groups.size()), bytes;
  for (const Piece& piece : schedule.pieces)
    most[piece.group] = std::max(most[piece.group], piece.bytes);
  for (const Piece& piece : schedule.pieces) bytes.push_back(most[piece.group]);
  schedule.routes = route_graph.routes;
  for (const LinkUse& use : route_graph.link_uses) schedule.wires.push_back(use.wire);
  if (schedule.pieces.empty()) return found;
  const auto lanes = static_cast<std::uint32_t>(route_graph.routes.size() / (count * (count - 1)));
  if (lanes > 1) schedule.sends = rotate_pairs(route_graph, schedule.pieces, bytes, lanes);
  if (schedule.sends.empty()) schedule.sends = rotate_pairs(route_graph, schedule.pieces, bytes, 1);
  found.method = "pairs in turn, all pairs of one rank distance at the same time";
  const Time rotation_end = schedule.sends.empty() ? kTimeMax : schedule.end();
  if (rotation_end <= options.stop_at || (rotation_end < kTimeMax && count > kFewRanks))
    return found;
  // With several groups and without relays, only members of a group forward its pieces.
  std::vector<std::vector<bool>> forwarders;
  for (const Group& group : groups) {
    if (options.relays || groups.size() == 1) break;
    std::vector<bool>& stores_of = forwarders.emplace_back(count);
    for (const NodeIndex node : group.members) stores_of[route_graph.store_of[node]] = true;
  }
  const PieceRoutes piece_routes = find_piece_routes(route_graph, schedule.pieces, forwarders);
  if (piece_routes.first.empty())
    return fail(Errc::config_conflict, fabric.topology->name(),
                "some ranks cannot reach each other", {});
  std::vector<Send> rotation = std::exchange(
      schedule.sends, Timetable(route_graph, schedule.pieces, piece_routes, bytes).run());
  found.method = "search: balanced paths, the longest first";
  if (rotation_end <= schedule.end()) {
    schedule.sends = std::move(rotation);
    found.method = "pairs in turn, all pairs of one rank distance at the same time";
  }
  if (!options.streams) return found;
  const StreamTask streams{
      fabric,      groups,
      route_graph, piece_routes,
      bytes,       [&](std::int64_t parts) { return exchanged_pieces(groups, chunks * parts); }};
  std::optional<Schedule> streamed = schedule_streams(streams, cut ? 1 : 0, schedule.end());
  if (!streamed) return found;
  return SearchResult{std::move(*streamed),
                      "search: balanced paths, all pipelined at the same time"};
}

}  // namespace

Result<SearchResult> exchange(const FabricState& fabric, std::span<const Group> groups,
                              const SearchOptions& options) {
  std::set<NodeIndex> members;
  std::uint64_t count = 0;
  const std::int64_t chunks = options.chunks > 0 ? options.chunks : 1;
  for (const Group& group : groups) {
    members.insert(group.members.begin(), group.members.end());
    count += group.members.size() * (group.members.size() - 1);
  }
  const auto too_large = [&] {
    return fail(Errc::limit_exceeded, "synthesis",
                "an all-to-all of this many ranks has too many pieces or paths",
                "use fewer ranks, or fewer --chunks");
  };
  if (count > kMaxPieces / static_cast<std::uint64_t>(chunks)) return too_large();
  const std::vector<NodeIndex> member_nodes(members.begin(), members.end());
  Result<SearchResult> best = search_over(fabric, groups, member_nodes, options, false);
  const auto is_good_enough = [&] { return best && best->schedule.end() <= options.stop_at; };
  if (best && !is_good_enough() && member_nodes.size() <= kFewRanks) {
    // Longer routes, since short ones may leave links idle.
    Result<SearchResult> longer = search_over(fabric, groups, member_nodes, options, true);
    if (longer && longer->schedule.end() < best->schedule.end()) best = std::move(longer);
  }
  if (options.streams && !is_good_enough()) {
    auto streamed = stream_exchange(fabric, groups, options);
    if (streamed && (!best || streamed->schedule.end() < best->schedule.end()))
      best = std::move(*streamed);
  }
  // Relays may be the only route, or a good one.
  if (!options.relays || (best && (!relays_are_near(fabric, members) || is_good_enough())))
    return best;
  const std::vector<NodeIndex> all_nodes = with_relays(fabric, member_nodes);
  if (all_nodes.size() == member_nodes.size()) return best;
  Result<SearchResult> relayed = search_over(fabric, groups, all_nodes, options, false);
  if (!relayed || (best && best->schedule.end() <= relayed->schedule.end())) return best;
  relayed->method += ", with relays";
  return relayed;
}

}  // namespace orrery::synthesis
