// SPDX-License-Identifier: Apache-2.0
//
// Counts a step: runs of each body times its contents.
#include "orrery/workload/program/step_count.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "orrery/workload/spec/lora_targets.h"

namespace orrery::workload {
namespace {

using graph::CollectiveType;
using graph::NodeKind;

/// Axis and type of traffic.
using TrafficKey = std::pair<Axis, std::string_view>;

/// Sums for one rank or for all ranks.
struct Sums {
  Total nodes = 0;
  FlopCount flops;
  std::array<FormatFlops, graph::kFormats> formats{};
  Total bytes = 0;
  struct Traffic {
    Total executions = 0;  ///< runs, summed over ranks
    Total payload = 0;
  };
  std::map<TrafficKey, Traffic> traffic;

  /// Adds `ranks` times the sums of one rank.
  void add(const Sums& one, Total ranks) {
    nodes += one.nodes * ranks;
    flops.forward += one.flops.forward * ranks;
    flops.backward += one.flops.backward * ranks;
    flops.recompute += one.flops.recompute * ranks;
    flops.vector += one.flops.vector * ranks;
    flops.optimizer += one.flops.optimizer * ranks;
    for (std::size_t i = 0; i < formats.size(); ++i) {
      formats[i].model += one.formats[i].model * ranks;
      formats[i].hardware += one.formats[i].hardware * ranks;
    }
    bytes += one.bytes * ranks;
    for (const auto& [key, of_one] : one.traffic) {
      Traffic& sum = traffic[key];
      sum.executions += of_one.executions * ranks;
      sum.payload += of_one.payload * ranks;
    }
  }
};

std::string_view type_of(const Op& op) {
  if (op.kind == NodeKind::send) return "send";
  if (op.kind == NodeKind::recv) return "recv";
  return graph::name(op.collective);
}

void add_flops(const Op& op, Total times, FlopCount& flops) {
  const auto matmul = static_cast<Total>(op.matmul), redone = static_cast<Total>(op.repeated_flops);
  const auto vector = static_cast<Total>(op.vector);
  if (op.op_class == OpClass::optimizer) {
    flops.optimizer += times * (matmul + vector);
    return;
  }
  flops.vector += times * vector;
  switch (op.phase) {
    case Phase::forward:
      flops.forward += times * (matmul - redone);
      flops.recompute += times * redone;
      break;
    case Phase::input_grad:
    case Phase::weight_grad:
      flops.backward += times * (matmul - redone);
      flops.recompute += times * redone;
      break;
    case Phase::recompute:
      flops.recompute += times * matmul;
      break;
    case Phase::step:
      flops.optimizer += times * matmul;
      break;
  }
}

void add_traffic(const Op& op, Total times, Sums& sums) {
  Sums::Traffic& traffic = sums.traffic[{op.axis, type_of(op)}];
  traffic.executions += times;
  traffic.payload += times * static_cast<Total>(op.size);
}

void add(const Op& op, Total times, Sums& sums) {
  if (op.op_class == OpClass::copy) return;
  sums.nodes += times;
  if (op.kind == NodeKind::comp) {
    const Total model = sums.flops.model(), hardware = sums.flops.hardware();
    add_flops(op, times, sums.flops);
    FormatFlops& format = sums.formats[static_cast<std::size_t>(op.kernel.a)];
    format.model += sums.flops.model() - model;
    format.hardware += sums.flops.hardware() - hardware;
    sums.bytes += times * static_cast<Total>(op.bytes);
  } else if (op.op_class != OpClass::transfer) {
    add_traffic(op, times, sums);
  }
}

/// Number of runs of bodies in one step of one rank of the role.
class Executions {
 public:
  explicit Executions(const Program& program) : program_(program), times_(program.bodies.size()) {}

  Sums of(const Role& role) {
    std::vector<Total> of_recipe(role.recipes.size(), 0);
    for (const TaskLoop& loop : role.tasks) {
      for (const Task& task : loop.tasks) of_recipe[task.recipe] += loop.count;
    }
    for (std::size_t recipe = 0; recipe < role.recipes.size(); ++recipe) {
      for (const Segment& segment : role.recipes[recipe])
        run(segment.body, of_recipe[recipe] * segment.count);
    }
    Sums sums;
    for (const std::uint32_t body : ran_) {
      for (const Op& op : program_.bodies[body].ops) add(op, times_[body], sums);
      times_[body] = 0;
    }
    ran_.clear();
    return sums;
  }

 private:
  void run(std::uint32_t body, Total times) {
    if (times == 0) return;
    if (times_[body] == 0) ran_.push_back(body);
    times_[body] += times;
  }

