// SPDX-License-Identifier: Apache-2.0
#include "orrery/hlo/lower/to_workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>

#include "orrery/core/limits.h"
#include "orrery/graph/builder.h"
#include "orrery/hlo/lower/device_groups.h"
#include "orrery/hlo/lower/device_tasks.h"
#include "orrery/hlo/lower/program_count.h"

namespace orrery::hlo {

namespace {

using Groups = std::vector<std::vector<std::uint32_t>>;

constexpr std::uint64_t kNoTask = ~std::uint64_t{0};

/// The axis whose groups these are; empty: they follow no pattern. The first group gives the
/// digits, the others must agree.
std::optional<graph::GroupAxis> axis_of(const Groups& groups, std::uint32_t devices) {
  std::vector<std::uint32_t> first = groups.front();
  std::uint64_t members = 0;
  for (const auto& group : groups) members += group.size();
  if (members != devices || first.front() != 0 || !std::is_sorted(first.begin(), first.end()))
    return {};
  graph::GroupAxis axis;
  for (std::size_t block = 1; block < first.size();) {
    const std::uint32_t stride = first[block];
    std::uint32_t count = 1;
    while (count * block < first.size() && first[count * block] == count * stride) ++count;
    if (count < 2 || first.size() % (count * block) != 0) return {};
    axis.digits.push_back({stride, count});
    block *= count;
  }
  for (const auto& group : groups)
    if (axis.first(group.front()) != group.front() || axis.members(group.front()) != group)
      return {};
  return axis;
}

/// The communication of a task, by rank.
struct Communication {
  std::string name;                            ///< of its axis; empty: `group_of` has the groups
  std::vector<std::uint32_t> group_of;         ///< by rank; kAlone: none
  std::map<std::uint32_t, std::int32_t> to;    ///< permute: distance by sender …
  std::map<std::uint32_t, std::int32_t> from;  ///< … and by receiver
  bool is_alone = false;                       ///< of single devices: nothing moves
};
constexpr std::uint32_t kAlone = ~std::uint32_t{0};

class WorkloadMaker {
 public:
  WorkloadMaker(const Program& program, const std::vector<DeviceTask>& tasks,
                const std::string& where, Findings& findings)
      : program_(program),
        tasks_(tasks),
        where_(where),
        findings_(findings),
        devices_(static_cast<std::uint32_t>(program.devices())) {}

  Result<graph::Workload> run() {
    if (auto done = find_communication(); !done) return tl::unexpected(done.error());
    // Devices with the same partners share a graph.
    std::map<std::vector<std::int64_t>, std::uint32_t> graphs;
    for (std::uint32_t rank = 0; rank < devices_; ++rank) {
      auto [found, added] = graphs.emplace(partners(rank), workload_.graphs.size());
      if (added) {
        if (auto done = add_graph(rank); !done) return tl::unexpected(done.error());
      }
      workload_.graph_of_rank.push_back(found->second);
    }
    return std::move(workload_);
  }

 private:
  Result<void> find_communication() {
    std::map<std::string, std::uint32_t> known;
    task_communication_.assign(tasks_.size(), 0);
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      if (tasks_[i].kind == TaskKind::kernel) continue;
      auto groups = device_groups(program_, *tasks_[i].operation, where_);
      if (!groups) return tl::unexpected(groups.error());
      const auto [found, added] =
          known.emplace(text_of(*groups), static_cast<std::uint32_t>(communications_.size()));
      if (added) communications_.push_back(communication_of(*groups));
      task_communication_[i] = found->second;
    }
    return {};
  }

  static std::string text_of(const DeviceGroups& groups) {
    std::string text;
    for (const auto& group : groups.groups) {
      for (const std::uint32_t each : group) text += fmt::format("{} ", each);
      text += '|';
    }
    for (const auto& [from, to] : groups.pairs) text += fmt::format("{}>{} ", from, to);
    return text;
  }

