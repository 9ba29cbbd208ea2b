// SPDX-License-Identifier: Apache-2.0
//
// Shared parts of tests of measured tables: synthetic rows.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "orrery/model/kernels/table/measured_table.h"

namespace orrery::model::testing_tables {

inline graph::Kernel toy_gemm(std::int64_t m, std::int64_t n, std::int64_t k) {
  graph::Kernel kernel;
  kernel.operation = graph::Operation::gemm;
  kernel.a = kernel.b = kernel.out = graph::Format::bf16;
  kernel.sizes = {m, n, k};
  return kernel;
}

/// The time at 100 TFLOP/s and 1 TB/s, plus 3 us per launch.
inline double smooth_seconds(const graph::Kernel& kernel) {
  const MinimumWork work = minimum_work(canonical(kernel));
  return work.flops / 100e12 + work.bytes / 1e12 + 3e-6;
}

inline MeasuredRows toy_rows(const std::vector<graph::Kernel>& kernels) {
  MeasuredRows rows;
  rows.where = "toy.csv";
  rows.devices = {"toy-1"};
  for (const graph::Kernel& kernel : kernels)
    rows.rows.push_back(
        {0, kernel, smooth_seconds(kernel), static_cast<std::uint32_t>(rows.rows.size() + 2)});
  return rows;
}

/// All combinations of m, n, k from 64, 128 … 64 · 2^(count - 1).
inline std::vector<graph::Kernel> toy_grid(int count) {
  std::vector<graph::Kernel> kernels;
  for (int m = 0; m < count; ++m)
    for (int n = 0; n < count; ++n)
      for (int k = 0; k < count; ++k)
        kernels.push_back(
            toy_gemm(std::int64_t{64} << m, std::int64_t{64} << n, std::int64_t{64} << k));
  return kernels;
}

inline Silicon toy_device(std::string name) {
  Silicon silicon;
  silicon.name = std::move(name);
  return silicon;
}

}  // namespace orrery::model::testing_tables
