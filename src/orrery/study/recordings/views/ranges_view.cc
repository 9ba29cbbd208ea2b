// SPDX-License-Identifier: Apache-2.0
//
// Annotations of the user or the framework, as the device saw them: from the first to the last work
// that was launched within one (Kineto's gpu_user_annotation).
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "orrery/core/statistics/time_statistics.h"
#include "orrery/study/recordings/views/builders.h"

namespace orrery::study {

namespace {

class RangesView final : public ViewBuilder {
 public:
  void add(const intake::RankTrace& rank) override {
    const profile::Profile& p = rank.profile;
    std::map<std::string, TimeStatistics, std::less<>> ranges;
    for (profile::EventId e = 0; e < p.events.size(); ++e) {
      const profile::Event& event = p.events[e];
      if (event.kind != profile::Kind::device_range || !event.timed()) continue;
      ranges[std::string(p.string(event.name))].add(event.duration);
    }
    std::vector<std::pair<std::string, TimeStatistics>> sorted(ranges.begin(), ranges.end());
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto& left, const auto& right) {
      return left.second.total() > right.second.total();
    });
    for (const auto& [name, times] : sorted)
      table_.rows.push_back({rank.files.rank, name, times.count(), times.total(), times.mean(),
                             times.least(), times.most(), times.deviation()});
  }

  View view(const intake::Job& /*job*/, Findings& /*findings*/) override {
    return {.kind = TraceView::ranges, .facts = {}, .tables = {std::move(table_)}};
  }

 private:
  ViewTable table_{.key = "ranges",
                   .title = "annotations on the device",
                   .columns = {rank_column(),
                               {"annotation", "name", "as in the recording"},
                               {"count", "count", "ranges of this name"},
                               {"time", "total_ns", "sum of their lengths on the device"},
                               {"mean", "mean_ns", "time / count"},
                               {"shortest", "min_ns", "the shortest of them"},
                               {"longest", "max_ns", "the longest of them"},
                               {"deviation", "deviation_ns", "standard deviation (n - 1)"}},
                   .rows = {},
                   .first = 20,
                   .if_empty = "The recording has no annotations on the device.",
                   .by_rank = true};
};

}  // namespace

std::unique_ptr<ViewBuilder> ranges_view() { return std::make_unique<RangesView>(); }

}  // namespace orrery::study
