// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/traces/convert_link_answer.h"

#include <fmt/format.h>

#include <algorithm>

#include "orrery/core/text/units.h"
#include "orrery/present/answer_parts.h"
#include "orrery/present/number_text.h"

namespace orrery::present {

using intake::ConvertReport;
using profile::AttachReport;
using profile::LinkReport;
using report::Answer;
using report::Columns;

namespace {

Columns<LinkReport> link_report_columns() {
  Columns<LinkReport> columns;
  columns.add("nodes", "nodes", &LinkReport::nodes)
      .field("operators", &LinkReport::operators)
      .add("linked", "linked_share", [](const auto& link) { return report::Share{link.rate()}; })
      .add("by id", "by_record_function", &LinkReport::by_record_function)
      .add("external id", "by_external_id", &LinkReport::by_external_id)
      .add("order", "by_order", &LinkReport::by_order)
      .field("added_nodes", &LinkReport::added)
      .field("unlinked_operators", &LinkReport::unlinked_operators);
  return columns;
}

Columns<AttachReport> attachment_columns() {
  const auto attached = [](const AttachReport& attach) {
    return attach.works == 0 ? "-"
                             : report::percent(static_cast<double>(attach.works - attach.orphans) /
                                               static_cast<double>(attach.works));
  };
  Columns<AttachReport> columns;
  columns.add("device work", "device_works", &AttachReport::works)
      .show("attached", attached)
      .field("by_correlation", &AttachReport::by_correlation)
      .field("by_graph", &AttachReport::by_graph)
      .field("by_external_id", &AttachReport::by_external_id)
      .field("unattached", &AttachReport::orphans);
  return columns;
}

Columns<ConvertReport> conversion_columns() {
  const auto with_successor = [](const ConvertReport& done) {
    return done.device_with_later == 0 ? "-"
                                       : fmt::format("{} of {}", count(done.device_with_successor),
                                                     count(done.device_with_later));
  };
  Columns<ConvertReport> columns;
  columns.add("nodes", "nodes", &ConvertReport::nodes)
      .add("edges", "edges", &ConvertReport::edges)
      .field("compute_nodes", &ConvertReport::compute)
      .add("on device", "device_nodes", &ConvertReport::device_nodes)
      .add("collectives", "collective_nodes", &ConvertReport::collectives)
      .add("sends", "send_nodes", &ConvertReport::sends)
      .add("receives", "receive_nodes", &ConvertReport::receives)
      .add("with successor", "device_nodes_with_successor", &ConvertReport::device_with_successor,
           with_successor)
      .field("followed_device_nodes", &ConvertReport::device_with_later)
      .field("comm_kernels", &ConvertReport::comm_kernels)
      .field("library_comm_kernels", &ConvertReport::comm_kernels_under_library);
  return columns;
}

/// Rows are places in `report`; with conversions only for programs.
Columns<std::size_t> linked_rank_columns(const intake::JobReport& report) {
  const intake::Job& job = report.job;
  const auto name_of = [](const std::optional<trace::Input>& file) {
    return file ? report::Value(file->name) : report::Value();
  };
  Columns<std::size_t> columns;
  columns.add("rank", "rank", [&](std::size_t place) { return job.ranks[place].rank; })
      .field("rank_source", [&](std::size_t place) { return job.ranks[place].rank_from; })
      .field("device_trace",
             [&, name_of](std::size_t place) { return name_of(job.ranks[place].device); })
      .field("execution_trace",
             [&, name_of](std::size_t place) { return name_of(job.ranks[place].host); });
  if (!job.clock_offset.empty())
    columns.field("clock_offset_ns", [&](std::size_t place) { return job.clock_offset[place]; });
  add_part(columns, "linking", link_report_columns(), [&](std::size_t place) {
    return report.linked[place] ? &*report.linked[place] : nullptr;
  });
  add_part(columns, "attachment", attachment_columns(),
           [&](std::size_t place) { return &report.attached[place]; });
  if (!report.converted.empty())
    nest_part(columns, "conversion", conversion_columns(),
              [&](std::size_t place) { return &report.converted[place]; });
  return columns;
}

/// What conversions and links have in common.
void state_report(Answer& answer, const intake::JobReport& report) {
  const intake::Job& job = report.job;
  answer.field("world_size", job.world_size).field("groups", job.groups.size());
  answer.field("matched", job.matched).field("unmatched", job.unmatched);
  answer.field("single_rank", job.alone);
  const std::vector<std::size_t> places = row_numbers(job.ranks.size());
  answer.table("per_rank", places, linked_rank_columns(report), {.limit = 32});
  if (!report.converted.empty()) {
    Columns<std::size_t> columns;
    columns.add("rank", "", [&](std::size_t place) { return job.ranks[place].rank; });
    show_part(columns, conversion_columns(),
              [&](std::size_t place) { return &report.converted[place]; });
    answer.table("", places, columns, {.limit = 32});
  }
  state_job(answer, job);
  answer.findings(report.findings);
}

}  // namespace

std::string ranks_of(const intake::Job& job) {
  std::vector<std::uint32_t> ranks;
  ranks.reserve(job.ranks.size());
  for (const intake::RankFiles& files : job.ranks) ranks.push_back(files.rank);
  std::string text =
      fmt::format("{} {}", ranks.size() == 1 ? "rank" : "ranks", report::ranges(ranks));
  if (job.world_size > ranks.size()) text += fmt::format(" of {}", count(job.world_size));
  return text;
}

void state_job(Answer& answer, const intake::Job& job) {
  std::uint64_t communications = 0;
  for (const auto& uses : job.comms) communications += uses.size();
  std::string comms = count(communications);
  if (communications > 0) {
    comms += fmt::format(" in {}", plural(job.groups.size(), "group"));
    if (job.ranks.size() > 1) {
      comms += fmt::format("; matched across ranks: {}", count(job.matched));
      if (job.unmatched > 0) comms += fmt::format(", not matched: {}", count(job.unmatched));
    }
    if (job.alone > 0)
      comms += fmt::format("; {} with peers whose traces are missing", count(job.alone));
  }
  answer.line("communications", comms);
  const auto [low, high] = std::minmax_element(job.clock_offset.begin(), job.clock_offset.end());
  if (low != high && *high > *low)
    answer.line("clocks", fmt::format("up to {} apart; aligned", format_time(*high - *low)));
}

void state_convert_job(Answer& answer, const intake::JobReport& report, const std::string& prefix) {
  const bool one = report.converted.size() == 1;
  answer.title(fmt::format("{} → {}.{}.et", ranks_of(report.job), prefix,
                           one ? fmt::format("{}", report.written_as[0]) : "*"));
  answer.field("prefix", prefix);
  state_report(answer, report);
  answer.block(fmt::format(
      "Next: orrery trace validate {0}\n      orrery run {0} --cluster cluster.yaml{1}\n", prefix,
      one ? " --replicate" : ""));
}

void state_link(Answer& answer, const intake::JobReport& report) {
  answer.title(ranks_of(report.job));
  state_report(answer, report);
}

void state_converted_file(Answer& answer, const intake::ConvertedFile& converted) {
  const std::string ranks = converted.ranks == 1 ? ""
                            : converted.per_rank ? " per rank"
                                                 : fmt::format(" of {} ranks", converted.ranks);
  answer.row("written", "file", converted.to,
             fmt::format("{}: {}, {}{}", converted.to, plural(converted.nodes, "node"),
                         plural(converted.edges, "edge"), ranks));
  answer.field("ranks", converted.ranks);
  answer.field("nodes", converted.nodes).field("edges", converted.edges);
  answer.findings(converted.findings);
}

}  // namespace orrery::present
