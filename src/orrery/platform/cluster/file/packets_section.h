// SPDX-License-Identifier: Apache-2.0
//
// The section `packets` of the cluster file. Private to this room.
#pragma once

#include <array>
#include <tuple>

#include "orrery/config/parameters.h"
#include "orrery/platform/packet_settings.h"

namespace orrery::config {

template <>
struct EnumNames<platform::PacketPosting> {
  using enum platform::PacketPosting;
  using Word = EnumName<platform::PacketPosting>;
  static constexpr std::array names = {Word{"turns", turns}, Word{"fifo", fifo}};
};
template <>
struct EnumNames<platform::PacketTransport> {
  using enum platform::PacketTransport;
  using Word = EnumName<platform::PacketTransport>;
  static constexpr std::array names = {Word{"window", window}, Word{"dctcp", dctcp},
                                       Word{"nscc", nscc}};
};
template <>
struct EnumNames<platform::PacketSpraying> {
  using enum platform::PacketSpraying;
  using Word = EnumName<platform::PacketSpraying>;
  static constexpr std::array names = {Word{"oblivious", oblivious}, Word{"reps", reps},
                                       Word{"mixed", mixed}};
};
template <>
struct ParameterTable<platform::PacketSettings> {
  using Packets = platform::PacketSettings;
  static constexpr auto fields = std::tuple{
      field("payload", &Packets::payload, "payload of a full packet", between(64, 65536))
          .by_default("that of `fabric: transport`, else 4 KiB (the largest of InfiniBand)"),
      field("header", &Packets::header, "additional bytes of a packet on the wire, at least 1",
            between(1, 4096))
          .by_default("that of `fabric: transport`, else 62 B (Ethernet, IP, UDP and InfiniBand "
                      "headers, checksums)"),
      field("acknowledgement", &Packets::acknowledgement, "size of an acknowledgement",
            between(1, 4096)),
      field("acknowledge_every", &Packets::acknowledge_every,
            "received payload after which a receiver acknowledges; 0: it acknowledges every packet",
            between(0, 1e9)),
      field("window", &Packets::window,
            "unacknowledged packets of one sender to one receiver; 0: no limit", between(0, 1e6))
          .by_default(
              "the `window` of `fabric: transport`, else one round trip of the pair, at least 64"),
      field("posting", &Packets::posting,
            "`turns`: the receivers of a device's messages take turns, packet by packet, and "
            "acknowledgements go first; `fifo`: packets enter one queue as soon as their window "
            "allows, together with acknowledgements"),
      field("entropies", &Packets::entropies,
            "routing policy `spray`: number of routes that the packets from one device to another "
            "use",
            between(1, 65536)),
      field(
          "spraying", &Packets::spraying,
          "routing policy `spray`: `oblivious`: all routes in turn; `reps`: the routes of "
          "acknowledged packets without a mark again; `mixed`: as `reps`, and routes with marks or "
          "losses are left out for one turn"),
      field("transport", &Packets::transport,
            "limit of the packets in flight to one receiver: `window`: constant; `dctcp`: follows "
            "the share of marked packets; `nscc`: follows marks and the delay of packets (Ultra "
            "Ethernet)"),
      field("round_trip", &Packets::round_trip,
            "`dctcp` and `nscc`: time of a packet and its acknowledgement without contention, from "
            "which the largest window follows",
            between(0, 1e15))
          .by_default("that of a full packet between the two devices"),
      field(
          "queue", &Packets::queue,
          "limit of a switch's queue at one port; a packet beyond it is dropped and sent again; 0: "
          "no limit",
          between(0, 1e12)),
      field("trims", &Packets::trims,
            "a packet without room continues as its header, so that its sender learns of it"),
      field("mark_from", &Packets::mark_from,
            "length of a switch's queue from which it marks packets, with rising probability (ECN)",
            between(0, 1e12)),
      field("mark_to", &Packets::mark_to,
            "length from which it marks all packets; 0: it marks none", between(0, 1e12)),
      field("timeout", &Packets::timeout,
            "time until an unacknowledged packet is sent again, if queues are limited",
            between(1, 1e15)),
      field("seed", &Packets::seed, "of the random choices of queues and routes",
            between(0, 1e15))};
};

}  // namespace orrery::config
