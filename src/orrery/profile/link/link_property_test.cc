// SPDX-License-Identifier: Apache-2.0
//
// Both recordings of a made-up program are linked, and what is linked is the same.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "orrery/profile/link/link.h"
#include "orrery/profile/profile_testing.h"

namespace orrery::profile {
namespace {

/// An operator as it happened.
struct Happened {
  std::string name;
  std::size_t thread = 0, step = 0;
  std::int64_t start = 0, end = 0;
  std::int64_t sequence = -1;
  std::size_t parent = ~std::size_t{0};
};

struct Program {
  std::size_t threads = 2, steps = 3, operators = 60;  // per step and thread
  std::size_t names = 12;                              // 0 = all different
  bool sequences = true;
};

/// Every step of a thread is the same tree with new sequence numbers.
std::vector<Happened> run(const Program& program, std::mt19937& random) {
  std::vector<Happened> out;
  for (std::size_t thread = 0; thread < program.threads; ++thread) {
    std::vector<std::size_t> depth_of, name_of, has_number;
    for (std::size_t i = 0; i < program.operators; ++i) {
      depth_of.push_back(i == 0 ? 0 : random() % std::min<std::size_t>(depth_of.back() + 2, 6));
      name_of.push_back(program.names == 0 ? 0 : random() % program.names);
      has_number.push_back(random() % 2);
    }
    std::int64_t clock = static_cast<std::int64_t>(thread), sequence = 100;
    for (std::size_t step = 0; step < program.steps; ++step) {
      std::vector<std::size_t> open;
      const auto close_to = [&](std::size_t depth) {
        for (; open.size() > depth; open.pop_back()) out[open.back()].end = clock += 10;
      };
      for (std::size_t i = 0; i < program.operators; ++i) {
        close_to(depth_of[i]);
        Happened op;
        op.name = "t" + std::to_string(thread) + "::" + std::to_string(name_of[i]);
        if (program.names == 0) op.name = "only" + std::to_string(out.size());
        op.thread = thread;
        op.step = step;
        op.start = clock += 10;
        if (program.sequences && has_number[i] != 0) op.sequence = ++sequence;
        if (!open.empty()) op.parent = open.back();
        out.push_back(op);
        open.push_back(out.size() - 1);
      }
      close_to(0);
    }
  }
  return out;
}

struct Recording {
  std::size_t first_step = 0, last_step = ~std::size_t{0};
  unsigned lost_percent = 0;
};

/// The operators a recording has.
std::vector<std::uint8_t> retained(const std::vector<Happened>& program, const Recording& recording,
                                   std::mt19937& random) {
  std::vector<std::uint8_t> out;
  for (const Happened& op : program)
    out.push_back(op.step >= recording.first_step && op.step <= recording.last_step &&
                  random() % 100 >= recording.lost_percent);
  return out;
}

struct Outcome {
  std::size_t common = 0, right = 0, wrong = 0, events = 0, present = 0;
  bool failed = false;
};

Outcome record_and_link(const std::vector<Happened>& program, const Recording& device_recording,
                        const Recording& host_recording, std::mt19937& random) {
  const auto in_device = retained(program, device_recording, random);
  const auto in_host = retained(program, host_recording, random);
  Maker device, host(device.profile.strings);
  std::vector<EventId> device_event(program.size(), kNoEvent), host_event(program.size(), kNoEvent);
  Outcome outcome;
  for (std::size_t i = 0; i < program.size(); ++i) {
    const Happened& op = program[i];
    outcome.common += in_device[i] != 0 && in_host[i] != 0 ? 1 : 0;
    outcome.present += in_device[i] != 0 || in_host[i] != 0 ? 1 : 0;
    if (in_device[i] != 0) {
      const std::uint32_t lane = device.thread(5000 - static_cast<std::int64_t>(op.thread));
      device_event[i] = device.op(lane, op.name, op.start, op.end - op.start);
      device.op_of(device_event[i]).sequence = op.sequence;
    }
    if (in_host[i] != 0) {
      std::size_t parent = op.parent;
      while (parent != ~std::size_t{0} && host_event[parent] == kNoEvent)
        parent = program[parent].parent;
      host_event[i] = host.node(host.thread(static_cast<std::int64_t>(op.thread) + 1), op.name,
                                i + 2, parent == ~std::size_t{0} ? kNoEvent : host_event[parent]);
      host.op_of(host_event[i]).sequence = op.sequence;
    }
  }
  Profile linked = device.take();
  Findings findings;
  const auto report = link(linked, host.take(), findings);
  outcome.failed = !report.has_value();
  if (outcome.failed) return outcome;
  outcome.events = linked.events.size();
  for (std::size_t i = 0; i < program.size(); ++i) {
    if (device_event[i] == kNoEvent) continue;
    const Node* node = linked.node(device_event[i]);
    if (node != nullptr) ++(node->id == i + 2 ? outcome.right : outcome.wrong);
  }
  RC_ASSERT(report->linked() == outcome.right + outcome.wrong);
  RC_ASSERT(report->nodes == report->linked() + report->added);
  RC_ASSERT(report->operators == report->linked() + report->unlinked_operators);
  return outcome;
}

Program any_program(bool unique) {
  Program program;
  program.threads = *rc::gen::inRange<std::size_t>(1, 4);
  program.steps = *rc::gen::inRange<std::size_t>(1, 5);
  program.operators = *rc::gen::inRange<std::size_t>(1, 300);
  program.names = unique ? 0 : *rc::gen::inRange<std::size_t>(3, 40);
  program.sequences = *rc::gen::arbitrary<bool>();
  return program;
}

RC_GTEST_PROP(LinkProperty, TheSameRecordingTwiceIsLinkedWhole, ()) {
  std::mt19937 random(*rc::gen::arbitrary<unsigned>());
  const auto program = run(any_program(false), random);
  const Outcome outcome = record_and_link(program, {}, {}, random);
  RC_ASSERT(!outcome.failed);
  RC_ASSERT(outcome.right == program.size());
}

RC_GTEST_PROP(LinkProperty, DifferentNamesAreNeverMistaken, ()) {
  std::mt19937 random(*rc::gen::arbitrary<unsigned>());
  const auto program = run(any_program(true), random);
  Recording device, host;
  device.lost_percent = *rc::gen::inRange(0u, 30u);
  host.lost_percent = *rc::gen::inRange(0u, 30u);
  host.first_step = *rc::gen::inRange<std::size_t>(0, 2);
  const Outcome outcome = record_and_link(program, device, host, random);
  if (outcome.failed) return;
  RC_ASSERT(outcome.wrong == 0u);
  RC_ASSERT(outcome.right == outcome.common);
  RC_ASSERT(outcome.events == outcome.present);
}

RC_GTEST_PROP(LinkProperty, AFewLostOperatorsCostFewLinks, ()) {
  std::mt19937 random(*rc::gen::arbitrary<unsigned>());
  Program shape = any_program(false);
  shape.sequences = true;
  shape.operators += 100;
  shape.names += 10;
  const auto program = run(shape, random);
  Recording device, host;
  device.lost_percent = host.lost_percent = 5;
  const Outcome outcome = record_and_link(program, device, host, random);
  RC_ASSERT(!outcome.failed);
  RC_ASSERT((outcome.right + 2) * 100 >= outcome.common * 95);
  RC_ASSERT(outcome.wrong * 20 <= outcome.common + 40);
  RC_ASSERT(outcome.events >= outcome.present - outcome.wrong);
}

RC_GTEST_PROP(LinkProperty, OneStepIsFoundAmongMany, ()) {
  std::mt19937 random(*rc::gen::arbitrary<unsigned>());
  Program shape = any_program(false);
  shape.sequences = true;
  shape.operators += 20;
  shape.steps = 20;
  const auto program = run(shape, random);
  Recording host;
  host.first_step = host.last_step = *rc::gen::inRange<std::size_t>(0, 20);
  const Outcome outcome = record_and_link(program, {}, host, random);
  RC_ASSERT(!outcome.failed);
  RC_ASSERT(outcome.right * 100 >= outcome.common * 98);
}

}  // namespace
}  // namespace orrery::profile
