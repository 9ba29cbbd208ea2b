// SPDX-License-Identifier: Apache-2.0
#include "orrery/estimate/columns/layer_times.h"

#include <algorithm>
#include <vector>

#include "orrery/core/check.h"
#include "orrery/estimate/program/op_schedule.h"
#include "orrery/workload/assembly/pass_writer.h"
#include "orrery/workload/assembly/roles.h"

namespace orrery::estimate {

using workload::LoweredPart;
using workload::Op;
using workload::Program;
using workload::Spec;
using workload::TaskKind;

namespace {

// Layers in a pass. Passes with twice as many give the time of one layer.
constexpr std::uint32_t kProbeLayers = 4;
constexpr std::array kKinds{TaskKind::forward, TaskKind::backward, TaskKind::input_grad,
                            TaskKind::weight_grad};
// Maximum share of a pass that kernel launches on the host may take without limiting its speed.
constexpr double kMaxHostShare = 0.9;

std::size_t number_of(Place place) { return static_cast<std::size_t>(place); }

/// Layers and ends of the model in a pass.
struct PassContent {
  bool embedding = false, head = false;
  std::uint32_t layers = kProbeLayers;
};

constexpr std::array<PassContent, 4> kPassContents{
    PassContent{}, PassContent{false, false, 2 * kProbeLayers},
    PassContent{true, false, kProbeLayers}, PassContent{false, true, kProbeLayers}};

/// A program without recipes. With ring attention, neighbors have different roles.
Program on_one_stage(const Spec& spec) {
  Program program = empty_program(spec);
  if (spec.parallel.cp == 1 || spec.parallel.cp_method != workload::ContextMethod::ring)
    return program;
  (void)workload::number_roles(program);  // fails for embedding tables only
  program.roles.clear();
  for (std::uint32_t number = 0; number < workload::role_count(program); ++number) {
    workload::Role& role = program.roles.emplace_back();
    role.where = workload::position_of(program, number);
    role.ranks = workload::ranks_of(program, role.where);
    role.name = workload::role_name(role.where);
  }
  return program;
}

/// Passes of a model, run alone on all roles of a program.
class IsolatedPasses {
 public:
  IsolatedPasses(const Spec& spec, const std::vector<LoweredPart>& parts, const PartsByPlace& at,
                 OpCosts& costs)
      : parts_(parts), at_(at), costs_(costs), program_(on_one_stage(spec)) {}

  Result<void> learn(bool split) {
    Spec open = program_.spec;
    open.parallel.sharding = workload::Sharding::none;
    const workload::DataParallel data(open, program_.mesh);
    workload::BodyTable bodies(program_.bodies, true);
    workload::PassWriter passes(parts_, data, 0, 1, bodies);
    for (std::size_t kind = 0; kind < (split ? 4u : 2u); ++kind)
      for (const PassContent& content : kPassContents)
        add_recipe(passes.pass(chunk(content), {.kind = kKinds[kind]}));
    auto times = costs_.costs_of(program_);
    if (!times) return tl::unexpected(times.error());
    times_ = *std::move(times);
    without_launches_ = times_;
    for (auto& body : without_launches_.costs)
      for (OpCosts::Cost& cost : body) cost.each_launch = 0;
    return {};
  }

  /// Duration of one more round in a sequence of rounds of these passes.
  Result<double> round(const std::vector<std::size_t>& recipes) {
    const auto played = [&](std::uint32_t rounds) -> Result<double> {
      workload::TaskLoop loop{{}, rounds, 1};
      for (const std::size_t recipe : recipes)
        loop.tasks.push_back({TaskKind::forward, 0, static_cast<std::uint32_t>(recipe), 0});
      for (workload::Role& role : program_.roles) role.tasks = {loop};
      const auto end = schedule_ops(program_, without_launches_);
      if (!end) return tl::unexpected(end.error());
      return static_cast<double>(end->count());
    };
    const auto probe = played(2), more = played(3);
    if (!probe) return probe;
    if (!more) return more;
    return *more - *probe;
  }

