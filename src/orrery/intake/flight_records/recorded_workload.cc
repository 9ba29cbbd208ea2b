// SPDX-License-Identifier: Apache-2.0
#include "orrery/intake/flight_records/recorded_workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "orrery/core/text/rank_list.h"
#include "orrery/core/text/text.h"
#include "orrery/graph/builder.h"
#include "orrery/intake/flight_records/hang_internal.h"
#include "orrery/intake/messages/message_graph.h"
#include "orrery/profile/comm.h"

namespace orrery::intake {
namespace {

using profile::CommKind;
using trace::flight_recorder::Record;

/// A collective or a message of one rank.
struct RankCall {
  std::uint32_t record = 0;  ///< when the host called it
  CommKind kind = CommKind::unknown;
  std::int64_t bytes = -1;
  std::optional<Time> duration{};
  std::uint32_t group = 0;
  bool is_alone = false;     ///< its group has ranks without a dump
  std::uint32_t peer = 0;    ///< of a message: its number in the output
  std::int64_t p2p_seq = 0;  ///< of a message
  bool is_in_batch = false;  ///< of a message
};

/// The largest size of a collective among its ranks, and its kind; unknown if ranks or operations
/// differ in it.
struct CollectiveSize {
  CommKind kind = CommKind::unknown;
  std::int64_t bytes = -1;
};

CollectiveSize size_of_part(const HangSearch& search, const RankPart& part) {
  CollectiveSize size;
  std::int64_t in = 0, out = 0;
  bool is_first = true;
  for (const std::uint32_t number : part.records) {
    const Record& record = search.record(part.dump, number);
    if (record.operation == "coalesced" && part.records.size() > 1) continue;
    const CommKind kind = profile::coalesced_kind(record.operation);
    if (!is_first && kind != size.kind) return {};
    size.kind = kind;
    is_first = false;
    const std::int64_t ins = bytes_of(record.inputs), outs = bytes_of(record.outputs);
    in = in < 0 || ins < 0 || record.inputs.sizes.empty() ? -1 : in + ins;
    out = out < 0 || outs < 0 || record.outputs.sizes.empty() ? -1 : out + outs;
  }
  profile::Comm comm;
  comm.kind = size.kind;
  comm.element_bytes = 1;
  comm.in_elements = in;
  comm.out_elements = out;
  size.bytes = comm.bytes();
  return size;
}

CollectiveSize size_of(const HangSearch& search, const std::vector<RankPart>& parts) {
  CollectiveSize size = size_of_part(search, parts.front());
  for (const RankPart& part : parts) {
    const CollectiveSize other = size_of_part(search, part);
    if (other.kind != size.kind) return {};
    size.bytes = size.bytes < 0 || other.bytes < 0 ? -1 : std::max(size.bytes, other.bytes);
  }
  if (!is_operation(size.kind) || profile::is_message(size.kind)) return {};
  return size;
}

class WorkloadBuilder {
 public:
  explicit WorkloadBuilder(const std::vector<RankDump>& dumps)
      : dumps_(dumps), search_(search_hangs(dumps)), calls_(dumps.size()) {}

  Result<graph::Workload> build() {
    name_groups();
    add_collectives();
    add_messages();
    report_stuck();
    find_origin();
    if (!origin_ns_)
      return fail(Errc::input_empty, dumps_.front().file,
                  "no collective or message was completed by all of its ranks",
                  "'orrery trace info FOLDER' shows what is stuck");
    for (std::uint32_t d = 0; d < dumps_.size(); ++d) {
      auto graph = build_rank(d);
      if (!graph) return tl::unexpected(graph.error());
      made_.graph_of_rank.push_back(d);
      made_.graphs.push_back(std::make_shared<const graph::Graph>(*std::move(graph)));
      made_.files.push_back(dumps_[d].file);
    }
    return std::move(made_);
  }

 private:
  [[nodiscard]] std::string label(const RecordedCall& call) const {
    return fmt::format("group {}: {} {}",
                       printable(search_.report.groups[call.group].name, kShownBytes),
                       printable(call.operation, kShownBytes), call.sequence);
  }

  /// Names are unique: groups of different ranks may share one.
  void name_groups() {
    std::set<std::string> used;
    for (const RecordedGroup& group : search_.report.groups) {
      std::string name = group.name;
      for (int i = 2; !used.insert(name).second; ++i) name = fmt::format("{}/{}", group.name, i);
      names_.push_back(name);
      if (!group.without_dump.empty()) continue;
      graph::ProcessGroup output{name, {}};
      for (const std::uint32_t rank : group.ranks) output.ranks.push_back(search_.dump_of(rank));
      made_.groups.emplace(std::move(name), std::move(output));
    }
  }