  Communication communication_of(const DeviceGroups& groups) {
    Communication made;
    for (const auto& [from, to] : groups.pairs) {
      const std::int32_t distance = static_cast<std::int32_t>(to) - static_cast<std::int32_t>(from);
      if (distance == 0) continue;
      made.to[from] = distance;
      made.from[to] = -distance;
    }
    if (groups.groups.empty()) return made;
    made.is_alone = std::all_of(groups.groups.begin(), groups.groups.end(),
                                [](const auto& group) { return group.size() < 2; });
    if (made.is_alone) return made;
    const std::string name = fmt::format("groups_{}", ++named_);
    if (auto axis = axis_of(groups.groups, devices_)) {
      made.name = axis->name = name;
      workload_.axes.emplace(name, *std::move(axis));
      return made;
    }
    made.group_of.assign(devices_, kAlone);
    for (std::size_t i = 0; i < groups.groups.size(); ++i) {
      if (groups.groups[i].size() < 2) continue;
      const std::string group = fmt::format("{}_{}", name, i);
      workload_.groups[group] = {group, groups.groups[i]};
      for (const std::uint32_t each : groups.groups[i])
        made.group_of[each] = static_cast<std::uint32_t>(i);
    }
    group_names_.emplace(communications_.size(), name);
    return made;
  }

  /// What distinguishes the graph of a rank from those of others.
  [[nodiscard]] std::vector<std::int64_t> partners(std::uint32_t rank) const {
    std::vector<std::int64_t> all;
    for (const Communication& each : communications_) {
      if (!each.group_of.empty()) all.push_back(each.group_of[rank]);
      if (each.to.empty()) continue;
      const auto to = each.to.find(rank), from = each.from.find(rank);
      all.push_back(to == each.to.end() ? 0 : to->second);
      all.push_back(from == each.from.end() ? 0 : from->second);
    }
    return all;
  }

  Result<void> add_graph(std::uint32_t rank) {
    graph::GraphBuilder builder(where_, strings_, graph::Repair::refuse);
    builder.share_kernels(kernels_);
    builder.reserve(tasks_.size(), 3 * tasks_.size());
    last_kernel_ = last_collective_ = last_send_ = kNoTask;
    next_ = 0;
    ends_.assign(tasks_.size(), {});
    for (std::size_t i = 0; i < tasks_.size(); ++i) add_task(i, rank, builder);
    if (next_ == 0) {
      graph::NodeSpec idle;
      idle.kind = graph::NodeKind::comp;
      idle.name = strings_->intern("idle");
      builder.add(idle);
    }
    auto graph = std::move(builder).finish(findings_);
    if (!graph) return tl::unexpected(graph.error());
    workload_.graphs.push_back(std::make_shared<const graph::Graph>(*std::move(graph)));
    return {};
  }

  /// A node that waits for the tasks before it.
  graph::NodeSpec node_of(std::size_t i, graph::NodeKind kind) {
    const DeviceTask& task = tasks_[i];
    graph::NodeSpec node;
    node.id = next_++;
    node.kind = kind;
    const std::string_view word = task.operation->opcode->op_class == OpClass::unknown
                                      ? std::string_view(task.operation->word)
                                      : task.operation->opcode->name;
    node.name = strings_->intern(task.operation->name.empty()
                                     ? std::string(word)
                                     : fmt::format("{} {}", word, task.operation->name));
    for (const std::uint32_t before : task.waits) {
      const auto& ends = ends_[before];
      node.deps.insert(node.deps.end(), ends.begin(), ends.end());
    }
    return node;
  }

  static void follow(graph::NodeSpec& node, std::uint64_t& last) {
    if (last != kNoTask) node.deps.push_back(last);
    last = node.id;
  }

