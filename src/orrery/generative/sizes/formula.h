// SPDX-License-Identifier: Apache-2.0
//
// A size as a sum of products of dimensions, or of the kernel sizes of the same op.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "orrery/generative/sizes/factors.h"
#include "orrery/generative/sizes/op_form.h"

namespace orrery::generative {

/// A product of factors over a product of factors. Numbers below kFactors are a Factor; kFactors +
/// i is kernel size i, or kLaunches.
struct Product {
  std::vector<std::uint8_t> above, below;  ///< ascending
  friend auto operator<=>(const Product&, const Product&) = default;
};
inline constexpr std::uint8_t kLaunches = kFactors + graph::kKernelSizes;
inline constexpr std::size_t kMaxProduct = 5;  ///< factors above, or below
inline constexpr std::int64_t kCoefficientUnit = 8;

struct Term {
  std::int64_t eighths = 0;  ///< the coefficient, in units of 1/8
  Product product;
  friend auto operator<=>(const Term&, const Term&) = default;
};
/// A sum; 0 without terms.
using Formula = std::vector<Term>;
inline constexpr std::size_t kMaxTerms = 6;

/// The value of a factor, kernel size or kLaunches.
[[nodiscard]] std::int64_t dimension(std::uint8_t factor, const FactorValues& factors,
                                     const OpNumbers& numbers);

/// The formula of a constant.
[[nodiscard]] Formula constant(std::int64_t value);

/// Whether the formula refers to kernel sizes or launches.
[[nodiscard]] bool uses_sizes(const Formula& formula);

/// The sum, in integers; nullopt if a term is no integer, a divisor is 0, or it is beyond 2^62.
[[nodiscard]] std::optional<std::int64_t> evaluate(const Formula& formula,
                                                   const FactorValues& factors,
                                                   const OpNumbers& numbers);

/// Whether every part is in its range, for formulas from files.
[[nodiscard]] bool is_valid(const Formula& formula);

/// "2 tokens hidden qkv_width / tp + 4 #2"; "#2" is kernel size 2, "#8" the launches.
[[nodiscard]] std::string to_text(const Formula& formula);

}  // namespace orrery::generative
