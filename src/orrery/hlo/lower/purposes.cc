// SPDX-License-Identifier: Apache-2.0
#include "orrery/hlo/lower/purposes.h"

#include <algorithm>
#include <set>

namespace orrery::hlo {

namespace {

OpClass class_of(const FlatProgram& flat, std::uint32_t step) {
  return flat.steps[step].operation->opcode->op_class;
}

bool is_product(const FlatProgram& flat, std::uint32_t step) {
  const OpClass is = class_of(flat, step);
  return is == OpClass::dot || is == OpClass::convolution || is == OpClass::fusion ||
         is == OpClass::custom_call;
}

/// By step: whether its value reaches a product.
std::vector<bool> reaching_products(const FlatProgram& flat) {
  std::vector<bool> reaches(flat.steps.size(), false);
  for (std::size_t i = flat.steps.size(); i-- > 0;) {
    const auto step = static_cast<std::uint32_t>(i);
    if (!reaches[step] && !is_product(flat, step)) continue;
    for (const std::uint32_t input : flat.steps[step].inputs) reaches[input] = true;
  }
  return reaches;
}

/// What computes the input of a collective.
struct Origin {
  bool reduced = false;   ///< reductions …
  bool computed = false;  ///< products, or operations on many more elements than the collective has
};

/// Statistics of several kinds, or those of several layers, are often one array.
constexpr std::int64_t kManyMore = 16;

/// Looks at the operations before a collective of `most` elements that have not many more elements,
/// up to reductions, products, other collectives and inputs of the program.
Origin origin_of(const FlatProgram& flat, std::uint32_t step, std::int64_t most) {
  constexpr std::size_t kMostSteps = 4096;
  std::vector<std::uint32_t> open = flat.steps[step].inputs;
  std::set<std::uint32_t> seen(open.begin(), open.end());
  Origin origin;
  while (!open.empty() && seen.size() < kMostSteps) {
    const std::uint32_t at = open.back();
    open.pop_back();
    const OpClass is = class_of(flat, at);
    if (is == OpClass::reduce) {
      origin.reduced = true;
    } else if (is_product(flat, at) || is == OpClass::scatter) {
      origin.computed = true;
    } else if (is == OpClass::collective || is == OpClass::parameter) {
      continue;
    } else if (flat.steps[at].operation->shape.elements() / kManyMore > most) {
      origin.computed = true;
    } else {
      for (const std::uint32_t input : flat.steps[at].inputs)
        if (seen.insert(input).second) open.push_back(input);
    }
  }
  return origin;
}

/// The purpose of a collective whose value reaches no product: it only changes outputs.
Purpose of_output(const Step& step, const Origin& origin,
                  const std::set<std::vector<std::int64_t>>& inputs) {
  for (const std::uint32_t operand : step.operation->operands)
    if (inputs.count(step.computation->operations[operand].shape.dims) == 0)
      return Purpose::results;
  return origin.reduced || origin.computed ? Purpose::gradients : Purpose::state;
}

}  // namespace

void set_purposes(const FlatProgram& flat, const std::map<std::uint32_t, std::uint32_t>& task_of,
                  std::vector<DeviceTask>& tasks) {
  const bool communicates = std::any_of(tasks.begin(), tasks.end(), [](const DeviceTask& task) {
    return task.kind == TaskKind::collective;
  });
  if (!communicates) return;
  const std::vector<bool> reaches = reaching_products(flat);
  std::set<std::vector<std::int64_t>> inputs;  // shapes of the program's inputs
  for (const Step& step : flat.steps)
    if (step.operation->opcode->op_class == OpClass::parameter &&
        step.operation->shape.elements() > 1)
      inputs.insert(step.operation->shape.dims);
  for (const auto& [step, number] : task_of) {
    DeviceTask& task = tasks[number];
    if (task.kind != TaskKind::collective) continue;
    const Origin origin = origin_of(flat, step, task.elements);
    if (!reaches[step])
      task.purpose = of_output(flat.steps[step], origin, inputs);
    else if (origin.reduced && !origin.computed)
      task.purpose = Purpose::statistics;
    else
      task.purpose = Purpose::activations;
  }
}

}  // namespace orrery::hlo