  void add_task(std::size_t i, std::uint32_t rank, graph::GraphBuilder& builder) {
    const DeviceTask& task = tasks_[i];
    if (task.kind == TaskKind::kernel) {
      graph::NodeSpec node = node_of(i, graph::NodeKind::comp);
      node.flags = graph::kHasCpuAttr | graph::kHasNumOps | graph::kHasTensorSize;
      node.work = {task.kernel.flops, Bytes(task.kernel.bytes)};
      node.kernel = kernels_->intern(task.kernel);
      follow(node, last_kernel_);
      ends_[i] = {node.id};
      builder.add(node);
      return;
    }
    const Communication& with = communications_[task_communication_[i]];
    if (task.kind == TaskKind::permute) return add_messages(i, rank, with, builder);
    const bool alone = with.is_alone || (!with.group_of.empty() && with.group_of[rank] == kAlone);
    if (alone) return pass(i);
    graph::NodeSpec node = node_of(i, graph::NodeKind::coll);
    node.flags = graph::kHasCpuAttr | graph::kHasCommType | graph::kHasCommSize;
    node.collective.type = *task.operation->opcode->collective;
    node.collective.size = Bytes(std::max<std::int64_t>(task.bytes, 1));
    node.collective.format = task.format;
    const std::string group =
        with.name.empty()
            ? fmt::format("{}_{}", group_names_.at(task_communication_[i]), with.group_of[rank])
            : with.name;
    node.collective.group = strings_->intern(group);
    follow(node, last_collective_);
    if (task.blocks) follow(node, last_kernel_);
    ends_[i] = {node.id};
    builder.add(node);
  }

  /// What waits for a task without a node waits for what the task waits for.
  void pass(std::size_t i) {
    for (const std::uint32_t before : tasks_[i].waits)
      ends_[i].insert(ends_[i].end(), ends_[before].begin(), ends_[before].end());
    std::sort(ends_[i].begin(), ends_[i].end());
    ends_[i].erase(std::unique(ends_[i].begin(), ends_[i].end()), ends_[i].end());
  }

  void add_messages(std::size_t i, std::uint32_t rank, const Communication& with,
                    graph::GraphBuilder& builder) {
    const auto message = [&](graph::NodeKind kind, std::int32_t distance) {
      graph::NodeSpec node = node_of(i, kind);
      const bool sends = kind == graph::NodeKind::send;
      node.flags = graph::kHasCpuAttr | graph::kHasCommSize | graph::kHasSrc | graph::kHasDst |
                   graph::kHasTag | graph::kPeerRelative;
      node.message.size = Bytes(std::max<std::int64_t>(tasks_[i].bytes, 1));
      (sends ? node.message.dst : node.message.src) = distance;
      node.message.tag = static_cast<std::uint32_t>(i);
      return node;
    };
    const auto to = with.to.find(rank), from = with.from.find(rank);
    if (to != with.to.end()) {
      graph::NodeSpec node = message(graph::NodeKind::send, to->second);
      follow(node, last_send_);
      builder.add(node);
      if (tasks_[i].blocks) ends_[i].push_back(node.id);
    }
    if (from != with.from.end()) {
      graph::NodeSpec node = message(graph::NodeKind::recv, from->second);
      ends_[i].push_back(node.id);
      if (tasks_[i].blocks) follow(node, last_kernel_);
      builder.add(node);
    } else {
      pass(i);
    }
  }

  const Program& program_;
  const std::vector<DeviceTask>& tasks_;
  const std::string& where_;
  Findings& findings_;
  std::uint32_t devices_;
  std::vector<Communication> communications_;
  std::map<std::size_t, std::string> group_names_;  ///< of communications without an axis
  std::vector<std::uint32_t> task_communication_;
  std::uint32_t named_ = 0;
  graph::Workload workload_;
  std::shared_ptr<StringPool> strings_ = std::make_shared<StringPool>();
  std::shared_ptr<graph::KernelTable> kernels_ = std::make_shared<graph::KernelTable>();
  std::uint64_t last_kernel_ = kNoTask, last_collective_ = kNoTask, last_send_ = kNoTask;
  std::uint64_t next_ = 0;
  std::vector<std::vector<std::uint64_t>> ends_;  ///< nodes that what uses a task waits for
};

}  // namespace

Result<graph::Workload> to_workload(const Program& program, const std::string& where,
                                    Findings& findings) {
  if (is_unpartitioned(program))
    return fail(Errc::input_unsupported, where,
                fmt::format("has shardings for {} devices that are not applied yet: its shapes are "
                            "those of all devices together",
                            program.devices()),
                "give the program after partitioning, as text of HLO: compiled.as_text() in JAX");
  const auto tasks = device_tasks(program, where, findings);
  if (!tasks) return tl::unexpected(tasks.error());
  return WorkloadMaker(program, *tasks, where, findings).run();
}

}  // namespace orrery::hlo