  void add_collectives() {
    for (std::size_t c = 0; c < search_.report.calls.size(); ++c) {
      const RecordedCall& call = search_.report.calls[c];
      if (call.is_p2p || call.state == CallState::stuck) continue;
      if (call.state != CallState::completed || !call.overwritten.empty()) {
        std::vector<std::uint32_t> without = call.not_called;
        without.insert(without.end(), call.overwritten.begin(), call.overwritten.end());
        std::sort(without.begin(), without.end());
        made_.findings.add(
            FindingCode::call_not_complete,
            fmt::format("{}: not recorded by {}", label(call), format_ranks(without)));
        continue;
      }
      const CollectiveSize size = size_of(search_, search_.parts[c]);
      const bool is_alone = !search_.report.groups[call.group].without_dump.empty();
      if (is_alone) made_.findings.add(FindingCode::comm_alone, label(call));
      if (size.kind == CommKind::unknown)
        made_.findings.add(FindingCode::comm_kind_unknown, label(call));
      else if (size.bytes < 0)
        made_.findings.add(FindingCode::comm_size_unknown, label(call));
      for (const RankPart& part : search_.parts[c])
        calls_[part.dump].push_back({.record = part.records.front(),
                                     .kind = size.kind,
                                     .bytes = size.bytes,
                                     .duration = call.shortest,
                                     .group = call.group,
                                     .is_alone = is_alone});
    }
  }

  void add_messages() {
    for (const CompletedMessage& message : completed_messages(search_, made_.findings)) {
      const Record& send = search_.record(message.send_dump, message.send);
      const Record& receive = search_.record(message.receive_dump, message.receive);
      const std::int64_t bytes = message_bytes(send);
      const std::uint32_t group = search_.group_of[message.send_dump][message.send];
      if (bytes < 0)
        made_.findings.add(FindingCode::comm_size_unknown,
                           fmt::format("group {}: send", printable(send.group, kShownBytes)));
      std::optional<Time> duration = send.duration;
      if (receive.duration)
        duration = std::min(duration.value_or(*receive.duration), *receive.duration);
      const auto add = [&](std::uint32_t dump, std::uint32_t record, CommKind kind,
                           std::uint32_t peer, bool is_in_batch) {
        calls_[dump].push_back({.record = record,
                                .kind = bytes < 0 ? CommKind::unknown : kind,
                                .bytes = bytes,
                                .duration = duration,
                                .group = group,
                                .peer = peer,
                                .p2p_seq = search_.record(dump, record).p2p_seq,
                                .is_in_batch = is_in_batch && bytes >= 0});
      };
      add(message.send_dump, message.send, CommKind::send, message.receive_dump,
          message.send_in_batch);
      add(message.receive_dump, message.receive, CommKind::recv, message.send_dump,
          message.receive_in_batch);
    }
  }

  void report_stuck() {
    for (const std::size_t c : search_.report.stuck) {
      const RecordedCall& call = search_.report.calls[c];
      std::string why(intake::name(call.cause));
      if (!call.not_called.empty()) why = "not called by " + format_ranks(call.not_called);
      if (!call.difference.empty()) why = call.difference;
      made_.findings.add(FindingCode::recorded_hang, fmt::format("{}: {}", label(call), why));
    }
  }

  void find_origin() {
    for (std::uint32_t d = 0; d < dumps_.size(); ++d) {
      auto& calls = calls_[d];
      std::sort(calls.begin(), calls.end(),
                [](const RankCall& a, const RankCall& b) { return a.record < b.record; });
      if (calls.empty()) continue;
      const std::int64_t first = search_.record(d, calls.front().record).created_ns;
      origin_ns_ = std::min(origin_ns_.value_or(first), first);
    }
  }

  Result<graph::Graph> build_rank(std::uint32_t dump);
  void add_node(std::uint32_t dump, const RankCall& call, std::uint64_t id, graph::NodeSpec& node);

  const std::vector<RankDump>& dumps_;
  HangSearch search_;
  std::vector<std::vector<RankCall>> calls_;  // by dump
  std::vector<std::string> names_;            // by group
  std::optional<std::int64_t> origin_ns_;
  std::shared_ptr<StringPool> strings_ = std::make_shared<StringPool>();
  graph::Workload made_;
};

/// What a rank's next collective or message waits for.
class Streams {
 public:
  /// The nodes that `call` with node `id` waits for.
  std::vector<std::uint64_t> before(const RankCall& call, std::uint64_t id) {
    const bool is_message = profile::is_message(call.kind);
    // PyTorch runs single messages on a stream of the two ranks, and batches on that of the group.
    const std::int64_t pair = is_message && !call.is_in_batch ? std::int64_t{call.peer} : -1;
    Stream& stream = streams_[{call.group, pair}];
    if (!is_message || !call.is_in_batch || stream.batch != call.p2p_seq)
      stream.before = std::exchange(stream.last, {});
    stream.batch = is_message && call.is_in_batch ? call.p2p_seq : -1;
    stream.last.push_back(id);
    return stream.before;
  }

