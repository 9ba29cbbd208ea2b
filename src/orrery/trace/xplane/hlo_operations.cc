// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/xplane/hlo_operations.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "orrery/graph/kernel.h"
#include "orrery/hlo/lower/costs.h"
#include "orrery/hlo/lower/device_groups.h"

namespace orrery::trace::xplane {
namespace {

using hlo::Instruction;
using hlo::OpClass;
using hlo::Shape;
using profile::CommKind;
using profile::kNone;

/// Adds the arrays of a shape: those of a tuple one by one.
void add_arrays(const Shape& shape, std::vector<const Shape*>& to) {
  if (!shape.is_tuple()) {
    if (hlo::bits_of(shape.type) > 0) to.push_back(&shape);
    return;
  }
  for (const Shape& part : shape.parts) add_arrays(part, to);
}

std::vector<const Shape*> arrays_of_operands(const hlo::Computation& computation,
                                             const Instruction& operation) {
  std::vector<const Shape*> arrays;
  for (const std::uint32_t operand : operation.operands)
    add_arrays(computation.operations[operand].shape, arrays);
  return arrays;
}

CommKind comm_kind(const hlo::Opcode& opcode) {
  if (opcode.op_class == OpClass::permute) return CommKind::coalesced;
  if (opcode.op_class != OpClass::collective || !opcode.collective) return CommKind::unknown;
  switch (*opcode.collective) {
    case CollectiveType::all_reduce:
      return CommKind::all_reduce;
    case CollectiveType::all_gather:
      return CommKind::all_gather;
    case CollectiveType::reduce_scatter:
      return CommKind::reduce_scatter;
    case CollectiveType::all_to_all:
      return CommKind::all_to_all;
    case CollectiveType::broadcast:
      return CommKind::broadcast;
    default:
      return CommKind::unknown;
  }
}

/// Bytes of arrays in elements of `element_bytes`.
std::int64_t elements_of(const std::vector<const Shape*>& arrays, std::int32_t element_bytes) {
  std::int64_t bytes = 0;
  for (const Shape* array : arrays) bytes = hlo::saturating_sum(bytes, array->bytes());
  return element_bytes > 0 ? bytes / element_bytes : -1;
}

}  // namespace

HloOperations::HloOperations(const std::map<std::uint64_t, hlo::Program>& programs,
                             std::uint32_t device, profile::Profile& profile)
    : programs_(programs), device_(device), profile_(profile) {}

OperationUse HloOperations::find(std::uint64_t program, StringId name) {
  // Works of an operation follow each other.
  if (last_ && last_->first == std::pair(program, name)) return last_->second;
  const auto [known, added] = known_.try_emplace({program, name});
  if (added) known->second = add(program, name);
  last_.emplace(*known);
  return known->second;
}

OperationUse HloOperations::add(std::uint64_t program, StringId name) {
  OperationUse use;
  const auto found = programs_.find(program);
  if (found != programs_.end()) {
    Places& places = places_[program];
    if (places.empty())
      for (const hlo::Computation& computation : found->second.computations)
        for (const Instruction& operation : computation.operations)
          places.try_emplace(operation.name, Place{&computation, &operation});
    if (const auto place = places.find(profile_.string(name)); place != places.end()) {
      use.captured = add_captured(found->second, place->second, name);
      use.comm = add_comm(found->second, place->second, name);
      return use;
    }
  }
  use.captured = static_cast<std::uint32_t>(profile_.captured.size());
  profile_.captured.push_back({.name = name});
  return use;
}

std::uint32_t HloOperations::add_captured(const hlo::Program& program, const Place& place,
                                          StringId name) {
  std::vector<std::string> dims, types;
  for (const Shape* array : arrays_of_operands(*place.computation, *place.operation)) {
    dims.push_back(fmt::format("[{}]", fmt::join(array->dims, ", ")));
    types.push_back(fmt::format("\"{}\"", hlo::name(array->type)));
  }
  profile::CapturedOperator captured{.name = name};
  captured.dims = profile_.strings->intern(fmt::format("[{}]", fmt::join(dims, ", ")));
  captured.types = profile_.strings->intern(fmt::format("[{}]", fmt::join(types, ", ")));
  const hlo::OperationCost cost = hlo::cost_of(program, *place.computation, *place.operation);
  if (cost.known && comm_kind(*place.operation->opcode) == CommKind::unknown) {
    graph::Kernel kernel = cost.kernel;
    kernel.flops = hlo::saturating_sum(cost.product_flop, cost.other_flop);
    kernel.bytes = hlo::saturating_sum(cost.read, cost.written);
    captured.concrete = profile_.strings->intern(graph::to_text(kernel));
  }
  profile_.captured.push_back(captured);
  return static_cast<std::uint32_t>(profile_.captured.size() - 1);
}

std::uint32_t HloOperations::add_comm(const hlo::Program& program, const Place& place,
                                      StringId name) {
  const hlo::Computation* computation = place.computation;
  const Instruction* operation = place.operation;
  if (operation->opcode->op_class == OpClass::async_start && !operation->called.empty()) {
    computation = &program.computations[operation->called.front()];
    operation = &computation->operations[computation->root];
  }
  const CommKind kind = comm_kind(*operation->opcode);
  if (kind == CommKind::unknown) return kNone;
  const auto in = arrays_of_operands(*computation, *operation);
  // The value of a start has its inputs and its outputs.
  std::vector<const Shape*> out;
  const Shape& shape = operation->shape;
  const bool starts = operation->opcode->name.ends_with("_start") && shape.parts.size() > 1 &&
                      operation->opcode->name != "all_reduce_start";
  add_arrays(starts ? shape.parts[1] : shape, out);
  profile::Comm comm;
  comm.kind = kind;
  comm.name = name;
  if (!in.empty()) {
    comm.element_bytes = std::max(hlo::bits_of(in.front()->type) / 8, 1);
    comm.dtype = profile_.strings->intern(hlo::name(in.front()->type));
    comm.in_elements = elements_of(in, comm.element_bytes);
    comm.out_elements = elements_of(out, comm.element_bytes);
  }
  comm.group = add_group(program, *operation, comm.group_size);
  if (comm.group_size == 1) return kNone;
  profile_.comms.push_back(comm);
  return static_cast<std::uint32_t>(profile_.comms.size() - 1);
}

std::uint32_t HloOperations::add_group(const hlo::Program& program, const Instruction& operation,
                                       std::int32_t& size) {
  const auto groups = hlo::device_groups(program, operation, profile_.where);
  if (!groups) return kNone;
  std::vector<std::uint32_t> members;
  for (const auto& group : groups->groups)
    if (std::find(group.begin(), group.end(), device_) != group.end()) members = group;
  for (const auto& [from, to] : groups->pairs) {
    members.push_back(from);
    members.push_back(to);
  }
  if (!groups->pairs.empty()) {
    std::sort(members.begin(), members.end());
    members.erase(std::unique(members.begin(), members.end()), members.end());
  }
  if (members.empty()) return kNone;
  size = static_cast<std::int32_t>(members.size());
  const std::string name = fmt::format("{}", fmt::join(members, ","));
  const auto [known, added] =
      groups_.try_emplace(name, static_cast<std::uint32_t>(profile_.groups.size()));
  if (added)
    profile_.groups.push_back(
        {.name = name, .description = "program", .ranks = members, .size = size});
  return known->second;
}

}  // namespace orrery::trace::xplane
