// SPDX-License-Identifier: Apache-2.0
#include "orrery/profile/scopes/scopes.h"

#include <gmock/gmock.h>

#include <string>

#include "orrery/profile/link/launching_host_testing.h"
#include "orrery/profile/link/link.h"
#include "orrery/profile/profile_testing.h"

namespace orrery::profile {
namespace {

using testing::ElementsAre;

/// Two steps of a model with layers on one thread, gradients on another; a kernel for each
/// operator. A layer takes 10 us forward, 10 backward, steps 1,000.
class Training {
 public:
  explicit Training(std::int32_t layers, Kind kind = Kind::python,
                    std::string name = "nn.Module: Block_")
      : layers_(layers), kind_(kind), name_(std::move(name)) {}

  Profile take(std::int32_t steps = 2) {
    for (std::int32_t step = 0; step < steps; ++step) add_step(step);
    Profile made = make.take();
    (void)attach(made, make.findings);
    return made;
  }

  Maker make;
  bool recomputes = false;
  std::int64_t operators_of_one = 1;  // of the layer in the middle

 private:
  void add_step(std::int32_t step) {
    const std::int64_t at = 1000 * step;
    make.annotation(main_, "ProfilerStep#" + std::to_string(step + 7), at, 990);
    const bool modules = kind_ == Kind::python;
    make.op(main_, modules ? "nn.Module: Encoder_0" : "encoder", at + 10, 10 * layers_, kind_);
    const std::int64_t first = sequence_;
    for (std::int32_t layer = 0; layer < layers_; ++layer)
      add_layer(main_, at + 10 + 10 * layer, layer);
    add(main_, "aten::loss", at + 400, -1);
    for (std::int32_t layer = layers_ - 1; layer >= 0; --layer) {
      const std::int64_t begins = at + 500 + 10 * (layers_ - 1 - layer);
      const EventId node =
          make.op(autograd_, "autograd::engine::evaluate_function: MmBackward0", begins, 9);
      make.op_of(node).sequence = first + layer;
      make.op_of(node).forward_thread = 1;
      if (recomputes) add_layer(autograd_, begins, layer, true);
      add(autograd_, "aten::mm", begins + 6, -1);
    }
    add(main_, "aten::norm", at + 800, -1);
    make.annotation(main_, "Optimizer.step#SGD.step", at + 850, 50);
    add(main_, "aten::add_", at + 860, -1);
  }

  void add_layer(std::uint32_t lane, std::int64_t at, std::int32_t layer, bool again = false) {
    make.op(lane, name_ + std::to_string(layer), at, again ? 5 : 9, kind_);
    add(lane, "aten::mm", at + 1, again ? -1 : sequence_++);
    for (std::int64_t more = 1; layer == layers_ / 2 && more < operators_of_one; ++more)
      make.op(lane, "aten::view", at + 5 + more, 1);
  }

