// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/traces/convert_link_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "orrery/core/text/units.h"
#include "orrery/present/number_text.h"
#include "orrery/report/json/envelope.h"

namespace orrery::present {

namespace {

using report::JsonWriter;

constexpr std::size_t kRanksShown = 32;

std::string more(const intake::JobReport& report) {
  const std::size_t ranks = report.job.ranks.size();
  return ranks > kRanksShown ? fmt::format("and {} more (--json)\n", count(ranks - kRanksShown))
                             : "";
}

std::string link_table(const intake::JobReport& report, report::Style style) {
  report::Table table({{"rank", true},
                       {"nodes", true},
                       {"linked", true},
                       {"by id", true},
                       {"external id", true},
                       {"order", true},
                       {"device work", true},
                       {"attached", true}});
  const std::size_t shown = std::min(report.job.ranks.size(), kRanksShown);
  for (std::size_t place = 0; place < shown; ++place) {
    const profile::AttachReport& attach = report.attached[place];
    const std::uint64_t found = attach.works - attach.orphans;
    std::vector<std::string> cells = {count(report.job.ranks[place].rank)};
    if (const auto& link = report.linked[place]) {
      cells.insert(cells.end(), {count(link->nodes), report::percent(link->rate()),
                                 count(link->by_record_function), count(link->by_external_id),
                                 count(link->by_order)});
    } else {
      cells.insert(cells.end(), {"-", "-", "-", "-", "-"});
    }
    cells.push_back(count(attach.works));
    cells.push_back(attach.works == 0 ? "-"
                                      : report::percent(static_cast<double>(found) /
                                                        static_cast<double>(attach.works)));
    table.row(std::move(cells));
  }
  return table.text(style) + more(report);
}

std::string conversion_table(const intake::JobReport& report, report::Style style) {
  report::Table table({{"rank", true},
                       {"nodes", true},
                       {"edges", true},
                       {"on device", true},
                       {"collectives", true},
                       {"sends", true},
                       {"receives", true},
                       {"with successor", true}});
  const std::size_t shown = std::min(report.converted.size(), kRanksShown);
  for (std::size_t place = 0; place < shown; ++place) {
    const intake::ConvertReport& c = report.converted[place];
    table.row({count(report.job.ranks[place].rank), count(c.nodes), count(c.edges),
               count(c.device_nodes), count(c.collectives), count(c.sends), count(c.receives),
               c.device_with_later == 0 ? "-"
                                        : fmt::format("{} of {}", count(c.device_with_successor),
                                                      count(c.device_with_later))});
  }
  return table.text(style) + more(report);
}

void write_link(JsonWriter& json, const std::optional<profile::LinkReport>& link) {
  json.key("linking");
  if (!link) {
    json.null();
    return;
  }
  json.begin_object().field("nodes", link->nodes).field("operators", link->operators);
  json.field("by_record_function", link->by_record_function);
  json.field("by_external_id", link->by_external_id).field("by_order", link->by_order);
  json.field("added_nodes", link->added).field("unlinked_operators", link->unlinked_operators);
  json.field("linked_share", link->rate()).end_object();
}

void write_attach(JsonWriter& json, const profile::AttachReport& attach) {
  json.key("attachment").begin_object().field("device_works", attach.works);
  json.field("by_correlation", attach.by_correlation).field("by_graph", attach.by_graph);
  json.field("by_external_id", attach.by_external_id).field("unattached", attach.orphans);
  json.end_object();
}

void write_conversion(JsonWriter& json, const intake::ConvertReport& c) {
  json.key("conversion").begin_object().field("nodes", c.nodes).field("edges", c.edges);
  json.field("compute_nodes", c.compute).field("collective_nodes", c.collectives);
  json.field("send_nodes", c.sends).field("receive_nodes", c.receives);
  json.field("device_nodes", c.device_nodes).field("followed_device_nodes", c.device_with_later);
  json.field("device_nodes_with_successor", c.device_with_successor);
  json.field("comm_kernels", c.comm_kernels);
  json.field("library_comm_kernels", c.comm_kernels_under_library).end_object();
}

void write_ranks(JsonWriter& json, const intake::JobReport& report) {
  const intake::Job& job = report.job;
  json.field("world_size", job.world_size).field("groups", job.groups.size());
  json.field("matched", job.matched)
      .field("unmatched", job.unmatched)
      .field("single_rank", job.alone);
  json.key("per_rank").begin_array();
  for (std::size_t place = 0; place < job.ranks.size(); ++place) {
    const intake::RankFiles& files = job.ranks[place];
    json.begin_object().field("rank", files.rank).field("rank_source", files.rank_from);
    json.key("device_trace");
    files.device ? json.value(files.device->name) : json.null();
    json.key("execution_trace");
    files.host ? json.value(files.host->name) : json.null();
    if (place < report.linked.size()) write_link(json, report.linked[place]);
    if (place < report.attached.size()) write_attach(json, report.attached[place]);
    if (place < report.converted.size()) write_conversion(json, report.converted[place]);
    if (place < job.clock_offset.size()) json.nanoseconds("clock_offset", job.clock_offset[place]);
    json.end_object();
  }
  json.end_array();
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

std::string job_text(const intake::Job& job, report::Style style) {
  report::Sheet sheet(style);
  std::uint64_t communications = 0;
  for (const auto& uses : job.comms) communications += uses.size();
  std::string comms = count(communications);
  if (communications > 0) {
    comms +=
        fmt::format(" in {} group{}", count(job.groups.size()), job.groups.size() == 1 ? "" : "s");
    if (job.ranks.size() > 1) {
      comms += fmt::format("; matched across ranks: {}", count(job.matched));
      if (job.unmatched > 0) comms += fmt::format(", not matched: {}", count(job.unmatched));
    }
    if (job.alone > 0)
      comms += fmt::format("; {} with peers whose traces are not here", count(job.alone));
  }
  sheet.add("communications", comms);
  const auto [low, high] = std::minmax_element(job.clock_offset.begin(), job.clock_offset.end());
  if (low != high && *high > *low)
    sheet.add("clocks", fmt::format("up to {} apart; aligned", format_time(*high - *low)));
  return sheet.text();
}

std::string convert_job_text(const intake::JobReport& report, const std::string& prefix,
                             report::Style style) {
  const bool one = report.converted.size() == 1;
  std::string text = fmt::format(
      "{}\n", style.strong(fmt::format("{} → {}.{}.et", ranks_of(report.job), prefix,
                                       one ? fmt::format("{}", report.written_as[0]) : "*")));
  text += "\n" + link_table(report, style) + "\n" + conversion_table(report, style) + "\n";
  report::Sheet sheet(style);
  text += job_text(report.job, style);
  report::add_findings(sheet, report.findings, style);
  return text + sheet.text() +
         fmt::format("\nNext: orrery check {0}\n      orrery run {0} --cluster cluster.yaml{1}\n",
                     prefix, one ? " --replicate" : "");
}

std::string convert_job_json(const intake::JobReport& report, const std::string& prefix) {
  return report::envelope("convert", report.findings, [&](JsonWriter& json) {
    json.begin_object().field("prefix", prefix);
    write_ranks(json, report);
    json.end_object();
  });
}

std::string link_text(const intake::JobReport& report, report::Style style) {
  std::string text = fmt::format("{}\n\n", style.strong(ranks_of(report.job)));
  text += link_table(report, style) + "\n" + job_text(report.job, style);
  report::Sheet sheet(style);
  report::add_findings(sheet, report.findings, style);
  return text + sheet.text();
}

std::string link_json(const intake::JobReport& report) {
  return report::envelope("link", report.findings, [&](JsonWriter& json) {
    json.begin_object();
    write_ranks(json, report);
    json.end_object();
  });
}

std::string convert_file_text(const intake::ConvertedFile& done, report::Style style) {
  report::Sheet sheet(style);
  sheet.add("written",
            fmt::format("{}: {} nodes, {} edges{}", done.to, count(done.nodes), count(done.edges),
                        done.ranks == 1 ? ""
                        : done.per_rank ? " per rank"
                                        : fmt::format(" of {} ranks", done.ranks)));
  report::add_findings(sheet, done.findings, style);
  return sheet.text();
}

std::string convert_file_json(const intake::ConvertedFile& done) {
  return report::envelope("convert", done.findings, [&](JsonWriter& json) {
    json.begin_object().field("file", std::string_view(done.to)).field("ranks", done.ranks);
    json.field("nodes", done.nodes).field("edges", done.edges).end_object();
  });
}

}  // namespace orrery::present
