// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/simulate/together_answer.h"

#include <fmt/format.h>

#include <algorithm>

#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/present/number_text.h"
#include "orrery/study/questions/outcome/model_labels.h"
#include "orrery/study/questions/outcome/savings_text.h"

namespace orrery::present {

using report::JsonWriter;
using study::ConcurrentJob;
using study::ConcurrentJobsResult;
using study::JobTime;

namespace {

std::string end_text(const JobTime& time) { return time.stalled ? "never" : format_time(time.end); }

std::string slowed_text(const ConcurrentJob& job) {
  if (job.alone.stalled || job.concurrent.stalled) return {};
  if (job.concurrent.end == job.alone.end) return "none";
  return signed_share(job.slowed() - 1);
}

/// One step, where there are several.
std::string job_step_text(const ConcurrentJob& job) {
  if (job.concurrent.stalled) return "";
  return format_time(Time(job.concurrent.end.count() / job.steps));
}

/// "train 1.2 GB, other 3 GB"
std::string carried_text(const study::SharedLink& link, const std::vector<ConcurrentJob>& jobs) {
  std::string text;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (link.bytes[i] == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", jobs[i].name,
                        traffic_text(Bytes(static_cast<std::int64_t>(link.bytes[i]))));
  }
  return text;
}

report::Columns<study::SharedLink> link_columns(const std::vector<ConcurrentJob>& jobs) {
  report::Columns<study::SharedLink> columns;
  columns.add("link", "name", [](const auto& link) { return link.name; })
      .add("class", "class", [](const auto& link) { return text_or_null(link.kind, ""); })
      .omit_null()
      .add("bandwidth", "bandwidth_bytes_per_s",
           [](const auto& link) {
             return link.capacity > 0 ? Bandwidth(link.capacity) : report::Value().shown("");
           })
      .omit_null()
      .show("carries", [&jobs](const auto& link) { return carried_text(link, jobs); })
      .nested("job_bytes", write_list(&study::SharedLink::bytes));
  return columns;
}

void state_links(report::Answer& answer, const ConcurrentJobsResult& result) {
  if (!result.links.empty())
    answer.heading(
        fmt::format("Links shared by jobs, the most contended first ({}):", result.links.size()));
  answer.table(
      "link_traffic", result.links, link_columns(result.jobs),
      {.limit = 12,
       .if_empty = result.links_known
                       ? "No link is used by more than one job."
                       : "The analytical network has no shared links; use --network flow."});
}

void write_time(JsonWriter& json, const JobTime& time) {
  json.begin_object().key("end_ns");
  (time.stalled ? report::Value() : report::Value(time.end)).write(json);
  json.nanoseconds("exposed_comm", time.exposed).end_object();
}

report::Columns<ConcurrentJob> job_columns(const std::vector<ConcurrentJob>& jobs) {
  report::Columns<ConcurrentJob> columns;
  const auto add_if = [&](bool shown, const char* title, const char* key,
                          const report::Columns<ConcurrentJob>::GetValue& value) {
    shown ? columns.add(title, key, value) : columns.field(key, value);
  };
  const bool starts =
      std::any_of(jobs.begin(), jobs.end(), [](const auto& job) { return job.start > Time{}; });
  const bool steps =
      std::any_of(jobs.begin(), jobs.end(), [](const auto& job) { return job.steps > 1; });
  columns.add("job", "name", [](const auto& job) { return job.name; })
      .field("about", [](const auto& job) { return job.about; })
      .show("ranks", [](const auto& job) { return rank_numbers_text(job.ranks); })
      .nested("rank_numbers", write_list(&ConcurrentJob::ranks));
  add_if(starts, "starts", "start_ns", [](const auto& job) { return job.start; });
  add_if(steps, "steps", "steps", [](const auto& job) {
    return report::Value(job.steps).shown(fmt::format("{}", job.steps));
  });
  columns.show_number("alone", [](const auto& job) { return end_text(job.alone); })
      .show_number("concurrent", [](const auto& job) { return end_text(job.concurrent); })
      .add("slowdown", "slowdown_ratio", &ConcurrentJob::slowed, slowed_text);
  if (steps) columns.show_number("per step", job_step_text);
  columns
      .show_number("exposed alone", [](const auto& job) { return format_time(job.alone.exposed); })
      .show_number("concurrent",
                   [](const auto& job) { return format_time(job.concurrent.exposed); })
      .nested("alone", [](JsonWriter& json, const auto& job) { write_time(json, job.alone); })
      .nested("together",
              [](JsonWriter& json, const auto& job) { write_time(json, job.concurrent); });
  return columns;
}

}  // namespace

void state_together(report::Answer& answer, const ConcurrentJobsResult& result, bool links) {
  const study::Outcome& all = result.all;
  const std::string_view network = study::name(all.platform().network);
  answer.label_width(12).title(fmt::format("{} jobs on {}, network {}", result.jobs.size(),
                                           printable(all.cluster_name), network));
  answer.field("cluster", all.cluster_name).field("network_model", network);
  answer.row("all done", "end_ns", all.result.end,
             all.result.stall ? "never: ranks wait for each other" : format_time(all.result.end));
  answer.field("stalled", all.result.stall.has_value()).field("spare_ranks", result.spare);
  if (result.spare > 0) answer.line("spare", fmt::format("{} ranks", result.spare));
  if (all.verified)
    answer.line("verified", study::verification_text(*all.verified, all.workload().rank_count()));
  answer.findings(all.findings);
  answer.table("jobs", result.jobs, job_columns(result.jobs));
  if (links) state_links(answer, result);
}

}  // namespace orrery::present
