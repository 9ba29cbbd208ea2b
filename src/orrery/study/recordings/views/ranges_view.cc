// SPDX-License-Identifier: Apache-2.0
//
// Annotations of the user or the framework, as the device saw them: from the first to the last work
// that was launched within one (Kineto's gpu_user_annotation).
#include <algorithm>
#include <map>
#include <string>

#include "orrery/study/recordings/views/builders.h"

namespace orrery::study {

namespace {

struct RangeTimes {
  std::uint64_t count = 0;
  Time total{}, longest{};
};

class RangesView final : public ViewBuilder {
 public:
  void add(const intake::RankTrace& rank) override {
    const profile::Profile& p = rank.profile;
    std::map<std::string, RangeTimes, std::less<>> ranges;
    for (profile::EventId e = 0; e < p.events.size(); ++e) {
      const profile::Event& event = p.events[e];
      if (event.kind != profile::Kind::device_range || !event.timed()) continue;
      RangeTimes& times = ranges[std::string(p.string(event.name))];
      ++times.count;
      times.total = times.total + event.duration;
      times.longest = std::max(times.longest, event.duration);
    }
    std::vector<std::pair<std::string, RangeTimes>> sorted(ranges.begin(), ranges.end());
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto& left, const auto& right) {
      return left.second.total > right.second.total;
    });
    for (const auto& [name, times] : sorted)
      table_.rows.push_back({rank.files.rank, name, times.count, times.total,
                             Time(times.total.count() / static_cast<std::int64_t>(times.count)),
                             times.longest});
  }

  View view(const intake::Job& /*job*/, Findings& /*findings*/) override {
    return {.kind = TraceView::ranges, .facts = {}, .tables = {std::move(table_)}};
  }

 private:
  ViewTable table_{.key = "ranges",
                   .title = "annotations on the device",
                   .columns = {{"rank", "rank", "the recorded rank"},
                               {"annotation", "name", "as in the recording"},
                               {"count", "count", "ranges of this name"},
                               {"time", "total_ns", "sum of their lengths on the device"},
                               {"mean", "mean_ns", "time / count"},
                               {"longest", "max_ns", "the longest of them"}},
                   .rows = {},
                   .first = 20,
                   .if_empty = "The recording has no annotations on the device.",
                   .by_rank = true};
};

}  // namespace

std::unique_ptr<ViewBuilder> ranges_view() { return std::make_unique<RangesView>(); }

}  // namespace orrery::study
