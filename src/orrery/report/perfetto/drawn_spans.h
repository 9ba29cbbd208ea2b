// SPDX-License-Identifier: Apache-2.0
//
// Shared by both timeline formats: which spans are written, their order and times, the names of
// tracks, and which spans flows connect.
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

/// A time in the unit of viewers: integer nanoseconds, halves up, at least 0. Monotone, so that
/// spans that do not overlap are not shown overlapping.
[[nodiscard]] inline std::uint64_t rounded_ns(Time time) {
  const std::int64_t ps = std::max<std::int64_t>(time.count(), 0);
  return static_cast<std::uint64_t>(ps / kPsPerNs + (ps % kPsPerNs >= kPsPerNs / 2 ? 1 : 0));
}

/// Whether [start, end] overlaps the window of the choice.
[[nodiscard]] inline bool overlaps(const TimelineChoice& choice, Time start, Time end) {
  return start < choice.until && (end > choice.from || start >= choice.from);
}
[[nodiscard]] inline bool overlaps(const TimelineChoice& choice, const result::Span& span) {
  return overlaps(choice, span.start, span.end);
}

/// The rank after the last chosen one.
[[nodiscard]] inline std::uint32_t end_rank(const result::Run& run, const TimelineChoice& choice) {
  const auto ranks = static_cast<std::uint32_t>(run.ranks.size());
  return choice.last_rank < ranks ? choice.last_rank + 1 : ranks;
}
[[nodiscard]] inline bool is_chosen(const TimelineChoice& choice, std::uint32_t rank) {
  return rank >= choice.first_rank && rank <= choice.last_rank &&
         (choice.sample == nullptr ||
          std::binary_search(choice.sample->ranks.begin(), choice.sample->ranks.end(), rank));
}
/// Calls use(rank) for each chosen rank, ascending, as long as it returns true.
template <class Use>
void for_each_rank(const result::Run& run, const TimelineChoice& choice, const Use& use) {
  const std::uint32_t end = end_rank(run, choice);
  if (choice.sample == nullptr) {
    for (std::uint32_t rank = choice.first_rank; rank < end && use(rank); ++rank) continue;
    return;
  }
  for (const std::uint32_t rank : choice.sample->ranks) {
    if (rank >= choice.first_rank && (rank >= end || !use(rank))) return;
  }
}

/// "rank 12".
[[nodiscard]] std::string process_name(std::uint32_t rank);
/// "rank 12", or "rank 12 + 127 identical" if it stands for others.
[[nodiscard]] std::string process_title(const TimelineChoice& choice, std::uint32_t rank);
/// The process number for tracks that belong to no rank.
[[nodiscard]] std::uint32_t cluster_pid(const result::Run& run);
/// "compute", "comm: tp", "send to rank 3", "receives 2" …
[[nodiscard]] std::string lane_name(const result::Run& run, std::uint32_t rank,
                                    const result::Lane& lane);
/// The position of a lane among the lanes of its rank.
[[nodiscard]] std::uint32_t lane_position(const result::Timeline& timeline, std::uint16_t lane);
/// "dimension 0 (ring): link use", "link rank 3 to rank 4" …
[[nodiscard]] std::string link_name(const result::Run& run, const result::Link& link);
/// "all ranks" for the group without a name.
[[nodiscard]] std::string group_name(const result::Group& group);
/// Text without control characters and invalid UTF-8; `otherwise` if no characters remain.
[[nodiscard]] std::string clean_text(std::string_view text, std::string_view otherwise);

/// The spans of a timeline that are written: lane by lane, each lane by time.
class LaneOrder {
 public:
  /// Does nothing if this timeline is already arranged.
  void arrange(const result::Run& run, std::uint32_t timeline, const TimelineChoice& choice);
  [[nodiscard]] std::span<const std::uint32_t> lane(std::size_t lane) const {
    return std::span(order_).subspan(first_[lane], first_[lane + 1] - first_[lane]);
  }

 private:
  std::uint32_t timeline_ = result::kNone;
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> first_;  // by lane
};

/// Calls begin(span, ns, end_ns) and end(span, ns) for each span of a lane, in ascending order of
/// time, properly nested: each span ends before an earlier one does. Spans of zero duration are
/// nested in the span that contains them. If spans overlap otherwise, the later one is cut at the
/// end of the earlier one.
template <class Begin, class End>
void draw_lane(const result::Timeline& timeline, std::span<const std::uint32_t> order,
               const Begin& begin, const End& end) {
  struct OpenSpan {
    std::uint32_t span;
    Time end;
  };
  std::vector<OpenSpan> open;  // inner spans last
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

/// A segment of the critical path at one span, with its parts in Run::path.
struct PathHop {
  SpanPlace place;
  std::size_t first = 0, last = 0;  ///< in Run::path, inclusive
};

/// The flows (arrows) between written spans. A flow starts at the start of its source span and ends
/// at the end of its target span. It then goes forward in time even if a receive was posted
/// before its message was sent. Both ends get the same answer.
class SpanFlows {
 public:
  SpanFlows(const result::Run& run, const TimelineChoice& choice);

  /// The receiver of a message, if it is written.
  [[nodiscard]] std::optional<SpanPlace> receiver(std::uint32_t rank, std::uint32_t span) const;
  [[nodiscard]] std::optional<SpanPlace> sender(std::uint32_t rank, std::uint32_t span) const;
  /// The id of the message that this span sends.
  [[nodiscard]] static std::uint64_t message_id(const SpanPlace& from) {
    return kMessage << 62 | std::uint64_t{from.rank & 0x3fffffffu} << 32 | from.span;
  }
  /// The id of the flow from hop `hop` to the next.
  [[nodiscard]] static std::uint64_t path_id(std::uint32_t hop) { return kPath << 62 | hop; }

  /// The path by spans, without segments that have no span.
  [[nodiscard]] const std::vector<PathHop>& hops() const { return hops_; }
  /// The hops at a span, ascending.
  [[nodiscard]] std::span<const std::uint32_t> visits(std::uint32_t rank, std::uint32_t span) const;
  /// Whether the flow from hop `hop` to the next is written.
  [[nodiscard]] bool is_linked(std::uint32_t hop) const {
    return hop < linked_.size() && linked_[hop];
  }

  static constexpr std::size_t kMaxVisits = 64;  ///< maximum number of hops with flows per span

 private:
  static constexpr std::uint64_t kMessage = 1, kPath = 2;

  [[nodiscard]] const result::Span* written_span(const SpanPlace& place) const;
  [[nodiscard]] std::optional<SpanPlace> other_end(std::uint32_t rank, std::uint32_t span,
                                                   result::SpanKind kind,
                                                   result::SpanKind other) const;
  [[nodiscard]] static bool goes_forward(const SpanPlace& from, const result::Span& out,
                                         const SpanPlace& to, const result::Span& in);

  const result::Run& run_;
  TimelineChoice choice_;
  std::vector<PathHop> hops_;
  std::vector<std::uint32_t> by_place_;  // hops sorted by rank, span, time
  std::vector<bool> linked_;             // by hop: whether the flow to the next is written
};

}  // namespace orrery::report
