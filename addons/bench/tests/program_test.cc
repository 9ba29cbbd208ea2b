// SPDX-License-Identifier: Apache-2.0
//
// What plans say as text is what the module reads.
#include "addons/bench/plan/program.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <limits>
#include <random>
#include <stdexcept>

#include "addons/bench/plan/replay_plan_text.h"

namespace orrery::bench {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

Value a_value(Value::Kind kind) {
  Value value;
  value.kind = kind;
  return value;
}

Value a_tensor(Slot slot) {
  Value value = a_value(Value::Kind::tensor);
  value.slot = slot;
  return value;
}

/// A call with an argument of every kind.
ReplayPlan everything() {
  using Kind = Value::Kind;
  ReplayPlan plan;
  plan.slots = 4;
  plan.storages.push_back({64, Dtype::real32, {Fill::Kind::uniform, 0, 0.5}, true});
  plan.storages.push_back({16, Dtype::int64, {Fill::Kind::ramp, 0, 7, 3.5}, false});
  plan.storages.push_back({8, Dtype::real32, {}, true, 1});
  plan.externals.push_back({0, 0, {Dtype::real32, {2, 4}, {8, 1}, 3}});
  plan.operations = {"aten::add.Tensor"};
  ReplayStep step;
  Value whole = a_value(Kind::integer), real = a_value(Kind::real);
  whole.integer = -7;
  real.real = 3;
  Value infinite = real, text = a_value(Kind::text), truth = a_value(Kind::truth);
  infinite.real = -std::numeric_limits<double>::infinity();
  text.text = "a \"b\" \\ c\n\x01\u00e9";
  truth.integer = 1;
  Value list = a_value(Kind::list);
  list.of = Value::Items::optional_tensors;
  list.items = {a_tensor(0), a_value(Kind::none)};
  Value numbers = a_value(Kind::list);
  numbers.items = {whole, whole};
  step.arguments = {a_tensor(0),
                    whole,
                    real,
                    infinite,
                    text,
                    truth,
                    list,
                    numbers,
                    a_value(Kind::fallback),
                    a_value(Kind::none),
                    a_value(Kind::undefined),
                    a_value(Kind::device)};
  step.outputs = {{0, -1, 1, {Dtype::half, {3}, {}, 0}}, {1, 2, 2, {Dtype::truth, {}, {}, 0}}};
  step.last = {1};
  step.gap_ns = 5000;
  plan.sources = {{"aten::add.Tensor"}};
  plan.steps = {step};
  ReplayStep view;
  view.kind = ReplayStep::Kind::view;
  view.arguments = {a_tensor(0)};
  view.outputs = {{0, -1, 3, {Dtype::real32, {4}, {2}, 1}}};
  plan.steps.push_back(view);
  return plan;
}

/// … and communications.
ReplayPlan communicating() {
  ReplayPlan plan = everything();
  plan.groups = {{"mesh \"tp\"", {2, 3}, 2}, {"", {}, -1}};
  Exchange split;
  split.kind = "all_to_all";
  split.group = 1;
  split.bytes = 32;
  split.in_split = {1, 7};
  split.out_split = {8, 0};
  Exchange delayed;
  delayed.kind = "send";
  delayed.peer = 3;
  delayed.delay_ns = 2500;
  plan.exchanges = {split, delayed};
  Value sent = a_value(Value::Kind::list), received = sent;
  sent.of = received.of = Value::Items::tensors;
  sent.items = {a_tensor(0)};
  received.items = {a_tensor(1), a_tensor(2)};
  for (const std::uint32_t exchange : {0u, 1u}) {
    ReplayStep step;
    step.kind = ReplayStep::Kind::communicate;
    step.exchange = exchange;
    step.arguments = {sent, received};
    plan.steps.push_back(step);
  }
  ReplayStep wait;
  wait.kind = ReplayStep::Kind::wait;
  wait.exchange = 1;
  plan.steps.push_back(wait);
  return plan;
}

TEST(Program, ReadsCommunications) {
  const std::string text = plan_text(communicating());
  const Program program = read_program(text);
  ASSERT_THAT(program.groups, SizeIs(2));
  EXPECT_EQ(program.groups[0].name, "mesh \"tp\"");
  EXPECT_THAT(program.groups[0].ranks, ElementsAre(2, 3));
  EXPECT_THAT(program.groups[1].ranks, SizeIs(0));
  ASSERT_THAT(program.exchanges, SizeIs(2));
  EXPECT_EQ(program.exchanges[0].kind, "all_to_all");
  EXPECT_EQ(program.exchanges[0].group, 1u);
  EXPECT_EQ(program.exchanges[0].bytes, 32);
  EXPECT_EQ(program.exchanges[0].delay_ns, -1);
  EXPECT_THAT(program.exchanges[0].in_split, ElementsAre(1, 7));
  EXPECT_THAT(program.exchanges[0].out_split, ElementsAre(8, 0));
  EXPECT_EQ(program.exchanges[1].peer, 3);
  EXPECT_EQ(program.exchanges[1].delay_ns, 2500);
  ASSERT_THAT(program.steps, SizeIs(5));
  EXPECT_EQ(program.steps[2].kind, ReplayStep::Kind::communicate);
  EXPECT_EQ(program.steps[2].arguments[1].items[1].slot, 2u);
  EXPECT_EQ(program.steps[4].kind, ReplayStep::Kind::wait);
  EXPECT_EQ(program.steps[4].exchange, 1u);
}

TEST(Program, StreamsHoldUntilTheNext) {
  ReplayPlan plan = communicating();
  const std::vector<std::uint32_t> streams = {3, 3, 0, 31, 31};
  for (std::size_t s = 0; s < plan.steps.size(); ++s) plan.steps[s].stream = streams[s];
  const Program program = read_program(plan_text(plan));
  ASSERT_EQ(program.steps.size(), streams.size());
  for (std::size_t s = 0; s < streams.size(); ++s) EXPECT_EQ(program.steps[s].stream, streams[s]);
  EXPECT_EQ(program.steps[0].gap_ns, 5000) << "lines before a step are not in each other's way";
}

TEST(Program, ReadsEveryKindOfValue) {
  const std::string text = plan_text(everything());
  const Program program = read_program(text);
  ASSERT_THAT(program.storages, SizeIs(3));
  EXPECT_TRUE(program.storages[0].written);
  EXPECT_EQ(program.storages[0].after, kNoStep);
  EXPECT_TRUE(program.storages[2].written);
  EXPECT_EQ(program.storages[2].after, 1u);
  EXPECT_EQ(program.storages[0].fill.high, 0.5);
  EXPECT_EQ(program.storages[1].fill.kind, Fill::Kind::ramp);
  EXPECT_EQ(program.storages[1].fill.step, 3.5);
  ASSERT_THAT(program.externals, SizeIs(1));
  EXPECT_THAT(program.externals[0].spec.strides, ElementsAre(8, 1));
  EXPECT_EQ(program.externals[0].spec.offset, 3);
  ASSERT_THAT(program.steps, SizeIs(2));
  const ReplayStep& step = program.steps[0];
  using Kind = Value::Kind;
  std::vector<Kind> kinds;
  for (const Value& value : step.arguments) kinds.push_back(value.kind);
  EXPECT_THAT(kinds, ElementsAre(Kind::tensor, Kind::integer, Kind::real, Kind::real, Kind::text,
                                 Kind::truth, Kind::list, Kind::list, Kind::fallback, Kind::none,
                                 Kind::undefined, Kind::device));
  EXPECT_EQ(step.arguments[1].integer, -7);
  EXPECT_EQ(step.arguments[2].real, 3);
  EXPECT_EQ(step.arguments[3].real, -std::numeric_limits<double>::infinity());
  EXPECT_EQ(step.arguments[4].text, "a \"b\" \\ c\n\x01\u00e9");
  EXPECT_EQ(step.arguments[6].of, Value::Items::optional_tensors);
  EXPECT_EQ(step.arguments[6].items[1].kind, Kind::none);
  EXPECT_EQ(step.arguments[7].of, Value::Items::integers);
  ASSERT_THAT(step.outputs, SizeIs(2));
  EXPECT_EQ(step.outputs[0].spec.dtype, Dtype::half);
  EXPECT_EQ(step.outputs[1].item, 2);
  EXPECT_THAT(step.last, ElementsAre(1));
  EXPECT_EQ(step.gap_ns, 5000);
  EXPECT_EQ(program.steps[1].kind, ReplayStep::Kind::view);
  EXPECT_EQ(program.steps[1].outputs[0].spec.offset, 1);
}

TEST(Program, WhatIsNoneIsToldByItsLine) {
  const auto why = [](const std::string& text) -> std::string {
    try {
      (void)read_program(text);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "";
  };
  const std::string first = "orrery benchmark 1\n";
  EXPECT_EQ(why("something else\n"), "line 1: expected 'orrery benchmark 1'");
  EXPECT_EQ(why(first + "slots x\n"), "line 2: expected a number");
  EXPECT_EQ(why(first + "dance\n"), "line 2: expected a kind of step");
  EXPECT_EQ(why(first + "slots 1\noperation 0 aten::t\ncall 0 (%5) -> ; last\n"),
            "line 4: expected a slot that there is");
  EXPECT_EQ(why(first + "slots 1\ncall 3 () -> ; last\n"),
            "line 3: expected an operation that there is");
  EXPECT_EQ(why(first + "storage 0 4 float uniform 0 1 after 0\nslots 0\n"),
            "storage 0 comes after a step that is not there");
  EXPECT_NE(why(first + "slots 1\nabsent -> 0 %0 float [1 ; last\n"), "");
  EXPECT_EQ(why(first + "slots 1\nview %0 none float [1] [1] 0 ; last\n"),
            "line 3: expected a slot");
  EXPECT_EQ(why(first + "storage 1 8 float uniform 0 1\n"),
            "line 2: expected numbers in order, from 0");
  EXPECT_EQ(why(first + "storage 0 -8 float uniform 0 1\n"), "line 2: expected so many bytes");
  EXPECT_EQ(why(first + "storage 0 8 int64 whole 5 4\n"), "line 2: expected a range");
  EXPECT_EQ(why(first + "storage 0 8 int64 whole 0 4 written twice\n"),
            "line 2: expected the end of the line");
  EXPECT_EQ(why(first + "slots 3\nslots 2\n"), "line 3: expected one line of slots");
  EXPECT_EQ(why(first + "storage 0 8 int64 ramp -1 4\n"), "line 2: expected a range");
  EXPECT_EQ(why(first + "storage 0 8 float uniform 0 1 after 4294967295\n"),
            "line 2: expected a value that differs from the default");
  EXPECT_EQ(why(first + "storage 0 8 float uniform 0 1 after7\n"),
            "line 2: expected the end of the line");
  for (const char* shares : {"reuse -0.5\n", "reuse nan\n", "reuse 0.5 2\n"})
    EXPECT_EQ(why(first + shares), "line 2: expected up to 60 shares from 0 to 1");
  EXPECT_EQ(why(first + "slots 4000000000\n"), "more slots than there are characters");
  EXPECT_EQ(why(first + "slots 1\nabsent -> 0 %0 float [4611686018427387904,4] [] ; last\n"),
            "line 3: expected sizes that a tensor can have");
  EXPECT_EQ(why(first + "# nothing\n\nslots 0\n"), "");
  for (const char* stream : {"stream 32\n", "stream -1\n", "stream 99999999999\n"})
    EXPECT_EQ(why(first + stream), "line 2: expected a stream from 0 to 31");
  EXPECT_EQ(why(first + "stream 1 2\n"), "line 2: expected the end of the line");
  const std::string group = first + "slots 1\ngroup 0 \"\" []\n";
  EXPECT_EQ(why(group + "communicate barrier 0 0 (t[], t[]) -> ; last\nwait 0 ; last\n"), "");
  EXPECT_EQ(why(group + "communicate gossip 0 0 (t[], t[]) -> ; last\n"),
            "line 4: expected a kind of communication");
  EXPECT_EQ(why(group + "communicate barrier 0 0 (t[]) -> ; last\n"),
            "line 4: expected two lists of tensors");
  EXPECT_EQ(why(group + "communicate barrier 0 0 (t[], 7) -> ; last\n"),
            "line 4: expected two lists of tensors");
  EXPECT_EQ(why(group + "wait 0 ; last\n"), "line 4: expected a communication before it");
  EXPECT_EQ(why(first + "group 0 \"\" [-1]\n"), "line 2: expected a rank");
  EXPECT_NE(why(group + "communicate barrier 1 0 (t[], t[]) -> ; last\n"), "") << "no such group";
  EXPECT_NE(why(group + "communicate send 0 4 peer 1 (t[%3], t[]) -> ; last\n"), "");
  EXPECT_EQ(why(group + "communicate barrier 0 0 delay -1 (t[], t[]) -> ; last\n"),
            "line 4: expected a value that differs from the default");
}

/// What the player relies on.
void expect_sound(const Program& program) {
  const auto expect_spec = [](const TensorSpec& spec) {
    for (const std::int64_t number : spec.sizes) EXPECT_GE(number, 0);
    for (const std::int64_t number : spec.strides) EXPECT_GE(number, 0);
    EXPECT_GE(spec.offset, 0);
  };
  const auto expect_value = [&](const Value& value, const auto& again) -> void {
    EXPECT_TRUE(value.kind != Value::Kind::tensor || value.slot < program.slots);
    for (const Value& item : value.items) again(item, again);
  };
  for (const Storage& storage : program.storages) EXPECT_GE(storage.bytes, 0);
  for (const External& external : program.externals) {
    EXPECT_LT(external.slot, program.slots);
    EXPECT_LT(external.storage, program.storages.size());
    expect_spec(external.spec);
  }
  for (const ReplayStep& step : program.steps) {
    EXPECT_TRUE(step.kind != ReplayStep::Kind::call || step.operation < program.operations.size());
    EXPECT_TRUE(step.kind != ReplayStep::Kind::view ||
                step.arguments.at(0).kind == Value::Kind::tensor);
    for (const Value& value : step.arguments) expect_value(value, expect_value);
    for (const Output& output : step.outputs) {
      EXPECT_LT(output.slot, program.slots);
      expect_spec(output.spec);
    }
    EXPECT_LT(step.stream, kMaxStreams);
    for (const Slot slot : step.last) EXPECT_LT(slot, program.slots);
  }
}

/// `text` with up to four bytes changed, left out or repeated, by `random`'s numbers alone.
std::string damaged(std::string text, std::mt19937& random) {
  static constexpr std::string_view kBytes = "0129-%.[](),;\"\\ aeln\n\t@_";
  for (auto times = random() % 4 + 1; times > 0 && !text.empty(); --times) {
    const std::size_t at = random() % text.size();
    const std::size_t length = std::min<std::size_t>(random() % 6, text.size() - at);
    switch (random() % 4) {
      case 0:
        text.erase(at, length);
        break;
      case 1:
        text.insert(at, text.substr(random() % text.size(), length));
        break;
      case 2:
        text[at] = static_cast<char>(random() & 0xFF);
        break;
      default:
        text[at] = kBytes[random() % kBytes.size()];
    }
  }
  return text;
}

// Whatever a file has become, it is a program that holds together, or an error that names a line.
TEST(Program, DamageIsToldOrHarmless) {
  ReplayPlan plan = everything();
  plan.reuse = {0.75, 0.25};
  ReplayStep stand_in;
  stand_in.kind = ReplayStep::Kind::stand_in;
  stand_in.flops = 4096;
  stand_in.arguments = {a_value(Value::Kind::list), a_value(Value::Kind::list)};
  stand_in.arguments[0].of = Value::Items::tensors;
  stand_in.arguments[0].items = {a_tensor(1), a_tensor(3)};
  stand_in.stream = 7;
  plan.steps.push_back(stand_in);
  const std::string whole = plan_text(plan);
  expect_sound(read_program(whole));
  std::mt19937 random(27);  // NOLINT: the same every time
  int read = 0, predicted = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::string text = damaged(whole, random);
    try {
      expect_sound(read_program(text));
      ++read;
    } catch (const std::runtime_error& error) {
      const std::string why = error.what();
      EXPECT_TRUE(why.starts_with("line ") || why == "more slots than there are characters" ||
                  why.ends_with("comes after a step that is not there"))
          << why;
      ++predicted;
    }
  }
  EXPECT_GT(read, 1000);
  EXPECT_GT(predicted, 1000);
}

}  // namespace
}  // namespace orrery::bench
