// SPDX-License-Identifier: Apache-2.0
//
// Finds formulas for a number of an op from its values in many jobs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "orrery/generative/sizes/formula.h"

namespace orrery::generative {

/// One observation of an op. The referenced values must outlive it.
struct SizeSample {
  const FactorValues* factors = nullptr;
  const OpNumbers* numbers = nullptr;
  std::uint32_t job = 0;
};

/// Formulas of one number of a form, in the order in which to try them. Every formula is exact for
/// samples of at least `min_jobs` jobs; each sample has a formula, or none that explains enough
/// jobs. Numbers before the launches
/// may use kernel sizes and launches; 0 and 1 need fewer jobs. Deterministic. The method is a
/// greedy cover: constants, products with one coefficient, then sums (sparse_sum.h), each fitted to
/// the samples that no earlier formula explains, together or in groups of jobs with the same
/// parallelism. O(samples × products).
[[nodiscard]] std::vector<Formula> mine_formulas(std::span<const SizeSample> samples,
                                                 std::size_t number, std::uint32_t min_jobs);

/// The products of dimensions that formulas use, simple ones first.
[[nodiscard]] const std::vector<Product>& dimension_products();
/// The products of kernel sizes that formulas use, simple ones first.
[[nodiscard]] const std::vector<Product>& size_products();

}  // namespace orrery::generative
