// SPDX-License-Identifier: Apache-2.0
#include "addons/bench/programs/microbenchmark.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <unordered_map>
#include <utility>

#include "addons/bench/plan/fills.h"
#include "addons/bench/plan/replay_memory.h"
#include "addons/bench/plan/replay_plan_text.h"
#include "orrery/core/text/csv.h"
#include "orrery/core/text/text.h"

namespace orrery::bench {
namespace {

/// Extracts the steps of one recorded operator as a separate plan. Tensors that share memory still
/// do.
class Extract {
 public:
  Extract(const ReplayPlan& whole, std::size_t first, std::size_t end)
      : whole_(whole), first_(first), end_(end) {}

  ReplayPlan take() {
    for (std::size_t s = first_; s < end_; ++s) add(whole_.steps[s]);
    made_.slots = static_cast<Slot>(made_.info.size());
    made_.sources = {whole_.sources[whole_.steps[first_].source]};
    made_.reuse = whole_.reuse;
    begin_at_their_first();
    for (const External& external : made_.externals) {
      Storage& storage = made_.storages[external.storage];
      storage.bytes = std::max(storage.bytes, reach_of(external.spec).value_or(0));
    }
    choose_fills(made_);
    find_last_uses(made_);
    return std::move(made_);
  }

 private:
  void add(const ReplayStep& step) {
    ReplayStep copy = step;
    copy.source = 0;
    copy.gap_ns = 0;
    copy.stream = 0;
    copy.last.clear();
    if (copy.kind == ReplayStep::Kind::call) {
      copy.operation =
          static_cast<std::uint32_t>(std::find(made_.operations.begin(), made_.operations.end(),
                                               whole_.operations[step.operation]) -
                                     made_.operations.begin());
      if (copy.operation == made_.operations.size())
        made_.operations.push_back(whole_.operations[step.operation]);
    }
    for (Value& value : copy.arguments) renumber(value);
    for (Output& output : copy.outputs) output.slot = result(output.slot);
    made_.steps.push_back(std::move(copy));
  }

  void renumber(Value& value) {
    for (Value& item : value.items) renumber(item);
    if (value.kind != Value::Kind::tensor) return;
    value.slot = argument(value.slot);
    const std::uint32_t storage = made_.info[value.slot].storage;
    if (value.written && storage != kNoStorage) made_.storages[storage].written = true;
  }

  Slot add_slot(Slot old, const SlotInfo& info) {
    made_.info.push_back(info);
    return slots_[old] = static_cast<Slot>(made_.info.size() - 1);
  }

  Slot argument(Slot old) {
    const auto known = slots_.find(old);
    if (known != slots_.end()) return known->second;
    const SlotInfo& info = whole_.info[old];
    const auto [storage, added] =
        storages_.try_emplace(memory_of(info), static_cast<std::uint32_t>(made_.storages.size()));
    if (added) made_.storages.push_back({0, info.spec.dtype});
    const Slot slot = add_slot(old, {info.spec, storage->second, kNoGroup});
    made_.externals.push_back({slot, storage->second, info.spec});
    return slot;
  }

  Slot result(Slot old) {
    const SlotInfo& info = whole_.info[old];
    const auto shared = storages_.find(memory_of(info));
    if (shared != storages_.end()) return add_slot(old, {info.spec, shared->second, kNoGroup});
    const auto [group, added] =
        groups_.try_emplace(info.group, static_cast<Group>(made_.group_bytes.size()));
    if (added) made_.group_bytes.push_back(whole_.group_bytes[info.group]);
    return add_slot(old, {info.spec, kNoStorage, group->second});
  }

  /// Removes the part of each storage before the first byte in use.
  void begin_at_their_first() {
    for (std::uint32_t s = 0; s < made_.storages.size(); ++s) {
      std::int64_t least = -1;
      bool equivalent = true;
      for (const SlotInfo& info : made_.info) {
        if (info.storage != s) continue;
        equivalent = equivalent && info.spec.dtype == made_.storages[s].dtype;
        least = least < 0 ? info.spec.offset : std::min(least, info.spec.offset);
      }
      if (equivalent && least > 0) move(s, least);
    }
  }

