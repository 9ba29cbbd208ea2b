// SPDX-License-Identifier: Apache-2.0
#include "orrery/estimate/program/op_schedule.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <unordered_map>

#include "orrery/estimate/program/class_messages.h"
#include "orrery/estimate/program/costed_program.h"
#include "orrery/estimate/program/stream_lanes.h"
#include "orrery/model/compute/host_clock.h"
#include "orrery/workload/spec/launch_policy.h"

namespace orrery::estimate {

using workload::Program;
using workload::Role;

namespace {

using CostedBody = CostedProgram::CostedBody;
using CostedOp = CostedProgram::CostedOp;
using OpKind = CostedProgram::OpKind;

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

/// Schedules the ops of one rank class as far as possible.
class ClassScheduler {
 public:
  ClassScheduler(const Program& program, const CostedProgram& costed, std::uint32_t number,
                 ClassMessages& messages)
      : costed_(costed),
        role_(program.roles[program.role_of(costed.times->classes.rank(number))]),
        number_(number),
        class_messages_(messages),
        ends_(costed.slots),
        previous_ends_(costed.slots),
        awaited_messages_(costed.slots, kNone),
        lanes_(costed.lanes),
        launch_times_(workload::launch_times(program.spec)) {
    if (!is_finished() && is_empty()) next_segment();
  }

  /// Returns whether it scheduled an op.
  bool advance() {
    bool progressed = false;
    while (!is_finished()) {
      if (step_ == 0 && layer_ == 0 && segment().count >= 3 && costed_body().plain) {
        for (const CostedOp& step : costed_body().steps)
          if (!has_arrived(step)) return progressed;
        schedule_layers();
      } else {
        if (!issue(costed_body().steps[step_])) return progressed;
        next_step();
      }
      progressed = true;
    }
    return progressed;
  }

  [[nodiscard]] bool is_finished() const { return loop_ == role_.tasks.size(); }
  [[nodiscard]] std::int64_t end_time() const {
    return *std::max_element(ends_.begin(), ends_.end());
  }

 private:
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};
  [[nodiscard]] const workload::Task& task() const { return role_.tasks[loop_].tasks[task_]; }
  [[nodiscard]] const workload::Segment& segment() const {
    return role_.recipes[task().recipe][segment_];
  }
  [[nodiscard]] const CostedBody& costed_body() const {
    return costed_.costed_bodies[segment().body];
  }
  [[nodiscard]] std::uint32_t microbatch() const {
    return task().microbatch + round_ * role_.tasks[loop_].stride +
           static_cast<std::uint32_t>(segment().microbatch_offset);
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
    } while (!is_finished() && is_empty());
  }

  /// Schedules identical layers; skips the remaining ones once two consecutive layers have the same
  /// duration.
  void schedule_layers() {
    const std::uint32_t count = segment().count;
    const CostedBody& costed_body = this->costed_body();
    std::int64_t shift = -1;
    for (std::uint32_t done = 0; done < count;) {
      previous_ends_ = ends_;
      const model::HostClock host = host_;
      const std::uint64_t issued = issued_;
      for (const CostedOp& step : costed_body.steps) (void)issue(step);
      ++done;
      const std::int64_t by = common_shift();
      if (by > 0 && by == shift && done < count && host_.repeats(host, by) &&
          host_.repetitions(host, by) >= count - done && none_runs_before(issued)) {
        host_.skip(host, by, count - done);
        delay(by * (count - done), issued);
        break;
      }
      shift = by;
    }
    next_segment();
  }

  /// The common shift of all slots that changed; -1: they differ, or none changed.
  [[nodiscard]] std::int64_t common_shift() const {
    std::int64_t by = -1;
    for (std::size_t i = 0; i < ends_.size(); ++i) {
      if (ends_[i] == previous_ends_[i]) continue;
      if (by < 0) by = ends_[i] - previous_ends_[i];
      if (ends_[i] - previous_ends_[i] != by) return -1;
    }
    return by;
  }

  /// Whether all collectives issued before `issued` have ended.
  [[nodiscard]] bool none_runs_before(std::uint64_t issued) {
    const std::int64_t now = ends_[CostedProgram::kCompute];
    return std::all_of(lanes_.begin(), lanes_.end(), [&](StreamLane& lane) {
      lane.drop_finished(now);
      return lane.begin() == lane.end() || lane.begin()->number >= issued;
    });
  }

