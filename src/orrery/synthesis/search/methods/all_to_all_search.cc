// SPDX-License-Identifier: Apache-2.0
#include "orrery/synthesis/search/methods/all_to_all_search.h"

#include <fmt/format.h>

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

constexpr std::uint64_t kMostPieces = 2'000'000;
constexpr std::size_t kFewRanks = 64;  // up to which longer ways than are needed are tried

/// When each piece goes along its way.
class Timetable {
 public:
  Timetable(const RouteGraph& route_graph, std::span<const Piece> pieces,
            const PieceRoutes& piece_routes, std::span<const std::int64_t> bytes)
      : route_graph_(route_graph),
        piece_routes_(piece_routes),
        bytes_(bytes),
        room_(route_graph.room),
        waiting_(route_graph.room.size()),
        parked_(route_graph.routes.size()),
        tried_(route_graph.routes.size(), -1),
        queue_(route_graph.routes.size()),
        step_(pieces.size()),
        to_go_(pieces.size()) {
    for (std::uint32_t i = 0; i < pieces.size(); ++i) {
      const auto count = static_cast<std::uint32_t>(route_graph.stores.size());
      turn_.push_back(
          (route_graph.store_of[pieces[i].to] + count - route_graph.store_of[pieces[i].from]) %
          count);
      for (const std::uint32_t route : piece_routes.of(i)) to_go_[i] += duration(i, route);
      enqueue(i);
    }
    sends_.reserve(piece_routes.routes.size());
    for (const std::uint32_t turn : route_graph.turn) turns_ = std::max(turns_, turn + 1);
  }

  std::vector<Send> run() {
    std::int64_t now = 0;
    for (;;) {
      try_candidates(now);
      if (buckets_.empty()) break;
      auto node = buckets_.extract(buckets_.begin());
      now = node.key();
      ++round_;
      happen(node.mapped());
    }
    return std::move(sends_);
  }

 private:
  struct Waiting {
    std::int64_t to_go;
    std::uint32_t turn, piece;
    bool operator<(const Waiting& other) const {
      if (to_go != other.to_go) return to_go < other.to_go;
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
    if (parked_[route] || tried_[route] == round_) return;
    tried_[route] = round_;
    candidates_.push_back(route);
  }
  void enqueue(std::uint32_t piece) {
    const auto path = piece_routes_.of(piece);
    if (step_[piece] == path.size()) return;
    const std::uint32_t route = path[step_[piece]];
    queue_[route].push({to_go_[piece], turn_[piece], piece});
    candidate(route);
  }
  void happen(const Bucket& bucket) {
    for (const Release& one : bucket.released) {
      room_[one.wire] += one.rate;
      for (const std::uint32_t route : waiting_[one.wire]) {
        parked_[route] = false;
        candidate(route);
      }
      waiting_[one.wire].clear();
    }
    for (const std::uint32_t piece : bucket.arrived) {
      to_go_[piece] -= duration(piece, piece_routes_.of(piece)[step_[piece]]);
      ++step_[piece];
      enqueue(piece);
    }
  }
  void try_candidates(std::int64_t now) {
    // What has the most to go first; pieces alike, by their turn.
    order_.clear();
    for (const std::uint32_t route : candidates_) {
      if (!queue_[route].empty()) order_.push_back({queue_[route].top(), route});
    }
    candidates_.clear();
    const std::uint32_t first_turn =
        static_cast<std::uint32_t>(mixed(static_cast<std::uint64_t>(round_)) % turns_);
    const auto place = [&](std::uint32_t route) {
      return (route_graph_.turn[route] + turns_ - first_turn) % turns_;
    };
    std::sort(order_.begin(), order_.end(), [&](const Turn& a, const Turn& b) {
      const auto pa = place(a.route), pb = place(b.route);
      if (pa != pb) return pa < pb;
      return b.first < a.first || (!(a.first < b.first) && a.route < b.route);
    });
    for (const Turn& one : order_) {
      while (!queue_[one.route].empty() && send(one.route, now)) {
      }
    }
  }
  bool send(std::uint32_t route, std::int64_t now) {
    const std::int64_t rate = route_graph_.routes[route].rate;
    for (const LinkUse& held : route_graph_.uses_of(route)) {
      if (room_[held.wire] >= rate) continue;
      waiting_[held.wire].push_back(route);
      parked_[route] = true;
      return false;
    }
    const std::uint32_t piece = queue_[route].top().piece;
    queue_[route].pop();
    const std::int64_t end = now + duration(piece, route);
    for (const LinkUse& held : route_graph_.uses_of(route)) {
      room_[held.wire] -= rate;
      buckets_[end + held.later.count()].released.push_back({held.wire, rate});
    }
    buckets_[end + route_graph_.routes[route].latency.count()].arrived.push_back(piece);
    sends_.push_back({piece, route, 0, Time(now)});
    return true;
  }

