// SPDX-License-Identifier: MIT
//
// The queue in front of a link, as a queue of ns-3.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>

#include "ns3/packet.h"
#include "ns3/queue.h"

namespace orrery_ns3 {

/// A device of ns-3 takes a packet whenever its link is idle: first urgent ones, then those that
/// wait, both in order of arrival; then it asks `pull`.
class PortQueue final : public ns3::Queue<ns3::Packet> {
 public:
  static ns3::TypeId GetTypeId();

  /// A packet of a sender whose turn it is, with ns-3's header; null: none may send.
  std::function<ns3::Ptr<ns3::Packet>()> pull;
  /// The link begins to send a packet.
  std::function<void(const ns3::Packet&)> begins;
  /// Whether a packet goes before those that wait.
  std::function<bool(const ns3::Packet&)> is_urgent;

  /// Whether the link sends a packet, so that its device will ask for the next one.
  [[nodiscard]] bool is_busy() const { return is_busy_; }

  bool Enqueue(ns3::Ptr<ns3::Packet> packet) override;
  ns3::Ptr<ns3::Packet> Dequeue() override;
  ns3::Ptr<ns3::Packet> Remove() override { return Dequeue(); }
  ns3::Ptr<const ns3::Packet> Peek() const override;

 private:
  void DoDispose() override;

  std::deque<ns3::Ptr<ns3::Packet>> urgent_, waiting_;
  bool is_busy_ = false;
};

}  // namespace orrery_ns3