  void move(std::uint32_t storage, std::int64_t by) {
    const auto sees = [&](Slot slot) { return made_.info[slot].storage == storage; };
    for (External& external : made_.externals)
      if (external.storage == storage) external.spec.offset -= by;
    for (ReplayStep& step : made_.steps)
      for (Output& output : step.outputs)
        if (sees(output.slot)) output.spec.offset -= by;
    for (SlotInfo& info : made_.info)
      if (info.storage == storage) info.spec.offset -= by;
  }

  const ReplayPlan& whole_;
  std::size_t first_, end_;
  ReplayPlan made_;
  std::unordered_map<Slot, Slot> slots_;
  std::map<Memory, std::uint32_t> storages_;  // by memory in the complete plan
  std::map<Group, Group> groups_;
};

std::string tensors_text(const ReplayPlan& plan) {
  std::string text;
  for (const External& external : plan.externals)
    text += fmt::format("{}{} [{}]", text.empty() ? "" : ", ", name(external.spec.dtype),
                        fmt::join(external.spec.sizes, ","));
  return text;
}

}  // namespace

Result<std::vector<Microbenchmark>> microbenchmarks_of(const ReplayPlan& plan,
                                                       std::string_view filter,
                                                       std::int64_t memory_limit) {
  std::vector<Microbenchmark> all;
  std::unordered_map<std::string, std::size_t> by_text;
  for (std::size_t s = 0; s < plan.steps.size();) {
    std::size_t end = s;
    while (end < plan.steps.size() && plan.steps[end].source == plan.steps[s].source) ++end;
    const PlanSource& source = plan.sources[plan.steps[s].source];
    const std::size_t first = std::exchange(s, end);
    if (source.how == ReplayMethod::communicated || source.name.find(filter) == std::string::npos)
      continue;
    ReplayPlan extract = Extract(plan, first, end).take();
    const auto [at, added] = by_text.try_emplace(plan_text(extract), all.size());
    if (added) {
      if (auto fitting = plan_memory(extract, memory_limit); !fitting) {
        fitting.error().where = source.name;
        return tl::unexpected(std::move(fitting.error()));
      }
      std::string tensors = tensors_text(extract);
      all.push_back({source.name, std::move(tensors), 0, {}, source.kernel, std::move(extract)});
    }
    Microbenchmark& micro = all[at->second];
    ++micro.weight;
    micro.recorded += source.recorded;
  }
  if (all.empty())
    return fail(Errc::usage, "--filter",
                fmt::format("no operator has {} in its name", in_quotes(std::string(filter))));
  return all;
}

std::string microbenchmark_text(const std::vector<Microbenchmark>& all) {
  std::string text = "orrery microbenchmarks 1\n";
  for (const Microbenchmark& micro : all) {
    fmt::format_to(std::back_inserter(text), "benchmark\t{}\t{}\t{}\t{}\t{}\n", micro.weight,
                   micro.recorded.count() / 1000, printable(micro.name), micro.tensors,
                   micro.kernel ? graph::to_text(*micro.kernel) : "");
    text += plan_text(micro.plan);
  }
  return text;
}

MicrobenchmarkTime microbenchmark_time(const Microbenchmark& micro, const ReplayOutcome& outcome) {
  MicrobenchmarkTime time;
  const std::size_t steps = micro.plan.steps.size();
  std::vector<std::int64_t> each;
  for (std::size_t i = 0; i < outcome.wall_ns.size(); ++i) {
    std::int64_t took = 0;
    for (std::size_t s = 0; s < steps; ++s) took += outcome.length_ns[i * steps + s];
    each.push_back(took);
  }
  time.each = percentiles(std::move(each));
  for (std::size_t s = 0; s < steps; ++s) {
    time.failures = std::max<std::uint64_t>(time.failures, outcome.failures[s]);
    if (time.reason.empty()) time.reason = outcome.reasons[s];
  }
  return time;
}

std::string measured_kernels(const std::vector<Microbenchmark>& all,
                             const std::vector<MicrobenchmarkTime>& times,
                             std::string_view device) {
  std::string text = "device,kernel,us\n";
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i].kernel || times[i].failures > 0 || times[i].each.half <= 0) continue;
    fmt::format_to(std::back_inserter(text), "{},{},{}\n", device,
                   csv_cell(graph::to_text(*all[i].kernel)),
                   static_cast<double>(times[i].each.half) / 1000);
  }
  return text;
}

}  // namespace orrery::bench
