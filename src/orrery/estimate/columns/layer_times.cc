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

constexpr std::uint32_t kFew = 4;  // layers; twice as many tell what one takes
constexpr std::array kKinds{TaskKind::forward, TaskKind::backward, TaskKind::input_grad,
                            TaskKind::weight_grad};
constexpr double kOfHost =
    0.9;  // of a pass that hosts may take to launch it, and not be in the way

std::size_t number_of(Place place) { return static_cast<std::size_t>(place); }

/// Which layers and ends a pass goes through.
struct Through {
  bool embedding = false, head = false;
  std::uint32_t layers = kFew;
};

constexpr std::array<Through, 4> kThrough{Through{}, Through{false, false, 2 * kFew},
                                          Through{true, false, kFew}, Through{false, true, kFew}};

/// Without recipes; ranks of ring attention have other roles than their neighbours.
Program on_one_stage(const Spec& spec) {
  Program program = empty_program(spec);
  if (spec.parallel.cp == 1 || spec.parallel.cp_method != workload::ContextMethod::ring)
    return program;
  (void)workload::number_roles(program);  // which fails for tables only
  program.roles.clear();
  for (std::uint32_t number = 0; number < workload::role_count(program); ++number) {
    workload::Role& role = program.roles.emplace_back();
    role.where = workload::position_of(program, number);
    role.ranks = workload::ranks_of(program, role.where);
    role.name = workload::role_name(role.where);
  }
  return program;
}

/// Passes of a model, alone on all roles of a program.
class Alone {
 public:
  Alone(const Spec& spec, const std::vector<LoweredPart>& parts, const PartsByPlace& at,
        OpCosts& costs)
      : parts_(parts), at_(at), costs_(costs), program_(on_one_stage(spec)) {}

  Result<void> learn(bool split) {
    Spec open = program_.spec;
    open.parallel.sharding = workload::Sharding::none;
    const workload::DataParallel data(open, program_.mesh);
    workload::BodyTable bodies(program_.bodies, true);
    workload::PassWriter passes(parts_, data, 0, 1, bodies);
    for (std::size_t kind = 0; kind < (split ? 4u : 2u); ++kind)
      for (const Through& through : kThrough)
        add_recipe(passes.pass(chunk(through), {.kind = kKinds[kind]}));
    auto times = costs_.of(program_);
    if (!times) return tl::unexpected(times.error());
    times_ = *std::move(times);
    quiet_ = times_;
    for (auto& body : quiet_.of)
      for (OpCosts::Cost& cost : body) cost.each_launch = 0;
    return {};
  }

  /// What one more round of such passes takes, in a row of them.
  Result<double> round(std::initializer_list<std::size_t> recipes) {
    const auto played = [&](std::uint32_t rounds) -> Result<double> {
      workload::TaskLoop loop{{}, rounds, 1};
      for (const std::size_t recipe : recipes)
        loop.tasks.push_back({TaskKind::forward, 0, static_cast<std::uint32_t>(recipe), 0});
      for (workload::Role& role : program_.roles) role.tasks = {loop};
      const auto end = schedule_ops(program_, quiet_);
      if (!end) return tl::unexpected(end.error());
      return static_cast<double>(end->count());
    };
    const auto few = played(2), more = played(3);
    if (!few) return few;
    if (!more) return more;
    return *more - *few;
  }

  /// What passes of a kind take, by what they go through.
  struct Rounds {
    double few = 0, twice = 0, with_embedding = 0, with_head = 0;
  };
  /// `before`: kinds that run before it in a round, and what these take.
  Result<Rounds> rounds(std::size_t kind, std::initializer_list<std::size_t> before,
                        std::initializer_list<const Rounds*> taken) {
    Rounds out;
    double* const into[] = {&out.few, &out.twice, &out.with_embedding, &out.with_head};
    double Rounds::*const fields[] = {&Rounds::few, &Rounds::twice, &Rounds::with_embedding,
                                      &Rounds::with_head};
    for (std::size_t i = 0; i < kThrough.size(); ++i) {
      Result<double> all = 0.0;
      const std::size_t own = kind * kThrough.size() + i;
      if (before.size() == 0) {
        all = round({own});
      } else if (before.size() == 1) {
        all = round({*before.begin() * kThrough.size() + i, own});
      } else {
        all = round({*before.begin() * kThrough.size() + i,
                     *(before.begin() + 1) * kThrough.size() + i, own});
      }
      if (!all) return tl::unexpected(all.error());
      *into[i] = *all;
      for (const Rounds* other : taken) *into[i] -= other->*fields[i];
    }
    return out;
  }

  /// Kernels of a kind of pass: of one layer, or of an end.
  template <class Visit>
  void each_op(std::size_t kind, Place place, Visit visit) const {
    const std::size_t variant = place == Place::layer ? 0 : place == Place::embedding ? 2 : 3;
    const auto& recipe = program_.roles.front().recipes[kind * kThrough.size() + variant];
    const auto& plain = program_.roles.front().recipes[kind * kThrough.size()];
    for (const workload::Segment& segment : recipe) {
      const bool of_layers = std::any_of(plain.begin(), plain.end(), [&](const auto& other) {
        return other.body == segment.body;
      });
      if (of_layers != (place == Place::layer)) continue;
      const auto& ops = program_.bodies[segment.body].ops;
      for (std::size_t i = 0; i < ops.size(); ++i) visit(ops[i], times_.of[segment.body][i]);
    }
  }

