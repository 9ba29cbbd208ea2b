// SPDX-License-Identifier: Apache-2.0
#include "orrery/synthesis/search/constructions/torus.h"

#include <fmt/format.h>

#include <algorithm>

#include "orrery/core/random.h"
#include "orrery/synthesis/search/constructions/torus_internal.h"

namespace orrery::synthesis {

namespace torus_detail {

void add_routes(const Torus& torus, const Group& group, Schedule& schedule) {
  const std::size_t sides = torus.sides.size();
  schedule.wires = torus.wires;
  for (std::uint32_t place = 0; place < torus.places; ++place) {
    for (std::uint32_t side = 0; side < sides; ++side)
      schedule.routes.push_back({group.members[place], group.members[torus.neighbour(place, side)],
                                 torus.sides[side].rate, torus.sides[side].latency,
                                 static_cast<std::uint32_t>(place * sides + side), 1});
  }
}

void set_sends(const Torus& torus, std::vector<TorusSend>& moves, std::uint32_t each,
               Schedule& schedule) {
  std::stable_sort(moves.begin(), moves.end(),
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
  schedule.sends.reserve(moves.size() * torus.places);
  std::vector<std::vector<std::uint32_t>> translated(
      dims);  // by coordinate: what it adds to a place
  for (const TorusSend& move : moves) {
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

}  // namespace torus_detail

std::uint32_t Torus::neighbour(std::uint32_t place, std::size_t side) const {
  std::int64_t stride = 1;
  for (std::uint32_t d = 0; d < sides[side].dim; ++d) stride *= sizes[d];
  const std::int64_t size = sizes[sides[side].dim], here = place / stride % size;
  const std::int64_t there = (here + (sides[side].up ? 1 : size - 1)) % size;
  return static_cast<std::uint32_t>(place + (there - here) * stride);
}

std::uint32_t Torus::translated(std::uint32_t place, std::uint32_t offset) const {
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
                              bool against) {
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
      const NodeIndex here = members[place], there = members[torus.neighbour(place, side)];
      const NodeIndex from = against ? there : here, to = against ? here : there;
      std::uint32_t found = fabric.out_offsets[from];
      while (found < fabric.out_offsets[from + 1] && fabric.wires[found].to != to) ++found;
      if (found == fabric.out_offsets[from + 1]) return std::nullopt;
      const Wire& wire = fabric.wires[found];
      Torus::Side& one = torus.sides[side];
      const auto rate = static_cast<std::int64_t>(std::min(wire.capacity, 0x1p62));
      if (place == 0) {
        one.rate = rate;
        one.latency = wire.latency;
      }
      if (one.rate != rate || one.latency != wire.latency) return std::nullopt;
      torus.wires.push_back(found);
    }
  }
  return torus;
}

namespace {

using torus_detail::SideEvent;
using torus_detail::SideEvents;
using torus_detail::TorusSend;

/// From offset 0 to each other one, links left to go along each side. Piece i of place 0 is for
/// offset i / chunks + 1.
class Exchange {
 public:
  Exchange(const Torus& torus, std::int64_t bytes, std::uint32_t chunks)
      : torus_(torus),
        bytes_(bytes),
        sides_(torus.sides.size()),
        pieces_((torus.places - 1) * chunks),
        go_(pieces_ * sides_),
        sum_(pieces_),
        waiting_(sides_),
        idle_(sides_, true),
        at_(pieces_),
        flies_(pieces_) {
    for (std::uint32_t piece = 0; piece < pieces_; ++piece) {
      set_steps(piece, piece / chunks + 1, piece % chunks);
      left_ += sum_[piece];
      enqueue(piece);
    }
  }

  std::vector<TorusSend> run() {
    std::int64_t now = 0;
    while (left_ > 0) {
      for (std::uint32_t side = 0; side < sides_; ++side) {
        if (idle_[side]) send(side, now);
      }
      now = agenda_.top().at;
      while (!agenda_.empty() && agenda_.top().at == now) {
        const SideEvent due = agenda_.top();
        agenda_.pop();
        if (due.free) {
          idle_[due.number] = true;
        } else {
          flies_[due.number] = false;
          at_[due.number] = due.offset;
          enqueue(due.number);
        }
      }
    }
    return std::move(moves_);
  }

