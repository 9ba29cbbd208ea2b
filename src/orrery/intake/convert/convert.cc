// SPDX-License-Identifier: Apache-2.0
#include "orrery/intake/convert/convert.h"

#include <fmt/format.h>

#include <algorithm>

#include "orrery/core/recorded_waits.h"
#include "orrery/intake/convert/comm_plan.h"
#include "orrery/intake/convert/group_node.h"
#include "orrery/intake/convert/node_builder.h"
#include "orrery/intake/convert/recorded_kernels.h"
#include "orrery/trace/chakra/records/kernel_attributes.h"
#include "orrery/trace/chakra/records/writer.h"

namespace orrery::intake {
namespace {

using profile::CommKind;
using profile::EventId;
using profile::kNone;
using trace::chakra::attribute_int64;
using trace::chakra::attribute_string;
using trace::chakra::attribute_uint64;
using trace::chakra::MetadataRecord;
using trace::chakra::NodeRecord;
using NodeUse = std::function<Result<void>(const NodeRecord&)>;

MetadataRecord metadata_of(const profile::Profile& profile, const ConvertOptions& options) {
  MetadataRecord metadata;
  metadata.version = trace::chakra::kVersion;
  metadata.add(
      attribute_string("schema", profile.schema.empty() ? profile.format : profile.schema));
  metadata.add(attribute_uint64(
      "pid", static_cast<std::uint64_t>(std::max<std::int64_t>(profile.process_id, 0))));
  for (const auto& [name, value] : profile.facts) {
    if (name == "time") metadata.add(attribute_string("time", value));
  }
  std::int64_t end = 0;
  for (std::size_t e = 0; e < profile.events.size(); ++e)
    end = std::max(end, profile.events[e].end().count());
  const auto millis = [](std::int64_t ns) {
    return static_cast<std::uint64_t>(std::max<std::int64_t>(ns / 1'000'000, 0));
  };
  metadata.add(attribute_uint64("start_ts", millis(profile.origin_ns)));
  metadata.add(attribute_uint64("finish_ts", millis(profile.origin_ns + end / kPsPerNs)));
  metadata.add(attribute_string("source", profile.format));
  metadata.add(attribute_int64("origin_ns", profile.origin_ns));
  if (options.clock_offset != Time{})
    metadata.add(attribute_int64("clock_offset_ps", options.clock_offset.count()));
  metadata.add(attribute_int64("rank", options.rank));
  if (profile.world_size) metadata.add(attribute_int64("world_size", *profile.world_size));
  if (!profile.backend.empty()) metadata.add(attribute_string("backend", profile.backend));
  return metadata;
}

class Conversion {
 public:
  Conversion(const profile::Profile& profile, const profile::Dependencies& dependencies,
             const ConvertOptions& options, const RecordedKernels& kernels, Findings& findings,
             const NodeUse& use)
      : profile_(profile),
        dependencies_(dependencies),
        options_(options),
        findings_(findings),
        use_(use),
        plan_(plan_comms(profile, dependencies, options.rank, findings)),
        builder_(profile, dependencies, options, kernels) {
    for (const NodeComm& comm : plan_.nodes) check_group(comm, comm.node);
    for (const NodeComm& comm : plan_.queued) check_group(comm, comm.node);
  }

  Result<ConvertReport> run() {
    report_.comm_kernels = plan_.kernels;
    report_.comm_kernels_under_library = plan_.kernels_under_library;
    report_.extra_comm_kernels = plan_.extra_kernels;
    count_successors();
    if (auto done = emit_groups(); !done) return tl::unexpected(done.error());
    if (auto done = emit_nodes(); !done) return tl::unexpected(done.error());
    if (auto done = emit_queued(); !done) return tl::unexpected(done.error());
    if (auto done = emit_waits(); !done) return tl::unexpected(done.error());
    return report_;
  }

 private:
  Result<void> emit(const NodeRecord& node) {
    ++report_.nodes;
    report_.edges += node.data_deps.size();
    return use_(node);
  }

  Result<void> emit_groups() {
    std::vector<profile::Group> groups = profile_.groups;
    for (std::uint32_t g = 0; g < groups.size(); ++g) {
      groups[g].name = builder_.group_name(g);
      const auto named = options_.groups.find(g);
      if (named != options_.groups.end()) groups[g].ranks = named->second.ranks;
    }
    const NodeRecord node = group_node(groups);
    return node.name.empty() ? Result<void>() : emit(node);
  }

  Result<void> emit_nodes() {
    auto comm = plan_.nodes.begin();
    auto queued = plan_.queued.begin();
    const auto count = static_cast<std::uint32_t>(dependencies_.nodes.size());
    std::uint64_t next_id = std::uint64_t{count} + 1;
    next_wait_ = next_id + plan_.queued.size();
    for (std::uint32_t n = 0; n < count; ++n) {
      const NodeRecord* node = &builder_.node(n);
      bool waits = true;
      if (queued != plan_.queued.end() && queued->shared_kernel == n) {
        const auto first = queued;
        while (queued != plan_.queued.end() && queued->shared_kernel == n) ++queued;
        node = &builder_.wait_for(next_id, static_cast<std::uint64_t>(queued - first));
        next_id += static_cast<std::uint64_t>(queued - first);
        waits = false;  // the queued messages wait instead
      }
      if (comm != plan_.nodes.end() && comm->node == n) {
        node = &builder_.add_comm(*comm);
        count_comm(*comm);
        ++comm;
        if (waits) take_pause(n);
      } else {
        ++report_.compute;
      }
      if (waits) wait_for_start(n);
      if (auto done = emit(*node); !done) return done;
    }
    return {};
  }

