// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/simulate/together_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "orrery/core/text/rank_list.h"
#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/present/simulate/savings_text.h"
#include "orrery/report/json/envelope.h"
#include "orrery/study/questions/outcome/model_labels.h"

namespace orrery::present {

using report::JsonWriter;
using study::ConcurrentJob;
using study::ConcurrentJobsResult;
using study::JobTime;

namespace {

std::string end_text(const JobTime& time) { return time.stalled ? "never" : format_time(time.end); }

std::string slowed_text(const ConcurrentJob& job) {
  if (job.alone.stalled || job.concurrent.stalled) return "";
  if (job.concurrent.end == job.alone.end) return "as alone";
  return fmt::format("{:+.1f} %", 100 * (job.slowed() - 1));
}

/// One step, where there are several.
std::string step_text(const ConcurrentJob& job) {
  if (job.concurrent.stalled) return "";
  return format_time(Time(job.concurrent.end.count() / job.steps));
}

/// "train 1.2 GB, other 3 GB"
std::string search_shares_text(const study::SharedLink& link,
                               const std::vector<ConcurrentJob>& jobs) {
  std::string text;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (link.bytes[i] == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", jobs[i].name,
                        format_bytes(Bytes(static_cast<std::int64_t>(link.bytes[i]))));
  }
  return text;
}

std::string links_text(const ConcurrentJobsResult& answer, report::Style style) {
  constexpr std::size_t kMost = 12;
  if (!answer.links_known)
    return "\nThe network is analytical: messages meet on no link (--network flow).\n";
  if (answer.links.empty()) return "\nNo link is used by more than one job.\n";
  report::Table table({{"link"}, {"class"}, {"bandwidth", true}, {"carries"}});
  for (std::size_t i = 0; i < std::min(kMost, answer.links.size()); ++i) {
    const study::SharedLink& link = answer.links[i];
    table.row({printable(link.name), link.kind,
               link.capacity > 0 ? format_bandwidth(Bandwidth(link.capacity)) : "",
               search_shares_text(link, answer.jobs)});
  }
  std::string text = fmt::format("\nLinks that jobs meet on, where most of it does first ({}):\n{}",
                                 answer.links.size(), table.text(style));
  if (answer.links.size() > kMost)
    text += fmt::format("and {} more (--json)\n", answer.links.size() - kMost);
  return text;
}

}  // namespace

std::string together_text(const ConcurrentJobsResult& answer, bool links, report::Style style) {
  const platform::Platform& machine = answer.all.platform();
  report::Sheet sheet(style, 12);
  sheet.line(
      style.strong(fmt::format("{} jobs on {}, network {}", answer.jobs.size(),
                               printable(answer.all.cluster_name), study::name(machine.network))));
  sheet.add("all done", answer.all.result.stall ? "never: ranks wait for each other"
                                                : format_time(answer.all.result.end));
  if (answer.spare > 0) sheet.add("spare", fmt::format("{} ranks", answer.spare));
  if (answer.all.verified)
    sheet.add("verified",
              verification_text(*answer.all.verified, answer.all.workload().rank_count()));
  report::add_findings(sheet, answer.all.findings, style);
  const bool starts = std::any_of(answer.jobs.begin(), answer.jobs.end(),
                                  [](const ConcurrentJob& job) { return job.start > Time{}; });
  const bool steps = std::any_of(answer.jobs.begin(), answer.jobs.end(),
                                 [](const ConcurrentJob& job) { return job.steps > 1; });
  std::vector<report::Table::Column> columns{{"job"}, {"ranks"}};
  if (starts) columns.push_back({"starts", true});
  if (steps) columns.push_back({"steps", true});
  for (const char* title : {"alone", "beside", "slower"}) columns.push_back({title, true});
  if (steps) columns.push_back({"a step", true});
  for (const char* title : {"exposed alone", "beside"}) columns.push_back({title, true});
  report::Table table(columns);
  for (const ConcurrentJob& job : answer.jobs) {
    const std::string words = format_ranks(job.ranks);
    std::vector<std::string> row{job.name, words.substr(words.find(' ') + 1)};
    if (starts) row.push_back(format_time(job.start));
    if (steps) row.push_back(fmt::format("{}", job.steps));
    for (std::string cell : {end_text(job.alone), end_text(job.concurrent), slowed_text(job)})
      row.push_back(std::move(cell));
    if (steps) row.push_back(step_text(job));
    row.push_back(format_time(job.alone.exposed));
    row.push_back(format_time(job.concurrent.exposed));
    table.row(std::move(row));
  }
  return sheet.text() + "\n" + table.text(style) + (links ? links_text(answer, style) : "");
}

namespace {

void write_time(JsonWriter& json, std::string_view key, const JobTime& time) {
  json.key(key).begin_object();
  if (time.stalled) {
    json.key("end_ns").null();
  } else {
    json.nanoseconds("end", time.end);
  }
  json.nanoseconds("exposed_comm", time.exposed).end_object();
}

void write_links(JsonWriter& json, const std::vector<study::SharedLink>& links) {
  json.key("link_traffic").begin_array();
  for (const study::SharedLink& link : links) {
    json.begin_object().field("name", std::string_view(link.name));
    if (!link.kind.empty()) json.field("class", std::string_view(link.kind));
    if (link.capacity > 0) json.field("bandwidth_bytes_per_s", link.capacity);
    json.key("job_bytes").begin_array();  // by job
    for (const std::uint64_t bytes : link.bytes) json.value(bytes);
    json.end_array().end_object();
  }
  json.end_array();
}

}  // namespace

std::string together_json(const ConcurrentJobsResult& answer, bool links) {
  return report::envelope("together", answer.all.findings, [&](JsonWriter& json) {
    json.begin_object().field("cluster", std::string_view(answer.all.cluster_name));
    json.field("network_model", study::name(answer.all.platform().network));
    json.nanoseconds("end", answer.all.result.end);
    json.field("stalled", answer.all.result.stall.has_value());
    json.field("spare_ranks", answer.spare).key("jobs").begin_array();
    for (const ConcurrentJob& job : answer.jobs) {
      json.begin_object().field("name", std::string_view(job.name));
      json.field("about", std::string_view(job.about)).key("rank_numbers").begin_array();
      for (const std::uint32_t rank : job.ranks) json.value(rank);
      json.end_array().nanoseconds("start", job.start).field("steps", job.steps);
      write_time(json, "alone", job.alone);
      write_time(json, "together", job.concurrent);
      json.field("slowdown_ratio", job.slowed()).end_object();
    }
    json.end_array();
    if (links) write_links(json, answer.links);
    json.end_object();
  });
}

}  // namespace orrery::present
