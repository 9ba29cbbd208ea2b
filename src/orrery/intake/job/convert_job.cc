// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "orrery/intake/convert/graph_sink.h"
#include "orrery/intake/convert/recorded_ranges.h"
#include "orrery/intake/job/job_internal.h"
#include "orrery/trace/chakra/records/finding_attribute.h"
#include "orrery/trace/chakra/records/writer.h"

namespace orrery::intake {
namespace {

using profile::kNone;
using trace::chakra::MetadataRecord;
using trace::chakra::NodeRecord;
using MetadataUse = std::function<Result<void>(const MetadataRecord&)>;
using NodeUse = std::function<Result<void>(const NodeRecord&)>;

/// Numbers of the ranks in the output, and the members of groups in these numbers.
class OutputRanks {
 public:
  OutputRanks(const Job& job, bool keep_absent) : job_(job), keep_absent_(keep_absent) {
    bool complete = job.ranks.size() == job.world_size;
    for (std::size_t p = 0; p < job.ranks.size(); ++p)
      complete = complete && job.ranks[p].rank == p;
    for (std::size_t p = 0; p < job.ranks.size(); ++p) {
      const std::uint32_t rank = job.ranks[p].rank;
      const auto number = complete || keep_absent ? rank : static_cast<std::uint32_t>(p);
      by_place_.push_back(number);
      number_of_[rank] = number;
    }
    for (const graph::ProcessGroup& group : job.groups) groups_.push_back(members(group));
    std::set<std::string> names;
    for (std::size_t g = 0; g < job.groups.size(); ++g) {
      names.insert(job.groups[g].name);
      if (!groups_[g].empty()) output_groups_[job.groups[g].name] = groups_[g];
    }
    for (const graph::ProcessGroup& subgroup : job_.subgroups) {
      names.insert(subgroup.name);
      output_groups_[subgroup.name] = members(subgroup);
    }
    for (std::size_t p = 0; p < job.ranks.size(); ++p) name_alone_groups(p, names);
  }

  [[nodiscard]] const std::vector<std::uint32_t>& by_place() const { return by_place_; }
  /// All groups in the output, by name.
  [[nodiscard]] const std::map<std::string, std::vector<std::uint32_t>>& output_groups() const {
    return output_groups_;
  }
  /// Name of the group for communications in `group` that a rank executes alone; null if the group
  /// stays unchanged.
  [[nodiscard]] const std::string* alone_group(std::size_t place, std::uint32_t group) const {
    const auto found = alone_groups_.find({place, group});
    return found == alone_groups_.end() ? nullptr : &found->second;
  }
  /// True if a communication with absent ranks is written as recorded.
  [[nodiscard]] bool is_kept_as_recorded(const JobComm& use) const {
    const bool sure = !job_.group_guessed[use.group] || job_.ranks.size() == 1;
    return keep_absent_ && use.match == Match::alone && sure;
  }
  /// Number of a rank in the output; kNone if it is absent.
  [[nodiscard]] std::uint32_t of(std::uint32_t rank) const {
    const auto found = number_of_.find(rank);
    if (found != number_of_.end()) return found->second;
    return keep_absent_ ? rank : kNone;
  }

  /// Names of the groups for the conversion of one rank.
  [[nodiscard]] std::map<std::uint32_t, graph::ProcessGroup> names_at(std::size_t place) const {
    std::map<std::uint32_t, graph::ProcessGroup> names;
    const auto add = [&](std::uint32_t key, std::uint32_t group) {
      if (group == kNone) return;
      const bool is_absent = groups_[group].empty();  // all of its ranks are absent
      const bool all = job_.groups[group].ranks.empty();
      names[key] = {is_absent ? "" : job_.groups[group].name,
                    all ? std::vector<std::uint32_t>{} : groups_[group]};
    };
    for (std::uint32_t g = 0; g < job_.group_of[place].size(); ++g) add(g, job_.group_of[place][g]);
    add(kNone, job_.group_without[place]);
    return names;
  }

