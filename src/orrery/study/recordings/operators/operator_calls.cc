// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/recordings/operators/operator_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>

#include "orrery/intake/convert/operator_kernels.h"
#include "orrery/model/kernels/silicon_of.h"
#include "orrery/platform/catalog/catalog.h"
#include "orrery/study/recordings/recorded_communication.h"
#include "orrery/trace/operators/kernel_parts.h"

namespace orrery::study {

namespace {

using profile::EventId;
using profile::kNoEvent;
using profile::kNone;

/// The same product in the format in which the named device kernel computes it (tf32).
graph::Kernel in_format_of(const graph::Kernel& kernel, std::string_view device_kernel) {
  const auto parts =
      trace::operators::kernel_parts(kernel, std::array<std::string_view, 1>{device_kernel});
  graph::Kernel made = kernel;
  if (parts.front()) made.a = parts.front()->a, made.b = parts.front()->b;
  return made;
}

}  // namespace

RecordedDevices::RecordedDevices(const profile::Profile& profile)
    : of_lane_(profile.lanes.size(), kNone) {
  std::map<std::string_view, std::uint32_t> found;
  for (std::uint32_t lane = 0; lane < profile.lanes.size(); ++lane) {
    if (!profile.lanes[lane].device) continue;
    const std::string_view driver = driver_name(profile, lane);
    const auto [at, added] = found.try_emplace(driver, kNone);
    if (added && !driver.empty()) {
      const platform::DeviceEntry* const entry = platform::find_device_by_driver(driver);
      if (entry != nullptr) {
        at->second = static_cast<std::uint32_t>(silicon_.size());
        silicon_.push_back(model::silicon_of(*entry));
      }
      text_ += fmt::format("{}{} ({})", text_.empty() ? "" : ", ", driver,
                           entry == nullptr ? "not in the catalog" : entry->name);
    }
    of_lane_[lane] = at->second;
  }
  if (text_.empty()) text_ = "not recorded";
}

OperatorCalls::OperatorCalls(const profile::Profile& profile)
    : profile_(profile), devices_(profile), recorded_(profile) {
  find_calls();
  add_children();
  find_kernels();
}

CallKey OperatorCalls::key_of(EventId op) const {
  const profile::Event& event = profile_.events[op];
  if (event.detail == kNone) return {event.name, {}, {}};
  const profile::Op& is = profile_.ops[event.detail];
  const profile::Node* const node = profile_.node(op);
  if (is.dims == StringId::empty && node != nullptr)
    return {event.name, node->input_shapes, node->input_types};
  return {event.name, is.dims, is.types};
}

void OperatorCalls::find_calls() {
  for (EventId e = 0; e < profile_.events.size(); ++e) {
    const profile::Event& event = profile_.events[e];
    if (is_device_work(event.kind) && event.timed() && event.detail != kNone) works_.push_back(e);
  }
  // Works of one operator follow each other; nodes of graphs and works without one stay alone.
  const auto group = [&](EventId e) {
    const profile::Work& work = profile_.work(e);
    return work.captured != kNone ? kNoEvent : work.op;
  };
  std::stable_sort(works_.begin(), works_.end(), [&](EventId a, EventId b) {
    const EventId left = group(a), right = group(b);
    return left != right ? left < right : profile_.events[a].start < profile_.events[b].start;
  });
  for (std::uint32_t w = 0; w < works_.size(); ++w) {
    const EventId op = group(works_[w]);
    const profile::Event& event = profile_.events[works_[w]];
    if (op == kNoEvent || calls_.empty() || calls_.back().op != op) {
      OperatorCall& call = calls_.emplace_back();
      call.op = op;
      call.first_work = w;
      const std::uint32_t captured = profile_.work(works_[w]).captured;
      if (op != kNoEvent) {
        call.key = key_of(op);
      } else if (captured != kNone) {
        const profile::CapturedOperator& by = profile_.captured[captured];
        call.key = {by.name, by.dims, by.types};
      }
    }
    ++calls_.back().works;
    calls_.back().own += event.duration;
    total_ += event.duration;
  }
}

void OperatorCalls::add_children() {
  std::vector<Time> inside(profile_.events.size());
  for (const OperatorCall& call : calls_)
    if (call.op != kNoEvent) inside[call.op] = call.own;
  for (std::uint32_t lane = 0; lane < profile_.lanes.size(); ++lane) {
    if (profile_.lanes[lane].device) continue;
    const auto order = profile_.in_order(lane);  // parents before their children
    for (auto e = order.rbegin(); e != order.rend(); ++e)
      if (const EventId parent = profile_.events[*e].parent; parent != kNoEvent)
        inside[parent] += inside[*e];
  }
  for (OperatorCall& call : calls_)
    call.with_children = call.op == kNoEvent ? call.own : inside[call.op];
}

void OperatorCalls::find_kernels() {
  intake::OperatorKernels operators(profile_);
  for (OperatorCall& call : calls_) {
    const EventId first = works_[call.first_work];
    const graph::KernelId recorded = recorded_.of(profile_.events[first].detail);
    std::optional<graph::Kernel> kernel;
    if (call.op == kNoEvent || (call.works == 1 && is_transfer(call))) {
      if (recorded != graph::kNoKernel) kernel = recorded_.table()[recorded];
    } else {
      kernel = operators.of(call.op);
    }
    if (!kernel) continue;
    if (kernel->a == graph::Format::fp32)
      for (const EventId work : works(call)) *kernel = in_format_of(*kernel, profile_.name(work));
    call.kernel = kernels_.intern(*kernel);
  }
}

bool OperatorCalls::is_transfer(const OperatorCall& call) const {
  const auto launched = works(call);
  return std::all_of(launched.begin(), launched.end(), [&](EventId e) {
    return profile_.events[e].kind == profile::Kind::memcpy &&
           trace::operators::copy_operation(profile_.name(e)) != graph::Operation::copy;
  });
}

OperatorWork OperatorCalls::work(const OperatorCall& call) const {
  OperatorWork made;
  const graph::Kernel* const computes = kernel(call);
  if (computes == nullptr || (computes->flops == 0 && computes->bytes == 0)) return made;
  made.calls = 1;
  made.recorded = call.own;
  made.flop = static_cast<double>(computes->flops);
  made.bytes = static_cast<double>(computes->bytes);
  const model::Silicon* const device = silicon(call);
  const auto times = device == nullptr || is_transfer(call)
                         ? std::nullopt
                         : model::roofline_times(*computes, *device);
  if (!times) return made;
  made.rated = call.own;
  made.roof = times->longer();
  made.compute = times->is_compute_bound() ? times->longer() : 0;
  return made;
}

OperatorWork& OperatorWork::operator+=(const OperatorWork& other) {
  calls += other.calls;
  recorded += other.recorded;
  flop += other.flop;
  bytes += other.bytes;
  rated += other.rated;
  roof += other.roof;
  compute += other.compute;
  return *this;
}

std::optional<double> OperatorWork::flop_per_s() const {
  if (recorded == Time{} || flop == 0) return std::nullopt;
  return flop / seconds(recorded);
}

std::optional<double> OperatorWork::bytes_per_s() const {
  if (recorded == Time{} || bytes == 0) return std::nullopt;
  return bytes / seconds(recorded);
}

std::optional<double> OperatorWork::roof_share() const {
  if (rated == Time{} || !(roof > 0)) return std::nullopt;
  return roof / seconds(rated);
}

std::string_view OperatorWork::bound() const {
  if (!(roof > 0)) return {};
  return 2 * compute > roof ? "compute" : "memory";
}

}  // namespace orrery::study
