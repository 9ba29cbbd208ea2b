// SPDX-License-Identifier: Apache-2.0
//
// Launches: durations and delays by call, and the queue of launched work by stream.
#include <fmt/format.h>

#include <string>

#include "orrery/core/text/units.h"
#include "orrery/profile/inspection/launches.h"
#include "orrery/study/recordings/views/builders.h"

namespace orrery::study {

namespace {

Time mean_time(Time total, std::uint64_t count) {
  return count == 0 ? Time{} : Time(total.count() / static_cast<std::int64_t>(count));
}

class LaunchesView final : public ViewBuilder {
 public:
  void add(const intake::RankTrace& rank) override {
    const profile::Profile& p = rank.profile;
    const std::uint32_t r = rank.files.rank;
    const profile::LaunchReport report = profile::launch_statistics(p);
    without_call_ += report.without_call;
    for (const profile::LaunchSummary& of : report.launches)
      calls_.rows.push_back({r, of.call, profile::name(of.work), of.count, of.works, of.call_total,
                             mean_time(of.call_total, of.count), of.call_median, of.call_longest,
                             mean_time(of.delay_total, of.count), of.delay_median, of.delay_longest,
                             of.delay_total, of.delay_total - of.call_total, of.work_total,
                             of.short_works, of.long_calls, of.late_works});
    for (const profile::QueueSummary& of : report.queues)
      queues_.rows.push_back({r, p.lanes[of.lane].process, p.lanes[of.lane].id, of.launches,
                              of.span, of.mean, of.longest, of.longest_at, of.blocked,
                              of.blocked_time});
    for (const profile::QueuePart& of : report.parts)
      parts_.rows.push_back(
          {r, p.lanes[of.lane].process, p.lanes[of.lane].id, of.from, of.mean, of.longest});
  }

  View view(const intake::Job& /*job*/, Findings& /*findings*/) override {
    View view{.kind = TraceView::launches, .facts = {}, .tables = {}};
    view.facts.push_back({"without a call", "without_call", without_call_});
    view.tables = {std::move(calls_), std::move(queues_), std::move(parts_)};
    return view;
  }

 private:
  std::uint64_t without_call_ = 0;
  ViewTable calls_{
      .key = "calls",
      .title = "calls that launch work",
      .columns = {rank_column(),
                  {"call", "name", "the call of the runtime or driver"},
                  {"launches", "work", "what it launches"},
                  {"count", "count", "calls"},
                  {"", "works", "kernels, copies and memsets"},
                  {"", "call_total_ns", "sum of the durations of the calls"},
                  {"call", "call_mean_ns", "mean duration of a call"},
                  {"", "call_median_ns", "median duration (lower median)"},
                  {"longest", "call_max_ns", "the longest call"},
                  {"delay", "delay_mean_ns",
                   "from the start of the call to the start of its first work"},
                  {"median", "delay_median_ns", "median of the delay (lower median)"},
                  {"", "delay_max_ns", "the longest delay"},
                  {"", "delay_total_ns", "sum of the delays"},
                  {"", "delay_after_call_total_ns", "sum of the delays from the end of the call"},
                  {"", "work_total_ns", "sum of the durations of the works"},
                  {"short", "short_works", "calls that last longer than what they launch"},
                  {"", "long_calls",
                   fmt::format("calls of more than {}", format_time(profile::kLongCall))},
                  {"late", "late_works",
                   fmt::format("works that start more than {} after the end of the call",
                               format_time(profile::kLateWork))}},
      .rows = {},
      .first = 20,
      .if_empty = "The recording has no calls that launch work of a device.",
      .by_rank = true};
  ViewTable queues_{
      .key = "queues",
      .title = "launches that a stream had not begun",
      .columns = {rank_column(),
                  {"", "device", "number of the device"},
                  {"stream", "stream", "number of the stream"},
                  {"launches", "count", "launches with work on this stream"},
                  {"span", "span_ns", "from the first call to the start of the last work"},
                  {"mean queue", "mean_length", "launches in the queue, on average over the span"},
                  {"longest", "max_length", "most launches in the queue"},
                  {"at", "longest_at_ns", "when it had that length for the first time"},
                  {"blocked calls", "blocked", "long launches while the queue was full"},
                  {"blocked", "blocked_ns", "by how much they exceed the median of their call"}},
      .rows = {},
      .first = 20,
      .if_empty = {},
      .by_rank = true};
  ViewTable parts_{.key = "queue_parts",
                   .title = fmt::format("queue of each stream in {} equal parts of its span",
                                        profile::kQueueParts),
                   .columns = {{"", "rank", "the recorded rank"},
                               {"", "device", "number of the device"},
                               {"", "stream", "number of the stream"},
                               {"", "from_ns", "start of the part"},
                               {"", "mean_length", "launches in the queue, on average"},
                               {"", "max_length", "most launches in the queue"}},
                   .rows = {},
                   .first = 0,
                   .if_empty = {},
                   .by_rank = false};
};

}  // namespace

std::unique_ptr<ViewBuilder> launches_view() { return std::make_unique<LaunchesView>(); }

}  // namespace orrery::study
