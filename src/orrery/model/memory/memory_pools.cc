// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/memory/memory_pools.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace orrery::model {

namespace {

constexpr double kTooManyNs = 4e15;  // 46 days, as in network models

}  // namespace

MemoryPools::MemoryPools(const platform::Platform& platform)
    : stages_(stage_capacities(platform)),
      devices_(platform.npu_count()),
      latency_ns_(static_cast<double>(platform.remote_memory.latency.count()) / kPsPerNs),
      chunk_(static_cast<double>(platform.remote_memory.chunk.count())),
      in_switch_(platform.remote_memory.in_switch) {
  for (StageCapacity& stage : stages_) {
    stage.devices = std::min(stage.devices, devices_);
    // Joint loads cross the stage once for all devices. Other accesses count once per device
    // instead (crossings()).
    if (in_switch_) stage.bytes_per_ns *= static_cast<double>(stage.devices);
  }
}

/// Each place of a memory is one link of the solver; each place of other stages has two: one for
/// loads, one for stores.
void MemoryPools::make_solver(const std::vector<std::uint32_t>& places_of_stage) {
  std::vector<double> capacities;
  first_.clear();
  for (std::size_t s = 0; s < stages_.size(); ++s) {
    first_.push_back(static_cast<std::uint32_t>(capacities.size()));
    const std::size_t directions = stages_[s].half_duplex ? 1 : 2;
    capacities.insert(capacities.end(), directions * places_of_stage[s], stages_[s].bytes_per_ns);
  }
  sharers_.assign(capacities.size(), 0);
  solver_ = MaxMin(std::move(capacities));
}

/// Creates one place per group of devices. Called only if not folded, because there may be
/// millions.
void MemoryPools::unfold_places() {
  std::vector<std::uint32_t> places;
  for (const StageCapacity& stage : stages_)
    places.push_back(static_cast<std::uint32_t>((devices_ + stage.devices - 1) / stage.devices));
  make_solver(places);
}

bool MemoryPools::fold(const std::vector<std::uint32_t>& class_of,
                       const std::vector<std::uint32_t>& members) {
  using Kind = std::map<std::uint32_t, std::uint32_t>;  // number of devices by class
  class_of_ = class_of;
  members_ = members;
  places_.assign(stages_.size(), std::vector<Place>(members.size()));
  std::vector<std::uint32_t> places_of_stage;
  for (std::size_t s = 0; s < stages_.size(); ++s) {
    std::map<Kind, std::uint32_t> kinds;
    std::vector<bool> placed(members.size(), false);
    const auto step = static_cast<std::size_t>(stages_[s].devices);
    for (std::size_t first = 0; first < class_of.size(); first += step) {
      Kind kind;
      for (std::size_t device = first; device < std::min(first + step, class_of.size()); ++device)
        ++kind[class_of[device]];
      const auto number =
          kinds.try_emplace(kind, static_cast<std::uint32_t>(kinds.size())).first->second;
      for (const auto& [one, count] : kind) {
        Place& place = places_[s][one];
        if (placed[one] && place.number != number) return false;
        placed[one] = true;
        place = {number, count};
      }
    }
    places_of_stage.push_back(static_cast<std::uint32_t>(kinds.size()));
  }
  make_solver(places_of_stage);
  return true;
}

std::vector<MaxMin::Hop> MemoryPools::hops(const Access& access) const {
  std::vector<MaxMin::Hop> all;
  for (std::size_t s = 0; s < stages_.size(); ++s) {
    Place place{static_cast<std::uint32_t>(access.device / stages_[s].devices), 1};
    if (!class_of_.empty()) place = places_[s][class_of_[access.device]];
    const std::uint32_t link =
        stages_[s].half_duplex ? place.number : 2 * place.number + (access.store ? 1 : 0);
    const auto sharing = static_cast<std::int64_t>(place.sharing) * crossings(s, access);
    all.push_back({first_[s] + link, static_cast<double>(sharing)});
  }
  return all;
}

/// Weight of a byte at a stage: the number of devices that share the stage if switches gather but
/// not this access, otherwise 1.
std::int64_t MemoryPools::crossings(std::size_t stage, const Access& access) const {
  return in_switch_ && !access.together ? stages_[stage].devices : 1;
}

std::int64_t MemoryPools::uncontended_time(const Access& access) const {
  double minimum = MaxMin::kUnlimited, sum = 0;
  for (std::size_t s = 0; s < stages_.size(); ++s) {
    const double rate = stages_[s].bytes_per_ns / static_cast<double>(crossings(s, access));
    minimum = std::min(minimum, rate);
    sum += 1 / rate;
  }
  const auto whole = static_cast<double>(access.bytes);
  const double ns = latency_ns_ + whole / minimum + std::min(whole, chunk_) * (sum - 1 / minimum);
  return ns < kTooManyNs ? static_cast<std::int64_t>(std::ceil(ns * kPsPerNs)) : kNever;
}

bool MemoryPools::exceeds_clock(const Access& access) const {
  return uncontended_time(access) == kNever;
}

StageTraffic MemoryPools::traffic(std::size_t stage) const {
  const auto sharing = static_cast<std::uint64_t>(stages_[stage].devices);
  return {separate_.loaded + gathered_.loaded / sharing,
          separate_.stored + gathered_.stored / sharing};
}