  /// Durations of passes of one kind, by what they run through.
  struct Rounds {
    double probe = 0, twice = 0, with_embedding = 0, with_head = 0;
  };
  /// `before`: kinds of passes that run earlier in a round; `taken`: their durations.
  Result<Rounds> rounds(std::size_t kind, std::initializer_list<std::size_t> before,
                        std::initializer_list<const Rounds*> taken) {
    constexpr std::array kFields{&Rounds::probe, &Rounds::twice, &Rounds::with_embedding,
                                 &Rounds::with_head};
    Rounds out;
    for (std::size_t i = 0; i < kFields.size(); ++i) {
      std::vector<std::size_t> recipes;
      for (const std::size_t earlier : before) recipes.push_back(earlier * kFields.size() + i);
      recipes.push_back(kind * kFields.size() + i);
      const auto all = round(recipes);
      if (!all) return tl::unexpected(all.error());
      out.*kFields[i] = *all;
      for (const Rounds* other : taken) out.*kFields[i] -= other->*kFields[i];
    }
    return out;
  }

  /// Visits the ops of one kind of pass: those of one layer, or of an end.
  template <class Visit>
  void each_op(std::size_t kind, Place place, Visit visit) const {
    const std::size_t variant = place == Place::layer ? 0 : place == Place::embedding ? 2 : 3;
    const auto& recipe = program_.roles.front().recipes[kind * kPassContents.size() + variant];
    const auto& plain = program_.roles.front().recipes[kind * kPassContents.size()];
    for (const workload::Segment& segment : recipe) {
      const bool of_layers = std::any_of(plain.begin(), plain.end(), [&](const auto& other) {
        return other.body == segment.body;
      });
      if (of_layers != (place == Place::layer)) continue;
      const auto& ops = program_.bodies[segment.body].ops;
      for (std::size_t i = 0; i < ops.size(); ++i) visit(ops[i], times_.costs[segment.body][i]);
    }
  }

 private:
  void add_recipe(const std::vector<workload::Segment>& recipe) {
    for (workload::Role& role : program_.roles) role.recipes.push_back(recipe);
  }
  [[nodiscard]] workload::Chunk chunk(const PassContent& content) const {
    workload::Chunk out;
    const auto add = [&](Place place, std::uint32_t count, std::int32_t layer) {
      const std::int32_t part = at_[number_of(place)];
      if (part >= 0) out.parts.push_back({static_cast<std::uint32_t>(part), count, layer});
    };
    if (content.embedding) add(Place::embedding, 1, -1);
    add(Place::layer, content.layers, 0);
    if (content.head) add(Place::head, 1, -1);
    return out;
  }

  const std::vector<LoweredPart>& parts_;
  const PartsByPlace& at_;
  OpCosts& costs_;
  Program program_;
  OpCosts::ProgramCosts times_, without_launches_;
};

double& half(PassTimes& of, std::size_t kind) {
  return kind == 0 ? of.forward : kind == 2 ? of.input : of.weight;
}

/// Stores complete backward passes as `weight`, unless they are split.
void set_parts(LayerTimes& times, const IsolatedPasses::Rounds& of, std::size_t kind) {
  const double layer = (of.twice - of.probe) / kProbeLayers;
  half(times.parts[number_of(Place::layer)].duration, kind) = layer;
  half(times.parts[number_of(Place::embedding)].duration, kind) = of.with_embedding - of.probe;
  half(times.parts[number_of(Place::head)].duration, kind) = of.with_head - of.probe;
  half(times.pass_overhead, kind) = of.probe - kProbeLayers * layer;
}

Result<void> set_times(LayerTimes& times, IsolatedPasses& passes, bool split) {
  const auto forward = passes.rounds(0, {}, {});
  if (!forward) return tl::unexpected(forward.error());
  set_parts(times, *forward, 0);
  if (!split) {
    const auto backward = passes.rounds(1, {0}, {&*forward});
    if (!backward) return tl::unexpected(backward.error());
    set_parts(times, *backward, 1);
    return {};
  }
  const auto input = passes.rounds(2, {0}, {&*forward});
  if (!input) return tl::unexpected(input.error());
  set_parts(times, *input, 2);
  const auto weight = passes.rounds(3, {0, 2}, {&*forward, &*input});
  if (!weight) return tl::unexpected(weight.error());
  set_parts(times, *weight, 3);
  return {};
}

/// Schedules the ops of a part on streams that are all free at the start.
class PartScheduler {
 public:
  /// Returns the start of the op.
  double run(const Op& op, double duration) {
    double start = op.op_class == workload::OpClass::copy ? 0 : ends_[op.stream];
    for (const workload::Stream wait : op.waits)
      if (wait != workload::stream::none) start = std::max(start, ends_[wait]);
    ends_[op.stream] = start + duration;
    if (op.marks != workload::stream::none) ends_[op.marks] = start + duration;
    return start;
  }

