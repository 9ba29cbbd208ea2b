// SPDX-License-Identifier: Apache-2.0
//
// The mappings in the section `packets` of the cluster file: transports, priorities and classes of
// links. Private to this room.
#pragma once

#include <array>
#include <tuple>

#include "orrery/config/parameters.h"
#include "orrery/platform/cluster/file/fabric_labels.h"
#include "orrery/platform/packet_settings.h"

namespace orrery::config {

template <>
struct EnumNames<platform::PacketTransport> {
  using enum platform::PacketTransport;
  using Word = EnumName<platform::PacketTransport>;
  static constexpr std::array names = {Word{platform::transport_name(window), window},
                                       Word{platform::transport_name(dctcp), dctcp},
                                       Word{platform::transport_name(dcqcn), dcqcn},
                                       Word{platform::transport_name(hpcc), hpcc},
                                       Word{platform::transport_name(swift), swift},
                                       Word{platform::transport_name(nscc), nscc},
                                       Word{platform::transport_name(rccc), rccc},
                                       Word{platform::transport_name(nscc_rccc), nscc_rccc}};
};
template <>
struct ParameterTable<platform::PacketPriorities> {
  using Priorities = platform::PacketPriorities;
  static constexpr auto fields = std::tuple{
      field("collective", &Priorities::collective, "of collectives", between(0, Priorities::kMost)),
      field("point_to_point", &Priorities::point_to_point, "of messages between two ranks",
            between(0, Priorities::kMost)),
      field("announcement", &Priorities::announcement,
            "of the messages with which a receiver announces that it is ready",
            between(0, Priorities::kMost)),
      field("memory", &Priorities::memory, "of loads and stores of remote memory",
            between(0, Priorities::kMost))};
};
template <>
struct ParameterTable<platform::DcqcnSettings> {
  using Dcqcn = platform::DcqcnSettings;
  static constexpr auto fields = std::tuple{
      field("notify_every", &Dcqcn::notify_every,
            "shortest time between two congestion notifications (CNP) of a receiver to one sender",
            between(0, 1e15)),
      field("notify_delay", &Dcqcn::notify_delay,
            "time from a marked packet to its notification, in the receiver", between(0, 1e15)),
      field("gain", &Dcqcn::gain, "g: weight of a new value in the estimate alpha of congestion",
            share()),
      field("alpha_period", &Dcqcn::alpha_period,
            "time without a notification after which alpha decreases", between(1, 1e15)),
      field("increase_period", &Dcqcn::increase_period, "time from one increase to the next",
            between(1, 1e15)),
      field("increase_bytes", &Dcqcn::increase_bytes,
            "sent bytes from one increase to the next; time and bytes count separately",
            between(1, 1e15)),
      field("fast_recovery", &Dcqcn::fast_recovery,
            "increases to the last target before the target itself increases", between(1, 1000)),
      field("additive", &Dcqcn::additive, "additive increase of the target", positive()),
      field("hyper", &Dcqcn::hyper,
            "increase of the target once both time and bytes have passed fast recovery",
            positive()),
      field("least", &Dcqcn::least, "lowest rate", positive())};
};
template <>
struct ParameterTable<platform::HpccSettings> {
  using Hpcc = platform::HpccSettings;
  static constexpr auto fields = std::tuple{
      field("utilization", &Hpcc::utilization, "eta: target of the load of a link", share()),
      field("stages", &Hpcc::stages,
            "additive increases, one per round trip, before the next multiplicative one",
            between(0, 1000)),
      field("increase", &Hpcc::increase, "additive increase of the window", between(1, 1e9))};
};
template <>
struct ParameterTable<platform::SwiftSettings> {
  using Swift = platform::SwiftSettings;
  static constexpr auto fields = std::tuple{
      field("target", &Swift::target, "target of the delay in queues", between(0, 1e15))
          .by_default("half of the round trip of the pair without contention"),
      field("per_hop", &Swift::per_hop, "increase of the target for each link of the route",
            between(0, 1e15)),
      field("increase", &Swift::increase, "packets per round trip that the window increases by",
            between(0.001, 1000)),
      field("decrease", &Swift::decrease,
            "beta: share of the distance to the target that the window decreases by", share()),
      field("most_decrease", &Swift::most_decrease, "largest decrease per round trip", share()),
      field("range", &Swift::range, "largest increase of the target for small windows",
            between(0, 1e15))
          .by_default("as `target`"),
      field("range_from", &Swift::range_from,
            "window, in packets, below which the target does not increase further",
            between(0.001, 1000)),
      field("range_to", &Swift::range_to, "window, in packets, from which it does not increase",
            between(0.001, 1e6))};
};
template <>
struct ParameterTable<platform::CreditSettings> {
  using Credits = platform::CreditSettings;
  static constexpr auto fields =
      std::tuple{field("rate", &Credits::rate,
                       "share of the rate of the receiver's port that it grants", share()),
                 field("packets", &Credits::packets, "packets per credit", between(1, 1000))};
};
template <>
struct ParameterTable<platform::PacketClass> {
  using Class = platform::PacketClass;
  static constexpr auto fields = std::tuple{
      field("links", &Class::links, "the class of links").required(),
      field("transport", &Class::transport, "of pairs whose route has such a link")
          .by_default("as above"),
      field("queue", &Class::queue, "as above", between(0, 1e12)).by_default("as above"),
      field("trims", &Class::trims, "as above").by_default("as above"),
      field("mark_from", &Class::mark_from, "as above", between(0, 1e12)).by_default("as above"),
      field("mark_to", &Class::mark_to, "as above", between(0, 1e12)).by_default("as above"),
      field("mark_most", &Class::mark_most, "as above", share()).by_default("as above"),
      field("pfc", &Class::pfc, "as above").by_default("as above"),
      field("headroom", &Class::headroom, "as above", between(0, 1e12)).by_default("as above")};
};

}  // namespace orrery::config
