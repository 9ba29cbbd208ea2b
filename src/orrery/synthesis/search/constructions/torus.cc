// SPDX-License-Identifier: Apache-2.0
#include "orrery/synthesis/search/constructions/torus.h"

#include <fmt/format.h>

#include <algorithm>
#include <compare>
#include <functional>
#include <queue>

#include "orrery/core/random.h"

namespace orrery::synthesis {

namespace {

/// A send of a piece of place 0; all other places repeat it, translated.
struct TorusSend {
  std::int64_t start = 0;
  std::uint32_t piece = 0;  // index among the pieces of one node
  std::uint32_t at = 0;     // offset
  std::uint32_t side = 0;
};

/// An event at a side of one node.
struct SideEvent {
  std::int64_t at;
  bool free;  // true: the side is free; false: a piece has arrived
  std::uint32_t number, offset;
  auto operator<=>(const SideEvent&) const = default;
};
using SideEvents = std::priority_queue<SideEvent, std::vector<SideEvent>, std::greater<>>;

/// Advances to the time of the next events and handles all of that time: `idle` is by side;
/// `arrive(piece, offset)`.
template <class Arrive>
std::int64_t advance(SideEvents& events, std::vector<bool>& idle, const Arrive& arrive) {
  const std::int64_t now = events.top().at;
  while (!events.empty() && events.top().at == now) {
    const SideEvent due = events.top();
    events.pop();
    if (due.free) {
      idle[due.number] = true;
    } else {
      arrive(due.number, due.offset);
    }
  }
  return now;
}

/// Adds one route per link, with number place × sides + side.
void add_routes(const Torus& torus, const Group& group, Schedule& schedule) {
  const std::size_t sides = torus.sides.size();
  schedule.wires = torus.wires;
  for (std::uint32_t place = 0; place < torus.places; ++place) {
    for (std::uint32_t side = 0; side < sides; ++side)
      schedule.routes.push_back({group.members[place], group.members[torus.neighbor(place, side)],
                                 torus.sides[side].rate, torus.sides[side].latency,
                                 static_cast<std::uint32_t>(place * sides + side), 1});
  }
}

/// Repeats the sends of place 0 for every node. `each`: pieces per node.
void set_sends(const Torus& torus, std::vector<TorusSend>& sends, std::uint32_t each,
               Schedule& schedule) {
  std::stable_sort(sends.begin(), sends.end(),
                   [](const TorusSend& a, const TorusSend& b) { return a.start < b.start; });
  const auto sides = static_cast<std::uint32_t>(torus.sides.size());
  const std::size_t dims = torus.sizes.size();
  std::vector<std::uint32_t> coordinates(torus.places * dims);
  for (std::uint32_t place = 0; place < torus.places; ++place) {
    std::uint32_t rest = place;
    for (std::size_t d = 0; d < dims; ++d) {
      const auto size = static_cast<std::uint32_t>(torus.sizes[d]);
      coordinates[place * dims + d] = rest % size;
      rest /= size;
    }
  }
  schedule.sends.reserve(sends.size() * torus.places);
  std::vector<std::vector<std::uint32_t>> translated(dims);  // offset of each coordinate in a place
  for (const TorusSend& move : sends) {
    std::uint32_t stride = sides;
    for (std::size_t d = 0; d < dims; ++d) {
      const auto size = static_cast<std::uint32_t>(torus.sizes[d]);
      translated[d].resize(size);
      for (std::uint32_t c = 0; c < size; ++c)
        translated[d][c] = (c + coordinates[move.at * dims + d]) % size * stride;
      stride *= size;
    }
    for (std::uint32_t place = 0; place < torus.places; ++place) {
      std::uint32_t route = move.side;
      for (std::size_t d = 0; d < dims; ++d) route += translated[d][coordinates[place * dims + d]];
      schedule.sends.push_back({place * each + move.piece, route, 0, Time(move.start)});
    }
  }
}

}  // namespace

std::uint32_t Torus::neighbor(std::uint32_t place, std::size_t side) const {
  std::int64_t stride = 1;
  for (std::uint32_t d = 0; d < sides[side].dim; ++d) stride *= sizes[d];
  const std::int64_t size = sizes[sides[side].dim], here = place / stride % size;
  const std::int64_t there = (here + (sides[side].up ? 1 : size - 1)) % size;
  return static_cast<std::uint32_t>(place + (there - here) * stride);
}

std::uint32_t Torus::translate(std::uint32_t place, std::uint32_t offset) const {
  std::int64_t stride = 1, sum = 0, a = place, b = offset;
  for (const std::int64_t size : sizes) {
    sum += (a % size + b % size) % size * stride;
    a /= size;
    b /= size;
    stride *= size;
  }
  return static_cast<std::uint32_t>(sum);
}

std::optional<Torus> torus_of(const FabricState& fabric, std::span<const NodeIndex> members,
                              bool reverse_links) {
  Torus torus;
  torus.places = static_cast<std::uint32_t>(members.size());
  torus.sizes = fabric.sizes;
  if (torus.sizes.empty()) torus.sizes.push_back(torus.places);
  std::int64_t product = 1;
  for (const std::int64_t size : torus.sizes) {
    if (size < 1 || __builtin_mul_overflow(product, size, &product)) return std::nullopt;
  }
  if (product != torus.places || torus.places != fabric.node_count() ||
      !std::equal(members.begin(), members.end(), fabric.rank_devices.begin(),
                  fabric.rank_devices.end()))
    return std::nullopt;
  for (std::uint32_t dim = 0; dim < torus.sizes.size(); ++dim) {
    if (torus.sizes[dim] > 1) torus.sides.push_back({dim, true, 0, {}});
    if (torus.sizes[dim] > 2) torus.sides.push_back({dim, false, 0, {}});
  }
  if (fabric.wires.size() != torus.places * torus.sides.size()) return std::nullopt;
  for (std::uint32_t place = 0; place < torus.places; ++place) {
    for (std::size_t side = 0; side < torus.sides.size(); ++side) {
      const NodeIndex here = members[place], there = members[torus.neighbor(place, side)];
      const NodeIndex from = reverse_links ? there : here, to = reverse_links ? here : there;
      const auto found = wire_between(fabric, from, to);
      if (!found) return std::nullopt;
      const Wire& wire = fabric.wires[*found];
      Torus::Side& one = torus.sides[side];
      if (place == 0) {
        one.rate = wire.rate();
        one.latency = wire.latency;
      }
      if (one.rate != wire.rate() || one.latency != wire.latency) return std::nullopt;
      torus.wires.push_back(*found);
    }
  }
  return torus;
}

namespace {

/// The sends of an all-to-all from offset 0 to all other offsets. For each piece it tracks the
/// remaining links along each side. Piece i of place 0 has the destination offset i / chunks + 1.
class TorusExchange {
 public:
  TorusExchange(const Torus& torus, std::int64_t bytes, std::uint32_t chunks)
      : torus_(torus),
        bytes_(bytes),
        sides_(torus.sides.size()),
        pieces_((torus.places - 1) * chunks),
        remaining_(pieces_ * sides_),
        total_remaining_(pieces_),
        waiting_(sides_),
        idle_(sides_, true),
        position_(pieces_),
        in_flight_(pieces_) {
    for (std::uint32_t piece = 0; piece < pieces_; ++piece) {
      set_steps(piece, piece / chunks + 1, piece % chunks);
      unsent_ += total_remaining_[piece];
      enqueue(piece);
    }
  }

