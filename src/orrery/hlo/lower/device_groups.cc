// SPDX-License-Identifier: Apache-2.0
//
// Source: StableHLO's specification, "Collective ops", process groups.
#include "orrery/hlo/lower/device_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace orrery::hlo {

namespace {

class GroupMaker {
 public:
  GroupMaker(const Program& program, const Instruction& operation, const std::string& where)
      : program_(program), operation_(operation), where_(where) {}

  Result<DeviceGroups> run() {
    const ReplicaGroups groups = operation_.groups.value_or(ReplicaGroups{});
    ids_ = groups.ids;
    if (operation_.opcode->op_class == OpClass::permute) {
      for (const auto& [from, to] : groups.pairs)
        if (!add_pair(from, to)) return failed();
      return std::move(made_);
    }
    std::vector<std::vector<std::int64_t>> lists = groups.groups;
    const bool all =
        std::all_of(lists.begin(), lists.end(), [](const auto& l) { return l.empty(); });
    if (all) {
      lists.assign(1, {});
      for (std::int64_t i = 0; i < id_count(); ++i) lists[0].push_back(i);
    }
    seen_.assign(static_cast<std::size_t>(program_.devices()), false);
    for (const auto& list : lists)
      if (!add_group(list)) return failed();
    return std::move(made_);
  }

 private:
  [[nodiscard]] std::int64_t id_count() const {
    switch (ids_) {
      case GroupIds::replicas:
      case GroupIds::replicas_partitions:
        return program_.replicas;
      case GroupIds::partitions:
        return program_.partitions;
      case GroupIds::devices:
        return program_.devices();
    }
    return 0;
  }

  [[nodiscard]] tl::unexpected<Error> failed() const {
    return fail(Errc::input_group, fmt::format("{}:{}", where_, operation_.line),
                fmt::format("'{}' names device {}, but the program has {} of them, each at most "
                            "once in a collective",
                            operation_.word, wrong_, id_count()),
                "the module states mhlo.num_replicas and mhlo.num_partitions, or replica_count "
                "and num_partitions");
  }

  bool is_id(std::int64_t id) {
    wrong_ = id;
    return id >= 0 && id < id_count();
  }

  /// Ids of replicas denote a device in each partition, and so on.
  [[nodiscard]] std::int64_t copies() const {
    if (ids_ == GroupIds::replicas) return program_.partitions;
    return ids_ == GroupIds::partitions ? program_.replicas : 1;
  }
  [[nodiscard]] std::uint32_t device(std::int64_t id, std::int64_t copy) const {
    if (ids_ == GroupIds::replicas)
      return static_cast<std::uint32_t>(id * program_.partitions + copy);
    if (ids_ == GroupIds::partitions)
      return static_cast<std::uint32_t>(copy * program_.partitions + id);
    return static_cast<std::uint32_t>(id);
  }

  bool add_pair(std::int64_t from, std::int64_t to) {
    if (!is_id(to) || !receivers_.insert(to).second) return false;
    if (!is_id(from) || !senders_.insert(from).second) return false;
    for (std::int64_t copy = 0; copy < copies(); ++copy)
      made_.pairs.emplace_back(device(from, copy), device(to, copy));
    return true;
  }

  bool add_group(const std::vector<std::int64_t>& list) {
    for (std::int64_t copy = 0; copy < copies(); ++copy) {
      std::vector<std::uint32_t> group;
      for (const std::int64_t id : list) {
        if (!is_id(id)) return false;
        if (ids_ == GroupIds::replicas_partitions) {
          for (std::int64_t p = 0; p < program_.partitions; ++p)
            group.push_back(static_cast<std::uint32_t>(id * program_.partitions + p));
        } else {
          group.push_back(device(id, copy));
        }
      }
      for (const std::uint32_t each : group) {
        if (seen_[each]) return false;
        seen_[each] = true;
      }
      made_.groups.push_back(std::move(group));
    }
    return true;
  }

  const Program& program_;
  const Instruction& operation_;
  const std::string& where_;
  GroupIds ids_ = GroupIds::replicas;
  std::int64_t wrong_ = 0;
  std::vector<bool> seen_;
  std::set<std::int64_t> senders_, receivers_;
  DeviceGroups made_;
};

}  // namespace

Result<DeviceGroups> device_groups(const Program& program, const Instruction& operation,
                                   const std::string& where) {
  return GroupMaker(program, operation, where).run();
}

}  // namespace orrery::hlo