  struct Turn {
    Waiting first;
    std::uint32_t route;
  };

  const RouteGraph& route_graph_;
  const PieceRoutes& piece_routes_;
  std::span<const std::int64_t> bytes_;
  std::vector<std::int64_t> room_;
  std::vector<std::vector<std::uint32_t>> waiting_;  // by wire
  std::vector<bool> parked_;
  std::vector<std::int64_t> tried_;
  std::vector<std::priority_queue<Waiting>> queue_;  // by way
  std::vector<std::uint32_t> step_, turn_;
  std::vector<std::int64_t> to_go_;
  std::map<std::int64_t, Bucket> buckets_;
  std::vector<std::uint32_t> candidates_;
  std::vector<Turn> order_;
  std::uint32_t turns_ = 1;
  std::vector<Send> sends_;
  std::int64_t round_ = 0;
};

/// Every pair at a fixed distance in the order of ranks at once, one distance after another: where
/// all reach all alike and links have room for it. `lanes`: so many distances side by side, each
/// over another of a pair's ways. Empty: they have not.
std::vector<Send> in_turns(const RouteGraph& route_graph, std::span<const Piece> pieces,
                           std::span<const std::int64_t> bytes, std::uint32_t lanes) {
  const std::uint32_t count = route_graph.store_count();
  const Route& first = route_graph.routes.front();
  if (pieces.size() != std::size_t{count} * (count - 1)) return {};
  for (const Route& route : route_graph.routes) {
    if (route.rate != first.rate || route.latency != first.latency) return {};
  }
  for (const LinkUse& held : route_graph.held) {
    if (held.later != Time{}) return {};
  }
  std::vector<std::vector<std::uint32_t>> by_turn(count);
  for (std::uint32_t i = 0; i < pieces.size(); ++i)
    by_turn[(route_graph.store_of[pieces[i].to] + count - route_graph.store_of[pieces[i].from]) %
            count]
        .push_back(i);
  const std::int64_t duration = transfer_duration(bytes.front(), first.rate).count();
  std::vector<Send> sends;
  std::vector<std::int64_t> room = route_graph.room;
  std::vector<std::uint32_t> taken;
  for (std::uint32_t turn = 1; turn < count; ++turn) {
    const std::uint32_t lane = (turn - 1) % lanes;
    if (lane == 0) {
      for (const std::uint32_t route : taken) {
        for (const LinkUse& held : route_graph.uses_of(route)) room[held.wire] += first.rate;
      }
      taken.clear();
    }
    for (const std::uint32_t piece : by_turn[turn]) {
      const std::uint32_t from = route_graph.store_of[pieces[piece].from];
      const std::uint32_t to = route_graph.store_of[pieces[piece].to];
      std::uint32_t begin = route_graph.out_offsets[from];
      while (begin < route_graph.out_offsets[from + 1] && route_graph.to[begin] != to) ++begin;
      std::uint32_t end = begin;
      while (end < route_graph.out_offsets[from + 1] && route_graph.to[end] == to) ++end;
      // make_route_graph() has the ways of a pair from the switch on that the receiver's number
      // names.
      const std::uint32_t choices = end - begin;
      std::uint32_t tried = 0, route = begin;
      for (; tried < choices; ++tried) {
        route = begin + (lane + tried + choices - to % choices) % choices;
        const auto held = route_graph.uses_of(route);
        if (std::all_of(held.begin(), held.end(),
                        [&](const LinkUse& one) { return room[one.wire] >= first.rate; }))
          break;
      }
      if (tried == choices || bytes[piece] != bytes.front()) return {};
      for (const LinkUse& held : route_graph.uses_of(route)) room[held.wire] -= first.rate;
      taken.push_back(route);
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
      return static_cast<std::int64_t>(static_cast<__int128>(group.bytes.count()) * part /
                                       (count * chunks));
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
  // Of several groups, a device's pieces stand together.
  std::stable_sort(pieces.begin(), pieces.end(),
                   [](const Piece& a, const Piece& b) { return a.from < b.from; });
  return pieces;
}

namespace {

/// With those that keep what they get.
Result<SearchResult> over(const FabricState& fabric, std::span<const Group> groups,
                          std::vector<NodeIndex> stores, const SynthesisEffort& effort, bool all) {
  const bool cut = effort.chunks > 0;
  const std::int64_t chunks = cut ? effort.chunks : 1;
  const std::size_t stores_count = stores.size();
  RouteGraphOptions options;
  options.peers = 0;
  options.all = all;
  const RouteGraph route_graph = make_route_graph(fabric, std::move(stores), options);
  if (route_graph.routes.empty())
    return fail(Errc::config_conflict, fabric.topology->name(),
                "some of the ranks do not reach each other, or over too many ways",
                "'orrery topology' shows which links are down");
  SearchResult found;
  Schedule& schedule = found.schedule;
  schedule.groups.assign(groups.begin(), groups.end());
  schedule.pieces = exchanged_pieces(groups, chunks);
  std::vector<std::int64_t> most(groups.size()), bytes;
  for (const Piece& piece : schedule.pieces)
    most[piece.group] = std::max(most[piece.group], piece.bytes);
  for (const Piece& piece : schedule.pieces) bytes.push_back(most[piece.group]);
  schedule.routes = route_graph.routes;
  for (const LinkUse& held : route_graph.held) schedule.wires.push_back(held.wire);
  if (schedule.pieces.empty()) return found;
  const std::size_t pairs = stores_count * (stores_count - 1);
  const auto lanes = static_cast<std::uint32_t>(route_graph.routes.size() / pairs);
  if (lanes > 1) schedule.sends = in_turns(route_graph, schedule.pieces, bytes, lanes);
  if (schedule.sends.empty()) schedule.sends = in_turns(route_graph, schedule.pieces, bytes, 1);
  found.method = "pairs in turns, each distance of ranks at once";
  const Time turns = schedule.sends.empty() ? kTimeMax : schedule.end();
  if (turns <= effort.stop_at || (turns < kTimeMax && stores_count > kFewRanks)) return found;
  // Of several groups' members others hand nothing on where they may not.
  std::vector<std::vector<bool>> own;
  for (const Group& group : groups) {
    if (effort.relays || groups.size() == 1) break;
    std::vector<bool>& stores_of = own.emplace_back(stores_count);
    for (const NodeIndex node : group.members) stores_of[route_graph.store_of[node]] = true;
  }
  const PieceRoutes piece_routes = find_piece_routes(route_graph, schedule.pieces, own);
  if (piece_routes.first.empty())
    return fail(Errc::config_conflict, fabric.topology->name(),
                "some of the ranks do not reach each other", {});
  std::vector<Send> in_turn = std::exchange(
      schedule.sends, Timetable(route_graph, schedule.pieces, piece_routes, bytes).run());
  found.method = "searched: balanced ways, the longest first";
  if (turns <= schedule.end()) {
    schedule.sends = std::move(in_turn);
    found.method = "pairs in turns, each distance of ranks at once";
  }
  if (!effort.streams) return found;
  const StreamTask streams{
      fabric,      groups,
      route_graph, piece_routes,
      bytes,       [&](std::int64_t parts) { return exchanged_pieces(groups, chunks * parts); }};
  std::optional<Schedule> flowing = schedule_streams(streams, cut ? 1 : 0, schedule.end());
  if (!flowing) return found;
  return SearchResult{std::move(*flowing), "searched: balanced ways, all in streams at once"};
}

}  // namespace

Result<SearchResult> exchange(const FabricState& fabric, std::span<const Group> groups,
                              const SynthesisEffort& effort) {
  std::set<NodeIndex> members;
  std::uint64_t count = 0;
  const std::int64_t chunks = effort.chunks > 0 ? effort.chunks : 1;
  for (const Group& group : groups) {
    members.insert(group.members.begin(), group.members.end());
    count += group.members.size() * (group.members.size() - 1);
  }
  const auto too_large = [&] {
    return fail(Errc::limit_exceeded, "synthesis",
                "an all-to-all of so many ranks has too many pieces or ways",
                "fewer ranks, or fewer --chunks");
  };
  if (count > kMostPieces / static_cast<std::uint64_t>(chunks)) return too_large();
  const std::vector<NodeIndex> alone(members.begin(), members.end());
  Result<SearchResult> best = over(fabric, groups, alone, effort, false);
  const auto enough = [&] { return best && best->schedule.end() <= effort.stop_at; };
  if (best && !enough() && alone.size() <= kFewRanks) {
    // Longer ways, where short ones leave links idle.
    Result<SearchResult> longer = over(fabric, groups, alone, effort, true);
    if (longer && longer->schedule.end() < best->schedule.end()) best = std::move(longer);
  }
  if (effort.streams && !enough()) {
    auto flowing = stream_exchange(fabric, groups, effort);
    if (flowing && (!best || flowing->schedule.end() < best->schedule.end()))
      best = std::move(*flowing);
  }
  // Others may be the only way, or a good one.
  const bool near = std::any_of(fabric.wires.begin(), fabric.wires.end(), [&](const Wire& wire) {
    return members.contains(wire.from) && !members.contains(wire.to) &&
           fabric.topology->kind(wire.to) == platform::NodeClass::device;
  });
  if (!effort.relays || (best && (!near || enough()))) return best;
  const std::vector<NodeIndex> all = with_relays(fabric, alone);
  if (all.size() == alone.size()) return best;
  Result<SearchResult> relayed = over(fabric, groups, all, effort, false);
  if (!relayed || (best && best->schedule.end() <= relayed->schedule.end())) return best;
  relayed->method += ", others relay";
  return relayed;
}

}  // namespace orrery::synthesis
