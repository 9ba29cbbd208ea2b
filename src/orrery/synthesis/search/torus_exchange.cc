// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "orrery/synthesis/search/torus_internal.h"

namespace orrery::synthesis {

namespace {

using on_torus::Agenda;
using on_torus::Due;
using on_torus::Move;

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

  std::vector<Move> run() {
    std::int64_t now = 0;
    while (left_ > 0) {
      for (std::uint32_t side = 0; side < sides_; ++side) {
        if (idle_[side]) send(side, now);
      }
      now = agenda_.top().at;
      while (!agenda_.empty() && agenda_.top().at == now) {
        const Due due = agenda_.top();
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
      const std::int64_t done = now + passes(bytes_, torus_.sides[side].rate).count();
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
  Agenda agenda_;
  std::vector<Move> moves_;
};

}  // namespace

Found torus_exchange(const Torus& torus, const Group& group, const Effort& effort) {
  Found found;
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
      const std::uint32_t to = torus.moved(from, offset);
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
  std::vector<Move> moves = Exchange(torus, bytes, static_cast<std::uint32_t>(chunks)).run();
  on_torus::set_ways(torus, group, schedule);
  on_torus::set_sends(torus, moves, static_cast<std::uint32_t>((torus.places - 1) * chunks),
                      schedule);
  found.how = "a torus: one node's pieces over shortest ways, and all others' likewise";
  return found;
}

}  // namespace orrery::synthesis