  std::vector<TorusSend> run() {
    std::int64_t now = 0;
    while (unsent_ > 0) {
      for (std::uint32_t side = 0; side < sides_; ++side) {
        if (idle_[side]) send(side, now);
      }
      now = advance(events_, idle_, [&](std::uint32_t piece, std::uint32_t offset) {
        in_flight_[piece] = false;
        position_[piece] = offset;
        enqueue(piece);
      });
    }
    return std::move(sends_);
  }

 private:
  struct WaitingPiece {
    std::uint32_t remaining, piece;
    bool operator<(const WaitingPiece& other) const {
      return remaining != other.remaining ? remaining < other.remaining : piece > other.piece;
    }
  };

  void set_steps(std::uint32_t piece, std::uint32_t to, std::uint32_t chunk) {
    std::int64_t rest = to, others = chunk;
    for (const std::int64_t size : torus_.sizes) {
      others += rest % size;
      rest /= size;
    }
    rest = to;
    for (std::uint32_t dim = 0; dim < torus_.sizes.size(); ++dim) {
      const std::int64_t size = torus_.sizes[dim], distance = rest % size;
      rest /= size;
      if (distance == 0) continue;
      // If both directions are equally long, half of the pieces use each.
      const bool up = 2 * distance < size || (2 * distance == size && (others - distance) % 2 == 0);
      for (std::size_t side = 0; side < sides_; ++side) {
        const Torus::Side& one = torus_.sides[side];
        if (one.dim == dim && (one.up == up || size == 2)) {
          const auto steps =
              static_cast<std::uint32_t>(up || size == 2 ? distance : size - distance);
          remaining_[piece * sides_ + side] = steps;
          total_remaining_[piece] += steps;
        }
      }
    }
  }
  void enqueue(std::uint32_t piece) {
    for (std::size_t side = 0; side < sides_; ++side) {
      if (remaining_[piece * sides_ + side] > 0)
        waiting_[side].push({total_remaining_[piece], piece});
    }
  }
  void send(std::uint32_t side, std::int64_t now) {
    auto& waiting = waiting_[side];
    while (!waiting.empty()) {
      const WaitingPiece one = waiting.top();
      waiting.pop();
      // Another side has sent it; it is queued again at its next place.
      if (in_flight_[one.piece] || total_remaining_[one.piece] != one.remaining ||
          remaining_[one.piece * sides_ + side] == 0)
        continue;
      idle_[side] = false;
      in_flight_[one.piece] = true;
      --remaining_[one.piece * sides_ + side];
      --total_remaining_[one.piece];
      --unsent_;
      const std::int64_t done = now + transfer_duration(bytes_, torus_.sides[side].rate).count();
      events_.push({done, true, side, 0});
      events_.push({done + torus_.sides[side].latency.count(), false, one.piece,
                    torus_.neighbor(position_[one.piece], side)});
      sends_.push_back({now, one.piece, position_[one.piece], side});
      return;
    }
  }

