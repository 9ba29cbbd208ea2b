// SPDX-License-Identifier: Apache-2.0
#include "orrery/synthesis/schedule.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "orrery/core/check.h"

namespace orrery::synthesis {

Time Schedule::lasts(const Send& send) const {
  return passes(pieces[send.piece].bytes, ways[send.way].rate);
}

Time Schedule::time() const {
  Time last{}, lasts{};
  std::int64_t bytes = 0, rate = 0;  // that take `lasts`: most are alike
  for (const Send& send : sends) {
    const Way& way = ways[send.way];
    if (pieces[send.piece].bytes != bytes || way.rate != rate) {
      bytes = pieces[send.piece].bytes;
      rate = way.rate;
      lasts = passes(bytes, rate);
    }
    last = std::max(last, send.start + lasts + way.latency);
  }
  return last;
}

void sort_sends(std::vector<Send>& sends) {
  std::sort(sends.begin(), sends.end(), [](const Send& a, const Send& b) {
    const std::uint32_t way_a = a.way, way_b = b.way;
    return std::tie(a.start, a.piece, way_a) < std::tie(b.start, b.piece, way_b);
  });
}

std::vector<std::int64_t> loads_of(const Ground& ground, const Schedule& schedule) {
  std::vector<std::int64_t> loads(ground.wires.size());
  for (const Send& send : schedule.sends) {
    for (const std::uint32_t wire : schedule.wires_of(schedule.ways[send.way]))
      loads[wire] += schedule.pieces[send.piece].bytes;
  }
  return loads;
}

std::uint32_t depth_of(const Schedule& schedule) {
  // By piece: sends are in the order of their starts, so who sends on comes after what it got.
  std::vector<std::vector<std::uint32_t>> by_piece(schedule.pieces.size());
  for (std::uint32_t i = 0; i < schedule.sends.size(); ++i)
    by_piece[schedule.sends[i].piece].push_back(i);
  std::uint32_t most = 0;
  struct Got {
    Time at;
    std::uint32_t depth;
  };
  std::unordered_map<NodeIndex, std::vector<Got>> got;
  for (const auto& sends : by_piece) {
    got.clear();
    for (const std::uint32_t i : sends) {
      const Send& send = schedule.sends[i];
      const Way& way = schedule.ways[send.way];
      std::uint32_t depth = 1;
      for (const Got& one : got[way.from]) {
        if (one.at <= send.start) depth = std::max(depth, one.depth + 1);
      }
      got[way.to].push_back({schedule.arrives(send), depth});
      most = std::max(most, depth);
    }
  }
  return most;
}

}  // namespace orrery::synthesis
