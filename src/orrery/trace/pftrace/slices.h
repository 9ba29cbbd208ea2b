// SPDX-License-Identifier: Apache-2.0
//
// Pairs the ends of slices with their begins.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "orrery/profile/profile.h"

namespace orrery::trace::pftrace {

/// Begins and ends in file order, by track. There are two conventions. PyTorch writes the begins of
/// one kind, then their ends in the same order. Other tools write events in order of time, so that
/// inner slices end before outer ones. If every track of a file is in order of time, the second
/// convention applies, else the first.
class SliceMatcher {
 public:
  void begin(std::uint64_t track, std::uint64_t time, profile::EventId event);
  void end(std::uint64_t track, std::uint64_t time, std::uint64_t offset);

  /// Calls `ended(event, from, to)` for each pair, and `lost(offset)` for each end without a begin
  /// that became an event.
  template <class Ended, class Lost>
  void match(const Ended& ended, const Lost& lost) const {
    const bool by_time = is_in_order();
    for (const auto& [track, marks] : tracks_) {
      std::vector<const Mark*> open;
      std::size_t first = 0;  // first open one, if slices end in the order of their begins
      for (const Mark& mark : marks) {
        if (mark.is_begin) {
          open.push_back(&mark);
        } else if (first == open.size()) {
          lost(mark.event_or_offset);
        } else {
          const Mark& begun = by_time ? *open.back() : *open[first];
          if (by_time) {
            open.pop_back();
          } else {
            ++first;
          }
          if (begun.event_or_offset != profile::kNoEvent) {
            ended(static_cast<profile::EventId>(begun.event_or_offset), begun.time, mark.time);
          } else {
            lost(mark.event_or_offset);
          }
        }
      }
    }
  }

 private:
  struct Mark {
    std::uint64_t time = 0;
    std::uint64_t event_or_offset = 0;  ///< begin: the event; end: its position in the file
    bool is_begin = false;
  };
  [[nodiscard]] bool is_in_order() const;

  std::map<std::uint64_t, std::vector<Mark>> tracks_;
};

}  // namespace orrery::trace::pftrace
