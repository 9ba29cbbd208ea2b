// SPDX-License-Identifier: Apache-2.0
#include "convert_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "orrery/core/units.h"
#include "words.h"

namespace orrery::app {

namespace {

using report::JsonWriter;

constexpr std::size_t kRanksShown = 32;

std::string more(const intake::JobReport& report) {
  const std::size_t ranks = report.job.ranks.size();
  return ranks > kRanksShown ? fmt::format("and {} more (--json)\n", count(ranks - kRanksShown))
                             : "";
}

}  // namespace

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

namespace {

void write_link(JsonWriter& json, const std::optional<profile::LinkReport>& link) {
  json.key("link");
  if (!link) {
    json.null();
    return;
  }
  json.begin_object().field("nodes", link->nodes).field("operators", link->operators);
  json.field("by_record_function", link->by_record_function);
  json.field("by_external_id", link->by_external_id).field("by_order", link->by_order);
  json.field("added", link->added).field("unlinked_operators", link->unlinked_operators);
  json.field("rate", link->rate()).end_object();
}

void write_attach(JsonWriter& json, const profile::AttachReport& attach) {
  json.key("attach").begin_object().field("works", attach.works);
  json.field("by_correlation", attach.by_correlation).field("by_graph", attach.by_graph);
  json.field("by_external_id", attach.by_external_id).field("orphans", attach.orphans);
  json.end_object();
}

void write_conversion(JsonWriter& json, const intake::ConvertReport& c) {
  json.key("converted").begin_object().field("nodes", c.nodes).field("edges", c.edges);
  json.field("compute", c.compute).field("collectives", c.collectives);
  json.field("sends", c.sends).field("receives", c.receives);
  json.field("device_nodes", c.device_nodes).field("device_with_later", c.device_with_later);
  json.field("device_with_successor", c.device_with_successor);
  json.field("comm_kernels", c.comm_kernels);
  json.field("comm_kernels_under_library", c.comm_kernels_under_library).end_object();
}

}  // namespace

void write_ranks(JsonWriter& json, const intake::JobReport& report) {
  const intake::Job& job = report.job;
  json.field("world_size", job.world_size).field("groups", job.groups.size());
  json.field("matched", job.matched).field("unmatched", job.unmatched).field("alone", job.alone);
  json.key("ranks").begin_array();
  for (std::size_t place = 0; place < job.ranks.size(); ++place) {
    const intake::RankFiles& files = job.ranks[place];
    json.begin_object().field("rank", files.rank).field("rank_from", files.rank_from);
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

}  // namespace orrery::app
