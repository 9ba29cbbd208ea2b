// SPDX-License-Identifier: Apache-2.0
#include <unordered_map>

#include "orrery/result/run_file.h"
#include "orrery/result/timeline_peers.h"

namespace orrery::result {

namespace {

using SpanNumbers = std::vector<std::uint32_t>;  ///< by old number; kNone: dropped

// The new span numbers of each timeline.
std::vector<SpanNumbers> renumber_spans(const Run& run, SpanChoice choice) {
  std::vector<SpanNumbers> numbers(run.timelines.size());
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i].assign(run.timelines[i].spans.size(), kNone);
  if (choice == SpanChoice::none) return numbers;
  const auto mark = [&](std::uint32_t rank, std::uint32_t span) {
    if (span != kNone) numbers[run.ranks[rank].timeline][span] = 0;
  };
  for (const Collective& each : run.collectives) mark(each.last_rank, each.last_span);
  for (const PathSegment& segment : run.path) mark(segment.rank, segment.span);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    std::uint32_t retained = 0;
    for (std::size_t j = 0; j < numbers[i].size(); ++j) {
      const Span& span = run.timelines[i].spans[j];
      const bool keep = numbers[i][j] == 0 || span.critical || span.slack == Time{};
      numbers[i][j] = keep ? retained++ : kNone;
    }
  }
  return numbers;
}

/// Finds the new numbers of peer spans for one timeline.
class PeerNumbers {
 public:
  PeerNumbers(const Run& run, const std::vector<SpanNumbers>& numbers, const SpanNumbers& ranks)
      : run_(run), numbers_(numbers), ranks_(ranks) {}

  /// kNone if the peer is dropped, or if its new number differs between the timeline's ranks.
  std::uint32_t operator()(const Span& span) {
    if (span.peer_span == kNone) return kNone;
    const auto [found, added] = timelines_.try_emplace(span.distance);
    if (added) found->second = peer_timelines(run_, ranks_, span.distance);
    std::uint32_t number = kNone;
    for (std::size_t i = 0; i < found->second.size(); ++i) {
      const std::uint32_t there = numbers_[found->second[i]][span.peer_span];
      if (i > 0 && there != number) return kNone;
      number = there;
    }
    return number;
  }

 private:
  const Run& run_;
  const std::vector<SpanNumbers>& numbers_;
  const SpanNumbers& ranks_;
  std::unordered_map<std::uint32_t, SpanNumbers> timelines_;  ///< by distance
};

}  // namespace

void filter_spans(Run& run, SpanChoice choice) {
  if (choice <= run.spans) return;
  run.spans = choice;
  const std::vector<SpanNumbers> numbers = renumber_spans(run, choice);
  const std::vector<SpanNumbers> ranks = ranks_by_timeline(run);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    Timeline& line = run.timelines[i];
    PeerNumbers peers(run, numbers, ranks[i]);
    std::vector<Span> retained;
    for (std::size_t j = 0; j < line.spans.size(); ++j) {
      if (numbers[i][j] == kNone) continue;
      Span& span = retained.emplace_back(line.spans[j]);
      if (span.released_by != kNone) span.released_by = numbers[i][span.released_by];
      span.peer_span = peers(span);
    }
    line.spans = std::move(retained);
    line.spans.shrink_to_fit();
    if (line.spans.empty()) line.lanes.clear();
  }
  const auto renumber = [&](std::uint32_t rank, std::uint32_t& span) {
    if (span != kNone) span = numbers[run.ranks[rank].timeline][span];
  };
  for (Collective& each : run.collectives) renumber(each.last_rank, each.last_span);
  for (PathSegment& segment : run.path) renumber(segment.rank, segment.span);
}

}  // namespace orrery::result
