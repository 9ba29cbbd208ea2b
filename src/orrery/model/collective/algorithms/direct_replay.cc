// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "orrery/model/collective/algorithms/direct_ends.h"

namespace orrery::model {

namespace {

struct Due {
  std::int64_t time;
  std::uint32_t position;
  bool received;  ///< true: a message is received; false: a packet becomes free
};

/// Due events in a binary heap, earliest first. A push nearly always follows a take, so take()
/// leaves the root empty for the next push.
class Agenda {
 public:
  void push(const Due& due) {
    if (taken_) {
      taken_ = false;
      return sink(due);
    }
    std::size_t place = heap_.size();
    heap_.push_back(due);
    while (place != 0 && heap_[(place - 1) / 2].time > due.time) {
      heap_[place] = heap_[(place - 1) / 2];
      place = (place - 1) / 2;
    }
    heap_[place] = due;
  }

  /// Sets `due` to the earliest event. False: no event is left.
  bool take(Due& due) {
    if (taken_) {
      const Due last = heap_.back();
      heap_.pop_back();
      if (!heap_.empty()) sink(last);
    }
    taken_ = !heap_.empty();
    if (taken_) due = heap_.front();
    return taken_;
  }

 private:
  // Replaces the root by `due`.
  void sink(const Due& due) {
    std::size_t place = 0;
    for (std::size_t child = 1; child < heap_.size(); child = 2 * place + 1) {
      if (child + 1 < heap_.size() && heap_[child + 1].time < heap_[child].time) ++child;
      if (heap_[child].time >= due.time) break;
      heap_[place] = heap_[child];
      place = child;
    }
    heap_[place] = due;
  }

  std::vector<Due> heap_;
  bool taken_ = false;  ///< the root was taken and its place is free
};

/// Each message has two events: it is received, and its packet becomes free. The later of sender
/// and receiver to reach a message computes when it is received.
class Replay {
 public:
  Replay(const PhaseSpec& spec, std::span<const std::int64_t> begins, const MessageTimes& times)
      : spec_(spec),
        times_(times),
        steps_(static_cast<std::uint32_t>(spec.steps)),
        alone_(begins.size() == 1),
        members_(begins.size()),
        arrivals_(alone_ ? 0 : begins.size() * steps_) {
    for (std::uint32_t p = 0; p < begins.size(); ++p) {
      for (std::int32_t i = 0; i < spec.window; ++i) insert(p, begins[p]);
    }
  }

  void run(std::span<std::int64_t> ends) {
    Due due;
    while (due_.take(due)) {
      if (due.received) {
        receive(due.position, due.time);
      } else {
        ends[due.position] = due.time;  // the last packet free ends the phase
        free(due.position, due.time);
      }
    }
  }

 private:
  struct Member {
    std::uint32_t inserted = 0;
    std::uint32_t free = 0;
    std::uint32_t sent = 0;
    std::int32_t received = 0;
    std::int64_t last_free = -1;
  };

  void insert(std::uint32_t p, std::int64_t now) {
    due_.push({later(now, packet_time(spec_, members_[p].inserted++)), p, false});
  }

  void receive(std::uint32_t p, std::int64_t now) {
    Member& member = members_[p];
    ++member.received;
    insert(p, now);
    // A packet that becomes free in the tick of the barrier may be sent in this tick.
    if (member.received == spec_.barrier && member.last_free == now) send_free(p, now);
  }

  void free(std::uint32_t p, std::int64_t now) {
    ++members_[p].free;
    members_[p].last_free = now;
    send_free(p, now);
  }

  void send_free(std::uint32_t p, std::int64_t now) {
    Member& member = members_[p];
    while (member.free != 0 && member.sent < steps_) {
      const bool held =
          spec_.barrier != 0 && static_cast<std::int32_t>(steps_ - member.sent) <= spec_.barrier;
      if (held && member.received < spec_.barrier) return;
      --member.free;
      send(p, member.sent++, now);
    }
  }

  // The i-th message that a position sends under a key is the i-th message that its peer receives
  // under it: both have sent the same number of messages by then.
  void send(std::uint32_t p, std::uint32_t number, std::int64_t now) {
    const std::uint32_t key = spec_.key_of(number);
    if (alone_) return due_.push({later(now, times_(p, p, key)), p, true});
    const std::uint32_t to = destination(spec_, p, key);
    const std::uint32_t from = source(spec_, p, key);
    const std::int64_t arrival = later(now, times_(p, to, key));
    if (members_[to].sent > number) {
      due_.push({arrival, to, true});
    } else {
      arrivals_[std::size_t{to} * steps_ + number] = arrival;
    }
    if (members_[from].sent > number)
      due_.push({std::max(now, arrivals_[std::size_t{p} * steps_ + number]), p, true});
  }

  const PhaseSpec& spec_;
  const MessageTimes& times_;
  std::uint32_t steps_;
  bool alone_;
  std::vector<Member> members_;
  std::vector<std::int64_t> arrivals_;  ///< of messages without a receive, by receiver and number
  Agenda due_;
};

}  // namespace

void replay_direct(const PhaseSpec& spec, std::span<const std::int64_t> begins,
                   std::span<std::int64_t> ends, const MessageTimes& times) {
  Replay(spec, begins, times).run(ends);
}

}  // namespace orrery::model
