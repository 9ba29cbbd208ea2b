// SPDX-License-Identifier: Apache-2.0
//
// What the settings of packets mean for one class of links.
#pragma once

#include <optional>

#include "orrery/platform/packet_settings.h"

namespace orrery::platform {

/// The settings that may differ by class of link.
struct PacketRules {
  PacketTransport transport = PacketTransport::window;
  Bytes queue{};
  bool trims = false;
  Bytes mark_from{}, mark_to{};
  double mark_most = 1;
  bool pfc = false;
  std::optional<Bytes> headroom;

  friend bool operator==(const PacketRules&, const PacketRules&) = default;
};

/// The rules of a class of links, or of all others (null). Of the values for all links, a class
/// does not have those that its own values leave without effect.
[[nodiscard]] inline PacketRules packet_rules(const PacketSettings& all,
                                              const PacketClass* one = nullptr) {
  PacketRules made{all.transport, all.queue,     all.trims, all.mark_from,
                   all.mark_to,   all.mark_most, all.pfc,   all.headroom};
  if (one == nullptr) return made;
  made.transport = one->transport.value_or(made.transport);
  made.queue = one->queue.value_or(made.queue);
  made.trims = one->trims.value_or(made.trims);
  made.mark_from = one->mark_from.value_or(made.mark_from);
  made.mark_to = one->mark_to.value_or(made.mark_to);
  made.mark_most = one->mark_most.value_or(made.mark_most);
  made.pfc = one->pfc.value_or(made.pfc);
  if (one->headroom || !made.pfc) made.headroom = one->headroom;
  if (made.pfc && !one->queue) made.queue = Bytes{};
  const bool is_limited = made.queue.count() > 0 || all.buffer.count() > 0;
  if ((made.pfc || !is_limited) && !one->trims) made.trims = false;
  if (made.mark_to.count() == 0) {
    made.mark_from = one->mark_from.value_or(Bytes{});
    made.mark_most = one->mark_most.value_or(1);
  }
  return made;
}

/// Whether a transport needs marked packets.
[[nodiscard]] constexpr bool needs_marks(PacketTransport transport) {
  return transport == PacketTransport::dctcp || transport == PacketTransport::dcqcn ||
         transport == PacketTransport::nscc || transport == PacketTransport::nscc_rccc;
}
/// Whether receivers grant credit.
[[nodiscard]] constexpr bool needs_credit(PacketTransport transport) {
  return transport == PacketTransport::rccc || transport == PacketTransport::nscc_rccc;
}
/// Whether `window` has an effect: the others choose their own.
[[nodiscard]] constexpr bool uses_window(PacketTransport transport) {
  return transport == PacketTransport::window || transport == PacketTransport::dcqcn;
}

}  // namespace orrery::platform