 private:
  void add_recipe(const std::vector<workload::Segment>& recipe) {
    for (workload::Role& role : program_.roles) role.recipes.push_back(recipe);
  }
  [[nodiscard]] workload::Chunk chunk(const Through& through) const {
    workload::Chunk out;
    const auto add = [&](Place place, std::uint32_t count, std::int32_t layer) {
      const std::int32_t part = at_[number_of(place)];
      if (part >= 0) out.parts.push_back({static_cast<std::uint32_t>(part), count, layer});
    };
    if (through.embedding) add(Place::embedding, 1, -1);
    add(Place::layer, through.layers, 0);
    if (through.head) add(Place::head, 1, -1);
    return out;
  }

  const std::vector<LoweredPart>& parts_;
  const PartsByPlace& at_;
  OpCosts& costs_;
  Program program_;
  OpCosts::Times times_, quiet_;  // quiet: as if nobody had to launch kernels
};

double& half(PassTimes& of, std::size_t kind) {
  return kind == 0 ? of.forward : kind == 2 ? of.input : of.weight;
}

/// Of whole backward passes the weight half has all, unless they are split.
void set_parts(LayerTimes& times, const Alone::Rounds& of, std::size_t kind) {
  const double layer = (of.twice - of.few) / kFew;
  half(times.parts[number_of(Place::layer)].duration, kind) = layer;
  half(times.parts[number_of(Place::embedding)].duration, kind) = of.with_embedding - of.few;
  half(times.parts[number_of(Place::head)].duration, kind) = of.with_head - of.few;
  half(times.concurrent, kind) = of.few - kFew * layer;
}

Result<void> set_times(LayerTimes& times, Alone& alone, bool split) {
  const auto forward = alone.rounds(0, {}, {});
  if (!forward) return tl::unexpected(forward.error());
  set_parts(times, *forward, 0);
  if (!split) {
    const auto backward = alone.rounds(1, {0}, {&*forward});
    if (!backward) return tl::unexpected(backward.error());
    set_parts(times, *backward, 1);
    return {};
  }
  const auto input = alone.rounds(2, {0}, {&*forward});
  if (!input) return tl::unexpected(input.error());
  set_parts(times, *input, 2);
  const auto weight = alone.rounds(3, {0, 2}, {&*forward, &*input});
  if (!weight) return tl::unexpected(weight.error());
  set_parts(times, *weight, 3);
  return {};
}

/// A part's ops on their streams, from when all are free.
class PartLine {
 public:
  /// When it starts.
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

/// The first collective of a group, until somebody waits for it.
struct FirstExchange {
  bool met = false, awaited = false;
  workload::Stream stream = workload::stream::none, marks = workload::stream::none;
  double duration = 0;

  [[nodiscard]] bool holds_up(const Op& op) const {
    return met && !awaited && std::any_of(op.waits.begin(), op.waits.end(), [&](auto wait) {
             return wait != workload::stream::none && (wait == stream || wait == marks);
           });
  }
};

/// A part's kernels in one kind of pass; what hosts take to launch them.
double set_part(LayerTimes& times, const Alone& alone, std::size_t kind, Place place) {
  PartTimes& part = times.parts[number_of(place)];
  double launching = 0;
  PartLine line;
  std::array<FirstExchange, kLayerGroups.size()> first{};
  alone.each_op(kind, place, [&](const Op& op, const OpCosts::Cost& cost) {
    const auto duration = static_cast<double>(cost.duration);
    const double start = line.run(op, duration);
    if (op.op_class == workload::OpClass::copy) return;
    for (std::size_t i = 0; i < first.size(); ++i) {
      if (first[i].holds_up(op)) {
        first[i].awaited = true;
        half(part.lead[i], kind) = std::max(0.0, start - first[i].duration);
      }
      if (op.kind != graph::NodeKind::coll || op.axis != kLayerGroups[i]) continue;
      if (!first[i].met) first[i] = {true, false, op.stream, op.marks, duration};
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

/// Kernels of all passes; whether hosts are quick enough.
bool set_kernels(LayerTimes& times, const Alone& alone, bool split) {
  bool quick = true;
  const std::array<std::size_t, 3> kinds{0, split ? 2u : 1u, 3};
  for (std::size_t i = 0; i < (split ? 3u : 2u); ++i) {
    for (const Place place : {Place::embedding, Place::layer, Place::head}) {
      const double launching = set_part(times, alone, kinds[i], place);
      const double duration = half(times.parts[number_of(place)].duration, kinds[i]);
      if (place == Place::layer && launching > kOfHost * duration) quick = false;
    }
  }
  return quick;
}

}  // namespace

Result<LayerTimes> layer_times(const Spec& spec, bool split, OpCosts& costs) {
  Spec whole = spec;
  whole.parallel.dp *= whole.parallel.pp;
  whole.parallel.pp = 1;
  whole.parallel.sharding = workload::Sharding::none;
  const auto model = workload::lower(whole, workload::Mesh(whole), {});
  if (!model) return tl::unexpected(model.error());
  const auto at = places_of(*model);
  ORRERY_CHECK(at);
  LayerTimes times;
  Alone alone(whole, model->parts, *at, costs);
  if (auto done = alone.learn(split); !done) return tl::unexpected(done.error());
  if (auto done = set_times(times, alone, split); !done) return tl::unexpected(done.error());
  times.estimated = set_kernels(times, alone, split);
  return times;
}

}  // namespace orrery::estimate
