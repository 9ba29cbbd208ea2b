// SPDX-License-Identifier: Apache-2.0
//
// The section `packets` of the cluster file. Private to this room.
#pragma once

#include <array>
#include <tuple>

#include "orrery/config/parameters.h"
#include "orrery/platform/cluster/file/packet_transport_sections.h"
#include "orrery/platform/packet_settings.h"

namespace orrery::config {

template <>
struct EnumNames<platform::PacketPosting> {
  using enum platform::PacketPosting;
  using Word = EnumName<platform::PacketPosting>;
  static constexpr std::array names = {Word{"turns", turns}, Word{"fifo", fifo}};
};
template <>
struct EnumNames<platform::PacketSpraying> {
  using enum platform::PacketSpraying;
  using Word = EnumName<platform::PacketSpraying>;
  static constexpr std::array names = {Word{"oblivious", oblivious}, Word{"bitmap", bitmap},
                                       Word{"reps", reps}, Word{"mixed", mixed},
                                       Word{"adaptive", adaptive}};
};
template <>
struct EnumNames<platform::PacketReliability> {
  using enum platform::PacketReliability;
  using Word = EnumName<platform::PacketReliability>;
  static constexpr std::array names = {Word{"selective", selective}, Word{"go_back_n", go_back_n}};
};
template <>
struct EnumNames<platform::PacketScheduling> {
  using enum platform::PacketScheduling;
  using Word = EnumName<platform::PacketScheduling>;
  static constexpr std::array names = {Word{"strict", strict}, Word{"weighted", weighted}};
};
template <>
struct EnumNames<platform::PacketSkipping> {
  using enum platform::PacketSkipping;
  using Word = EnumName<platform::PacketSkipping>;
  static constexpr std::array names = {Word{"off", off}, Word{"repeats", repeats}};
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
          .by_default("`transport: dcqcn`: no limit; else the `window` of `fabric: transport`, "
                      "else one round trip of the pair, at least 64"),
      field("posting", &Packets::posting,
            "`turns`: the receivers of a device's messages take turns, packet by packet, and "
            "acknowledgements go first; `fifo`: packets enter one queue as soon as their window "
            "allows, together with acknowledgements"),
      field("entropies", &Packets::entropies,
            "routing policy `spray`: number of routes that the packets from one device to another "
            "use",
            between(1, 65536)),
      field("spraying", &Packets::spraying,
            "routing policy `spray`: `oblivious`: all routes in turn; `bitmap`: as `oblivious`, "
            "and routes with marks or losses are left out for one turn; `reps`: the routes of "
            "acknowledged packets without a mark again; `mixed`: both; `adaptive`: every switch "
            "uses the shortest of its queues"),
      field("transport", &Packets::transport,
            "limit of the packets in flight to one receiver: `window`: constant; `dctcp`: follows "
            "the share of marked packets; `dcqcn`: a rate that follows the receiver's "
            "notifications; `hpcc`: follows the load that switches write into packets; `swift`: "
            "follows the delay of packets; `nscc`: follows marks and delay; `rccc`: credits of the "
            "receiver; `nscc_rccc`: both (Ultra Ethernet)"),
      field("round_trip", &Packets::round_trip,
            "transports other than `window` and `dcqcn`: time of a packet and its acknowledgement "
            "without "
            "contention, from which the largest window follows",
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
      field("mark_most", &Packets::mark_most, "probability of a mark just below `mark_to`",
            share()),
      field("buffer", &Packets::buffer,
            "buffer of a switch that its ports share, without headroom; 0: ports share none",
            between(0, 1e13)),
      field("buffer_share", &Packets::buffer_share,
            "part of the free buffer that one queue may use; with `pfc`, that packets of one port "
            "may use before it is paused",
            between(1e-4, 64)),
      field("pfc", &Packets::pfc,
            "priority flow control: switches pause the senders of full buffers, so that no packet "
            "is dropped"),
      field("headroom", &Packets::headroom,
            "`pfc`: additional buffer of each port and priority, for packets that arrive after "
            "the pause",
            between(0, 1e12))
          .by_default(
              "what can arrive: the latencies of both directions, three packets and the frames"),
      field("resume_below", &Packets::resume_below,
            "`pfc`: distance of a queue to the threshold of the pause at which a sender resumes",
            between(0, 1e12)),
      field("priorities", &Packets::priorities, "priorities of traffic; higher is more urgent"),
      field("scheduling", &Packets::scheduling,
            "`strict`: packets of higher priority first; `weighted`: each priority has a share of "
            "the port, by `weights`"),
      field("weights", &Packets::weights, "`weighted`: the weight of priority 0, 1, …",
            between(0, 8)),
      field("reliability", &Packets::reliability,
            "`selective`: only lost packets are sent again; `go_back_n`: all packets from the lost "
            "one on"),
      field(
          "timeout", &Packets::timeout,
          "time until an unacknowledged packet is sent again, if packets can be lost; doubles from "
          "the second in a row on, up to 64 times",
          between(1, 1e15)),
      field("retries", &Packets::retries, "timeouts in a row after which a sender gives up",
            between(1, 1e6)),
      field("reroute_after", &Packets::reroute_after,
            "time from the begin or end of a fault until packets use other routes",
            between(0, 1e18)),
      field("skip", &Packets::skip,
            "what is not simulated packet by packet, with the same results: `repeats`: messages "
            "that contend as others did before, and periods of long messages; `off`: nothing"),
      field("seed", &Packets::seed, "of the random choices of queues and routes", between(0, 1e15)),
      field("dcqcn", &Packets::dcqcn, "constants of `transport: dcqcn`"),
      field("hpcc", &Packets::hpcc, "constants of `transport: hpcc`"),
      field("swift", &Packets::swift, "constants of `transport: swift`"),
      field("credits", &Packets::credits, "constants of `transport: rccc` and `nscc_rccc`"),
      field("classes", &Packets::classes, "other values for some classes of links", between(0, 7))};
};

}  // namespace orrery::config
