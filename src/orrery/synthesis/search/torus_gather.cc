// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "orrery/core/random.h"
#include "orrery/synthesis/search/torus_internal.h"

namespace orrery::synthesis {

namespace {

using on_torus::Agenda;
using on_torus::Due;
using on_torus::Move;

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

  std::vector<Move> run(std::int64_t& end) {
    std::int64_t now = 0;
    end = 0;
    while (left_ > 0) {
      for (std::uint32_t side = 0; side < idle_.size(); ++side) {
        if (idle_[side]) send(side, now, end);
      }
      now = agenda_.top().at;
      while (!agenda_.empty() && agenda_.top().at == now) {
        const Due due = agenda_.top();
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
      const std::int64_t done = now + passes(bytes_, torus_.sides[side].rate).count();
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
  Agenda agenda_;
  std::vector<Move> moves_;
  std::uint64_t random_;
};

/// So many pieces that sides have about the same number to carry.
std::int64_t pieces_for(const Torus& torus, const Effort& effort) {
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

Found torus_gather(const Torus& torus, const Group& group, const Effort& effort) {
  Found found;
  const std::int64_t pieces = pieces_for(torus, effort);
  Schedule& schedule = found.schedule;
  schedule.groups = {group};
  schedule.pieces = pieces_of({&group, 1}, pieces);
  std::int64_t bytes = 0;
  for (const Piece& piece : schedule.pieces) bytes = std::max(bytes, piece.bytes);
  std::vector<Move> best;
  std::int64_t least = 0;
  for (std::uint64_t seed = effort.seed; seed < effort.seed + 8; ++seed) {
    std::int64_t end = 0;
    std::vector<Move> moves = Tree(torus, bytes, static_cast<std::uint32_t>(pieces), seed).run(end);
    if (!best.empty() && end >= least) continue;
    least = end;
    best = std::move(moves);
  }
  on_torus::set_ways(torus, group, schedule);
  on_torus::set_sends(torus, best, static_cast<std::uint32_t>(pieces), schedule);
  found.how = fmt::format("a torus: one node's tree, moved to all; {} piece{} each", pieces,
                          pieces == 1 ? "" : "s");
  return found;
}

}  // namespace orrery::synthesis
