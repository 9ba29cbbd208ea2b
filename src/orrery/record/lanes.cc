// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <tuple>

#include "orrery/record/record_internal.h"

namespace orrery::record {

using result::Lane;
using result::LaneKind;
using result::Span;

namespace {

// kind, group, distance; recorded: device, number
using Key = std::tuple<LaneKind, std::uint32_t, std::uint32_t, std::int32_t, std::int64_t>;

std::map<Key, std::vector<std::uint32_t>> by_lane(const std::vector<Lane>& keys) {
  std::map<Key, std::vector<std::uint32_t>> lanes;
  auto at = lanes.end();  // neighbours often share a lane
  for (std::uint32_t number = 0; number < keys.size(); ++number) {
    const Lane& of = keys[number];
    const Key key{of.kind, of.group, of.distance, of.device, of.number};
    if (at == lanes.end() || at->first != key) at = lanes.try_emplace(key).first;
    at->second.push_back(number);
  }
  return lanes;
}

}  // namespace

// Spans of one lane in the order of their starts go to the first layer that is free by then. Spans
// of no length are in nobody's way.
void place_in_lanes(result::Timeline& line, const std::vector<Lane>& keys) {
  std::vector<Time> free;  // by layer
  for (auto& [key, spans] : by_lane(keys)) {
    const auto earlier = [&](std::uint32_t a, std::uint32_t b) {
      const Span &x = line.spans[a], &y = line.spans[b];
      return std::tie(x.start, x.end, a) < std::tie(y.start, y.end, b);
    };
    if (!std::is_sorted(spans.begin(), spans.end(), earlier))
      std::sort(spans.begin(), spans.end(), earlier);
    const std::size_t base = line.lanes.size();
    free.assign(1, Time{});
    const Lane lane{std::get<0>(key), std::get<1>(key), std::get<2>(key), 0,
                    std::get<4>(key), std::get<3>(key)};
    line.lanes.push_back(lane);
    for (const std::uint32_t number : spans) {
      Span& span = line.spans[number];
      std::size_t layer = 0;
      if (span.end > span.start) {
        while (layer < free.size() && free[layer] > span.start) ++layer;
        if (layer == free.size()) {
          free.emplace_back();
          line.lanes.push_back(lane);
          line.lanes.back().layer = static_cast<std::uint32_t>(layer);
        }
        free[layer] = span.end;
      }
      span.lane = static_cast<std::uint16_t>(std::min<std::size_t>(base + layer, 65535));
    }
  }
}

}  // namespace orrery::record