  void delay(std::int64_t by, std::uint64_t issued) {
    for (std::size_t i = 0; i < ends_.size(); ++i)
      if (ends_[i] != previous_ends_[i]) ends_[i] += by;
    for (StreamLane& lane : lanes_) {
      for (auto one = lane.ops.rbegin(); one != lane.ops.rend() && one->number >= issued; ++one) {
        one->ready += by;
        one->begin += by;
        one->end += by;
      }
    }
    chunk_traffic_.delay(by, issued);
  }

  /// Whether other rank classes have sent all messages that the step waits for.
  bool has_arrived(const CostedOp& step) {
    if (!has_arrived(step.stream)) return false;
    for (std::uint8_t i = 0; i < step.wait_count; ++i)
      if (!has_arrived(step.waits[i])) return false;
    return true;
  }
  bool has_arrived(std::uint8_t place) {
    if (awaited_messages_[place] == kNone) return true;
    const std::uint64_t its = awaited_messages_[place];
    const auto known = class_messages_.messages.find(its);
    if (known == class_messages_.messages.end()) return false;
    for (std::size_t i = 0; i < awaited_messages_.size(); ++i) {
      if (awaited_messages_[i] != its) continue;
      ends_[i] = std::max(ends_[i], known->second);
      awaited_messages_[i] = kNone;
    }
    class_messages_.messages.erase(known);
    return true;
  }

  /// Returns false if it waits for a rank class that has not arrived yet.
  bool issue(const CostedOp& step) {
    if (!has_arrived(step)) return false;
    std::int64_t start = step.kind == OpKind::copy ? 0 : ends_[step.stream];
    for (std::uint8_t i = 0; i < step.wait_count; ++i)
      start = std::max(start, ends_[step.waits[i]]);
    std::int64_t end = start + step.cost.duration;
    switch (step.kind) {
      case OpKind::copy:
        break;
      case OpKind::transfer:
        lanes_[step.lane].ops.push_back({start, start, end, step.cost.product_slowdown,
                                         step.cost.other_slowdown, 0, RunningOp::kNoAxis,
                                         issued_++});
        break;
      case OpKind::kernel:
        start = launch_start(start, step.cost);
        end = end_with_slowdown(start, step.cost);
        if (step.cost.host_waits) host_.wait_until(end);
        break;
      case OpKind::collective: {
        const std::int64_t ready = start;
        start = queue_start(step, ready);
        const auto all = join_collective(step, start);
        if (!all) return false;
        delay_later_collectives(step, ready);
        end = step.cost.chunks == nullptr ? end_with_contention(step, *all)
                                          : end_by_chunks(step, *all);
        ends_[step.group] = end;
        lanes_[step.lane].ops.push_back({ready, start, end, step.cost.product_slowdown,
                                         step.cost.other_slowdown, step.queue, step.axis,
                                         issued_++});
        break;
      }
      case OpKind::send: {
        const auto& message = costed_.message(number_, segment().body, step);
        end = start + message.duration;
        class_messages_.messages[step.inside ? ClassMessages::stage_message(number_, message.peer,
                                                                            sent_[message.peer]++)
                                             : ClassMessages::pipeline_message(
                                                   message.peer, step.edge, microbatch())] = end;
        break;
      }
      case OpKind::receive:
        end = start;  // and not before the message arrives
        awaited_messages_[step.stream] = expected_message(step);
        break;
    }
    ends_[step.stream] = end;
    if (step.marks != CostedProgram::kNoSlot) {
      ends_[step.marks] = end;
      awaited_messages_[step.marks] = awaited_messages_[step.stream];
    }
    return true;
  }

  [[nodiscard]] std::uint64_t expected_message(const CostedOp& step) {
    if (!step.inside) return ClassMessages::pipeline_message(number_, step.edge, microbatch());
    const std::uint32_t from = costed_.message(number_, segment().body, step).peer;
    return ClassMessages::stage_message(from, number_, received_[from]++);
  }