 private:
  [[nodiscard]] std::vector<std::uint32_t> members(const graph::ProcessGroup& group) const {
    std::vector<std::uint32_t> out;
    if (group.ranks.empty()) {
      const auto count = keep_absent_ ? job_.world_size : job_.ranks.size();
      for (std::uint32_t rank = 0; rank < count; ++rank) out.push_back(rank);
      return out;
    }
    std::vector<std::uint32_t> seen;
    for (const std::uint32_t rank : group.ranks) {
      const std::uint32_t number = of(rank);
      if (number == kNone) continue;
      const auto at = std::lower_bound(seen.begin(), seen.end(), number);
      if (at != seen.end() && *at == number) continue;
      seen.insert(at, number);
      out.push_back(number);
    }
    return out;
  }

  void name_alone_groups(std::size_t place, std::set<std::string>& names) {
    for (const JobComm& use : job_.comms[place]) {
      const auto& group = groups_[use.group];
      const bool single = group.size() == 1 && group[0] == by_place_[place];
      if (is_message(use.kind) || use.executed_jointly || single || is_kept_as_recorded(use))
        continue;
      std::string& name = alone_groups_[{place, use.group}];
      if (!name.empty()) continue;
      const std::string base =
          fmt::format("{}/alone@{}", job_.groups[use.group].name, job_.ranks[place].rank);
      name = base;
      for (int i = 2; !names.insert(name).second; ++i) name = fmt::format("{}#{}", base, i);
      output_groups_[name] = {by_place_[place]};
    }
  }

  const Job& job_;
  bool keep_absent_;
  std::vector<std::uint32_t> by_place_;
  std::map<std::uint32_t, std::uint32_t> number_of_;
  std::vector<std::vector<std::uint32_t>> groups_;  // per job group: its members in the output
  std::map<std::string, std::vector<std::uint32_t>> output_groups_;
  std::map<std::pair<std::size_t, std::uint32_t>, std::string> alone_groups_;  // by place and group
};

/// Adapts the converted nodes of one rank to the present ranks.
class NodeAdapter {
 public:
  NodeAdapter(const Job& job, std::size_t place, const OutputRanks& output_ranks)
      : job_(job), place_(place), output_ranks_(output_ranks) {
    for (const JobComm& use : job.comms[place]) {
      const bool as_recorded =
          use.executed_jointly && use.subgroup_or_tag == kNone && use.size == use.bytes;
      if (is_message(use.kind) || !as_recorded) uses_[use.node] = &use;
    }
  }

  /// The node to write.
  const NodeRecord& operator()(const NodeRecord& node) {
    const auto found = uses_.find(node.id);
    if (found == uses_.end()) return node;
    copy_ = node;
    adapt(*found->second);
    return copy_;
  }

 private:
  void adapt(const JobComm& use) {
    if (is_message(use.kind)) return adapt_message(use);
    if (use.executed_jointly) {
      if (use.subgroup_or_tag != kNone) set_group(job_.subgroups[use.subgroup_or_tag].name);
      if (use.size == use.bytes) return;
      if (use.bytes < 0) drop_unknown_size();
      rename_size();
      copy_.add(trace::chakra::attribute_int64("comm_size", use.size));
    } else if (const std::string* alone = output_ranks_.alone_group(place_, use.group)) {
      set_group(*alone);
      if (!is_operation(use.kind)) forget_size();
    }
  }

  void adapt_message(const JobComm& use) {
    const std::uint32_t peer =
        use.peer < 0 ? kNone : output_ranks_.of(static_cast<std::uint32_t>(use.peer));
    if (peer == kNone || (!use.executed_jointly && !output_ranks_.is_kept_as_recorded(use))) {
      copy_.type = static_cast<std::uint64_t>(graph::NodeKind::coll);
      return forget_size();
    }
    for (auto& attribute : copy_.attributes) {
      if (attribute.name == "comm_tag" && use.subgroup_or_tag != kNone)
        attribute =
            trace::chakra::attribute_int32("comm_tag", static_cast<int>(use.subgroup_or_tag));
      if (attribute.name != "comm_src" && attribute.name != "comm_dst") continue;
      const auto rank = static_cast<std::int32_t>(attribute.bits);
      const std::uint32_t number =
          rank < 0 ? kNone : output_ranks_.of(static_cast<std::uint32_t>(rank));
      if (number == kNone) continue;
      attribute = trace::chakra::attribute_int32(attribute.name, static_cast<std::int32_t>(number));
    }
  }

