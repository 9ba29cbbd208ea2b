// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/pftrace/slices.h"

#include <algorithm>

namespace orrery::trace::pftrace {

void SliceMatcher::begin(std::uint64_t track, std::uint64_t time, profile::EventId event) {
  tracks_[track].push_back({time, event, true});
}

void SliceMatcher::end(std::uint64_t track, std::uint64_t time, std::uint64_t offset) {
  tracks_[track].push_back({time, offset, false});
}

bool SliceMatcher::is_in_order() const {
  const auto earlier = [](const Mark& a, const Mark& b) { return a.time < b.time; };
  return std::all_of(tracks_.begin(), tracks_.end(), [&](const auto& track) {
    return std::is_sorted(track.second.begin(), track.second.end(), earlier);
  });
}

}  // namespace orrery::trace::pftrace