  Result<void> emit_queued() {
    std::uint64_t id = dependencies_.nodes.size();
    for (const NodeComm& comm : plan_.queued) {
      count_comm(comm);
      const NodeRecord& node = builder_.queued(++id, comm);
      wait_for_start(comm.shared_kernel);
      if (auto done = emit(node); !done) return done;
    }
    return {};
  }

  /// Makes the current node wait until its earliest start.
  void wait_for_start(std::uint32_t n) {
    const Time start = dependencies_.start[n];
    if (start <= Time{} && !dependencies_.of(n).empty()) return;
    const Time wait = options_.begin + start;
    if (wait <= Time{}) return;
    const auto [known, added] = starts_.try_emplace(wait, next_wait_);
    if (added) {
      waits_.push_back(wait_node(next_wait_++, kRecordedStart, wait));
      ++report_.starts;
    }
    builder_.wait_for_start(known->second);
  }

  void take_pause(std::uint32_t n) {
    auto pause = builder_.take_pause(n, next_wait_);
    if (!pause) return;
    waits_.push_back(*std::move(pause));
    ++next_wait_;
    ++report_.pauses;
  }

  Result<void> emit_waits() {
    report_.compute += waits_.size();
    for (const NodeRecord& node : waits_) {
      if (auto done = emit(node); !done) return done;
    }
    return {};
  }

  void count_comm(const NodeComm& comm) {
    auto& counter = comm.kind == CommKind::send   ? report_.sends
                    : comm.kind == CommKind::recv ? report_.receives
                                                  : report_.collectives;
    ++counter;
  }

  void check_group(const NodeComm& comm, std::uint32_t node) {
    if (is_message(comm.kind) || is_described(comm.group)) return;
    const bool shown = findings_.count(FindingCode::group_unknown) < Findings::kPlaces;
    findings_.add(
        FindingCode::group_unknown,
        shown ? fmt::format("{}: \"{}\"", profile_.where, profile_.name(dependencies_.nodes[node]))
              : std::string());
  }

  [[nodiscard]] bool is_described(std::uint32_t g) const {
    if (options_.groups.count(g) != 0) return true;
    if (g >= profile_.groups.size()) return false;
    const profile::Group& group = profile_.groups[g];
    const bool has_all_ranks = profile_.world_size && group.size >= 0 &&
                               static_cast<std::uint32_t>(group.size) == *profile_.world_size;
    return !group.ranks.empty() || has_all_ranks || group.description == "default_pg";
  }

  void count_successors() {
    const auto count = dependencies_.nodes.size();
    std::vector<bool> needed(count, false);
    for (const profile::Dependency& edge : dependencies_.edges) {
      const std::uint32_t from = dependencies_.node_of[edge.from];
      if (from != kNone) needed[from] = true;
    }
    std::vector<std::uint32_t> last(profile_.lanes.size(), kNone);
    for (std::uint32_t n = 0; n < count; ++n) {
      const profile::Event& event = profile_.events[dependencies_.nodes[n]];
      if (profile::is_host(event.kind)) continue;
      ++report_.device_nodes;
      std::uint32_t& before = last[event.lane];
      if (before != kNone) {
        ++report_.device_with_later;
        if (needed[before]) ++report_.device_with_successor;
      }
      before = n;
    }
  }

  const profile::Profile& profile_;
  const profile::Dependencies& dependencies_;
  const ConvertOptions& options_;
  Findings& findings_;
  const NodeUse& use_;
  CommPlan plan_;
  NodeBuilder builder_;
  ConvertReport report_;
  std::vector<NodeRecord> waits_;         // nodes "[recorded start]" and "[recorded pause]", by id
  std::uint64_t next_wait_ = 0;           // id of the next one
  std::map<Time, std::uint64_t> starts_;  // ids by duration
};

}  // namespace

Result<ConvertReport> convert(const profile::Profile& profile,
                              const profile::Dependencies& dependencies,
                              const ConvertOptions& options, Findings& findings,
                              const std::function<Result<void>(const MetadataRecord&)>& on_metadata,
                              const std::function<Result<void>(const NodeRecord&)>& on_node) {
  const RecordedKernels kernels(profile);
  Conversion conversion(profile, dependencies, options, kernels, findings, on_node);
  MetadataRecord metadata = metadata_of(profile, options);
  trace::chakra::add_kernels(kernels.table(), metadata.attributes);
  if (auto done = on_metadata(metadata); !done) return tl::unexpected(done.error());
  return conversion.run();
}

Result<ConvertReport> convert_to_file(const profile::Profile& profile,
                                      const profile::Dependencies& dependencies,
                                      const ConvertOptions& options, const std::string& path,
                                      bool force, Findings& findings) {
  auto writer = trace::chakra::TraceWriter::create(path, {.force = force});
  if (!writer) return tl::unexpected(writer.error());
  auto report = convert(
      profile, dependencies, options, findings,
      [&](const MetadataRecord& metadata) { return writer->write(metadata); },
      [&](const NodeRecord& node) { return writer->write(node); });
  if (!report) return report;
  if (auto done = writer->close(); !done) return tl::unexpected(done.error());
  return report;
}

}  // namespace orrery::intake
