// SPDX-License-Identifier: Apache-2.0
//
// Which end belongs to which beginning.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "orrery/profile/profile.h"

namespace orrery::trace::pftrace {

/// Beginnings and ends as they stand in a file, track by track. PyTorch writes the beginnings of
/// one kind, then their ends in the same order; others write what happens when it does, and what
/// is inside ends before what is around it. A file in which every track is in order of time is read
/// in the second way, any other in the first.
class Slices {
 public:
  void begin(std::uint64_t track, std::uint64_t time, profile::EventId event);
  void end(std::uint64_t track, std::uint64_t time, std::uint64_t offset);

  /// Calls `ended(event, from, to)` for each pair and `lost(offset)` for each end without a
  /// beginning that became an event.
  template <class Ended, class Lost>
  void match(const Ended& ended, const Lost& lost) const {
    const bool by_time = is_in_order();
    for (const auto& [track, marks] : tracks_) {
      std::vector<const Mark*> open;
      std::size_t first = 0;  // of the open ones, where they end in the order they began
      for (const Mark& mark : marks) {
        if (mark.begins) {
          open.push_back(&mark);
        } else if (first == open.size()) {
          lost(mark.what);
        } else {
          const Mark& begun = by_time ? *open.back() : *open[first];
          if (by_time) {
            open.pop_back();
          } else {
            ++first;
          }
          if (begun.what != profile::kNoEvent) {
            ended(static_cast<profile::EventId>(begun.what), begun.time, mark.time);
          } else {
            lost(mark.what);
          }
        }
      }
    }
  }

 private:
  struct Mark {
    std::uint64_t time = 0;
    std::uint64_t what = 0;  ///< the event that begins; where the end stands
    bool begins = false;
  };
  [[nodiscard]] bool is_in_order() const;

  std::map<std::uint64_t, std::vector<Mark>> tracks_;
};

}  // namespace orrery::trace::pftrace