void MemoryPools::start_flow(const Access& access, std::int64_t now) {
  if (first_.empty()) unfold_places();
  Flow& flow = flows_.emplace_back();
  flow.access = access;
  flow.remaining = static_cast<double>(access.bytes);
  flow.begun = flow.since = now;
  flow.hops = hops(access);
  for (const MaxMin::Hop& hop : flow.hops) sharers_[hop.link] += std::llround(hop.share);
  flow.solver = solver_.add(flow.hops);
  if (flow.solver >= of_solver_.size()) of_solver_.resize(flow.solver + std::size_t{1});
  of_solver_[flow.solver] = static_cast<std::uint32_t>(flows_.size() - 1);
  StageTraffic& traffic = in_switch_ && access.together ? gathered_ : separate_;
  (access.store ? traffic.stored : traffic.loaded) +=
      equivalent_accesses(access) * static_cast<std::uint64_t>(access.bytes);
}

std::uint32_t MemoryPools::equivalent_accesses(const Access& access) const {
  return class_of_.empty() ? 1 : members_[class_of_[access.device]];
}

/// Records that the flow has transferred `bytes` in total by `until`.
void MemoryPools::record_transfer(Flow& flow, std::int64_t until, std::int64_t bytes) {
  if (!is_recording_ || bytes <= flow.reported) return;
  const Access& access = flow.access;
  transfers_.push_back({flow.since, until, bytes - flow.reported, equivalent_accesses(access),
                        access.store, in_switch_ && access.together});
  flow.reported = bytes;
}

/// The latency plus the time of a chunk in all stages except the slowest, as they are shared now.
std::int64_t MemoryPools::tail_of(const Flow& flow) const {
  double maximum = 0, sum = 0;
  for (const MaxMin::Hop& hop : flow.hops) {
    const double per_byte = static_cast<double>(sharers_[hop.link]) / solver_.capacity(hop.link);
    maximum = std::max(maximum, per_byte);
    sum += per_byte;
  }
  const double chunk = std::min(static_cast<double>(flow.access.bytes), chunk_);
  const double ns = latency_ns_ + chunk * (sum - maximum);
  return ns < kTooManyNs ? static_cast<std::int64_t>(std::ceil(ns * kPsPerNs)) : kNever / 2;
}

void MemoryPools::settle(std::int64_t now) {
  std::sort(new_accesses_.begin(), new_accesses_.end());
  const std::size_t before = flows_.size();
  for (const Access& access : new_accesses_) start_flow(access, now);
  new_accesses_.clear();
  for (std::size_t i = before; i < flows_.size(); ++i) flows_[i].tail = tail_of(flows_[i]);
  solve(now);
  find_next();
}

void MemoryPools::solve(std::int64_t now) {
  for (const std::uint32_t number : solver_.solve()) {
    Flow& flow = flows_[of_solver_[number]];
    const double rate = solver_.rate(number);
    if (flow.end != kNever && rate == flow.rate) continue;
    flow.remaining -= flow.rate * static_cast<double>(now - flow.since) / kPsPerNs;
    flow.remaining = std::max(flow.remaining, 0.0);
    record_transfer(flow, now, flow.access.bytes - std::llround(std::ceil(flow.remaining)));
    flow.since = now;
    flow.rate = rate;
    const double more = flow.remaining <= 0 ? 0 : flow.remaining / rate * kPsPerNs;
    flow.end = more < 4e18 ? now + static_cast<std::int64_t>(std::ceil(more)) : kNever - 1;
  }
}

std::vector<MemoryPools::Rate> MemoryPools::rates() const {
  std::vector<Rate> all;
  all.reserve(flows_.size());
  for (const Flow& flow : flows_) all.push_back({flow.access.rank, flow.rate});
  std::sort(all.begin(), all.end(), [](const Rate& a, const Rate& b) {
    return std::pair(a.rank, a.bytes_per_ns) < std::pair(b.rank, b.bytes_per_ns);
  });
  std::size_t retained = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (retained > 0 && all[retained - 1].rank == all[i].rank) {
      all[retained - 1].bytes_per_ns += all[i].bytes_per_ns;
    } else {
      all[retained++] = all[i];
    }
  }
  all.resize(retained);
  return all;
}

void MemoryPools::find_next() {
  next_ = kNever;
  for (const Flow& flow : flows_) next_ = std::min(next_, flow.end);
  for (const PendingAccess& one : pending_) next_ = std::min(next_, one.time);
}

void MemoryPools::advance(std::int64_t now, std::vector<FinishedAccess>& out) {
  while (next_ <= now) {
    bool changes = false;
    for (std::size_t i = flows_.size(); i-- > 0;) {
      Flow& flow = flows_[i];
      if (flow.end > now) continue;
      record_transfer(flow, now, flow.access.bytes);
      for (const MaxMin::Hop& hop : flow.hops) sharers_[hop.link] -= std::llround(hop.share);
      pending_.push_back({now + flow.tail, flow.begun, flow.access});
      solver_.remove(flow.solver);
      if (i + 1 < flows_.size()) {
        flow = std::move(flows_.back());
        of_solver_[flow.solver] = static_cast<std::uint32_t>(i);
      }
      flows_.pop_back();
      changes = true;
    }
    if (changes) solve(now);
    std::sort(pending_.begin(), pending_.end());
    std::size_t landed = 0;
    for (; landed < pending_.size() && pending_[landed].time <= now; ++landed) {
      const PendingAccess& one = pending_[landed];
      const std::int64_t taken = now - one.begun;
      out.push_back({one.access, std::max<std::int64_t>(taken - uncontended_time(one.access), 0)});
    }
    pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(landed));
    find_next();
  }
}

}  // namespace orrery::model
