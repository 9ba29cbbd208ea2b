// SPDX-License-Identifier: Apache-2.0
#include "orrery/network/packet/packet_network.h"

#include <algorithm>
#include <utility>

namespace orrery::model {

class PacketNetwork::Reporter final : public PacketEngine::Report {
 public:
  Reporter(const PacketNetwork& network, Sink& sink) : network_(network), sink_(sink) {}
  void arrives(std::uint32_t token) override { sink_.arrives(token); }
  void carries(std::uint32_t link, std::int64_t from, std::int64_t until,
               std::int64_t bytes) override {
    network_.report_carried(link, from, until, bytes);
  }

 private:
  const PacketNetwork& network_;
  Sink& sink_;
};

PacketNetwork::PacketNetwork(const platform::Platform& platform)
    : PacketNetwork(platform, std::make_shared<FabricRoutes>(platform, true)) {}

PacketNetwork::PacketNetwork(const platform::Platform& platform,
                             std::shared_ptr<FabricRoutes> routes)
    : Network({.ranks = routes->rank_count(),
               .memories = routes->memory_count(),
               .switches = static_cast<std::uint32_t>(routes->reducers().size())},
              {.tick_order_free = true, .in_order = true}),
      routes_(routes),
      engine_(platform.packets != nullptr ? *platform.packets : platform::PacketSettings{},
              std::move(routes)) {}

std::unique_ptr<Network> PacketNetwork::snapshot() const {
  return std::unique_ptr<Network>(new PacketNetwork(*this));
}

std::int64_t PacketNetwork::compute_uncontended_time(EndPoint from, EndPoint to,
                                                     std::int64_t bytes) const {
  if (from == to) return 0;
  return std::min(engine_.uncontended_time(from, to, bytes), MultiDimFabric::kTooLong);
}

void PacketNetwork::settle(std::int64_t now, Sink& sink) {
  Reporter reporter(*this, sink);
  engine_.report_links(observed());
  engine_.run(now, reporter);
  std::sort(sent_.begin(), sent_.end());
  for (const Send& message : sent_) {
    if (uncontended_time(message.from, message.to, message.bytes) >=
        MultiDimFabric::kTooLong - now)
      sink.exceeds_clock();
    else
      engine_.post(message, now, reporter);
  }
  sent_.clear();
  find_next();
}

void PacketNetwork::advance(std::int64_t until, Sink& sink) {
  Reporter reporter(*this, sink);
  engine_.report_links(observed());
  engine_.run(until, reporter);
  find_next();
}

void PacketNetwork::find_next() {
  const std::int64_t next = engine_.next_arrival();
  if (next == next_) return;
  next_ = next;
  ++epoch_;
}

}  // namespace orrery::model
