// SPDX-License-Identifier: Apache-2.0
#include "orrery/profile/host/host_events.h"

#include <array>
#include <string_view>
#include <unordered_map>

namespace orrery::profile {
namespace {

/// True for calls in which the host waits.
bool waits(std::string_view call) {
  if (call.find("Synchronize") != std::string_view::npos) return true;
  if (call.find("Async") != std::string_view::npos) return false;
  for (const std::string_view word : {"Memcpy", "Malloc", "Free"})
    if (call.find(word) != std::string_view::npos) return true;
  return false;
}

}  // namespace

std::string_view name(LaunchPass pass) {
  constexpr std::array<std::string_view, 3> kNames = {"forward", "backward", "optimizer"};
  return kNames[static_cast<std::size_t>(pass)];
}

std::vector<EventId> first_works(const Profile& profile) {
  std::vector<EventId> work_of(profile.events.size(), kNoEvent);
  for (std::uint32_t lane = 0; lane < profile.lanes.size(); ++lane) {
    if (!profile.lanes[lane].device) continue;
    for (const EventId e : profile.in_order(lane)) {
      if (!is_device_work(profile.events[e].kind) || !profile.events[e].timed()) continue;
      const EventId call = profile.work(e).call;
      if (call == kNoEvent) continue;
      EventId& first = work_of[call];
      if (first == kNoEvent || profile.events[e].start < profile.events[first].start) first = e;
    }
  }
  return work_of;
}

std::vector<HostEvent> host_events(const Profile& profile, std::uint32_t lane,
                                   const std::vector<EventId>& work_of) {
  std::vector<HostEvent> steps;
  std::unordered_map<EventId, std::size_t> inside;  // event → index in `steps`
  for (const EventId e : profile.in_order(lane)) {
    const Event& event = profile.events[e];
    if (!event.timed() || !is_host(event.kind) || event.kind == Kind::overhead) continue;
    HostEvent step;
    if (const auto around = inside.find(event.parent); around != inside.end()) {
      const HostEvent& outer = steps[around->second];
      step.root = outer.root;
      step.annotation = outer.annotation;
      step.pass = outer.pass;
    }
    step.event = e;
    const std::string_view called = profile.name(e);
    if (called.starts_with("autograd::engine::evaluate_function")) step.pass = LaunchPass::backward;
    if (called.starts_with("Optimizer.step")) step.pass = LaunchPass::optimizer;
    if (event.kind == Kind::op && step.root == kNoEvent) step.root = e;
    if (event.kind == Kind::annotation && step.root == kNoEvent) step.annotation = e;
    if (event.kind == Kind::call) {
      const EventId work = work_of[e];
      step.is_launch = work != kNoEvent;
      step.is_kernel_launch = step.is_launch && profile.events[work].kind == Kind::kernel;
      step.kernel_start = step.is_launch ? profile.events[work].start : Time{};
      step.is_wait = waits(called);
    }
    inside[e] = steps.size();
    steps.push_back(step);
    if (step.is_launch) {
      for (EventId at = event.parent; at != kNoEvent; at = profile.events[at].parent)
        if (const auto around = inside.find(at); around != inside.end())
          steps[around->second].has_launch = true;
    }
  }
  for (HostEvent& step : steps)
    step.is_wait = step.is_wait || (!step.has_launch && profile.comm(step.event) != nullptr);
  return steps;
}

}  // namespace orrery::profile