 private:
  struct Wait {
    std::uint32_t go, piece;
    bool operator<(const Wait& other) const {
      return go != other.go ? go < other.go : piece > other.piece;
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
      const std::int64_t size = torus_.sizes[dim], far = rest % size;
      rest /= size;
      if (far == 0) continue;
      // Half of those that have a choice go each way round.
      const bool up = 2 * far < size || (2 * far == size && (others - far) % 2 == 0);
      for (std::size_t side = 0; side < sides_; ++side) {
        const Torus::Side& one = torus_.sides[side];
        if (one.dim == dim && (one.up == up || size == 2)) {
          const auto steps = static_cast<std::uint32_t>(up || size == 2 ? far : size - far);
          go_[piece * sides_ + side] = steps;
          sum_[piece] += steps;
        }
      }
    }
  }
  void enqueue(std::uint32_t piece) {
    for (std::size_t side = 0; side < sides_; ++side) {
      if (go_[piece * sides_ + side] > 0) waiting_[side].push({sum_[piece], piece});
    }
  }
  void send(std::uint32_t side, std::int64_t now) {
    auto& waiting = waiting_[side];
    while (!waiting.empty()) {
      const Wait one = waiting.top();
      waiting.pop();
      // Another side took it; it comes back here from where it then is.
      if (flies_[one.piece] || sum_[one.piece] != one.go || go_[one.piece * sides_ + side] == 0)
        continue;
      idle_[side] = false;
      flies_[one.piece] = true;
      --go_[one.piece * sides_ + side];
      --sum_[one.piece];
      --left_;
      const std::int64_t done = now + transfer_duration(bytes_, torus_.sides[side].rate).count();
      agenda_.push({done, true, side, 0});
      agenda_.push({done + torus_.sides[side].latency.count(), false, one.piece,
                    torus_.neighbour(at_[one.piece], side)});
      moves_.push_back({now, one.piece, at_[one.piece], side});
      return;
    }
  }

  const Torus& torus_;
  std::int64_t bytes_;
  std::size_t sides_;
  std::uint32_t pieces_;
  std::vector<std::uint32_t> go_, sum_;  // by piece, and side
  std::vector<std::priority_queue<Wait>> waiting_;
  std::vector<bool> idle_;
  std::vector<std::uint32_t> at_;
  std::vector<bool> flies_;
  std::size_t left_ = 0;
  SideEvents agenda_;
  std::vector<TorusSend> moves_;
};

}  // namespace

SearchResult torus_exchange(const Torus& torus, const Group& group, const SynthesisEffort& effort) {
  SearchResult found;
  Schedule& schedule = found.schedule;
  schedule.groups = {group};
  // In one dimension nothing else halves what has a choice of two ways.
  const auto dims = std::count_if(torus.sizes.begin(), torus.sizes.end(),
                                  [](std::int64_t size) { return size > 1; });
  const std::int64_t chunks = effort.chunks > 0 ? effort.chunks : dims == 1 ? 2 : 1;
  const std::int64_t count = torus.places * chunks;
  std::int64_t bytes = 0;
  for (std::uint32_t from = 0; from < torus.places; ++from) {
    for (std::uint32_t offset = 1; offset < torus.places; ++offset) {
      const std::uint32_t to = torus.translated(from, offset);
      const auto upto = [&](std::int64_t part) {
        return static_cast<std::int64_t>(static_cast<__int128>(group.bytes.count()) * part / count);
      };
      for (std::int64_t part = to * chunks; part < (to + 1) * chunks; ++part) {
        schedule.pieces.push_back(
            {0, group.members[from], group.members[to], upto(part), upto(part + 1) - upto(part)});
        bytes = std::max(bytes, schedule.pieces.back().bytes);
      }
    }
  }
  std::vector<TorusSend> moves = Exchange(torus, bytes, static_cast<std::uint32_t>(chunks)).run();
  torus_detail::add_routes(torus, group, schedule);
  torus_detail::set_sends(torus, moves, static_cast<std::uint32_t>((torus.places - 1) * chunks),
                          schedule);
  found.method = "a torus: one node's pieces over shortest ways, and all others' likewise";
  return found;
}

namespace {

using torus_detail::SideEvent;
using torus_detail::SideEvents;
using torus_detail::TorusSend;

class Tree {
 public:
  Tree(const Torus& torus, std::int64_t bytes, std::uint32_t pieces, std::uint64_t seed)
      : torus_(torus),
        bytes_(bytes),
        taken_(std::size_t{pieces} * torus.places),
        open_(torus.sides.size()),
        idle_(torus.sides.size(), true),
        left_(std::size_t{pieces} * (torus.places - 1)),
        random_(mixed(seed)) {
    for (std::uint32_t piece = 0; piece < pieces; ++piece) {
      taken_[std::size_t{piece} * torus.places] = true;
      come(piece, 0);
    }
  }

