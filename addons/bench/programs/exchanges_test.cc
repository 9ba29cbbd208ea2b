// SPDX-License-Identifier: Apache-2.0
#include "addons/bench/planner/exchanges.h"

#include <gmock/gmock.h>

#include <map>
#include <regex>

#include "addons/bench/plan/program_format.h"
#include "addons/bench/plan/replay_plan_text.h"
#include "addons/bench/planner/bench_testing.h"
#include "addons/bench/programs/generated_program.h"

namespace orrery::bench {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr std::string_view kAllReduce =
    "c10d::allreduce_(Tensor[] tensors, __torch__.torch.classes.c10d.ProcessGroup process_group, "
    "__torch__.torch.classes.c10d.ReduceOp reduce_op, int timeout) -> (Tensor[], "
    "__torch__.torch.classes.c10d.Work)";
constexpr std::string_view kAllGather =
    "c10d::_allgather_base_(Tensor output, Tensor input, "
    "__torch__.torch.classes.c10d.ProcessGroup process_group) -> __torch__.torch.classes.c10d.Work";
constexpr std::string_view kFunctional =
    "_c10d_functional::all_reduce(Tensor input, str reduce_op, str group_name) -> Tensor";

/// all-reduce of [32] floats in place.
NodeLine reduce_node(int id, int tensor_id, int storage) {
  const std::string list = "[" + tensor(tensor_id, storage, 32) + "]";
  return {id,
          "c10d::allreduce_",
          kAllReduce,
          "[" + list + R"(, "<Object>", "<Object>", -1])",
          "[[[32]], [], [], []]",
          R"j(["GenericList[Tensor(float)]", "Object", "Object", "Int"])j",
          "[" + list + R"(, "<Object>"])",
          "[[[32]], []]",
          R"j(["GenericList[Tensor(float)]", "Object"])j"};
}

/// record_param_comms of what it says, with these tensors.
NodeLine record_node(int id, const std::string& sent, const std::string& shape, int sequence,
                     const std::string& name, const std::string& splits, const std::string& made,
                     const std::string& made_shape) {
  const bool none = sent.empty();
  const std::string first = none ? "" : sent + ", ";
  return {id,
          "record_param_comms",
          "",
          "[" + first + std::to_string(sequence) + ", 5, 0, \"" + name + "\", " + splits + "]",
          "[" + (none ? "" : shape + ", ") + "[], [], [], [], [], []]",
          std::string("[") + (none ? "" : R"j("Tensor(float)", )j") +
              R"j("Int", "Int", "Int", "String", "GenericList[]", "GenericList[]"])j",
          made.empty() ? "[]" : "[" + made + "]",
          made.empty() ? "[]" : "[" + made_shape + "]",
          made.empty() ? "[]" : R"j(["Tensor(float)"])j"};
}

PlanOptions with_communication(CommunicationMode how = CommunicationMode::really) {
  PlanOptions options;
  options.communicate = how;
  return options;
}

/// "call", "communicate", "wait 0" …
std::vector<std::string> kinds_of(const ReplayPlan& plan) {
  std::vector<std::string> kinds;
  for (const ReplayStep& step : plan.steps) {
    kinds.emplace_back(program_format::kSteps[static_cast<std::size_t>(step.kind)]);
    if (step.kind == ReplayStep::Kind::wait) kinds.back() += " " + std::to_string(step.exchange);
  }
  return kinds;
}

// What is received is waited for by the first operator that needs it, others go on before.
TEST(Exchanges, AreWaitedForByWhatNeedsThem) {
  const auto plan = plan_of({relu_node(5, 10, 11, 20, 21), reduce_node(6, 20, 21),
                             relu_node(7, 10, 11, 30, 31), relu_node(8, 20, 21, 40, 41)},
                            few_operators(), with_communication());
  ASSERT_TRUE(plan) << to_string(plan.error());
  EXPECT_THAT(kinds_of(*plan), ElementsAre("call", "communicate", "call", "wait 0", "call"));
  ASSERT_THAT(plan->exchanges, SizeIs(1));
  const Exchange& exchange = plan->exchanges.front();
  EXPECT_EQ(exchange.kind, "all_reduce");
  EXPECT_EQ(exchange.bytes, 128);
  const ReplayStep& step = plan->steps[1];
  EXPECT_EQ(plan->sources[step.source].name, "c10d::allreduce_");
  EXPECT_EQ(plan->sources[step.source].how, ReplayMethod::communicated);
  EXPECT_EQ(plan->steps[3].source, step.source) << "waits belong to their communication";
  ASSERT_THAT(step.arguments, SizeIs(2));
  ASSERT_THAT(step.arguments[0].items, SizeIs(1));
  EXPECT_EQ(step.arguments[0].items[0].slot, step.arguments[1].items[0].slot);
  EXPECT_EQ(plan->communications, 0u);
}

/// What a thread of Gloo's did, as it is written where another one's operators are.
NodeLine gloo_node(int id, int tensor_id, int storage, int parent) {
  return {id,       "gloo:all_reduce",
          "",       "[" + tensor(tensor_id, storage, 32) + "]",
          "[[32]]", R"j(["Tensor(float)"])j",
          "[]",     "[]",
          "[]",     parent};
}

// Gloo's threads are written anywhere, and other operators inside of them: each counts once.
TEST(Exchanges, AreThoseThatOperatorsBegan) {
  NodeLine second = reduce_node(8, 30, 31), relu = relu_node(9, 10, 11, 40, 41);
  second.parent = relu.parent = 7;
  const auto plan = plan_of({relu_node(5, 10, 11, 12, 13), reduce_node(6, 20, 21),
                             gloo_node(7, 20, 21, 2), second, relu, gloo_node(10, 30, 31, 2)},
                            few_operators(), with_communication());
  ASSERT_TRUE(plan) << to_string(plan.error());
  EXPECT_THAT(kinds_of(*plan),
              ElementsAre("call", "communicate", "communicate", "call", "wait 0", "wait 1"));
  const auto alone = plan_of({relu_node(5, 10, 11, 12, 13), gloo_node(7, 20, 21, 2)},
                             few_operators(), with_communication());
  ASSERT_TRUE(alone) << to_string(alone.error());
  EXPECT_THAT(alone->exchanges, SizeIs(1)) << "nothing else says that there was one";
}

// What nothing waits for is over at the iteration's end; a second one of the same memory waits for
// the first.
TEST(Exchanges, AreOverAtTheEnd) {
  const auto plan = plan_of({relu_node(4, 10, 11, 12, 13), reduce_node(5, 20, 21),
                             reduce_node(6, 20, 21), reduce_node(7, 30, 31)},
                            few_operators(), with_communication());
  ASSERT_TRUE(plan);
  EXPECT_THAT(kinds_of(*plan), ElementsAre("call", "communicate", "wait 0", "communicate",
                                           "communicate", "wait 1", "wait 2"));
}

// Recorded waits count, by the number of what they wait for; what is only sent may be read on.
TEST(Exchanges, RecordedWaitsAreTaken) {
  const auto plan =
      plan_of({record_node(5, tensor(20, 21, 32), "[32]", 7, "all_to_allv", "[8, 24], [16, 16]",
                           tensor(30, 31, 32), "[32]"),
               relu_node(6, 20, 21, 40, 41), record_node(7, "", "", 8, "wait", "[], []", "", ""),
               relu_node(8, 10, 11, 50, 51), record_node(9, "", "", 7, "wait", "[], []", "", ""),
               relu_node(10, 30, 31, 60, 61)},
              few_operators(), with_communication());
  ASSERT_TRUE(plan) << to_string(plan.error());
  EXPECT_THAT(kinds_of(*plan), ElementsAre("communicate", "call", "call", "wait 0", "call"));
  const Exchange& exchange = plan->exchanges.front();
  EXPECT_THAT(exchange.in_split, ElementsAre(8, 24));
  EXPECT_THAT(exchange.out_split, ElementsAre(16, 16));
}

// An operator that writes what is being sent waits, one that reads it does not.
TEST(Exchanges, WhatIsSentMayNotBeChanged) {
  NodeLine gather{5, "c10d::_allgather_base_", kAllGather};
  gather.inputs = "[" + tensor(30, 31, 64) + ", " + tensor(20, 21, 32) + R"(, "<Object>"])";
  gather.input_shapes = "[[64], [32], []]";
  gather.input_types = R"j(["Tensor(float)", "Tensor(float)", "Object"])j";
  NodeLine add{7, "aten::add_", kAddInPlace};
  add.inputs = "[" + tensor(20, 21, 32) + ", " + tensor(10, 11, 32) + ", 1]";
  add.input_shapes = "[[32], [32], []]";
  add.input_types = R"j(["Tensor(float)", "Tensor(float)", "Int"])j";
  add.outputs = "[" + tensor(20, 21, 32) + "]";
  add.output_shapes = "[[32]]";
  add.output_types = R"j(["Tensor(float)"])j";
  const auto plan =
      plan_of({gather, relu_node(6, 20, 21, 40, 41), add}, few_operators(), with_communication());
  ASSERT_TRUE(plan) << to_string(plan.error());
  EXPECT_THAT(kinds_of(*plan), ElementsAre("communicate", "call", "wait 0", "call"));
  EXPECT_EQ(plan->exchanges.front().kind, "all_gather");
  const ReplayStep& step = plan->steps.front();
  EXPECT_NE(step.arguments[0].items[0].slot, step.arguments[1].items[0].slot);
}

// Operators of the functional kind make what they return.
TEST(Exchanges, FunctionalOnesMakeTheirResult) {
  NodeLine reduce{5, "_c10d_functional::all_reduce", kFunctional};
  reduce.inputs = "[" + tensor(20, 21, 32) + R"(, "sum", "0"])";
  reduce.input_shapes = "[[32], [], []]";
  reduce.input_types = R"j(["Tensor(float)", "String", "String"])j";
  reduce.outputs = "[" + tensor(30, 31, 32) + "]";
  reduce.output_shapes = "[[32]]";
  reduce.output_types = R"j(["Tensor(float)"])j";
  const auto plan =
      plan_of({reduce, relu_node(6, 30, 31, 40, 41)}, few_operators(), with_communication());
  ASSERT_TRUE(plan) << to_string(plan.error());
  EXPECT_THAT(kinds_of(*plan), ElementsAre("communicate", "wait 0", "call"));
  EXPECT_THAT(plan->steps.front().outputs, SizeIs(1));
  EXPECT_THAT(plan->groups, ElementsAre(ProcessGroup{"0", {}, -1}));
}

// What others write is put back before each iteration; a delay writes nothing.
TEST(Exchanges, OnlyRealOnesWrite) {
  for (const auto how :
       {CommunicationMode::no, CommunicationMode::delays, CommunicationMode::really}) {
    const auto plan = plan_of({relu_node(4, 20, 21, 12, 13), reduce_node(5, 20, 21)},
                              few_operators(), with_communication(how));
    ASSERT_TRUE(plan);
    EXPECT_EQ(plan->storages.front().written, how == CommunicationMode::really);
    EXPECT_EQ(plan->communications, how == CommunicationMode::no ? 1u : 0u);
    EXPECT_THAT(plan->exchanges, SizeIs(how == CommunicationMode::no ? 0 : 1));
  }
}

// Plans name communications as profiles do.
TEST(Exchanges, HaveTheKindsOfProfiles) {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < profile::kCommKinds; ++i) {
    const auto kind = static_cast<profile::CommKind>(i);
    if (kind == profile::CommKind::unknown || kind == profile::CommKind::wait) continue;
    names.push_back(profile::name(kind));
    Exchange exchange;
    exchange.kind = names.back();
    EXPECT_EQ(kind_of(exchange), kind) << names.back();
  }
  EXPECT_THAT(program_format::kExchanges, ElementsAreArray(names));
}

