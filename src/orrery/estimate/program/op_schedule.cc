// SPDX-License-Identifier: Apache-2.0
#include "orrery/estimate/program/op_schedule.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <unordered_map>
#include <utility>

#include "orrery/estimate/program/class_messages.h"
#include "orrery/estimate/program/costed_program.h"
#include "orrery/estimate/program/stream_lanes.h"
#include "orrery/model/compute/host_clock.h"

namespace orrery::estimate {

using workload::Program;
using workload::Role;

namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

/// One player, as far as it can go.
class ClassPlayback {
 public:
  ClassPlayback(const Program& program, const CostedProgram& costed, std::uint32_t number,
                ClassMessages& class_messages)
      : costed_(costed),
        role_(program.roles[program.role_of(costed.times->classes.rank(number))]),
        number_(number),
        class_messages_(class_messages),
        ends_(costed.places),
        before_(costed.places),
        expects_(costed.places, kNone),
        lanes_(costed.lanes),
        launch_times_(program.spec.kernels.launch_times()) {
    if (!over() && is_empty()) next_segment();
  }

  /// True: something was done.
  bool advance() {
    bool moved = false;
    while (!over()) {
      if (step_ == 0 && layer_ == 0 && segment().count >= 3 && costed_body().plain) {
        for (const CostedProgram::CostedOp& step : costed_body().steps)
          if (!is_heard(step)) return moved;
        take_layers();
      } else {
        if (!issue(costed_body().steps[step_])) return moved;
        next_step();
      }
      moved = true;
    }
    return moved;
  }

  [[nodiscard]] bool over() const { return loop_ == role_.tasks.size(); }
  [[nodiscard]] std::int64_t finished() const {
    return *std::max_element(ends_.begin(), ends_.end());
  }

 private:
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};
  [[nodiscard]] const workload::Task& task() const { return role_.tasks[loop_].tasks[task_]; }
  [[nodiscard]] const workload::Segment& segment() const {
    return role_.recipes[task().recipe][segment_];
  }
  [[nodiscard]] const CostedProgram::CostedBody& costed_body() const {
    return costed_.costed_bodies[segment().body];
  }
  [[nodiscard]] std::uint32_t microbatch() const {
    return task().microbatch + round_ * role_.tasks[loop_].stride;
  }

  void next_step() {
    if (++step_ < costed_body().steps.size()) return;
    step_ = 0;
    if (++layer_ < segment().count) return;
    next_segment();
  }
  [[nodiscard]] bool is_empty() const {
    return role_.tasks[loop_].tasks.empty() || role_.recipes[task().recipe].empty() ||
           costed_body().steps.empty() || segment().count == 0;
  }
  void next_segment() {
    layer_ = 0;
    do {
      if (++segment_ < role_.recipes[task().recipe].size()) continue;
      segment_ = 0;
      if (++task_ < role_.tasks[loop_].tasks.size()) continue;
      task_ = 0;
      if (++round_ < role_.tasks[loop_].count) continue;
      round_ = 0;
      ++loop_;
    } while (!over() && is_empty());
  }

  /// Plays layers that are alike, the last ones at once if they come to take the same.
  void take_layers() {
    const std::uint32_t count = segment().count;
    const CostedProgram::CostedBody& costed_body = this->costed_body();
    std::int64_t shift = -1;
    for (std::uint32_t done = 0; done < count;) {
      before_ = ends_;
      const model::HostClock host = host_;
      const std::uint64_t issued = issued_;
      for (const CostedProgram::CostedOp& step : costed_body.steps) (void)issue(step);
      ++done;
      const std::int64_t by = even_shift();
      if (by > 0 && by == shift && done < count && host_.repeats(host, by) &&
          host_.repetitions(host, by) >= count - done && none_runs_before(issued)) {
        host_.skip(host, by, count - done);
        move_on(by * (count - done), issued);
        break;
      }
      shift = by;
    }
    next_segment();
  }

  /// By how much everything that has moved moved; -1: not all alike, or nothing has.
  [[nodiscard]] std::int64_t even_shift() const {
    std::int64_t by = -1;
    for (std::size_t i = 0; i < ends_.size(); ++i) {
      if (ends_[i] == before_[i]) continue;
      if (by < 0) by = ends_[i] - before_[i];
      if (ends_[i] - before_[i] != by) return -1;
    }
    return by;
  }

  /// No collective of those issued before that is still to end.
  [[nodiscard]] bool none_runs_before(std::uint64_t issued) {
    const std::int64_t now = ends_[CostedProgram::kCompute];
    return std::all_of(lanes_.begin(), lanes_.end(), [&](StreamLane& lane) {
      lane.forget(now);
      return lane.begin() == lane.end() || lane.begin()->number >= issued;
    });
  }

  void move_on(std::int64_t by, std::uint64_t issued) {
    for (std::size_t i = 0; i < ends_.size(); ++i)
      if (ends_[i] != before_[i]) ends_[i] += by;
    for (StreamLane& lane : lanes_) {
      for (auto one = lane.list.rbegin(); one != lane.list.rend() && one->number >= issued; ++one) {
        one->ready += by;
        one->begin += by;
        one->end += by;
      }
    }
    chunked_.move_on(by, issued);
  }

