// SPDX-License-Identifier: MIT
//
// Events of ns-3 that the plug-in orders and runs, instead of ns-3's own scheduler.
#pragma once

#include <cstdint>
#include <queue>
#include <vector>

#include "ns3/event-impl.h"
#include "ns3/simulator-impl.h"

namespace orrery_ns3 {

/// The events of one simulation. Events of one time run in the order in which they were scheduled,
/// as in ns-3.
class EventQueue {
 public:
  EventQueue() = default;
  EventQueue(const EventQueue&) = delete;
  EventQueue& operator=(const EventQueue&) = delete;
  ~EventQueue();

  /// Takes the reference that the caller holds.
  std::uint64_t add(std::int64_t time, std::uint32_t context, ns3::EventImpl* event);
  [[nodiscard]] std::int64_t next() const;
  /// Runs all events until `until`. This is the current queue.
  void run(std::int64_t until);
  [[nodiscard]] std::int64_t now() const { return now_; }
  [[nodiscard]] std::uint32_t context() const { return context_; }
  [[nodiscard]] std::uint64_t handled() const { return handled_; }

 private:
  struct Entry {
    std::int64_t time;
    std::uint64_t number;
    std::uint32_t context;
    ns3::EventImpl* event;
    bool operator<(const Entry& other) const {  // for a heap with the least on top
      return time != other.time ? time > other.time : number > other.number;
    }
  };
  std::priority_queue<Entry> entries_;
  std::int64_t now_ = 0;
  std::uint64_t scheduled_ = 0, handled_ = 0;
  std::uint32_t context_ = 0;
};

/// What ns-3 takes for its simulator: events go to the current queue. ns-3 has one simulator in a
/// process; with a queue for each simulation, several of them can exist.
class QueueSimulator final : public ns3::SimulatorImpl {
 public:
  static ns3::TypeId GetTypeId();

  /// The queue to which events go from now on.
  static void select(EventQueue* queue) { current_ = queue; }

  /// Runs what ns-3 wants to run at the end of a process's last simulation.
  void Destroy() override;
  bool IsFinished() const override { return current_ == nullptr; }
  void Stop() override {}
  void Stop(const ns3::Time& /*delay*/) override {}
  ns3::EventId Schedule(const ns3::Time& delay, ns3::EventImpl* event) override;
  void ScheduleWithContext(std::uint32_t context, const ns3::Time& delay,
                           ns3::EventImpl* event) override;
  ns3::EventId ScheduleNow(ns3::EventImpl* event) override;
  ns3::EventId ScheduleDestroy(ns3::EventImpl* event) override;
  void Remove(const ns3::EventId& id) override { Cancel(id); }
  void Cancel(const ns3::EventId& id) override;
  bool IsExpired(const ns3::EventId& id) const override;
  void Run() override {}
  ns3::Time Now() const override;
  ns3::Time GetDelayLeft(const ns3::EventId& id) const override;
  ns3::Time GetMaximumSimulationTime() const override;
  void SetScheduler(ns3::ObjectFactory /*scheduler*/) override {}
  std::uint32_t GetSystemId() const override { return 0; }
  std::uint32_t GetContext() const override;
  std::uint64_t GetEventCount() const override;

 private:
  static EventQueue* current_;
  std::vector<ns3::EventId> at_end_;
};

}  // namespace orrery_ns3
