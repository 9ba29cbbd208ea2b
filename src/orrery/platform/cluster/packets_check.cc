// SPDX-License-Identifier: Apache-2.0
#include "orrery/platform/cluster/packets_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "orrery/platform/packet_rules.h"

namespace orrery::platform {

namespace {

using config::Reading;

struct Check {
  const PacketSettings& packets;
  Reading& reading;
  std::string path = "/packets";

  void conflict(std::string_view key, std::string what, std::string hint) const {
    reading.fail(Errc::config_conflict, fmt::format("{}/{}", path, key), std::move(what),
                 std::move(hint));
  }
  [[nodiscard]] Bytes largest_packet() const {
    return packets.payload.value_or(Bytes(4096)) + packets.header.value_or(Bytes(62));
  }
};

void check_queue(const Check& check, const PacketRules& rules) {
  const bool is_limited = rules.queue.count() > 0, shares = check.packets.buffer.count() > 0;
  if (is_limited && rules.queue < check.largest_packet())
    check.conflict(
        "queue", fmt::format("has no room for one packet of {} B", check.largest_packet().count()),
        "use more");
  if (rules.trims && !is_limited && !shares)
    check.conflict("trims", "has no effect: queues have no limit", "set `queue` or `buffer`");
  if (!rules.pfc) {
    if (rules.headroom) check.conflict("headroom", "has no effect", "set `pfc`");
    return;
  }
  if (!shares) check.conflict("pfc", "needs buffers that can become full", "set `buffer`");
  for (const auto& [key, is_set] :
       {std::pair{"trims", rules.trims}, std::pair{"queue", is_limited}}) {
    if (is_set)
      check.conflict(key, "has no effect: with `pfc`, no packet is dropped", "remove one of both");
  }
}

void check_marks(const Check& check, const PacketRules& rules) {
  const bool marks = rules.mark_to.count() > 0;
  if (rules.mark_from > rules.mark_to)
    check.conflict("mark_from", "is above `mark_to`", "use a shorter length");
  if (marks && rules.queue.count() > 0 && rules.mark_from >= rules.queue)
    check.conflict("mark_from", "is not below `queue`, so no packet is marked",
                   "use a shorter length");
  if (!marks && rules.mark_most != 1)
    check.conflict("mark_most", "has no effect: no packet is marked", "set `mark_to`");
  if (needs_marks(rules.transport) && !marks)
    check.conflict("transport", "needs marked packets", "set `mark_from` and `mark_to`");
}

void check_buffer(const Check& check) {
  const PacketSettings &packets = check.packets, none;
  const double buffer = static_cast<double>(packets.buffer.count());
  if (buffer == 0 && packets.buffer_share != none.buffer_share)
    check.conflict("buffer_share", "has no effect", "set `buffer`");
  const double least = static_cast<double>(check.largest_packet().count());
  if (buffer > 0 && std::min(1.0, packets.buffer_share) * buffer < least)
    check.conflict(
        "buffer", fmt::format("times `buffer_share` has no room for one packet of {:.0f} B", least),
        "use more");
}

void check_priorities(const Check& check) {
  const PacketSettings& packets = check.packets;
  const PacketPriorities& by = packets.priorities;
  const auto [least, most] =
      std::minmax({by.collective, by.point_to_point, by.announcement, by.memory});
  const auto count = static_cast<std::size_t>(most) + 1;
  if (packets.scheduling == PacketScheduling::strict) {
    if (!packets.weights.empty())
      check.conflict("weights", "has no effect", "set `scheduling: weighted`");
    return;
  }
  if (least == most)
    check.conflict("scheduling", "has no effect: all traffic has one priority", "set `priorities`");
  if (packets.weights.size() != count)
    check.conflict("weights", fmt::format("must have one number for each of {} priorities", count),
                   "list them from priority 0 on");
  for (const std::int64_t weight : packets.weights) {
    if (weight < 1 || weight > 1000)
      check.reading.fail(Errc::config_range, "/packets/weights", "must be from 1 to 1000");
  }
}

void check_transports(const Check& check, const std::vector<PacketTransport>& used) {
  const PacketSettings &packets = check.packets, none;
  const auto is_used = [&](auto predicate) { return std::ranges::any_of(used, predicate); };
  if (packets.window && !is_used(uses_window))
    check.conflict("window", "has no effect: the transport sets it", "remove it");
  const auto constants = [&](std::string_view key, bool is_set, auto predicate) {
    if (is_set && !is_used(predicate))
      check.conflict(key, "has no effect: no `transport` uses it", "remove it");
  };
  const auto equals = [](PacketTransport wanted) {
    return [wanted](PacketTransport one) { return one == wanted; };
  };
  constants("round_trip", packets.round_trip != none.round_trip,
            [](PacketTransport one) { return !uses_window(one); });
  constants("dcqcn", packets.dcqcn != none.dcqcn, equals(PacketTransport::dcqcn));
  constants("hpcc", packets.hpcc != none.hpcc, equals(PacketTransport::hpcc));
  constants("swift", packets.swift != none.swift, equals(PacketTransport::swift));
  constants("credits", packets.credits != none.credits, needs_credit);
  if (packets.swift.range_from >= packets.swift.range_to)
    check.reading.fail(Errc::config_conflict, "/packets/swift/range_from",
                       "is not below `range_to`", "use a smaller window");
}

}  // namespace

void check_packets(const PacketSettings& packets, Reading& reading) {
  Check check{packets, reading};
  const PacketRules rules = packet_rules(packets);
  check_queue(check, rules);
  check_marks(check, rules);
  check_buffer(check);
  check_priorities(check);
  std::vector<PacketTransport> used = {packets.transport};
  bool pauses = rules.pfc;
  std::vector<LinkClass> known;
  for (std::size_t i = 0; i < packets.classes.size(); ++i) {
    const PacketClass& one = packets.classes[i];
    check.path = fmt::format("/packets/classes/{}", i);
    if (std::ranges::find(known, one.links) != known.end())
      check.conflict("links", "is a class that is already in the list", "join both");
    known.push_back(one.links);
    const PacketRules its = packet_rules(packets, &one);
    if (its == rules) check.conflict("links", "has no other values than all links", "remove it");
    check_queue(check, its);
    check_marks(check, its);
    used.push_back(its.transport);
    pauses = pauses || its.pfc;
  }
  check.path = "/packets";
  if (!pauses && packets.resume_below != PacketSettings{}.resume_below)
    check.conflict("resume_below", "has no effect", "set `pfc`");
  check_transports(check, used);
}

}  // namespace orrery::platform