  void add(std::uint32_t lane, std::string_view name, std::int64_t at, std::int64_t sequence) {
    const EventId op = make.op(lane, name, at, 3);
    make.op_of(op).sequence = sequence;
    make.call(lane, "cudaLaunchKernel", at + 1, 1, ++correlation_);
    make.kernel(stream_, std::string(name) + " kernel",
                10 * static_cast<std::int64_t>(correlation_) + 20'000, 9, correlation_);
  }

  std::int32_t layers_;
  Kind kind_;
  std::string name_;
  std::uint32_t main_ = make.thread(1), autograd_ = make.thread(2), stream_ = make.stream(7);
  std::int64_t sequence_ = 100;
  std::uint64_t correlation_ = 0;
};

/// Of kernels in order: "7 forward 0", or with - for what is not said.
std::vector<std::string> predicted(const Profile& profile) {
  std::vector<std::string> made;
  const std::vector<StepScope> scopes = find_scopes(profile);
  const char* const names[] = {"-", "forward", "backward", "optimizer"};
  for (EventId e = 0; e < profile.events.size(); ++e) {
    if (profile.events[e].kind != Kind::kernel) continue;
    const StepScope& scope = scopes[e];
    made.push_back((scope.step < 0 ? "-" : std::to_string(scope.step)) + " " +
                   names[static_cast<std::size_t>(scope.phase)] + " " +
                   (scope.layer < 0 ? "-" : std::to_string(scope.layer)));
  }
  return made;
}

TEST(Scopes, KernelsAreOfStepPhaseAndLayer) {
  const auto kernels = predicted(Training(3).take());
  EXPECT_THAT(kernels, ElementsAre("7 forward 0", "7 forward 1", "7 forward 2", "7 forward -",
                                   "7 backward 2", "7 backward 1", "7 backward 0", "7 optimizer -",
                                   "7 optimizer -", "8 forward 0", "8 forward 1", "8 forward 2",
                                   "8 forward -", "8 backward 2", "8 backward 1", "8 backward 0",
                                   "8 optimizer -", "8 optimizer -"));
}

TEST(Scopes, UsersRangesAreLayersIfTheySaySo) {
  EXPECT_EQ(predicted(Training(3, Kind::annotation, "layer ").take(1))[1], "7 forward 1");
  EXPECT_EQ(predicted(Training(3, Kind::annotation, "h.block.").take(1))[4], "7 backward 2");
  EXPECT_EQ(predicted(Training(3, Kind::annotation, "microbatch ").take(1))[1], "7 forward -");
}

TEST(Scopes, RangesOfLayersAreOfTheirPhase) {
  const Profile profile = Training(3, Kind::annotation, "layer ").take();
  const std::vector<StepScope> scopes = find_scopes(profile);
  for (EventId e = 0; e < profile.events.size(); ++e) {
    if (profile.name(e).starts_with("layer ")) {
      EXPECT_EQ(scopes[e].phase, StepPhase::forward);
    } else if (profile.name(e).starts_with("ProfilerStep")) {
      EXPECT_EQ(scopes[e].phase, StepPhase::unsaid);
    }
  }
}

TEST(Scopes, WhatRunsForwardAgainIsBackward) {
  Training training(2);
  training.recomputes = true;
  EXPECT_THAT(
      predicted(training.take(1)),
      ElementsAre("7 forward 0", "7 forward 1", "7 forward -", "7 backward 1", "7 backward 1",
                  "7 backward 0", "7 backward 0", "7 optimizer -", "7 optimizer -"));
}

TEST(Scopes, RangesThatAreNotAlikeAreNoLayers) {
  Training training(5);
  training.operators_of_one = 3;
  EXPECT_EQ(predicted(training.take(1))[1], "7 forward -");
}

TEST(Scopes, PartsOfSeveralRangesAreNoLayers) {
  Maker make;
  const auto main = make.thread(1);
  for (std::int64_t part = 0; part < 2; ++part) {
    make.python(main, "nn.Module: Stage_" + std::to_string(part), 100 * part, 90);
    for (std::int64_t i = 0; i <= part + 1; ++i) {
      make.python(main, "nn.Module: Bottleneck_" + std::to_string(3 * part + i),
                  100 * part + 20 * i, 19);
      make.op(main, "aten::conv2d", 100 * part + 20 * i + 1, 5);
    }
  }
  const Profile profile = make.take();
  for (const StepScope& scope : find_scopes(profile)) EXPECT_EQ(scope.layer, -1);
}

TEST(Scopes, ExecutionTracesWithoutTimesSayThemToo) {
  Maker make;
  const auto main = make.thread(1);
  std::uint64_t id = 0;
  const EventId step = make.node(main, "ProfilerStep#3", ++id);
  std::vector<EventId> products;
  for (int layer = 0; layer < 3; ++layer) {
    const EventId range = make.node(main, "layer " + std::to_string(layer), ++id, step);
    products.push_back(make.node(main, "aten::mm", ++id, range));
    make.op_of(products.back()).sequence = 10 + layer;
  }
  const EventId back =
      make.node(make.thread(2), "autograd::engine::evaluate_function: MmBackward0", ++id);
  make.op_of(back).sequence = 11;
  const EventId under = make.node(make.thread(2), "aten::mm", ++id, back);
  const std::vector<StepScope> scopes = find_scopes(make.take());
  for (int layer = 0; layer < 3; ++layer)
    EXPECT_EQ(scopes[products[static_cast<std::size_t>(layer)]],
              (StepScope{.step = 3, .layer = layer, .phase = StepPhase::forward}));
  EXPECT_EQ(scopes[under], (StepScope{.layer = 1, .phase = StepPhase::backward}));
}

TEST(Scopes, NothingIsSaidWhereNothingIsWritten) {
  LaunchingHost host;
  host.launch(0, 5, 7);
  for (const StepScope& scope : find_scopes(host.take())) {
    EXPECT_EQ(scope.step, -1);
    EXPECT_EQ(scope.layer, -1);
    EXPECT_EQ(scope.phase, StepPhase::unsaid);
  }
}

TEST(Scopes, PhasesAreSaidByNames) {
  const auto user = [](std::string_view name) { return phase_of_range(Kind::annotation, name); };
  EXPECT_EQ(user("## forward ##"), StepPhase::forward);
  EXPECT_EQ(user("DistributedDataParallel.forward"), StepPhase::forward);
  EXPECT_EQ(user("FSDP::pre_backward_unshard"), StepPhase::backward);
  EXPECT_EQ(user("Optimizer.zero_grad#SGD.zero_grad"), StepPhase::optimizer);
  EXPECT_EQ(user("forward and backward"), StepPhase::unsaid);
  EXPECT_EQ(user("forwarded"), StepPhase::unsaid);
  EXPECT_EQ(phase_of_range(Kind::op, "my::forward"), StepPhase::unsaid);
  EXPECT_EQ(phase_of_range(Kind::op, "autograd::engine::evaluate_function: X"),
            StepPhase::backward);
  EXPECT_EQ(phase_of_range(Kind::op, "AddmmBackward0"), StepPhase::backward);
  EXPECT_EQ(phase_of_range(Kind::op, "## forward ##"), StepPhase::forward);
  EXPECT_EQ(phase_of_range(Kind::python, "nn.Module: Linear_3"), StepPhase::forward);
  EXPECT_EQ(phase_of_range(Kind::python, "<built-in method forward>"), StepPhase::unsaid);
}

}  // namespace
}  // namespace orrery::profile