  const Program& program_;
  std::vector<Total> times_;        // runs by body; 0 between roles
  std::vector<std::uint32_t> ran_;  // bodies with runs
};

/// Bytes on the wire for full buffers of `payload` bytes in total on a ring of `n` ranks: Thakur,
/// Rabenseifner, Gropp, "Optimization of Collective Communication Operations in MPICH" (2005),
/// section 4, bandwidth terms. All-to-all sends each piece directly.
Total wire(std::string_view type, Total payload, Total n) {
  const Total part = payload - payload / n;  // (n-1)/n, rounded up
  if (type == "send") return payload;
  if (type == "recv" || type == "barrier") return 0;
  if (type == "all_reduce") return 2 * payload - 2 * payload / n;
  return part;
}

std::vector<TrafficCount> list(const Program& program, const Sums& sums, bool all_ranks) {
  std::vector<TrafficCount> out;
  out.reserve(sums.traffic.size());
  for (const auto& [key, traffic] : sums.traffic) {
    const auto& [axis, type] = key;
    TrafficCount count;
    count.axis = axis;
    count.type = type;
    count.group_size = program.mesh.extent(axis);
    const bool message = type == "send" || type == "recv";
    const Total sharing = all_ranks && !message ? count.group_size : 1;
    count.operations = traffic.executions / sharing;
    count.payload = traffic.payload;
    if (type == graph::name(CollectiveType::all_gather)) count.payload *= count.group_size;
    count.wire = wire(type, count.payload, count.group_size);
    out.push_back(std::move(count));
  }
  return out;
}

/// The formats with matrix products, by model FLOPs, descending.
std::vector<FormatFlops> list(const std::array<FormatFlops, graph::kFormats>& sums) {
  std::vector<FormatFlops> made;
  for (std::size_t i = 0; i < sums.size(); ++i)
    if (sums[i].hardware > 0)
      made.push_back({static_cast<graph::Format>(i), sums[i].model, sums[i].hardware});
  std::stable_sort(made.begin(), made.end(),
                   [](const auto& a, const auto& b) { return a.model > b.model; });
  return made;
}

/// Sum of the weights of the role's parts; `of` selects weights of a part.
template <class Of>
Weights weights_of(const Program& program, const Role& role, Of of) {
  Weights sum;
  for (const std::vector<PartRun>& chunk : role.chunks) {
    for (const PartRun& run : chunk) {
      const Weights weights = of(program.parts[run.part]);
      sum.dense += weights.dense * run.count;
      sum.replicated += weights.replicated * run.count;
      sum.expert += weights.expert * run.count;
      sum.matrices += weights.matrices * run.count;
      sum.tables += weights.tables * run.count;
    }
  }
  return sum;
}

/// Tokens of a step; images or samples for families without tokens.
std::int64_t tokens_per_step(const Spec& spec) {
  switch (spec.model.kind) {
    case ModelKind::decoder:
    case ModelKind::encoder:
      return spec.global_batch() * spec.batch.seq;
    case ModelKind::encoder_decoder:
      return spec.global_batch() * (spec.batch.seq + spec.source_seq());
    case ModelKind::vit:
    case ModelKind::dit:
    case ModelKind::resnet:
    case ModelKind::dlrm:
      break;
  }
  return spec.global_batch();
}

/// Weights of the model in this job: a position table has as many rows as a sequence has tokens.
ParameterCount parameters_of(const Spec& spec) {
  Model model = spec.model;
  if (model.positions == Positions::learned && model.max_positions == 0)
    model.max_positions = spec.batch.seq;
  return count_parameters(model);
}

}  // namespace

std::string to_string(Total value) {
  std::string digits;
  do {
    digits.push_back(static_cast<char>('0' + static_cast<int>(value % 10)));
    value /= 10;
  } while (value != 0);
  std::reverse(digits.begin(), digits.end());
  return digits;
}

double to_double(Total value) { return static_cast<double>(value); }

bool has_tokens(const Spec& spec) {
  return spec.model.kind == ModelKind::decoder || spec.model.kind == ModelKind::encoder ||
         spec.model.kind == ModelKind::encoder_decoder;
}

Result<StepCount> count(const Program& program) {
  StepCount out;
  Sums all;
  Executions executions(program);
  for (std::uint32_t i = 0; i < program.roles.size(); ++i) {
    const Role& role = program.roles[i];
    const Sums one = executions.of(role);
    all.add(one, role.ranks);
    RoleCount counted;
    counted.role = i;
    counted.nodes = static_cast<std::uint64_t>(one.nodes);
    counted.flops = one.flops;
    counted.bytes = one.bytes;
    counted.weights = weights_of(program, role, [](const Part& part) { return part.weights; });
    counted.trained = weights_of(program, role, [](const Part& part) { return part.trained(); });
    counted.traffic = list(program, one, false);
    out.roles.push_back(std::move(counted));
    out.ranks += role.ranks;
  }
  out.nodes = all.nodes;
  out.flops = all.flops;
  out.formats = list(all.formats);
  out.bytes = all.bytes;
  out.traffic = list(program, all, true);
  out.parameters = parameters_of(program.spec);
  out.adapters = count_adapters(program.spec);
  out.tokens = tokens_per_step(program.spec);
  if (out.bytes != 0) out.intensity = to_double(out.flops.all()) / to_double(out.bytes);
  return out;
}

std::uint32_t outermost_dimension(const graph::GroupAxis& axis,
                                  std::span<const std::int64_t> dims) {
  std::uint64_t ranks = 1;
  for (const std::int64_t size : dims) ranks *= static_cast<std::uint64_t>(size);
  std::uint64_t reach = 0;  // distance from a group's first member to its last
  for (const graph::GroupAxis::Digit& digit : axis.digits)
    reach += std::uint64_t{digit.stride} * (digit.count - 1) * digit.step;
  if (reach == 0) return 0;
  std::uint32_t outermost = 0;
  for (std::uint64_t rank = 0; rank + reach < ranks; ++rank) {
    const auto first = static_cast<std::uint32_t>(rank);
    if (!axis.has(first) || axis.first(first) != first) continue;
    std::uint64_t before = 1;  // number of ranks with the same coordinates from dimension d on
    for (std::uint32_t d = 0; d < dims.size(); ++d) {
      if (d > outermost && rank / before != (rank + reach) / before) outermost = d;
      before *= static_cast<std::uint64_t>(dims[d]);
    }
  }
  return outermost;
}

}  // namespace orrery::workload