  const Torus& torus_;
  std::int64_t bytes_;
  std::size_t sides_;
  std::uint32_t pieces_;
  std::vector<std::uint32_t> remaining_;        // links, by piece, then side
  std::vector<std::uint32_t> total_remaining_;  // their sum, by piece
  std::vector<std::priority_queue<WaitingPiece>> waiting_;
  std::vector<bool> idle_;
  std::vector<std::uint32_t> position_;
  std::vector<bool> in_flight_;
  std::size_t unsent_ = 0;
  SideEvents events_;
  std::vector<TorusSend> sends_;
};

}  // namespace

SearchResult torus_exchange(const Torus& torus, const Group& group, const SearchOptions& options) {
  SearchResult found;
  Schedule& schedule = found.schedule;
  schedule.groups = {group};
  // In one dimension, two pieces per shard are needed to use both directions equally.
  const auto dims = std::count_if(torus.sizes.begin(), torus.sizes.end(),
                                  [](std::int64_t size) { return size > 1; });
  const std::int64_t chunks = options.chunks > 0 ? options.chunks : dims == 1 ? 2 : 1;
  const std::int64_t count = torus.places * chunks;
  std::int64_t bytes = 0;
  for (std::uint32_t from = 0; from < torus.places; ++from) {
    for (std::uint32_t offset = 1; offset < torus.places; ++offset) {
      const std::uint32_t to = torus.translate(from, offset);
      const auto upto = [&](std::int64_t part) { return part_offset(group.bytes, part, count); };
      for (std::int64_t part = to * chunks; part < (to + 1) * chunks; ++part) {
        schedule.pieces.push_back(
            {0, group.members[from], group.members[to], upto(part), upto(part + 1) - upto(part)});
        bytes = std::max(bytes, schedule.pieces.back().bytes);
      }
    }
  }
  std::vector<TorusSend> sends =
      TorusExchange(torus, bytes, static_cast<std::uint32_t>(chunks)).run();
  add_routes(torus, group, schedule);
  set_sends(torus, sends, static_cast<std::uint32_t>((torus.places - 1) * chunks), schedule);
  found.method = "torus: shortest paths for the pieces of one node, translated to all nodes";
  return found;
}

namespace {

class TorusTree {
 public:
  TorusTree(const Torus& torus, std::int64_t bytes, std::uint32_t pieces, std::uint64_t seed)
      : torus_(torus),
        bytes_(bytes),
        taken_(std::size_t{pieces} * torus.places),
        open_(torus.sides.size()),
        idle_(torus.sides.size(), true),
        unsent_(std::size_t{pieces} * (torus.places - 1)),
        random_(mix_bits(seed)) {
    for (std::uint32_t piece = 0; piece < pieces; ++piece) {
      taken_[std::size_t{piece} * torus.places] = true;
      arrive(piece, 0);
    }
  }

