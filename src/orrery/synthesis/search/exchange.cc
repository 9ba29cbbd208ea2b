// SPDX-License-Identifier: Apache-2.0
#include "orrery/synthesis/search/exchange.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <queue>
#include <set>
#include <utility>

#include "orrery/core/random.h"
#include "orrery/synthesis/search/flowing.h"
#include "orrery/synthesis/search/routes.h"
#include "orrery/synthesis/search/streams.h"

namespace orrery::synthesis {

namespace {

constexpr std::uint64_t kMostPieces = 2'000'000;
constexpr std::size_t kFewRanks = 64;  // up to which longer ways than are needed are tried

/// When each piece goes along its way.
class Timetable {
 public:
  Timetable(const Reach& reach, std::span<const Piece> pieces, const Routes& routes,
            std::span<const std::int64_t> bytes)
      : reach_(reach),
        routes_(routes),
        bytes_(bytes),
        room_(reach.room),
        waiting_(reach.room.size()),
        parked_(reach.ways.size()),
        tried_(reach.ways.size(), -1),
        queue_(reach.ways.size()),
        step_(pieces.size()),
        to_go_(pieces.size()) {
    for (std::uint32_t i = 0; i < pieces.size(); ++i) {
      const auto count = static_cast<std::uint32_t>(reach.stores.size());
      turn_.push_back((reach.store_of[pieces[i].to] + count - reach.store_of[pieces[i].from]) %
                      count);
      for (const std::uint32_t way : routes.of(i)) to_go_[i] += lasts(i, way);
      enqueue(i);
    }
    sends_.reserve(routes.ways.size());
    for (const std::uint32_t turn : reach.turn) turns_ = std::max(turns_, turn + 1);
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

  [[nodiscard]] std::int64_t lasts(std::uint32_t piece, std::uint32_t way) const {
    return passes(bytes_[piece], reach_.ways[way].rate).count();
  }
  void candidate(std::uint32_t way) {
    if (parked_[way] || tried_[way] == round_) return;
    tried_[way] = round_;
    candidates_.push_back(way);
  }
  void enqueue(std::uint32_t piece) {
    const auto path = routes_.of(piece);
    if (step_[piece] == path.size()) return;
    const std::uint32_t way = path[step_[piece]];
    queue_[way].push({to_go_[piece], turn_[piece], piece});
    candidate(way);
  }
  void happen(const Bucket& bucket) {
    for (const Release& one : bucket.released) {
      room_[one.wire] += one.rate;
      for (const std::uint32_t way : waiting_[one.wire]) {
        parked_[way] = false;
        candidate(way);
      }
      waiting_[one.wire].clear();
    }
    for (const std::uint32_t piece : bucket.arrived) {
      to_go_[piece] -= lasts(piece, routes_.of(piece)[step_[piece]]);
      ++step_[piece];
      enqueue(piece);
    }
  }
  void try_candidates(std::int64_t now) {
    // What has the most to go first; pieces alike, by their turn.
    order_.clear();
    for (const std::uint32_t way : candidates_) {
      if (!queue_[way].empty()) order_.push_back({queue_[way].top(), way});
    }
    candidates_.clear();
    const std::uint32_t first_turn =
        static_cast<std::uint32_t>(mixed(static_cast<std::uint64_t>(round_)) % turns_);
    const auto place = [&](std::uint32_t way) {
      return (reach_.turn[way] + turns_ - first_turn) % turns_;
    };
    std::sort(order_.begin(), order_.end(), [&](const Turn& a, const Turn& b) {
      const auto pa = place(a.way), pb = place(b.way);
      if (pa != pb) return pa < pb;
      return b.first < a.first || (!(a.first < b.first) && a.way < b.way);
    });
    for (const Turn& one : order_) {
      while (!queue_[one.way].empty() && send(one.way, now)) {
      }
    }
  }
  bool send(std::uint32_t way, std::int64_t now) {
    const std::int64_t rate = reach_.ways[way].rate;
    for (const Held& held : reach_.held_by(way)) {
      if (room_[held.wire] >= rate) continue;
      waiting_[held.wire].push_back(way);
      parked_[way] = true;
      return false;
    }
    const std::uint32_t piece = queue_[way].top().piece;
    queue_[way].pop();
    const std::int64_t end = now + lasts(piece, way);
    for (const Held& held : reach_.held_by(way)) {
      room_[held.wire] -= rate;
      buckets_[end + held.later.count()].released.push_back({held.wire, rate});
    }
    buckets_[end + reach_.ways[way].latency.count()].arrived.push_back(piece);
    sends_.push_back({piece, way, 0, Time(now)});
    return true;
  }

  struct Turn {
    Waiting first;
    std::uint32_t way;
  };

  const Reach& reach_;
  const Routes& routes_;
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
std::vector<Send> in_turns(const Reach& reach, std::span<const Piece> pieces,
                           std::span<const std::int64_t> bytes, std::uint32_t lanes) {
  const std::uint32_t count = reach.store_count();
  const Way& first = reach.ways.front();
  if (pieces.size() != std::size_t{count} * (count - 1)) return {};
  for (const Way& way : reach.ways) {
    if (way.rate != first.rate || way.latency != first.latency) return {};
  }
  for (const Held& held : reach.held) {
    if (held.later != Time{}) return {};
  }
  std::vector<std::vector<std::uint32_t>> by_turn(count);
  for (std::uint32_t i = 0; i < pieces.size(); ++i)
    by_turn[(reach.store_of[pieces[i].to] + count - reach.store_of[pieces[i].from]) % count]
        .push_back(i);
  const std::int64_t lasts = passes(bytes.front(), first.rate).count();
  std::vector<Send> sends;
  std::vector<std::int64_t> room = reach.room;
  std::vector<std::uint32_t> taken;
  for (std::uint32_t turn = 1; turn < count; ++turn) {
    const std::uint32_t lane = (turn - 1) % lanes;
    if (lane == 0) {
      for (const std::uint32_t way : taken) {
        for (const Held& held : reach.held_by(way)) room[held.wire] += first.rate;
      }
      taken.clear();
    }
    for (const std::uint32_t piece : by_turn[turn]) {
      const std::uint32_t from = reach.store_of[pieces[piece].from];
      const std::uint32_t to = reach.store_of[pieces[piece].to];
      std::uint32_t begin = reach.first_out[from];
      while (begin < reach.first_out[from + 1] && reach.to[begin] != to) ++begin;
      std::uint32_t end = begin;
      while (end < reach.first_out[from + 1] && reach.to[end] == to) ++end;
      // reach_of() has the ways of a pair from the switch on that the receiver's number names.
      const std::uint32_t choices = end - begin;
      std::uint32_t tried = 0, way = begin;
      for (; tried < choices; ++tried) {
        way = begin + (lane + tried + choices - to % choices) % choices;
        const auto held = reach.held_by(way);
        if (std::all_of(held.begin(), held.end(),
                        [&](const Held& one) { return room[one.wire] >= first.rate; }))
          break;
      }
      if (tried == choices || bytes[piece] != bytes.front()) return {};
      for (const Held& held : reach.held_by(way)) room[held.wire] -= first.rate;
      taken.push_back(way);
      sends.push_back({piece, way, 0, Time((turn - 1) / lanes * lasts)});
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
Result<Found> over(const Ground& ground, std::span<const Group> groups,
                   std::vector<NodeIndex> stores, const Effort& effort, bool all) {
  const bool cut = effort.chunks > 0;
  const std::int64_t chunks = cut ? effort.chunks : 1;
  const std::size_t stores_count = stores.size();
  ReachOptions options;
  options.peers = 0;
  options.all = all;
  const Reach reach = reach_of(ground, std::move(stores), options);
  if (reach.ways.empty())
    return fail(Errc::config_conflict, ground.topology->name(),
                "some of the ranks do not reach each other, or over too many ways",
                "'orrery topology' shows which links are down");
  Found found;
  Schedule& schedule = found.schedule;
  schedule.groups.assign(groups.begin(), groups.end());
  schedule.pieces = exchanged_pieces(groups, chunks);
  std::vector<std::int64_t> most(groups.size()), bytes;
  for (const Piece& piece : schedule.pieces)
    most[piece.group] = std::max(most[piece.group], piece.bytes);
  for (const Piece& piece : schedule.pieces) bytes.push_back(most[piece.group]);
  schedule.ways = reach.ways;
  for (const Held& held : reach.held) schedule.wires.push_back(held.wire);
  if (schedule.pieces.empty()) return found;
  const std::size_t pairs = stores_count * (stores_count - 1);
  const auto lanes = static_cast<std::uint32_t>(reach.ways.size() / pairs);
  if (lanes > 1) schedule.sends = in_turns(reach, schedule.pieces, bytes, lanes);
  if (schedule.sends.empty()) schedule.sends = in_turns(reach, schedule.pieces, bytes, 1);
  found.how = "pairs in turns, each distance of ranks at once";
  const Time turns = schedule.sends.empty() ? kTimeMax : schedule.time();
  if (turns <= effort.good_enough || (turns < kTimeMax && stores_count > kFewRanks)) return found;
  // Of several groups' members others hand nothing on where they may not.
  std::vector<std::vector<bool>> own;
  for (const Group& group : groups) {
    if (effort.relays || groups.size() == 1) break;
    std::vector<bool>& stores_of = own.emplace_back(stores_count);
    for (const NodeIndex node : group.members) stores_of[reach.store_of[node]] = true;
  }
  const Routes routes = routes_of(reach, schedule.pieces, own);
  if (routes.first.empty())
    return fail(Errc::config_conflict, ground.topology->name(),
                "some of the ranks do not reach each other", {});
  std::vector<Send> in_turn =
      std::exchange(schedule.sends, Timetable(reach, schedule.pieces, routes, bytes).run());
  found.how = "searched: balanced ways, the longest first";
  if (turns <= schedule.time()) {
    schedule.sends = std::move(in_turn);
    found.how = "pairs in turns, each distance of ranks at once";
  }
  if (!effort.streams) return found;
  const StreamTask streams{
      ground, groups, reach,
      routes, bytes,  [&](std::int64_t parts) { return exchanged_pieces(groups, chunks * parts); }};
  std::optional<Schedule> flowing = streamed(streams, cut ? 1 : 0, schedule.time());
  if (!flowing) return found;
  return Found{std::move(*flowing), "searched: balanced ways, all in streams at once"};
}

}  // namespace

Result<Found> exchange(const Ground& ground, std::span<const Group> groups, const Effort& effort) {
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
  Result<Found> best = over(ground, groups, alone, effort, false);
  const auto enough = [&] { return best && best->schedule.time() <= effort.good_enough; };
  if (best && !enough() && alone.size() <= kFewRanks) {
    // Longer ways, where short ones leave links idle.
    Result<Found> longer = over(ground, groups, alone, effort, true);
    if (longer && longer->schedule.time() < best->schedule.time()) best = std::move(longer);
  }
  if (effort.streams && !enough()) {
    auto flowing = flowing_exchange(ground, groups, effort);
    if (flowing && (!best || flowing->schedule.time() < best->schedule.time()))
      best = std::move(*flowing);
  }
  // Others may be the only way, or a good one.
  const bool near = std::any_of(ground.wires.begin(), ground.wires.end(), [&](const Wire& wire) {
    return members.contains(wire.from) && !members.contains(wire.to) &&
           ground.topology->kind(wire.to) == platform::NodeClass::device;
  });
  if (!effort.relays || (best && (!near || enough()))) return best;
  const std::vector<NodeIndex> all = with_relays(ground, alone);
  if (all.size() == alone.size()) return best;
  Result<Found> relayed = over(ground, groups, all, effort, false);
  if (!relayed || (best && best->schedule.time() <= relayed->schedule.time())) return best;
  relayed->how += ", others relay";
  return relayed;
}

}  // namespace orrery::synthesis
