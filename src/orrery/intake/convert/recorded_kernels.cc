// SPDX-License-Identifier: Apache-2.0
#include "orrery/intake/convert/recorded_kernels.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "orrery/intake/convert/operator_kernels.h"
#include "orrery/trace/operators/kernel_parts.h"

namespace orrery::intake {
namespace {

using graph::Kernel;
using graph::Operation;
using profile::EventId;
using profile::Kind;
using profile::kNoEvent;
using profile::kNone;
using profile::Profile;

constexpr std::int64_t kMaxBytes = std::int64_t{1} << 50;

/// The kernel of a copy engine's work, from its name and bytes; with `op`, from its operator, which
/// has number formats.
std::optional<Kernel> copy_kernel(const Profile& profile, EventId e,
                                  const std::optional<Kernel>& op) {
  const profile::Event& event = profile.events[e];
  const std::int64_t bytes = profile.works[event.detail].bytes;
  const bool is_fill = event.kind == Kind::memset;
  const Operation operation =
      is_fill ? Operation::copy : trace::operators::copy_operation(profile.name(e));
  if (operation == Operation::unsaid) return std::nullopt;
  const bool by_op = op && op->operation == Operation::copy && !is_fill;
  if (!by_op && (bytes <= 0 || bytes > kMaxBytes)) return std::nullopt;
  Kernel kernel;
  kernel.operation = operation;
  kernel.a = is_fill ? graph::Format::unsaid : graph::Format::int8;
  kernel.out = graph::Format::int8;
  kernel.sizes = {bytes};
  if (by_op) {
    kernel.a = op->a;
    kernel.out = op->out;
    kernel.sizes = op->sizes;
  }
  const std::int64_t size = by_op ? op->bytes / 2 : bytes;
  kernel.bytes = operation == Operation::copy && !is_fill ? 2 * size : size;
  return kernel;
}

/// The kernels that each operator launched, in order of their start.
std::unordered_map<EventId, std::vector<EventId>> kernels_by_operator(const Profile& profile) {
  std::unordered_map<EventId, std::vector<EventId>> launched;
  for (EventId e = 0; e < profile.events.size(); ++e) {
    const profile::Event& event = profile.events[e];
    if (event.kind != Kind::kernel) continue;
    const profile::Work& work = profile.works[event.detail];
    if (work.op != kNoEvent && work.captured == kNone) launched[work.op].push_back(e);
  }
  for (auto& [op, kernels] : launched) {
    std::stable_sort(kernels.begin(), kernels.end(), [&](EventId a, EventId b) {
      return profile.events[a].start < profile.events[b].start;
    });
  }
  return launched;
}

/// The kernels of each execution of an operation of a compiled program: those that follow each
/// other on a stream. A repeated name begins the next execution.
std::vector<std::vector<EventId>> executions_of_operations(const Profile& profile,
                                                           const OperatorKernels& operators) {
  std::vector<std::vector<EventId>> all;
  for (std::uint32_t lane = 0; lane < profile.lanes.size(); ++lane) {
    if (!profile.lanes[lane].device) continue;
    std::uint32_t current = kNone;
    for (const EventId e : profile.in_order(lane)) {
      const profile::Event& event = profile.events[e];
      if (event.kind != Kind::kernel || event.detail == kNone) continue;
      const std::uint32_t captured = profile.works[event.detail].captured;
      if (captured == kNone || !operators.states_kernel(profile.captured[captured])) {
        current = kNone;
        continue;
      }
      const bool repeats =
          captured == current && std::any_of(all.back().begin(), all.back().end(), [&](EventId k) {
            return profile.events[k].name == event.name;
          });
      if (captured != current || repeats) all.emplace_back();
      current = captured;
      all.back().push_back(e);
    }
  }
  return all;
}

}  // namespace

RecordedKernels::RecordedKernels(const Profile& profile)
    : by_work_(profile.works.size(), graph::kNoKernel) {
  OperatorKernels operators(profile);
  const auto launched = kernels_by_operator(profile);
  const auto take = [&](EventId e, const std::optional<Kernel>& kernel) {
    if (kernel) by_work_[profile.events[e].detail] = table_.intern(*kernel);
  };
  const auto take_parts = [&](const Kernel& whole, const std::vector<EventId>& kernels) {
    std::vector<std::string_view> names;
    for (const EventId e : kernels) names.push_back(profile.name(e));
    const auto parts = trace::operators::kernel_parts(whole, names);
    for (std::size_t i = 0; i < kernels.size(); ++i) take(kernels[i], parts[i]);
  };
  for (EventId e = 0; e < profile.events.size(); ++e) {
    const profile::Event& event = profile.events[e];
    if (!is_device_work(event.kind) || event.detail == kNone) continue;
    const profile::Work& work = profile.works[event.detail];
    if (event.kind == Kind::memcpy || event.kind == Kind::memset) {
      take(e, copy_kernel(profile, e, work.op == kNoEvent ? std::nullopt : operators.of(work.op)));
    } else if (event.kind != Kind::kernel) {
      continue;
    } else if (work.captured != kNone) {
      if (operators.states_kernel(profile.captured[work.captured])) continue;
      if (const auto whole = operators.of(profile.captured[work.captured])) {
        // The recording does not show which other kernels its operator launched.
        const auto parts = trace::operators::kernel_parts(
            *whole, std::array<std::string_view, 2>{profile.name(e), ""});
        take(e, parts.front());
      }
    } else if (work.op != kNoEvent) {
      const auto found = launched.find(work.op);
      if (found == launched.end() || found->second.front() != e) continue;
      if (const auto whole = operators.of(work.op)) take_parts(*whole, found->second);
    }
  }
  for (const auto& kernels : executions_of_operations(profile, operators)) {
    const std::uint32_t captured = profile.work(kernels.front()).captured;
    if (const auto whole = operators.of(profile.captured[captured])) take_parts(*whole, kernels);
  }
}

}  // namespace orrery::intake
