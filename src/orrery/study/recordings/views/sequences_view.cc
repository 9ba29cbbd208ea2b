// SPDX-License-Identifier: Apache-2.0
//
// Sequences of device work that operators launch again and again.
#include <fmt/format.h>

#include <string>

#include "orrery/profile/inspection/kernel_sequences.h"
#include "orrery/study/recordings/views/builders.h"

namespace orrery::study {

namespace {

/// Rows of one rank.
constexpr std::size_t kMostSequences = 1000;

/// "a | b | c" as HTA joins them.
std::string joined_works(const profile::KernelSequence& sequence) {
  std::string text;
  for (const std::string& work : sequence.works) text += (text.empty() ? "" : " | ") + work;
  if (sequence.length > sequence.works.size())
    text += fmt::format(" | and {} more", sequence.length - sequence.works.size());
  return text;
}

class SequencesView final : public ViewBuilder {
 public:
  void add(const intake::RankTrace& rank) override {
    for (const profile::KernelSequence& one :
         profile::kernel_sequences(rank.profile, kMostSequences)) {
      std::vector<report::Value> row{rank.files.rank,  one.operator_name, one.count,
                                     one.length,       one.device_time,   one.host_time,
                                     joined_works(one)};
      if (one.innermost) innermost_.rows.push_back(row);
      all_.rows.push_back(std::move(row));
    }
  }

  View view(const intake::Job& /*job*/, Findings& /*findings*/) override {
    return {.kind = TraceView::sequences,
            .facts = {},
            .tables = {std::move(innermost_), std::move(all_)}};
  }

 private:
  static std::vector<ViewColumn> columns(bool shown) {
    std::vector<ViewColumn> list{
        rank_column(),
        {"operator", "name", "the operator that launches the sequence"},
        {"count", "count", "occurrences"},
        {"works", "length", "kernels, copies and memsets of one occurrence"},
        {"device", "device_ns", "sum of the durations of the works of all occurrences"},
        {"host", "host_ns", "sum of the durations of the operators"},
        {"sequence", "sequence", "the works in the order of their starts"}};
    if (!shown)
      for (ViewColumn& column : list) column.title.clear();
    return list;
  }

  ViewTable innermost_{.key = "sequences",
                       .title = "sequences of the innermost operators",
                       .columns = columns(true),
                       .rows = {},
                       .first = 20,
                       .if_empty = "No operator launches three or more works.",
                       .by_rank = true};
  ViewTable all_{
      .key = "by_operator",
      .title = "sequences of all operators, also those whose works an inner one launches",
      .columns = columns(false),
      .rows = {},
      .first = 0,
      .if_empty = {},
      .by_rank = true};
};

}  // namespace

std::unique_ptr<ViewBuilder> sequences_view() { return std::make_unique<SequencesView>(); }

}  // namespace orrery::study
