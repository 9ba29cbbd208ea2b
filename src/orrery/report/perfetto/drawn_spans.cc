// SPDX-License-Identifier: Apache-2.0
#include "orrery/report/perfetto/drawn_spans.h"

#include <fmt/format.h>

#include <tuple>
#include <utility>

#include "orrery/analysis/value_text.h"
#include "orrery/core/text/text.h"
#include "orrery/report/terminal_text.h"

namespace orrery::report {

using result::kNone;
using result::LaneKind;
using result::Run;
using result::Span;
using result::SpanKind;

std::string clean_text(std::string_view text, std::string_view otherwise) {
  return text.empty() ? std::string(otherwise) : printable(text);
}

std::string process_name(std::uint32_t rank) { return fmt::format("rank {}", rank); }

std::string process_title(const TimelineChoice& choice, std::uint32_t rank) {
  if (choice.sample == nullptr) return process_name(rank);
  const std::vector<std::uint32_t>& ranks = choice.sample->ranks;
  const auto place = std::lower_bound(ranks.begin(), ranks.end(), rank) - ranks.begin();
  const std::uint32_t count = choice.sample->stands_for[static_cast<std::size_t>(place)];
  return count <= 1
             ? process_name(rank)
             : fmt::format("{} + {} identical", process_name(rank), analysis::count(count - 1));
}

RankSample sample_ranks(const Run& run) {
  std::vector<std::uint32_t> counts(run.timelines.size());
  for (const result::Rank& rank : run.ranks) ++counts[rank.timeline];
  std::vector<bool> on_path(run.ranks.size());
  for (const result::PathSegment& segment : run.path) {
    if (segment.rank < on_path.size()) on_path[segment.rank] = true;
  }
  RankSample sample;
  for (std::uint32_t rank = 0; rank < run.ranks.size(); ++rank) {
    std::uint32_t& count = counts[run.ranks[rank].timeline];
    if (count == 0 && !on_path[rank]) continue;
    sample.ranks.push_back(rank);
    sample.stands_for.push_back(std::exchange(count, 0));
  }
  return sample;
}

std::uint32_t cluster_pid(const Run& run) {
  return static_cast<std::uint32_t>(run.ranks.size()) + 1;
}

std::string group_name(const result::Group& group) { return clean_text(group.name, "all ranks"); }

std::string lane_name(const Run& run, std::uint32_t rank, const result::Lane& lane) {
  const auto base = [&]() -> std::string {
    switch (lane.kind) {
      case LaneKind::communicator: {
        const auto& groups = run.ranks[rank].groups;
        if (lane.group >= groups.size() || groups[lane.group] >= run.groups.size()) break;
        return "comm: " + group_name(run.groups[groups[lane.group]]);
      }
      case LaneKind::sends:
        if (lane.distance == kNone) return "sends";
        return fmt::format("send to rank {}", run.peer(rank, lane.distance));
      case LaneKind::memory:
        return "remote memory";
      case LaneKind::stream:
      case LaneKind::thread:
        return recorded_name(lane);
      case LaneKind::compute:
      case LaneKind::cpu:
      case LaneKind::receives:
      case LaneKind::other:
        break;
    }
    return std::string(name(lane.kind));
  }();
  return lane.layer == 0 ? base : fmt::format("{} {}", base, lane.layer + 1);
}

std::uint32_t lane_position(const result::Timeline& timeline, std::uint16_t lane) {
  return (static_cast<std::uint32_t>(timeline.lanes[lane].kind) << 16) + lane;
}

std::string link_name(const Run& run, const result::Link& link) {
  if (!link.name.empty()) return fmt::format("{}: {}", link.kind, clean_text(link.name, "?"));
  const std::string dimension =
      link.dim < run.dims.size()
          ? fmt::format("dimension {} ({})", link.dim, clean_text(run.dims[link.dim].block, "?"))
          : fmt::format("dimension {}", link.dim);
  if (link.from == kNone) return dimension + ": all links";
  if (link.down) return fmt::format("{}: switch to rank {}", dimension, link.from);
  if (link.to == kNone) return fmt::format("{}: from rank {}", dimension, link.from);
  return fmt::format("{}: rank {} to rank {}", dimension, link.from, link.to);
}

void LaneOrder::arrange(const Run& run, std::uint32_t timeline, const TimelineChoice& choice) {
  if (timeline == timeline_) return;
  timeline_ = timeline;
  const result::Timeline& line = run.timelines[timeline];
  first_.assign(line.lanes.size() + 1, 0);
  const auto drawn = [&](const Span& span) {
    return span.lane < line.lanes.size() && overlaps(choice, span);
  };
  for (const Span& span : line.spans) {
    if (drawn(span)) ++first_[span.lane + std::size_t{1}];
  }
  for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
  order_.resize(first_.back());
  std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
  for (std::uint32_t i = 0; i < line.spans.size(); ++i) {
    if (drawn(line.spans[i])) order_[next[line.spans[i].lane]++] = i;
  }
  const auto earlier = [&](std::uint32_t a, std::uint32_t b) {
    const Span &left = line.spans[a], &right = line.spans[b];
    return std::tie(left.start, left.end, a) < std::tie(right.start, right.end, b);
  };
  for (std::size_t i = 0; i + 1 < first_.size(); ++i) {
    const auto begin = order_.begin() + first_[i], end = order_.begin() + first_[i + 1];
    if (!std::is_sorted(begin, end, earlier)) std::sort(begin, end, earlier);
  }
}

SpanFlows::SpanFlows(const Run& run, const TimelineChoice& choice) : run_(run), choice_(choice) {
  for (std::size_t i = 0; i < run.path.size(); ++i) {
    const SpanPlace place{run.path[i].rank, run.path[i].span};
    if (place.span == kNone) continue;
    if (!hops_.empty() && hops_.back().place == place && hops_.back().last + 1 == i) {
      hops_.back().last = i;
    } else {
      hops_.push_back({place, i, i});
    }
  }
  by_place_.resize(hops_.size());
  for (std::uint32_t i = 0; i < hops_.size(); ++i) by_place_[i] = i;
  const auto key = [&](std::uint32_t hop) {
    return std::tuple(hops_[hop].place.rank, hops_[hop].place.span, hop);
  };
  std::sort(by_place_.begin(), by_place_.end(),
            [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
  linked_.assign(hops_.size(), true);
  for (std::size_t i = 0, same = 0; i < by_place_.size(); ++i) {
    same = i > 0 && hops_[by_place_[i]].place == hops_[by_place_[i - 1]].place ? same + 1 : 0;
    if (same < kMaxVisits) continue;
    const std::uint32_t hop = by_place_[i];
    linked_[hop] = false;
    if (hop > 0) linked_[hop - 1] = false;
  }
  if (!linked_.empty()) linked_.back() = false;
  for (std::size_t i = 0; i + 1 < hops_.size(); ++i) {
    const Span* out = written_span(hops_[i].place);
    const Span* in = written_span(hops_[i + 1].place);
    linked_[i] = linked_[i] && out != nullptr && in != nullptr && out->critical && in->critical &&
                 goes_forward(hops_[i].place, *out, hops_[i + 1].place, *in);
  }
}

const Span* SpanFlows::written_span(const SpanPlace& place) const {
  if (!is_chosen(choice_, place.rank) || place.rank >= run_.ranks.size()) return nullptr;
  const result::Timeline& timeline = run_.timeline(place.rank);
  if (place.span >= timeline.spans.size()) return nullptr;
  const Span& span = timeline.spans[place.span];
  return span.lane < timeline.lanes.size() && overlaps(choice_, span) ? &span : nullptr;
}

// Viewers start a flow at its earliest event. At the same nanosecond, that is the first event in
// the file, and lower ranks come first.
bool SpanFlows::goes_forward(const SpanPlace& from, const Span& out, const SpanPlace& to,
                             const Span& in) {
  const std::uint64_t start_ns = rounded_ns(out.start);
  const std::uint64_t arrival_ns = rounded_ns(std::max(in.start, in.end));
  return start_ns < arrival_ns || (start_ns == arrival_ns && from.rank < to.rank);
}

std::optional<SpanPlace> SpanFlows::receiver(std::uint32_t rank, std::uint32_t span) const {
  return other_end(rank, span, SpanKind::send, SpanKind::receive);
}

std::optional<SpanPlace> SpanFlows::sender(std::uint32_t rank, std::uint32_t span) const {
  return other_end(rank, span, SpanKind::receive, SpanKind::send);
}

std::optional<SpanPlace> SpanFlows::other_end(std::uint32_t rank, std::uint32_t span, SpanKind kind,
                                              SpanKind other) const {
  const SpanPlace here{rank, span};
  const Span& mine = run_.timeline(rank).spans[span];
  if (mine.kind != kind || mine.distance == kNone) return std::nullopt;
  const SpanPlace there{run_.peer(rank, mine.distance), mine.peer_span};
  const Span* its = written_span(there);
  if (its == nullptr || its->kind != other || its->peer_span != span || its->distance == kNone ||
      run_.peer(there.rank, its->distance) != rank)
    return std::nullopt;
  const bool fine = kind == SpanKind::send ? goes_forward(here, mine, there, *its)
                                           : goes_forward(there, *its, here, mine);
  return fine ? std::optional(there) : std::nullopt;
}

std::span<const std::uint32_t> SpanFlows::visits(std::uint32_t rank, std::uint32_t span) const {
  const auto at = [&](std::uint32_t hop) {
    return std::tuple(hops_[hop].place.rank, hops_[hop].place.span);
  };
  const auto wanted = std::tuple(rank, span);
  const auto first =
      std::lower_bound(by_place_.begin(), by_place_.end(), wanted,
                       [&](std::uint32_t hop, const auto& value) { return at(hop) < value; });
  auto last = first;
  while (last != by_place_.end() && at(*last) == wanted &&
         static_cast<std::size_t>(last - first) < kMaxVisits)
    ++last;
  return std::span(by_place_).subspan(static_cast<std::size_t>(first - by_place_.begin()),
                                      static_cast<std::size_t>(last - first));
}

}  // namespace orrery::report
