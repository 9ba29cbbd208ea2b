// SPDX-License-Identifier: Apache-2.0
//
// Queries on lowered parts and models, for tests.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/workload/operators/lowered_model.h"
#include "orrery/workload/operators/lowered_model_testing.h"

namespace orrery::workload {

/// FLOPs of matrix products, weights and retained bytes of a part or a model, on one rank for one
/// microbatch. Products that are recomputed or repeated by other ranks are separate.
struct Sums {
  std::int64_t forward = 0;
  std::int64_t input_grad = 0;
  std::int64_t weight_grad = 0;
  std::int64_t recompute = 0;
  std::int64_t repeated_flops = 0;
  std::int64_t weights = 0;
  std::int64_t retained = 0;

  [[nodiscard]] std::int64_t backward() const { return input_grad + weight_grad; }
};

inline void add_ops(Sums& sums, const std::vector<Op>& ops, std::int64_t times = 1) {
  for (const Op& op : ops) {
    const std::int64_t once = times * (op.matmul - op.repeated_flops);
    sums.repeated_flops += times * op.repeated_flops;
    if (op.phase == Phase::forward) sums.forward += once;
    if (op.phase == Phase::input_grad) sums.input_grad += once;
    if (op.phase == Phase::weight_grad) sums.weight_grad += once;
    if (op.phase == Phase::recompute) sums.recompute += once;
  }
}

inline void add_part(Sums& sums, const LoweredPart& part, std::int64_t times = 1) {
  add_ops(sums, part.forward, times);
  add_ops(sums, part.backward, times);
  sums.weights += times * part.part.weights.total();
  for (const RetainedTensor& item : part.part.retained) sums.retained += times * item.bytes;
}

inline Sums sums_of(const LoweredPart& part) {
  Sums sums;
  add_part(sums, part);
  return sums;
}

inline Sums sums_of(const LoweredModel& model) {
  Sums sums;
  for (const PartRun& run : model.order) add_part(sums, model.parts[run.part], run.count);
  return sums;
}

/// Ops of this name, in order.
inline std::vector<Op> ops_named(const std::vector<Op>& ops, std::string_view name) {
  std::vector<Op> found;
  for (const Op& op : ops)
    if (op.name == name) found.push_back(op);
  return found;
}

/// The only op of this name.
inline Op only_op(const std::vector<Op>& ops, std::string_view name) {
  const std::vector<Op> found = ops_named(ops, name);
  EXPECT_EQ(found.size(), 1U) << name;
  return found.empty() ? Op{} : found.front();
}

inline std::size_t place_of(const std::vector<Op>& ops, std::string_view name) {
  for (std::size_t i = 0; i < ops.size(); ++i)
    if (ops[i].name == name) return i;
  ADD_FAILURE() << "no op is called " << name;
  return ops.size();
}

/// "moe.dispatch all_to_all ep 1024", one for each collective.
inline std::vector<std::string> collectives(const std::vector<Op>& ops) {
  std::vector<std::string> found;
  for (const Op& op : ops) {
    if (op.kind != graph::NodeKind::coll) continue;
    found.push_back(std::string(op.name) + ' ' + std::string(graph::name(op.collective)) + ' ' +
                    std::string(name(op.axis)) + ' ' + std::to_string(op.size));
  }
  return found;
}

}  // namespace orrery::workload
