// SPDX-License-Identifier: Apache-2.0
#include "orrery/synthesis/search/torus.h"

#include <algorithm>

#include "orrery/synthesis/search/torus_internal.h"

namespace orrery::synthesis {

namespace on_torus {

void set_ways(const Torus& torus, const Group& group, Schedule& schedule) {
  const std::size_t sides = torus.sides.size();
  schedule.wires = torus.wires;
  for (std::uint32_t place = 0; place < torus.places; ++place) {
    for (std::uint32_t side = 0; side < sides; ++side)
      schedule.ways.push_back({group.members[place], group.members[torus.neighbour(place, side)],
                               torus.sides[side].rate, torus.sides[side].latency,
                               static_cast<std::uint32_t>(place * sides + side), 1});
  }
}

void set_sends(const Torus& torus, std::vector<Move>& moves, std::uint32_t each,
               Schedule& schedule) {
  std::stable_sort(moves.begin(), moves.end(),
                   [](const Move& a, const Move& b) { return a.start < b.start; });
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
  std::vector<std::vector<std::uint32_t>> moved(dims);  // by coordinate: what it adds to a place
  for (const Move& move : moves) {
    std::uint32_t stride = sides;
    for (std::size_t d = 0; d < dims; ++d) {
      const auto size = static_cast<std::uint32_t>(torus.sizes[d]);
      moved[d].resize(size);
      for (std::uint32_t c = 0; c < size; ++c)
        moved[d][c] = (c + coordinates[move.at * dims + d]) % size * stride;
      stride *= size;
    }
    for (std::uint32_t place = 0; place < torus.places; ++place) {
      std::uint32_t way = move.side;
      for (std::size_t d = 0; d < dims; ++d) way += moved[d][coordinates[place * dims + d]];
      schedule.sends.push_back({place * each + move.piece, way, 0, Time(move.start)});
    }
  }
}

}  // namespace on_torus

std::uint32_t Torus::neighbour(std::uint32_t place, std::size_t side) const {
  std::int64_t stride = 1;
  for (std::uint32_t d = 0; d < sides[side].dim; ++d) stride *= sizes[d];
  const std::int64_t size = sizes[sides[side].dim], here = place / stride % size;
  const std::int64_t there = (here + (sides[side].up ? 1 : size - 1)) % size;
  return static_cast<std::uint32_t>(place + (there - here) * stride);
}

std::uint32_t Torus::moved(std::uint32_t place, std::uint32_t offset) const {
  std::int64_t stride = 1, sum = 0, a = place, b = offset;
  for (const std::int64_t size : sizes) {
    sum += (a % size + b % size) % size * stride;
    a /= size;
    b /= size;
    stride *= size;
  }
  return static_cast<std::uint32_t>(sum);
}

std::optional<Torus> torus_of(const Ground& ground, std::span<const NodeIndex> members,
                              bool against) {
  Torus torus;
  torus.places = static_cast<std::uint32_t>(members.size());
  torus.sizes = ground.sizes;
  if (torus.sizes.empty()) torus.sizes.push_back(torus.places);
  std::int64_t product = 1;
  for (const std::int64_t size : torus.sizes) {
    if (size < 1 || __builtin_mul_overflow(product, size, &product)) return std::nullopt;
  }
  if (product != torus.places || torus.places != ground.node_count() ||
      !std::equal(members.begin(), members.end(), ground.seats.begin(), ground.seats.end()))
    return std::nullopt;
  for (std::uint32_t dim = 0; dim < torus.sizes.size(); ++dim) {
    if (torus.sizes[dim] > 1) torus.sides.push_back({dim, true, 0, {}});
    if (torus.sizes[dim] > 2) torus.sides.push_back({dim, false, 0, {}});
  }
  if (ground.wires.size() != torus.places * torus.sides.size()) return std::nullopt;
  for (std::uint32_t place = 0; place < torus.places; ++place) {
    for (std::size_t side = 0; side < torus.sides.size(); ++side) {
      const NodeIndex here = members[place], there = members[torus.neighbour(place, side)];
      const NodeIndex from = against ? there : here, to = against ? here : there;
      std::uint32_t found = ground.first_out[from];
      while (found < ground.first_out[from + 1] && ground.wires[found].to != to) ++found;
      if (found == ground.first_out[from + 1]) return std::nullopt;
      const Wire& wire = ground.wires[found];
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

}  // namespace orrery::synthesis