  /// The node lasts as long as recorded. Other simulators require a comm_size.
  void forget_size() {
    drop_unknown_size();
    rename_size();
    copy_.add(trace::chakra::attribute_int64("comm_size", 0));
    copy_.add(trace::chakra::attribute_bool("comm_size_unknown", true));
  }

  void drop_unknown_size() {
    std::erase_if(copy_.attributes, [](const auto& attribute) {
      return attribute.name == "comm_size_unknown" ||
             (attribute.name == "comm_size" && attribute.bits == 0);
    });
  }

  void rename_size() {
    for (auto& attribute : copy_.attributes) {
      if (attribute.name == "comm_size") attribute.name = "recorded_comm_size";
    }
  }

  void set_group(const std::string& name) {
    for (auto& attribute : copy_.attributes) {
      if (attribute.name != "pg_name") continue;
      attribute = trace::chakra::attribute_string("pg_name", name);
      return;
    }
    copy_.add(trace::chakra::attribute_string("pg_name", name));
  }

  const Job& job_;
  std::size_t place_;
  const OutputRanks& output_ranks_;
  std::map<std::uint64_t, const JobComm*> uses_;  // by node
  NodeRecord copy_;
};

Result<ConvertReport> convert_rank(const Job& job, std::size_t place,
                                   const OutputRanks& output_ranks, bool keep_skew,
                                   const ReadRank& rank, Findings& findings,
                                   const MetadataUse& on_metadata, const NodeUse& on_node) {
  ConvertOptions options;
  options.rank = job.ranks[place].rank;
  options.clock_offset = job.clock_offset[place];
  options.groups = output_ranks.names_at(place);
  if (keep_skew) options.begin = job.begin[place];
  NodeAdapter adapt(job, place, output_ranks);
  auto made = convert(rank.trace.profile, rank.dependencies, options, findings, on_metadata,
                      [&](const NodeRecord& node) { return on_node(adapt(node)); });
  if (made && made->compute + made->collectives + made->sends + made->receives == 0) {
    return fail(Errc::input_empty, label(job, place),
                "it contains nothing to simulate: no device work and no host operator",
                "record both: ProfilerActivity.CPU and .CUDA in PyTorch, or nsys profile --trace "
                "cuda,nvtx");
  }
  return made;
}

Result<void> write_groups(const OutputRanks& output_ranks, const std::string& prefix, bool force) {
  const auto& groups = output_ranks.output_groups();
  if (groups.empty()) return {};
  std::string text = "{";
  for (const auto& [name, ranks] : groups) {
    const std::string key =
        nlohmann::json(name).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    text += fmt::format("{}\n  {}: [{}]", text.size() > 1 ? "," : "", key, fmt::join(ranks, ", "));
  }
  text += "\n}\n";
  const std::string folder = prefix.substr(0, prefix.rfind('/') + 1);  // npos + 1 == 0
  return write_file_atomically(folder + "comm_group.json", text, {.force = force});
}

Result<void> check_linked(const Job& job) {
  for (std::size_t p = 1; p < job.ranks.size(); ++p) {
    if (job.ranks[p].rank != job.ranks[p - 1].rank) continue;
    return fail(Errc::usage, job.ranks[p].host ? job.ranks[p].host->name : "",
                fmt::format("rank {} has a device trace and an execution trace", job.ranks[p].rank),
                "link them, or give only one of them");
  }
  return {};
}

}  // namespace

Result<JobReport> convert_job(const JobOptions& options, const std::string& prefix) {
  JobReader reader(options);
  if (auto fine = reader.read_all_ranks(); !fine) return tl::unexpected(fine.error());
  Job& job = reader.job();
  if (auto fine = check_linked(job); !fine) return tl::unexpected(fine.error());
  const OutputRanks output_ranks(job, options.keep_absent);
  const std::size_t count = job.ranks.size();
  JobReport report;
  report.written_as = output_ranks.by_place();
  report.converted.resize(count);
  report.findings.merge(job.findings);
  std::vector<Findings> found(count);
  const auto work = [&](std::size_t place, ReadRank& rank) -> Result<void> {
    auto writer = trace::chakra::TraceWriter::create(
        fmt::format("{}.{}.et", prefix, output_ranks.by_place()[place]),
        {.force = options.force, .skip_sync = count > 1});
    if (!writer) return tl::unexpected(writer.error());
    auto converted = convert_rank(
        job, place, output_ranks, options.keep_skew, rank, found[place],
        [&](MetadataRecord metadata) {
          Findings all = place == 0 ? job.findings : Findings{};
          all.merge(rank.trace.findings);
          all.merge(rank.found);
          all.merge(found[place]);
          if (!all.empty()) metadata.add(trace::chakra::attribute_findings(all));
          return writer->write(metadata);
        },
        [&](const NodeRecord& node) { return writer->write(node); });
    if (!converted) return tl::unexpected(converted.error());
    report.converted[place] = *converted;
    return writer->close();
  };
  const auto done = [&](std::size_t place, ReadRank& rank) -> Result<void> {
    report.linked.push_back(rank.trace.link);
    report.attached.push_back(rank.trace.attach);
    report.findings.merge(rank.trace.findings);
    report.findings.merge(rank.found);
    report.findings.merge(found[place]);
    if (options.converted)
      options.converted(static_cast<std::uint32_t>(place + 1), static_cast<std::uint32_t>(count));
    return {};
  };
  if (auto fine = reader.for_each(work, done); !fine) return tl::unexpected(fine.error());
  if (auto fine = write_groups(output_ranks, prefix, options.force); !fine)
    return tl::unexpected(fine.error());
  report.job = std::move(job);
  return report;
}

Result<graph::Workload> load_job(const JobOptions& options, Findings& findings,
                                 const RankConsumer& keep_rank) {
  JobReader reader(options);
  if (auto fine = reader.read_all_ranks(); !fine) return tl::unexpected(fine.error());
  const Job& job = reader.job();
  if (auto fine = check_linked(job); !fine) return tl::unexpected(fine.error());
  const OutputRanks output_ranks(job, false);
  findings.merge(job.findings);
  graph::Workload workload;
  for (const auto& [name, ranks] : output_ranks.output_groups())
    workload.groups[name] = {name, ranks};
  std::vector<graph::GraphRef> graphs(job.ranks.size());
  std::vector<std::shared_ptr<const graph::HostRanges>> ranges(job.ranks.size());
  const auto kernels = std::make_shared<graph::KernelTable>();
  std::vector<Findings> found(job.ranks.size());
  const auto work = [&](std::size_t place, ReadRank& rank) -> Result<void> {
    GraphSink sink(label(job, place), std::make_shared<StringPool>(), kernels, found[place]);
    sink.reserve(rank.dependencies.nodes.size() + 1, rank.dependencies.edges.size());
    auto converted = convert_rank(
        job, place, output_ranks, options.keep_skew, rank, found[place],
        [&](const MetadataRecord& metadata) -> Result<void> {
          sink.set_metadata(metadata);
          return {};
        },
        [&](const NodeRecord& node) { return sink.add(node); });
    if (!converted) return tl::unexpected(converted.error());
    auto graph = std::move(sink).finish();
    if (!graph) return tl::unexpected(graph.error());
    graphs[place] = std::make_shared<const graph::Graph>(*std::move(graph));
    ranges[place] = recorded_ranges(rank.trace.profile, rank.dependencies);
    return {};
  };
  const auto done = [&](std::size_t place, ReadRank& rank) -> Result<void> {
    findings.merge(rank.trace.findings);
    findings.merge(rank.found);
    findings.merge(found[place]);
    const auto [from, to] = profile::recorded_extent(rank.trace.profile, rank.dependencies);
    const auto& devices = rank.trace.profile.devices;
    if (workload.recorded_device.empty() && !devices.empty())
      workload.recorded_device = devices.front().name;
    workload.recorded_duration =
        std::max(workload.recorded_duration.value_or(Time{}), to - from + job.begin[place]);
    workload.host_ranges.push_back(std::move(ranges[place]));
    if (keep_rank) keep_rank(job, place, std::move(rank.trace), std::move(rank.dependencies));
    rank = {};
    workload.graph_of_rank.push_back(static_cast<std::uint32_t>(workload.graphs.size()));
    workload.graphs.push_back(std::move(graphs[place]));
    workload.files.push_back(label(job, place));
    if (options.converted)
      options.converted(workload.rank_count(), static_cast<std::uint32_t>(job.ranks.size()));
    return {};
  };
  if (auto fine = reader.for_each(work, done); !fine) return tl::unexpected(fine.error());
  return workload;
}

}  // namespace orrery::intake