 private:
  std::array<double, 256> ends_{};
};

/// The first collective of a group, and whether an op already waited for it.
struct FirstExchange {
  bool seen = false, awaited = false;
  workload::Stream stream = workload::stream::none, marks = workload::stream::none;
  double duration = 0;

  [[nodiscard]] bool waits_for(const Op& op) const {
    return seen && !awaited && std::any_of(op.waits.begin(), op.waits.end(), [&](auto wait) {
             return wait != workload::stream::none && (wait == stream || wait == marks);
           });
  }
};

/// Sets the kernels of a part in one kind of pass; returns their launch time on the host.
double set_part(LayerTimes& times, const IsolatedPasses& passes, std::size_t kind, Place place) {
  PartTimes& part = times.parts[number_of(place)];
  double launching = 0;
  PartScheduler line;
  std::array<FirstExchange, kLayerGroups.size()> first{};
  passes.each_op(kind, place, [&](const Op& op, const OpCosts::Cost& cost) {
    const auto duration = static_cast<double>(cost.duration);
    const double start = line.run(op, duration);
    if (op.op_class == workload::OpClass::copy) return;
    for (std::size_t i = 0; i < first.size(); ++i) {
      if (first[i].waits_for(op)) {
        first[i].awaited = true;
        half(part.lead[i], kind) = std::max(0.0, start - first[i].duration);
      }
      if (op.kind != graph::NodeKind::coll || op.axis != kLayerGroups[i]) continue;
      if (!first[i].seen) first[i] = {true, false, op.stream, op.marks, duration};
      Op& largest = times.exchange[i];
      if (place == Place::layer && op.size > largest.size) largest = op;
    }
    if (op.kind != graph::NodeKind::comp) return;
    half(cost.product ? part.products : part.others, kind) += duration;
    launching += static_cast<double>(cost.each_launch * cost.launches);
    Op& largest = cost.product ? times.product : times.other;
    if (op.bytes > largest.bytes) largest = op;
  });
  for (std::size_t i = 0; i < first.size(); ++i)
    if (!first[i].awaited) half(part.lead[i], kind) = half(part.duration, kind);
  return launching;
}

/// Sets the kernels of all passes; returns whether the host launches them fast enough.
bool set_kernels(LayerTimes& times, const IsolatedPasses& passes, bool split) {
  bool quick = true;
  const std::array<std::size_t, 3> kinds{0, split ? 2u : 1u, 3};
  for (std::size_t i = 0; i < (split ? 3u : 2u); ++i) {
    for (const Place place : {Place::embedding, Place::layer, Place::head}) {
      const double launching = set_part(times, passes, kinds[i], place);
      const double duration = half(times.parts[number_of(place)].duration, kinds[i]);
      if (place == Place::layer && launching > kMaxHostShare * duration) quick = false;
    }
  }
  return quick;
}

}  // namespace

Result<LayerTimes> layer_times(const Spec& spec, bool split, OpCosts& costs) {
  Spec one_stage = spec;
  one_stage.parallel.dp *= one_stage.parallel.pp;
  one_stage.parallel.pp = 1;
  one_stage.parallel.sharding = workload::Sharding::none;
  const auto model = workload::lower(one_stage, workload::Mesh(one_stage), {});
  if (!model) return tl::unexpected(model.error());
  const auto at = places_of(*model);
  ORRERY_CHECK(at);
  LayerTimes times;
  IsolatedPasses passes(one_stage, model->parts, *at, costs);
  if (auto done = passes.learn(split); !done) return tl::unexpected(done.error());
  if (auto done = set_times(times, passes, split); !done) return tl::unexpected(done.error());
  times.estimated = set_kernels(times, passes, split);
  return times;
}

}  // namespace orrery::estimate
