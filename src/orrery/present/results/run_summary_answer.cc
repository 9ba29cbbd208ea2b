// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/results/run_summary_answer.h"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "orrery/core/text/text.h"
#include "orrery/report/answer/digest_answer.h"
#include "orrery/report/answer/packets_answer.h"
#include "orrery/study/questions/outcome/savings_text.h"

namespace orrery::present {

using report::Answer;
using report::Columns;
using report::JsonWriter;
using result::Run;

namespace {

Columns<analysis::Metric> metric_columns() {
  Columns<analysis::Metric> columns;
  columns.field("name", [](const auto& metric) { return metric.name; })
      .field("title", [](const auto& metric) { return metric.title; })
      .field("unit", [](const auto& metric) { return metric.unit; })
      .field("value", [](const auto& metric) { return metric.value; })
      .field("text", [](const auto& metric) { return metric.text; });
  return columns;
}

Columns<analysis::CollectiveClass> collective_columns() {
  Columns<analysis::CollectiveClass> columns;
  columns.field("type", [](const auto& one) { return one.type; })
      .field("group_size", [](const auto& one) { return one.members; })
      .field("bytes", [](const auto& one) { return one.bytes; })
      .field("operations", [](const auto& one) { return one.count; })
      .field("sent_bytes", [](const auto& one) { return one.sent; })
      .field("time_ns", [](const auto& one) { return one.time; })
      .field("wait_ns", [](const auto& one) { return one.waited; })
      .field("algbw_bytes_per_s", [](const auto& one) { return one.algbw; })
      .field("busbw_bytes_per_s", [](const auto& one) { return one.busbw; })
      .field("bound_efficiency", [](const auto& one) { return one.of_bound; })
      .omit_null();
  return columns;
}

Columns<analysis::Straggler> straggler_columns() {
  Columns<analysis::Straggler> columns;
  columns.field("rank", [](const auto& one) { return one.rank; })
      .field("caused_wait_ns", [](const auto& one) { return one.caused_wait; })
      .field("wait_ns", [](const auto& one) { return one.waited; })
      .field("times_last", [](const auto& one) { return one.times_last; });
  return columns;
}

/// Levels of remote memory, with their traffic over time, bin by bin.
void write_remote_memory(JsonWriter& json, const Run& run) {
  const std::vector<analysis::MemoryLevelUse> levels = analysis::memory_level_use(run);
  json.begin_object().nanoseconds("bin", run.remote_memory.bin).key("levels").begin_array();
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const analysis::MemoryLevelUse& use = levels[i];
    json.begin_object().field("name", use.name).field("loaded_bytes", use.loaded);
    json.field("stored_bytes", use.stored).field("busy_share", use.in_use);
    json.field("peak_busy_share", use.busiest).nanoseconds("peak_busy_at", use.from);
    Answer level(json);
    level.list("bin_loaded_bytes", run.remote_memory.levels[i].loads);
    level.list("bin_stored_bytes", run.remote_memory.levels[i].stores);
    json.end_object();
  }
  json.end_array().end_object();
}

}  // namespace

std::string title_of(const Run& run) {
  const std::string workload = printable(run.fact("workload"));
  const std::string cluster = printable(run.fact("cluster"));
  if (workload.empty()) return cluster.empty() ? "run" : "run on " + cluster;
  return cluster.empty() ? workload : workload + " on " + cluster;
}

void state_summary(Answer& answer, const Run& run, bool all) {
  const analysis::Digest digest = analysis::digest(run);
  answer.line("run", title_of(run));
  answer.field("step_ns", run.step).field("stalled", run.stalled);
  answer.field("ranks", run.ranks.size()).field("distinct_ranks", run.timelines.size());
  state_digest(answer, digest, all);
  report::state_packets(answer, run.packets ? std::optional(run.packets->totals) : std::nullopt);
  if (digest.simulated > 0 && digest.simulated < digest.ranks)
    answer.line("simulated", study::representatives_text(digest.simulated, digest.ranks));
  answer.field("stored_spans", name(run.spans));
  if (digest.spans != result::SpanChoice::all) {
    const bool none = digest.spans == result::SpanChoice::none;
    answer.line("spans", none ? "none stored in the file"
                              : "only critical spans and last arrivals are stored in the file");
  }
  answer.findings(run.findings);
  answer.json("remote_memory", [&](JsonWriter& json) { write_remote_memory(json, run); });
  answer.object("manifest", [&] {
    for (const auto& [key, value] : run.manifest) answer.field(key, value);
  });
  answer.table("metrics", analysis::metrics(run), metric_columns());
  answer.table("collectives", analysis::collective_classes(run), collective_columns());
  answer.table("stragglers", analysis::stragglers(run).ranks, straggler_columns());
}

}  // namespace orrery::present
