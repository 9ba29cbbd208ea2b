// SPDX-License-Identifier: Apache-2.0
#include "orrery/network/network.h"

#include <algorithm>
#include <tuple>

#include "orrery/core/check.h"
#include "orrery/network/analytical_network.h"
#include "orrery/network/flow_network.h"
#include "orrery/network/message_network.h"
#include "orrery/network/noc_network.h"
#include "orrery/network/ns3_network.h"
#include "orrery/network/packet_network.h"
#include "orrery/platform/cluster/fabric/fabric.h"

namespace orrery::model {

std::strong_ordering operator<=>(const Send& a, const Send& b) {
  const auto key = [](const Send& send) {
    return std::tie(send.from, send.traffic, send.flow, send.order, send.to, send.bytes,
                    send.weight, send.token);
  };
  return key(a) <=> key(b);
}

std::uint32_t EquivalentLinks::place(std::uint32_t link, EndPoint sender) const {
  const auto begin = senders.begin() + static_cast<std::ptrdiff_t>(first_sender[link]);
  const auto end = senders.begin() + static_cast<std::ptrdiff_t>(first_sender[link + 1]);
  const auto found = std::lower_bound(begin, end, sender);
  ORRERY_CHECK(found != end && *found == sender);
  return places[static_cast<std::size_t>(found - senders.begin())];
}

void Network::crossings(EndPoint /*from*/, EndPoint /*to*/, std::vector<Crossing>& /*out*/) const {
  ORRERY_CHECK(false);
}

LinkKind Network::link_kind(std::uint32_t /*link*/) const {
  ORRERY_CHECK(false);
  return {};
}

void Network::compare_links() { ORRERY_CHECK(shares_links()); }

void Network::fold(const std::vector<std::uint32_t>& /*class_of*/,
                   const std::vector<std::uint32_t>& /*members*/,
                   const EquivalentLinks& /*links*/) {
  ORRERY_CHECK(traits_.foldable && traits_.uncontended);
}

void Network::called(std::int64_t /*now*/, std::uint64_t /*code*/, Sink& /*sink*/) {
  ORRERY_CHECK(false);
}

LinkPlace Network::link(std::uint32_t /*number*/) const {
  ORRERY_CHECK(false);
  return {};
}

std::unique_ptr<Network> make_network(const platform::Platform& platform) {
  switch (platform.network) {
    case platform::NetworkModelKind::analytical:
      if (platform.fabric != nullptr) return std::make_unique<AnalyticalFabric>(platform);
      return std::make_unique<AnalyticalNetwork>(platform);
    case platform::NetworkModelKind::message:
      if (platform.rules == platform::Rules::astra)
        return std::make_unique<OrderedMessageNetwork>(platform);
      // Only the graph of the dimensions contains switches and memories as end points.
      if (platform.fabric != nullptr || reducer_count(platform) > 0 ||
          platform::memory_count(platform) > 0)
        return std::make_unique<FabricMessageNetwork>(platform);
      return std::make_unique<MessageNetwork>(platform);
    case platform::NetworkModelKind::flow:
      return std::make_unique<FlowNetwork>(platform);
    case platform::NetworkModelKind::packet:
      return std::make_unique<PacketNetwork>(platform);
    case platform::NetworkModelKind::noc:
      return std::make_unique<NocNetwork>(platform);
    case platform::NetworkModelKind::ns3:
      ORRERY_CHECK(platform.ns3 != nullptr);
      return std::make_unique<Ns3Network>(platform, *platform.ns3);
  }
  ORRERY_CHECK(false);
  return nullptr;
}

}  // namespace orrery::model