  /// Whether all that the step waits for has been told by others.
  bool is_heard(const CostedProgram::CostedOp& step) {
    if (!is_heard(step.stream)) return false;
    for (std::uint8_t i = 0; i < step.wait_count; ++i)
      if (!is_heard(step.waits[i])) return false;
    return true;
  }
  bool is_heard(std::uint8_t place) {
    if (expects_[place] == kNone) return true;
    const std::uint64_t its = expects_[place];
    const auto known = class_messages_.messages.find(its);
    if (known == class_messages_.messages.end()) return false;
    for (std::size_t i = 0; i < expects_.size(); ++i) {
      if (expects_[i] != its) continue;
      ends_[i] = std::max(ends_[i], known->second);
      expects_[i] = kNone;
    }
    class_messages_.messages.erase(known);
    return true;
  }

  /// False: it has to wait for what nobody has told yet.
  bool issue(const CostedProgram::CostedOp& step) {
    if (!is_heard(step)) return false;
    std::int64_t start = step.what == CostedProgram::OpKind::copy ? 0 : ends_[step.stream];
    for (std::uint8_t i = 0; i < step.wait_count; ++i)
      start = std::max(start, ends_[step.waits[i]]);
    std::int64_t end = start + step.cost.duration;
    switch (step.what) {
      case CostedProgram::OpKind::copy:
        break;
      case CostedProgram::OpKind::transfer:
        lanes_[step.lane].list.push_back({start, start, end, step.cost.of_products,
                                          step.cost.of_others, 0, RunningOp::kNoAxis, issued_++});
        break;
      case CostedProgram::OpKind::kernel:
        start = launched(start, step.cost);
        end = slowed(start, step.cost);
        break;
      case CostedProgram::OpKind::collective: {
        const std::int64_t ready = start;
        start = in_queue(step, ready);
        const auto all = meet(step, start);
        if (!all) return false;
        push_back(step, ready);
        end = step.cost.chunks == nullptr ? shared(step, *all) : by_chunks(step, *all);
        ends_[step.group] = end;
        lanes_[step.lane].list.push_back({ready, start, end, step.cost.of_products,
                                          step.cost.of_others, step.queue, step.axis, issued_++});
        break;
      }
      case CostedProgram::OpKind::send: {
        const auto& message = costed_.message(number_, segment().body, step);
        end = start + message.duration;
        class_messages_
            .messages[step.inside ? ClassMessages::message_inside(number_, message.peer,
                                                                  sent_[message.peer]++)
                                  : ClassMessages::message(message.peer, step.edge, microbatch())] =
            end;
        break;
      }
      case CostedProgram::OpKind::receive:
        end = start;  // and when it is heard
        expects_[step.stream] = expected(step);
        break;
    }
    ends_[step.stream] = end;
    if (step.marks != CostedProgram::kNowhere) {
      ends_[step.marks] = end;
      expects_[step.marks] = expects_[step.stream];
    }
    return true;
  }

  [[nodiscard]] std::uint64_t expected(const CostedProgram::CostedOp& step) {
    if (!step.inside) return ClassMessages::message(number_, step.edge, microbatch());
    const std::uint32_t from = costed_.message(number_, segment().body, step).peer;
    return ClassMessages::message_inside(from, number_, received_[from]++);
  }

  /// Behind who came to the same links before.
  [[nodiscard]] std::int64_t in_queue(const CostedProgram::CostedOp& step,
                                      std::int64_t ready) const {
    std::int64_t free = ready;
    if (step.queue == 0) return free;
    for (const StreamLane& lane : lanes_) {
      for (const RunningOp& one : lane) {
        if (one.ready > ready) break;
        if (one.queue == step.queue) free = std::max(free, one.end);
      }
    }
    return free;
  }

  /// Those that were issued before, but come later, wait for it in turn, and what is to wait for
  /// them does so longer.
  void push_back(const CostedProgram::CostedOp& step, std::int64_t ready) {
    if (step.queue == 0) return;
    for (StreamLane& lane : lanes_) {
      for (RunningOp& one : lane) {
        if (one.queue != step.queue || one.ready <= ready) continue;
        for (std::int64_t& end : ends_)
          if (end == one.end) end += step.cost.duration;
        one.begin += step.cost.duration;
        one.end += step.cost.duration;
      }
    }
  }

  /// When it ends, where others share its links: who is there at the same time takes longer, too.
  std::int64_t shared(const CostedProgram::CostedOp& step, std::int64_t start) {
    std::int64_t end = start + step.cost.duration;
    const auto& shares = costed_.times->shares[step.axis];
    for (StreamLane& lane : lanes_) {
      for (RunningOp& one : lane) {
        if (one.axis == RunningOp::kNoAxis) continue;
        const double share = shares[one.axis];
        const std::int64_t both = std::min(end, one.end) - std::max(start, one.begin);
        if (share == 0 || both <= 0) continue;
        const auto more = static_cast<std::int64_t>(share * static_cast<double>(both));
        for (std::int64_t& marked : ends_)
          if (marked == one.end) marked += more;
        one.end += more;
        end += more;
      }
    }
    return end;
  }

