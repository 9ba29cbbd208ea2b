// SPDX-License-Identifier: Apache-2.0
//
// What both timeline formats say, apart from their bytes: which spans are drawn, in which order and
// when, what tracks are called, and which spans are joined by flows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "orrery/report/perfetto/perfetto.h"
#include "orrery/result/run.h"

namespace orrery::report {

/// A span at a rank.
struct SpanPlace {
  std::uint32_t rank = 0;
  std::uint32_t span = result::kNone;

  friend bool operator==(const SpanPlace&, const SpanPlace&) = default;
};

/// A time as viewers have it: whole nanoseconds, halves up, not before 0. Order is kept, so spans
/// that do not overlap are not drawn overlapping.
[[nodiscard]] inline std::uint64_t rounded_ns(Time time) {
  const std::int64_t ps = std::max<std::int64_t>(time.count(), 0);
  return static_cast<std::uint64_t>(ps / kPsPerNs + (ps % kPsPerNs >= kPsPerNs / 2 ? 1 : 0));
}

/// Whether [start, end] touches the choice's window.
[[nodiscard]] inline bool touches(const TimelineChoice& choice, Time start, Time end) {
  return start < choice.until && (end > choice.from || start >= choice.from);
}
[[nodiscard]] inline bool touches(const TimelineChoice& choice, const result::Span& span) {
  return touches(choice, span.start, span.end);
}

/// The first rank after the chosen ones.
[[nodiscard]] inline std::uint32_t end_rank(const result::Run& run, const TimelineChoice& choice) {
  const auto ranks = static_cast<std::uint32_t>(run.ranks.size());
  return choice.last_rank < ranks ? choice.last_rank + 1 : ranks;
}
[[nodiscard]] inline bool is_chosen(const TimelineChoice& choice, std::uint32_t rank) {
  return rank >= choice.first_rank && rank <= choice.last_rank;
}

/// "rank 12".
[[nodiscard]] std::string process_name(std::uint32_t rank);
/// A process number for what belongs to no rank.
[[nodiscard]] std::uint32_t cluster_pid(const result::Run& run);
/// "compute", "comm: tp", "send to rank 3", "receives 2" …
[[nodiscard]] std::string lane_name(const result::Run& run, std::uint32_t rank,
                                    const result::Lane& lane);
/// Where it stands among the lanes of its rank.
[[nodiscard]] std::uint32_t lane_position(const result::Timeline& timeline, std::uint16_t lane);
/// "dimension 0 (ring): link use", "link rank 3 to rank 4" …
[[nodiscard]] std::string link_name(const result::Run& run, const result::Link& link);
/// "all ranks" for the group without a name.
[[nodiscard]] std::string group_name(const result::Group& group);
/// Text without control characters and wrong UTF-8; `otherwise` for text without any characters.
[[nodiscard]] std::string clean_text(std::string_view text, std::string_view otherwise);

/// The spans of a timeline that the choice draws: lane by lane, each lane by time.
class LaneOrder {
 public:
  /// Does nothing when it has this timeline already.
  void arrange(const result::Run& run, std::uint32_t timeline, const TimelineChoice& choice);
  [[nodiscard]] std::span<const std::uint32_t> lane(std::size_t lane) const {
    return std::span(order_).subspan(first_[lane], first_[lane + 1] - first_[lane]);
  }

 private:
  std::uint32_t timeline_ = result::kNone;
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> first_;  // by lane
};

/// Calls begin(span, ns, end_ns) and end(span, ns) for each span of a lane, times ascending, each
/// begin closed by its end before what was begun earlier is. Spans of no length inside another are
/// nested in it; should spans overlap otherwise, the later one is drawn only as long as the
/// earlier.
template <class Begin, class End>
void draw_lane(const result::Timeline& timeline, std::span<const std::uint32_t> order,
               const Begin& begin, const End& end) {
  struct Open {
    std::uint32_t span;
    Time end;
  };
  std::vector<Open> open;  // inner ones later
  const auto close = [&] {
    end(open.back().span, rounded_ns(open.back().end));
    open.pop_back();
  };
  for (const std::uint32_t index : order) {
    const result::Span& span = timeline.spans[index];
    while (!open.empty() && open.back().end <= span.start) close();
    Time until = std::max(span.start, span.end);
    if (!open.empty()) until = std::min(until, open.back().end);
    begin(index, rounded_ns(span.start), rounded_ns(until));
    open.push_back({index, until});
  }
  while (!open.empty()) close();
}

/// A stretch of the critical path at one span, with its segments.
struct PathHop {
  SpanPlace place;
  std::size_t first = 0, last = 0;  ///< in Run::path, inclusive
};

/// Which drawn spans are joined by arrows. A flow leaves where its span begins and comes in where
/// its span ends, so that it goes forward in time also where a receive was posted before its
/// message was sent. Says the same at both ends.
class SpanFlows {
 public:
  SpanFlows(const result::Run& run, const TimelineChoice& choice);

  /// The other end of a message, where it is drawn.
  [[nodiscard]] std::optional<SpanPlace> receiver(std::uint32_t rank, std::uint32_t span) const;
  [[nodiscard]] std::optional<SpanPlace> sender(std::uint32_t rank, std::uint32_t span) const;
  /// Names the message that a place sends.
  [[nodiscard]] static std::uint64_t message_id(const SpanPlace& from) {
    return kMessage << 62 | std::uint64_t{from.rank & 0x3fffffffu} << 32 | from.span;
  }
  /// Names the step of the path from hop `hop` to the next.
  [[nodiscard]] static std::uint64_t path_id(std::uint32_t hop) { return kPath << 62 | hop; }

  /// The path by spans; stretches that no span explains are left out.
  [[nodiscard]] const std::vector<PathHop>& hops() const { return hops_; }
  /// Which hops are at a span, ascending.
  [[nodiscard]] std::span<const std::uint32_t> visits(std::uint32_t rank, std::uint32_t span) const;
  /// Whether the step from hop `hop` to the next is drawn.
  [[nodiscard]] bool is_linked(std::uint32_t hop) const {
    return hop < joined_.size() && joined_[hop];
  }

  static constexpr std::size_t kMaxVisits = 64;  ///< of one span that are joined

 private:
  static constexpr std::uint64_t kMessage = 1, kPath = 2;

  [[nodiscard]] const result::Span* drawn(const SpanPlace& place) const;
  [[nodiscard]] std::optional<SpanPlace> other_end(std::uint32_t rank, std::uint32_t span,
                                                   result::SpanKind kind,
                                                   result::SpanKind other) const;
  [[nodiscard]] static bool forward(const SpanPlace& from, const result::Span& out,
                                    const SpanPlace& to, const result::Span& in);

  const result::Run& run_;
  TimelineChoice choice_;
  std::vector<PathHop> hops_;
  std::vector<std::uint32_t> by_place_;  // hops by rank, span, time
  std::vector<bool> joined_;             // by hop
};

}  // namespace orrery::report
