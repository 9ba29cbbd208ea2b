// SPDX-License-Identifier: MIT
#include "event_queue.h"

#include <limits>

#include "ns3/event-id.h"
#include "ns3/nstime.h"
#include "ns3/object-factory.h"

namespace orrery_ns3 {

EventQueue::~EventQueue() {
  for (; !entries_.empty(); entries_.pop()) entries_.top().event->Unref();
}

std::uint64_t EventQueue::add(std::int64_t time, std::uint32_t context, ns3::EventImpl* event) {
  entries_.push({time, ++scheduled_, context, event});
  return scheduled_;
}

std::int64_t EventQueue::next() const {
  return entries_.empty() ? std::numeric_limits<std::int64_t>::max() : entries_.top().time;
}

void EventQueue::run(std::int64_t until) {
  while (next() <= until) {
    const Entry entry = entries_.top();
    entries_.pop();
    now_ = entry.time;
    context_ = entry.context;
    ++handled_;
    if (!entry.event->IsCancelled()) entry.event->Invoke();
    entry.event->Unref();
  }
  now_ = until;
}

EventQueue* QueueSimulator::current_ = nullptr;

ns3::TypeId QueueSimulator::GetTypeId() {
  static const ns3::TypeId type = ns3::TypeId("orrery_ns3::QueueSimulator")
                                      .SetParent<ns3::SimulatorImpl>()
                                      .AddConstructor<QueueSimulator>();
  return type;
}

void QueueSimulator::Destroy() {
  for (const ns3::EventId& one : at_end_)
    if (!one.PeekEventImpl()->IsCancelled()) one.PeekEventImpl()->Invoke();
  at_end_.clear();
}

ns3::EventId QueueSimulator::Schedule(const ns3::Time& delay, ns3::EventImpl* event) {
  const ns3::Ptr<ns3::EventImpl> shared(event, true);  // the queue has the caller's reference
  const std::int64_t time = current_->now() + delay.GetTimeStep();
  const std::uint32_t context = current_->context();
  const std::uint64_t number = current_->add(time, context, event);
  return {shared, static_cast<std::uint64_t>(time), context,
          static_cast<std::uint32_t>(number) | ns3::EventId::VALID};
}

void QueueSimulator::ScheduleWithContext(std::uint32_t context, const ns3::Time& delay,
                                         ns3::EventImpl* event) {
  current_->add(current_->now() + delay.GetTimeStep(), context, event);
}

ns3::EventId QueueSimulator::ScheduleNow(ns3::EventImpl* event) {
  return Schedule(ns3::Time(0), event);
}

ns3::EventId QueueSimulator::ScheduleDestroy(ns3::EventImpl* event) {
  at_end_.emplace_back(ns3::Ptr<ns3::EventImpl>(event, false), 0, 0, ns3::EventId::DESTROY);
  return at_end_.back();
}

void QueueSimulator::Cancel(const ns3::EventId& id) {
  if (id.PeekEventImpl() != nullptr) id.PeekEventImpl()->Cancel();
}

bool QueueSimulator::IsExpired(const ns3::EventId& id) const {
  ns3::EventImpl* const event = id.PeekEventImpl();
  if (event == nullptr || event->IsCancelled()) return true;
  if (id.GetUid() == ns3::EventId::DESTROY) return false;
  return current_ == nullptr || static_cast<std::int64_t>(id.GetTs()) < current_->now();
}

ns3::Time QueueSimulator::Now() const { return ns3::Time(current_ ? current_->now() : 0); }

ns3::Time QueueSimulator::GetDelayLeft(const ns3::EventId& id) const {
  return ns3::Time(static_cast<std::int64_t>(id.GetTs())) - Now();
}

ns3::Time QueueSimulator::GetMaximumSimulationTime() const {
  return ns3::Time(std::numeric_limits<std::int64_t>::max());
}

std::uint32_t QueueSimulator::GetContext() const { return current_ ? current_->context() : 0; }

std::uint64_t QueueSimulator::GetEventCount() const { return current_ ? current_->handled() : 0; }

}  // namespace orrery_ns3
