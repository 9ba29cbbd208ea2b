// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>
#include <tuple>

#include "orrery/record/record_internal.h"

namespace orrery::record {

using result::Lane;

namespace {

auto key_of(const Lane& lane) { return std::tie(lane.kind, lane.group, lane.distance); }

}  // namespace

// Spans of one lane in the order of their starts go to the first layer that is free by then. Spans
// of no length are in nobody's way.
void place_in_lanes(result::Timeline& line, const std::vector<Lane>& keys) {
  std::vector<std::uint32_t> order(line.spans.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const result::Span &x = line.spans[a], &y = line.spans[b];
    return std::tuple(key_of(keys[a]), x.start, x.end, a) <
           std::tuple(key_of(keys[b]), y.start, y.end, b);
  });
  std::vector<Time> free;  // by layer of the lane at hand
  std::size_t base = 0;    // its first layer in line.lanes
  const Lane* current = nullptr;
  for (const std::uint32_t number : order) {
    result::Span& span = line.spans[number];
    if (current == nullptr || key_of(*current) != key_of(keys[number])) {
      current = &keys[number];
      base = line.lanes.size();
      free.assign(1, Time{});
      line.lanes.push_back(*current);
    }
    std::size_t layer = 0;
    if (span.end > span.start) {
      while (layer < free.size() && free[layer] > span.start) ++layer;
      if (layer == free.size()) {
        free.emplace_back();
        line.lanes.push_back(*current);
        line.lanes.back().layer = static_cast<std::uint32_t>(layer);
      }
      free[layer] = span.end;
    }
    span.lane = static_cast<std::uint16_t>(std::min<std::size_t>(base + layer, 65535));
  }
}

}  // namespace orrery::record