  /// When it ends, chunk by chunk beside those that are there; they may end later, too.
  std::int64_t by_chunks(const CostedProgram::CostedOp& step, std::int64_t ready) {
    return chunked_.add(ready, *step.cost.chunks, issued_, costed_.times->queues,
                        [&](std::uint64_t number, std::int64_t before, std::int64_t end) {
                          for (std::int64_t& marked : ends_)
                            if (marked == before) marked = end;
                          for (StreamLane& lane : lanes_)
                            for (RunningOp& running : lane)
                              if (running.number == number) running.end = end;
                        });
  }

  /// When a kernel may begin that the host has to launch (sim/engine/ranks/host_launches.h).
  std::int64_t launched(std::int64_t start, const OpCosts::Cost& cost) {
    if (cost.each_launch == 0) return start;
    return host_.launch({.each = cost.each_launch,
                         .count = cost.launches,
                         .share = cost.duration / cost.launches,
                         .least = launch_times_.least().count(),
                         .ahead = launch_times_.ahead},
                        start);
  }

  /// When a kernel ends that collectives leave less than all of the device
  /// (model/compute/interference.h).
  std::int64_t slowed(std::int64_t start, const OpCosts::Cost& cost) {
    for (StreamLane& lane : lanes_) lane.forget(start);
    auto left = static_cast<double>(cost.duration);
    std::int64_t now = start;
    while (true) {
      double taken = 0;
      std::int64_t until = kNever;
      for (const StreamLane& lane : lanes_) {
        for (const RunningOp& one : lane) {
          if (one.end <= now) continue;
          until = std::min(until, one.begin > now ? one.begin : one.end);
          if (one.begin > now) break;
          taken += cost.product ? one.of_products : one.of_others;
        }
      }
      const double rate = 1 - std::min(taken, 0.5);
      const double needs = left / rate;
      if (until == kNever || needs <= static_cast<double>(until - now))
        return now + static_cast<std::int64_t>(needs + 0.5);
      left -= static_cast<double>(until - now) * rate;
      now = until;
    }
  }

  /// When all that take part have come; nothing: not yet.
  std::optional<std::int64_t> meet(const CostedProgram::CostedOp& step, std::int64_t start) {
    const CostedProgram::CollectiveMeeting& all = costed_.meeting(number_, step);
    if (all.rank_classes == 1) return start;
    std::uint32_t& turn = turns_[step.axis];
    ClassMessages::CollectiveMeeting& meeting =
        class_messages_
            .meetings[std::uint64_t{step.axis} << 56 | std::uint64_t{all.first} << 32 | turn];
    if (!waits_) {
      ++meeting.come;
      meeting.last = std::max(meeting.last, start);
      waits_ = true;
    }
    if (meeting.come < all.rank_classes) return std::nullopt;
    waits_ = false;
    ++turn;
    return meeting.last;
  }

  const CostedProgram& costed_;
  const Role& role_;
  std::uint32_t number_;
  ClassMessages& class_messages_;
  std::vector<std::int64_t> ends_, before_;  // by place
  std::vector<std::uint64_t> expects_;       // messages, by place
  std::array<std::uint32_t, workload::kAxes> turns_{};
  std::unordered_map<std::uint32_t, std::uint32_t> sent_, received_;  // inside, by who it is
  bool waits_ = false;                                                // at a meeting
  std::vector<StreamLane> lanes_;
  ConcurrentCollectives chunked_;
  std::uint64_t issued_ = 0;
  graph::LaunchTimes launch_times_;
  model::HostClock host_;
  std::size_t loop_ = 0, task_ = 0, segment_ = 0, step_ = 0;
  std::uint32_t round_ = 0, layer_ = 0;
};

}  // namespace

Result<void> check_estimable(const Program& program) {
  if (!program.role_per_rank) return {};
  return fail(Errc::config_conflict, program.spec.name,
              "ranks of a stage do different things, which an estimate does not tell",
              "simulate it");
}

Result<Time> schedule_ops(const Program& program, const OpCosts::Times& times) {
  if (auto fine = check_estimable(program); !fine) return tl::unexpected(fine.error());
  const CostedProgram costed(program, times);
  ClassMessages class_messages;
  std::vector<ClassPlayback> rank_classes;
  rank_classes.reserve(times.classes.size());
  for (std::uint32_t rank_class = 0; rank_class < times.classes.size(); ++rank_class)
    rank_classes.emplace_back(program, costed, rank_class, class_messages);
  for (bool moved = true; moved;) {
    moved = false;
    for (ClassPlayback& rank_class : rank_classes) moved |= rank_class.advance();
  }
  std::int64_t end = 0;
  for (const ClassPlayback& rank_class : rank_classes) {
    if (!rank_class.over())
      return fail(Errc::stall, program.spec.name, "stages wait for each other",
                  "this is worth a report");
    end = std::max(end, rank_class.finished());
  }
  return Time(end);
}

}  // namespace orrery::estimate