  std::vector<TorusSend> run(std::int64_t& end) {
    std::int64_t now = 0;
    end = 0;
    while (left_ > 0) {
      for (std::uint32_t side = 0; side < idle_.size(); ++side) {
        if (idle_[side]) send(side, now, end);
      }
      now = agenda_.top().at;
      while (!agenda_.empty() && agenda_.top().at == now) {
        const SideEvent due = agenda_.top();
        agenda_.pop();
        if (due.free) {
          idle_[due.number] = true;
        } else {
          come(due.number, due.offset);
        }
      }
    }
    return std::move(moves_);
  }

 private:
  struct Choice {
    std::uint32_t piece, at;
  };
  [[nodiscard]] std::size_t index(std::uint32_t piece, std::uint32_t at) const {
    return std::size_t{piece} * torus_.places + at;
  }
  void come(std::uint32_t piece, std::uint32_t at) {
    for (std::size_t side = 0; side < open_.size(); ++side) {
      if (!taken_[index(piece, torus_.neighbour(at, side))]) open_[side].push_back({piece, at});
    }
  }
  void send(std::uint32_t side, std::int64_t now, std::int64_t& end) {
    auto& open = open_[side];
    while (!open.empty()) {
      random_ = mixed(random_);
      const auto i = static_cast<std::size_t>((random_ >> 32) * open.size() >> 32);
      const Choice one = open[i];
      open[i] = open.back();
      open.pop_back();
      const std::uint32_t to = torus_.neighbour(one.at, side);
      if (taken_[index(one.piece, to)]) continue;
      taken_[index(one.piece, to)] = true;
      --left_;
      idle_[side] = false;
      const std::int64_t done = now + transfer_duration(bytes_, torus_.sides[side].rate).count();
      const std::int64_t there = done + torus_.sides[side].latency.count();
      agenda_.push({done, true, side, 0});
      agenda_.push({there, false, one.piece, to});
      moves_.push_back({now, one.piece, one.at, side});
      end = std::max(end, there);
      return;
    }
  }

  const Torus& torus_;
  std::int64_t bytes_;
  std::vector<bool> taken_;                // by piece, then offset: it is there or on its way
  std::vector<std::vector<Choice>> open_;  // by side: what could be sent, and some that could
  std::vector<bool> idle_;
  std::size_t left_;
  SideEvents agenda_;
  std::vector<TorusSend> moves_;
  std::uint64_t random_;
};

/// So many pieces that sides have about the same number to carry.
std::int64_t pieces_for(const Torus& torus, const SynthesisEffort& effort) {
  if (effort.chunks > 0) return effort.chunks;
  const auto sides = static_cast<std::int64_t>(torus.sides.size());
  std::int64_t pieces = 1;
  for (; pieces < 16; ++pieces) {
    const std::int64_t all = pieces * (torus.places - 1);
    if ((all + sides - 1) / sides * sides * 200 <= all * 201) break;
  }
  return pieces;
}

}  // namespace

SearchResult torus_gather(const Torus& torus, const Group& group, const SynthesisEffort& effort) {
  SearchResult found;
  const std::int64_t pieces = pieces_for(torus, effort);
  Schedule& schedule = found.schedule;
  schedule.groups = {group};
  schedule.pieces = pieces_of({&group, 1}, pieces);
  std::int64_t bytes = 0;
  for (const Piece& piece : schedule.pieces) bytes = std::max(bytes, piece.bytes);
  std::vector<TorusSend> best;
  std::int64_t least = 0;
  for (std::uint64_t seed = effort.seed; seed < effort.seed + 8; ++seed) {
    std::int64_t end = 0;
    std::vector<TorusSend> moves =
        Tree(torus, bytes, static_cast<std::uint32_t>(pieces), seed).run(end);
    if (!best.empty() && end >= least) continue;
    least = end;
    best = std::move(moves);
  }
  torus_detail::add_routes(torus, group, schedule);
  torus_detail::set_sends(torus, best, static_cast<std::uint32_t>(pieces), schedule);
  found.method = fmt::format("a torus: one node's tree, moved to all; {} piece{} each", pieces,
                             pieces == 1 ? "" : "s");
  return found;
}

}  // namespace orrery::synthesis
