// SPDX-License-Identifier: Apache-2.0
#include "row.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "orrery/analysis/workload/consistency.h"
#include "orrery/core/text/units.h"
#include "orrery/intake/job/job.h"
#include "orrery/platform/cluster/cluster.h"
#include "orrery/profile/dependencies/dependencies.h"
#include "orrery/report/terminal_text.h"
#include "orrery/sim/simulate.h"
#include "orrery/trace/chakra/load.h"

namespace orrery::all_traces {

namespace {

/// One switch between all devices; whoever has recorded durations keeps them.
Result<platform::Platform> cluster(std::uint32_t ranks) {
  Findings findings;
  return platform::parse_cluster(
      fmt::format("{{device: a100-40gb, network: [{{block: switch, size: {}, link: nvlink3}}]}}",
                  std::max(ranks, 2u)),
      "cluster", findings);
}

/// The workload on as many devices as it has ranks (a rank alone: on two, both running it).
std::string simulate(graph::Workload workload, Row& row) {
  auto platform = cluster(workload.rank_count());
  if (!platform) return to_string(platform.error());
  if (workload.rank_count() == 1) {
    // Its peers are elsewhere: communication takes its recorded time.
    workload.graph_of_rank = {0, 0};
    workload.files = {workload.files.at(0), workload.files.at(0)};
    workload.groups.clear();
    platform->replay_only = true;
  }
  const auto result = sim::simulate(workload, *platform);
  if (!result) return to_string(result.error());
  if (result->stall) return "stalls";
  row.simulated = format_time(result->end);
  return {};
}

std::string of(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return "-";
  return report::percent(static_cast<double>(part) / static_cast<double>(whole));
}

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Times, and records that nothing accounts for.
void add_profile(const profile::Profile& profile, Row& row, Time& longest) {
  row.format += row.format.empty() ? profile.format : "";
  const profile::RecordCounts& account = profile.account;
  std::uint64_t left_out = 0;
  for (const auto& [category, count] : account.left_out) left_out += count;
  row.records += account.records;
  row.events += account.events;
  const std::uint64_t known = account.events + account.mapped + left_out;
  row.unaccounted += account.records > known ? account.records - known : known - account.records;
  // Not the Python frames around it all, nor threads that only ask whether something is done.
  Findings found;
  const profile::Dependencies dependencies = profile::find_dependencies(profile, {}, found);
  Time first = kTimeMax, last{};
  for (const profile::EventId e : dependencies.nodes) {
    const profile::Event& event = profile.events[e];
    if (!event.timed()) continue;
    first = std::min(first, event.start);
    last = std::max(last, event.end());
  }
  if (first < last) longest = std::max(longest, last - first);
}

void add_conversion(const intake::JobReport& report, Row& row) {
  std::uint64_t nodes = 0, linked = 0, works = 0, orphans = 0, later = 0, with = 0, comms = 0;
  bool any_link = false;
  for (std::size_t place = 0; place < report.converted.size(); ++place) {
    if (report.linked[place]) {
      any_link = true;
      nodes += report.linked[place]->nodes;
      linked += report.linked[place]->linked();
    }
    works += report.attached[place].works;
    orphans += report.attached[place].orphans;
    const intake::ConvertReport& c = report.converted[place];
    row.nodes += c.nodes;
    later += c.device_with_later;
    with += c.device_with_successor;
    comms += c.collectives + c.sends + c.receives;
  }
  row.linked = any_link ? of(linked, nodes) : "-";
  row.attached = of(works - orphans, works);
  row.successors = of(with, later);
  row.communications = format_count(static_cast<std::int64_t>(comms));
  const std::uint64_t vague = report.findings.count(FindingCode::comm_kind_unknown) +
                              report.findings.count(FindingCode::comm_size_unknown);
  if (vague > 0) row.communications += fmt::format(" ({} vague)", vague);
  row.agree = report.job.ranks.size() < 2 ? "-"
              : intake::mismatches(report.job, 1).empty()
                  ? "yes"
                  : "no: " + intake::mismatches(report.job, 1).front().what;
  row.findings = report.findings;
}

/// Equal bytes the second time; the same number of nodes read back.
std::string check_files(const intake::JobOptions& job, const std::string& prefix,
                        const intake::JobReport& report) {
  if (auto again = intake::convert_job(job, prefix + "_again"); !again)
    return to_string(again.error());
  for (std::uint32_t rank = 0;; ++rank) {
    const std::string path = fmt::format("{}.{}.et", prefix, rank);
    if (!std::filesystem::exists(path)) break;
    if (content(path) != content(fmt::format("{}_again.{}.et", prefix, rank)))
      return "converted twice, and the bytes differ";
  }
  std::uint64_t nodes = 0, read = 0;
  for (const intake::ConvertReport& c : report.converted) nodes += c.nodes;
  const auto workload = trace::chakra::load_workload(prefix);
  if (!workload) return to_string(workload.error());
  for (std::uint32_t rank = 0; rank < workload->rank_count(); ++rank)
    read += workload->graph(rank).size();
  const bool same = workload->rank_count() == report.converted.size() && read >= nodes;
  return same ? "" : fmt::format("{} nodes written, {} read back", nodes, read);
}

}  // namespace

Row examine_recorded(const std::string& name, const std::vector<std::string>& files,
                     const std::string& folder) {
  Row row;
  row.name = name;
  intake::JobOptions job;
  job.traces = files;
  job.force = true;  // the groups of both times
  Time longest{};
  const auto read = intake::for_each_rank(
      job, [&](const intake::Job&, std::size_t, intake::RankTrace& rank) -> Result<void> {
        add_profile(rank.profile, row, longest);
        return {};
      });
  if (!read) {
    row.error = to_string(read.error());
    return row;
  }
  row.ranks = static_cast<std::uint32_t>(read->ranks.size());
  row.recorded = longest == Time{} ? "-" : format_time(longest);
  std::filesystem::create_directories(folder);
  const std::string prefix = folder + "/w";
  const auto report = intake::convert_job(job, prefix);
  if (!report) {
    row.error = to_string(report.error());
    return row;
  }
  add_conversion(*report, row);
  row.error = check_files(job, prefix, *report);
  if (!row.error.empty()) return row;
  auto workload = intake::load_job(job, row.findings);
  if (!workload) {
    row.error = to_string(workload.error());
    return row;
  }
  row.error = simulate(*std::move(workload), row);
  return row;
}

Row examine_chakra(const std::string& name, const std::string& path) {
  Row row;
  row.name = name;
  row.format = "chakra";
  row.linked = row.attached = row.successors = row.recorded = "-";
  auto workload = [&]() -> Result<graph::Workload> {
    if (!std::filesystem::exists(path))
      return trace::chakra::load_workload(path, {graph::Repair::repair, 0, "", true, {}});
    graph::Workload one;
    auto graph = trace::chakra::load_rank(path, std::make_shared<StringPool>(),
                                          graph::Repair::repair, one.findings, &one.groups);
    if (!graph) return tl::unexpected(graph.error());
    one.graphs = {std::make_shared<const graph::Graph>(*std::move(graph))};
    one.graph_of_rank = {0};
    one.files = {path};
    return one;
  }();
  if (!workload) {
    row.error = to_string(workload.error());
    return row;
  }
  row.ranks = workload->rank_count();
  std::uint64_t comms = 0;
  for (std::uint32_t rank = 0; rank < row.ranks; ++rank) {
    const graph::Graph& graph = workload->graph(rank);
    row.nodes += graph.size();
    for (const graph::NodeKind kind : graph.kinds())
      comms += kind == graph::NodeKind::coll || kind == graph::NodeKind::send ||
               kind == graph::NodeKind::recv;
  }
  row.records = row.events = row.nodes;
  row.communications = format_count(static_cast<std::int64_t>(comms));
  row.agree = row.ranks < 2                                       ? "-"
              : analysis::check_consistency(*workload).count == 0 ? "yes"
                                                                  : "no";
  row.findings = workload->findings;
  row.error = simulate(*std::move(workload), row);
  return row;
}

}  // namespace orrery::all_traces