// A generated program includes only its own files, and its CMake file builds all of them.
TEST(Exchanges, GeneratedProgramsAreComplete) {
  std::map<std::string, std::string> files;
  for (const GeneratedFile& made : generated_program(ReplayPlan{}))
    EXPECT_TRUE(files.emplace(made.name, made.text).second) << made.name;
  const std::string cmake = files.at("CMakeLists.txt");
  const std::regex include(R"re(#include "([^"]+)")re");
  for (const auto& [name, text] : files) {
    for (std::sregex_iterator one(text.begin(), text.end(), include), end; one != end; ++one)
      EXPECT_TRUE(files.contains((*one)[1])) << name << " includes " << (*one)[1];
    if (!name.ends_with(".cc")) continue;
    EXPECT_THAT(cmake, HasSubstr(name));
    const std::string header = name.substr(0, name.size() - 2) + "h";
    if (files.contains(header)) {
      EXPECT_THAT(text, HasSubstr("#include \"" + header + "\""));
    }
  }
}

TEST(Exchanges, ProgramsOfTheirOwnNameNoGroups) {
  ReplayPlan plan;
  plan.groups = {{"secret", {0, 1}, 2}};
  plan.exchanges.resize(1);
  plan.exchanges.front().kind = "barrier";
  EXPECT_THAT(plan_text(plan), HasSubstr("group 0 \"secret\" [0,1]\n"));
  for (const GeneratedFile& made : generated_program(plan)) {
    EXPECT_EQ(made.text.find("secret"), std::string::npos) << made.name;
    if (made.name == "README.md") {
      EXPECT_THAT(made.text, HasSubstr("other ranks (1 of them)"));
    }
    if (made.name == "benchmark.txt") {
      EXPECT_THAT(made.text, HasSubstr("group 0 \"\" [0,1]\n"));
    }
  }
}

TEST(Exchanges, ABarrierIsWaitedForAtOnce) {
  const auto plan =
      plan_of({relu_node(4, 20, 21, 12, 13), record_node(5, "", "", 3, "barrier", "[], []", "", ""),
               relu_node(6, 20, 21, 14, 15)},
              few_operators(), with_communication());
  ASSERT_TRUE(plan);
  EXPECT_THAT(kinds_of(*plan), ElementsAre("call", "communicate", "wait 0", "call"));
}

TEST(Exchanges, ImpossibleTensorsAreAnError) {
  NodeLine reduce = reduce_node(5, 20, 21);
  reduce.input_shapes = "[[[1152921504606846976, 4096]], [], [], []]";
  const auto plan =
      plan_of({relu_node(4, 20, 21, 12, 13), reduce}, few_operators(), with_communication());
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().code, Errc::input_range);
  EXPECT_EQ(plan.error().where, "test.json: node 5");
}

}  // namespace
}  // namespace orrery::bench
