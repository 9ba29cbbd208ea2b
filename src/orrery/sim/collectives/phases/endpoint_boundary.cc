// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/collectives/phases/endpoint_boundary.h"

namespace orrery::sim {

using model::SharedBus;

void EndpointBoundary::cross(Stream& stream, std::uint32_t packet, SharedBus::TransferDirection way,
                             bool reduce, bool returns) {
  if (buses_.empty()) buses_.resize(run_.shared.states.size());
  std::unique_ptr<SharedBus>& bus = buses_[stream.rank];
  if (bus == nullptr) bus = new_bus();
  std::uint32_t token = static_cast<std::uint32_t>(crossings_.size());
  if (free_crossings_.empty()) {
    crossings_.emplace_back();
  } else {
    token = free_crossings_.back();
    free_crossings_.pop_back();
  }
  crossings_[token] = {stream.id, packet, reduce};
  const std::int64_t bytes = stream.spec->step_of(packet).bytes;
  bus->transfer(way, {bytes, reduce, returns, token}, run_.now() / run_.policy.bus_unit);
  set_timers(stream.rank);
}

std::unique_ptr<SharedBus> EndpointBoundary::new_bus() const {
  platform::SharedBus config = *run_.platform.shared_bus;
  if (run_.policy.single_precision_bus) config.G = static_cast<float>(config.G);
  return std::make_unique<SharedBus>(config, kPsPerNs / run_.policy.bus_unit);
}

void EndpointBoundary::load(StateReader& from) {
  buses_.clear();
  for (std::size_t left = from.count(); left > 0 && !from.failed(); --left) {
    std::unique_ptr<SharedBus>& bus = buses_.emplace_back();
    if (!from.take<bool>()) continue;
    from.require(run_.platform.shared_bus.has_value());
    if (from.failed()) return;
    bus = new_bus();
    from(*bus);
  }
  from(crossings_, free_crossings_);
}

void EndpointBoundary::set_timers(std::uint32_t rank) {
  for (const SharedBus::Timer& timer : buses_[rank]->timers()) {
    local_events_.at(rank, timer.delay * run_.policy.bus_unit,
                     {{}, timer.code, LocalEventKind::bus});
  }
  buses_[rank]->timers().clear();
}

void EndpointBoundary::expire(std::uint32_t rank, std::uint32_t code) {
  SharedBus& bus = *buses_[rank];
  const std::int64_t tick = run_.now() / run_.policy.bus_unit;
  const SharedBus::BusEvent step = bus.expire(code, tick);
  set_timers(rank);
  if (step.token != SharedBus::kNoToken) {
    const Crossing crossing = crossings_[step.token];
    free_crossings_.push_back(step.token);
    if (crossing.reduce) {
      local_events_.at(rank, chunks_.at(crossing.stream).spec->step_of(crossing.packet).reduce,
                       {crossing.stream, 0, LocalEventKind::freed});
    } else {
      observer_.on_packets_free(chunks_.at(crossing.stream), 1);
    }
  }
  bus.settle(step, tick);
  set_timers(rank);
}

}  // namespace orrery::sim