 private:
  struct Stream {
    std::vector<std::uint64_t> before, last;
    std::int64_t batch = -1;
  };
  std::map<std::pair<std::uint32_t, std::int64_t>, Stream> streams_;
};

void WorkloadBuilder::add_node(std::uint32_t dump, const RankCall& call, std::uint64_t id,
                               graph::NodeSpec& node) {
  const Record& record = search_.record(dump, call.record);
  node.id = id;
  node.name = strings_->intern(printable(record.operation, kShownBytes));
  node.duration = call.duration.value_or(Time{});
  // Streams of a device: groups, then pairs of ranks.
  const auto groups = static_cast<std::int64_t>(names_.size());
  const bool is_message = profile::is_message(call.kind);
  node.lane = graph::Lane{.id = is_message ? groups + call.peer : std::int64_t{call.group},
                          .device = 0,
                          .row = static_cast<std::uint16_t>(is_message ? 1 : 0),
                          .host = false};
  if (call.kind == CommKind::unknown) {
    node.kind = graph::NodeKind::comp;
    node.flags = graph::kHasCpuAttr | graph::kIsComm;
    return;
  }
  node.flags = graph::kHasCpuAttr;
  if (call.bytes >= 0) node.flags |= graph::kHasCommSize;
  if (is_message) {
    const bool sends = call.kind == CommKind::send;
    node.kind = sends ? graph::NodeKind::send : graph::NodeKind::recv;
    node.flags |= graph::kHasTag | (sends ? graph::kHasDst : graph::kHasSrc);
    node.message.size = Bytes(call.bytes);
    node.message.tag = call.group;
    (sends ? node.message.dst : node.message.src) = static_cast<std::int32_t>(call.peer);
    return;
  }
  node.kind = graph::NodeKind::coll;
  node.flags |= graph::kHasCommType;
  node.collective.type = *orrery::collective_type(profile::name(call.kind));
  node.collective.size = Bytes(std::max(call.bytes, std::int64_t{0}));
  std::string group = names_[call.group];
  if (call.is_alone) {
    group = fmt::format("{}/alone@{}", group, dumps_[dump].rank);
    made_.groups.try_emplace(group, graph::ProcessGroup{group, {dump}});
  }
  node.collective.group = strings_->intern(group);
}

Result<graph::Graph> WorkloadBuilder::build_rank(std::uint32_t dump) {
  auto& calls = calls_[dump];
  if (calls.empty()) return idle_graph(dumps_[dump].file, strings_);
  graph::GraphBuilder builder(dumps_[dump].file, strings_, graph::Repair::refuse);
  const StringId host_time = strings_->intern("[recorded host time]");
  Streams streams;
  std::uint64_t id = 1;
  std::optional<std::uint64_t> host;
  std::int64_t before_ns = *origin_ns_;
  graph::NodeSpec node;
  for (const RankCall& call : calls) {
    const std::int64_t called_ns = search_.record(dump, call.record).created_ns;
    if (called_ns > before_ns) {
      node = {};
      node.id = id;
      node.kind = graph::NodeKind::comp;
      node.flags = graph::kIsCpu | graph::kHasCpuAttr | graph::kIsWait;
      node.name = host_time;
      node.duration = ns(std::min(called_ns - before_ns, HangSearch::kMostNs));
      node.lane = graph::Lane{.id = 1, .device = 0, .row = 0, .host = true};
      if (host) node.deps = {*host};
      builder.add(node);
      host = id++;
      before_ns = called_ns;
    }
    node = {};
    add_node(dump, call, id, node);
    node.deps = streams.before(call, id);
    if (host) node.deps.push_back(*host);
    builder.add(node);
    ++id;
  }
  return std::move(builder).finish(made_.findings);
}

}  // namespace

Result<graph::Workload> workload_of_flight_records(const std::vector<RankDump>& dumps) {
  return WorkloadBuilder(dumps).build();
}

Result<graph::Workload> read_flight_record_workload(const std::vector<std::string>& paths,
                                                    std::uint32_t ranks) {
  Findings findings;
  const auto dumps = read_flight_records(paths, findings);
  if (!dumps) return tl::unexpected(dumps.error());
  auto workload = workload_of_flight_records(*dumps);
  if (!workload) return workload;
  findings.merge(workload->findings);
  workload->findings = std::move(findings);
  const std::uint32_t there = workload->rank_count();
  if (ranks > 0 && there > ranks)
    return fail(Errc::config_conflict, paths.front(),
                fmt::format("has dumps of {} ranks, but the cluster has {} devices", there, ranks),
                "use a larger cluster");
  if (ranks > there) {
    auto idle = idle_graph(paths.front(), std::make_shared<StringPool>());
    if (!idle) return tl::unexpected(idle.error());
    workload->graphs.push_back(std::make_shared<const graph::Graph>(*std::move(idle)));
    workload->graph_of_rank.resize(ranks, there);
  }
  return workload;
}

}  // namespace orrery::intake
