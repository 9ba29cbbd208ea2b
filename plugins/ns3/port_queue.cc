// SPDX-License-Identifier: MIT
#include "port_queue.h"

namespace orrery_ns3 {

ns3::TypeId PortQueue::GetTypeId() {
  static const ns3::TypeId type = ns3::TypeId("orrery_ns3::PortQueue")
                                      .SetParent<ns3::Queue<ns3::Packet>>()
                                      .AddConstructor<PortQueue>();
  return type;
}

bool PortQueue::Enqueue(ns3::Ptr<ns3::Packet> packet) {
  (is_urgent(*packet) ? urgent_ : waiting_).push_back(packet);
  return true;
}

ns3::Ptr<ns3::Packet> PortQueue::Dequeue() {
  ns3::Ptr<ns3::Packet> packet;
  if (std::deque<ns3::Ptr<ns3::Packet>>& from = urgent_.empty() ? waiting_ : urgent_;
      !from.empty()) {
    packet = from.front();
    from.pop_front();
  } else if (pull) {
    packet = pull();
  }
  is_busy_ = packet != nullptr;
  if (is_busy_) begins(*packet);
  return packet;
}

ns3::Ptr<const ns3::Packet> PortQueue::Peek() const {
  if (!urgent_.empty()) return urgent_.front();
  return waiting_.empty() ? nullptr : waiting_.front();
}

void PortQueue::DoDispose() {
  urgent_.clear();
  waiting_.clear();
  pull = nullptr;
  ns3::Queue<ns3::Packet>::DoDispose();
}

}  // namespace orrery_ns3