  /// Start of the collective behind those that requested the same links earlier.
  [[nodiscard]] std::int64_t queue_start(const CostedOp& step, std::int64_t ready) const {
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

  /// Delays collectives that were issued earlier but become ready later, and ops that wait for
  /// them.
  void delay_later_collectives(const CostedOp& step, std::int64_t ready) {
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

  /// End of a collective that shares links; concurrent ones become longer too.
  std::int64_t end_with_contention(const CostedOp& step, std::int64_t start) {
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

  /// End of a collective whose chunks contend with running collectives; their ends may change too.
  std::int64_t end_by_chunks(const CostedOp& step, std::int64_t ready) {
    return chunk_traffic_.add(ready, *step.cost.chunks, issued_, costed_.times->queues,
                              [&](std::uint64_t number, std::int64_t before, std::int64_t end) {
                                for (std::int64_t& marked : ends_)
                                  if (marked == before) marked = end;
                                for (StreamLane& lane : lanes_)
                                  for (RunningOp& running : lane)
                                    if (running.number == number) running.end = end;
                              });
  }

  /// Start of a kernel that the host has to launch (sim/engine/ranks/host_launches.h).
  std::int64_t launch_start(std::int64_t start, const OpCosts::Cost& cost) {
    if (cost.each_launch == 0) return start;
    return host_.launch({.each = cost.each_launch,
                         .count = cost.launches,
                         .share = cost.duration / cost.launches,
                         .least = launch_times_.shortest().count(),
                         .ahead = launch_times_.max_queued},
                        start);
  }

  /// End of a kernel that shares the device with collectives (model/compute/interference.h).
  std::int64_t end_with_slowdown(std::int64_t start, const OpCosts::Cost& cost) {
    for (StreamLane& lane : lanes_) lane.drop_finished(start);
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
          taken += cost.product ? one.product_slowdown : one.other_slowdown;
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

  /// Time when all rank classes have arrived; empty: not yet.
  std::optional<std::int64_t> join_collective(const CostedOp& step, std::int64_t start) {
    const CostedProgram::CollectiveClasses& all = costed_.classes_of(number_, step);
    if (all.rank_classes == 1) return start;
    std::uint32_t& turn = turns_[step.axis];
    ClassMessages::CollectiveArrivals& arrivals =
        class_messages_
            .collectives[std::uint64_t{step.axis} << 56 | std::uint64_t{all.first} << 32 | turn];
    if (!is_at_collective_) {
      ++arrivals.arrived;
      arrivals.last_arrival = std::max(arrivals.last_arrival, start);
      is_at_collective_ = true;
    }
    if (arrivals.arrived < all.rank_classes) return std::nullopt;
    is_at_collective_ = false;
    ++turn;
    return arrivals.last_arrival;
  }

  const CostedProgram& costed_;
  const Role& role_;
  std::uint32_t number_;
  ClassMessages& class_messages_;
  std::vector<std::int64_t> ends_, previous_ends_;  // by slot
  std::vector<std::uint64_t> awaited_messages_;     // awaited messages, by slot
  std::array<std::uint32_t, workload::kAxes> turns_{};
  std::unordered_map<std::uint32_t, std::uint32_t> sent_, received_;  // within the stage, by peer
  bool is_at_collective_ = false;                                     // has arrived at a collective
  std::vector<StreamLane> lanes_;
  ConcurrentCollectives chunk_traffic_;
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
              "ranks of a stage do different work, which estimates do not support",
              "simulate the plan instead");
}

Result<Time> schedule_ops(const Program& program, const OpCosts::ProgramCosts& times) {
  if (auto fine = check_estimable(program); !fine) return tl::unexpected(fine.error());
  const CostedProgram costed(program, times);
  ClassMessages messages;
  std::vector<ClassScheduler> rank_classes;
  rank_classes.reserve(times.classes.size());
  for (std::uint32_t rank_class = 0; rank_class < times.classes.size(); ++rank_class)
    rank_classes.emplace_back(program, costed, rank_class, messages);
  for (bool progressed = true; progressed;) {
    progressed = false;
    for (ClassScheduler& rank_class : rank_classes) progressed |= rank_class.advance();
  }
  std::int64_t end = 0;
  for (const ClassScheduler& rank_class : rank_classes) {
    if (!rank_class.is_finished())
      return fail(Errc::stall, program.spec.name, "the stages deadlock",
                  "please report this as a bug");
    end = std::max(end, rank_class.end_time());
  }
  return Time(end);
}

}  // namespace orrery::estimate
