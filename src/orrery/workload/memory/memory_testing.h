// SPDX-License-Identifier: Apache-2.0
//
// Hand-written programs, for tests of the memory accounting.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "orrery/workload/memory/memory_report.h"
#include "orrery/workload/program/program.h"
#include "orrery/workload/schedule/pipeline_order.h"

namespace orrery::workload {

inline TaskKind task_kind(Pass pass) {
  switch (pass) {
    case Pass::forward:
      return TaskKind::forward;
    case Pass::backward:
      return TaskKind::backward;
    case Pass::input_grad:
      return TaskKind::input_grad;
    case Pass::weight_grad:
      break;
  }
  return TaskKind::weight_grad;
}

/// A layer that stores `retained` bytes, also between the halves of its backward pass, and needs
/// `working` bytes more while it runs.
inline Part layer(std::int64_t retained, std::int64_t working = 0, Weights weights = {}) {
  Part part;
  part.name = "layer";
  part.is_layer = true;
  part.weights = weights;
  part.retained = part.split_backward_tensors = {{"input", retained}};
  if (working != 0) part.working_tensors = {{"working", working}};
  return part;
}

/// A role with these chunks and slots; all its tasks share an empty recipe.
inline Role role_of(std::vector<std::vector<PartRun>> chunks, const std::vector<Slot>& slots) {
  Role role;
  role.name = "stage 0";
  role.ranks = 1;
  role.chunks = std::move(chunks);
  role.recipes = {{}};
  for (const Slot& slot : slots) {
    role.tasks.push_back({{{task_kind(slot.pass), slot.chunk, 0, slot.microbatch}}, 1, 0});
  }
  return role;
}

inline Program program_of(const Spec& spec, std::vector<Part> parts, std::vector<Role> roles) {
  Program program;
  program.spec = spec;
  program.mesh = Mesh(spec);
  program.parts = std::move(parts);
  program.roles = std::move(roles);
  return program;
}

inline std::int64_t sum_of(const std::vector<MemoryItem>& items) {
  std::int64_t total = 0;
  for (const MemoryItem& item : items) total += item.bytes;
  return total;
}

/// Items of a kind whose name begins with `prefix`.
inline std::int64_t sum_of(const std::vector<MemoryItem>& items, MemoryKind kind,
                           const std::string& prefix = "") {
  std::int64_t total = 0;
  for (const MemoryItem& item : items) {
    if (item.kind == kind && item.name.rfind(prefix, 0) == 0) total += item.bytes;
  }
  return total;
}

}  // namespace orrery::workload