  std::vector<TorusSend> run(std::int64_t& end) {
    std::int64_t now = 0;
    end = 0;
    while (unsent_ > 0) {
      for (std::uint32_t side = 0; side < idle_.size(); ++side) {
        if (idle_[side]) send(side, now, end);
      }
      now = advance(events_, idle_,
                    [&](std::uint32_t piece, std::uint32_t offset) { arrive(piece, offset); });
    }
    return std::move(sends_);
  }

 private:
  struct Choice {
    std::uint32_t piece, at;
  };
  [[nodiscard]] std::size_t index(std::uint32_t piece, std::uint32_t at) const {
    return std::size_t{piece} * torus_.places + at;
  }
  void arrive(std::uint32_t piece, std::uint32_t at) {
    for (std::size_t side = 0; side < open_.size(); ++side) {
      if (!taken_[index(piece, torus_.neighbor(at, side))]) open_[side].push_back({piece, at});
    }
  }
  void send(std::uint32_t side, std::int64_t now, std::int64_t& end) {
    auto& open = open_[side];
    while (!open.empty()) {
      random_ = mix_bits(random_);
      const auto i = static_cast<std::size_t>((random_ >> 32) * open.size() >> 32);
      const Choice one = open[i];
      open[i] = open.back();
      open.pop_back();
      const std::uint32_t to = torus_.neighbor(one.at, side);
      if (taken_[index(one.piece, to)]) continue;
      taken_[index(one.piece, to)] = true;
      --unsent_;
      idle_[side] = false;
      const std::int64_t done = now + transfer_duration(bytes_, torus_.sides[side].rate).count();
      const std::int64_t there = done + torus_.sides[side].latency.count();
      events_.push({done, true, side, 0});
      events_.push({there, false, one.piece, to});
      sends_.push_back({now, one.piece, one.at, side});
      end = std::max(end, there);
      return;
    }
  }

  const Torus& torus_;
  std::int64_t bytes_;
  std::vector<bool> taken_;                // by piece, then offset: it has arrived or is in flight
  std::vector<std::vector<Choice>> open_;  // by side: candidates to send, including outdated ones
  std::vector<bool> idle_;
  std::size_t unsent_;
  SideEvents events_;
  std::vector<TorusSend> sends_;
  std::uint64_t random_;
};

/// The number of pieces with which all sides carry about the same load.
std::int64_t pieces_for(const Torus& torus, const SearchOptions& options) {
  if (options.chunks > 0) return options.chunks;
  const auto sides = static_cast<std::int64_t>(torus.sides.size());
  std::int64_t pieces = 1;
  for (; pieces < 16; ++pieces) {
    const std::int64_t all = pieces * (torus.places - 1);
    if ((all + sides - 1) / sides * sides * 200 <= all * 201) break;
  }
  return pieces;
}

}  // namespace

SearchResult torus_gather(const Torus& torus, const Group& group, const SearchOptions& options) {
  SearchResult found;
  const std::int64_t pieces = pieces_for(torus, options);
  Schedule& schedule = found.schedule;
  schedule.groups = {group};
  schedule.pieces = pieces_of({&group, 1}, pieces);
  std::int64_t bytes = 0;
  for (const Piece& piece : schedule.pieces) bytes = std::max(bytes, piece.bytes);
  std::vector<TorusSend> best;
  std::int64_t least = 0;
  for (std::uint64_t seed = options.seed; seed < options.seed + 8; ++seed) {
    std::int64_t end = 0;
    std::vector<TorusSend> sends =
        TorusTree(torus, bytes, static_cast<std::uint32_t>(pieces), seed).run(end);
    if (!best.empty() && end >= least) continue;
    least = end;
    best = std::move(sends);
  }
  add_routes(torus, group, schedule);
  set_sends(torus, best, static_cast<std::uint32_t>(pieces), schedule);
  found.method = fmt::format("torus: tree of one node, translated to all nodes; {} piece{} each",
                             pieces, pieces == 1 ? "" : "s");
  return found;
}

}  // namespace orrery::synthesis
