// SPDX-License-Identifier: Apache-2.0
#include "orrery/generative/sizes/formula.h"

#include <fmt/format.h>

#include <algorithm>

namespace orrery::generative {
namespace {

constexpr std::int64_t kLargest = std::int64_t{1} << 62;
__extension__ using Wide = __int128;

std::string factor_text(std::uint8_t factor) {
  return factor < kFactors ? std::string(factor_name(static_cast<Factor>(factor)))
                           : fmt::format("#{}", factor - kFactors);
}

bool multiply(Wide& product, std::int64_t by) {
  return !__builtin_mul_overflow(product, static_cast<Wide>(by), &product);
}

}  // namespace

std::int64_t dimension(std::uint8_t factor, const FactorValues& factors, const OpNumbers& numbers) {
  if (factor == kLaunches) return numbers[static_cast<std::size_t>(Number::launches)];
  return factor < kFactors ? factors[factor] : numbers[kFirstSize + factor - kFactors];
}

Formula constant(std::int64_t value) {
  if (value == 0) return {};
  return {Term{value * kCoefficientUnit, Product{}}};
}

bool uses_sizes(const Formula& formula) {
  return std::any_of(formula.begin(), formula.end(), [](const Term& term) {
    return (!term.product.above.empty() && term.product.above.back() >= kFactors) ||
           (!term.product.below.empty() && term.product.below.back() >= kFactors);
  });
}

std::optional<std::int64_t> evaluate(const Formula& formula, const FactorValues& factors,
                                     const OpNumbers& numbers) {
  Wide sum = 0;
  for (const Term& term : formula) {
    Wide above = term.eighths, below = kCoefficientUnit;
    for (const std::uint8_t factor : term.product.above)
      if (!multiply(above, dimension(factor, factors, numbers))) return std::nullopt;
    for (const std::uint8_t factor : term.product.below)
      if (!multiply(below, dimension(factor, factors, numbers))) return std::nullopt;
    if (below == 0 || above % below != 0) return std::nullopt;
    const Wide value = above / below;
    if (value > kLargest || value < -kLargest) return std::nullopt;
    sum += value;
  }
  if (sum > kLargest || sum < -kLargest) return std::nullopt;
  return static_cast<std::int64_t>(sum);
}

bool is_valid(const Formula& formula) {
  const auto in_range = [](const std::vector<std::uint8_t>& factors) {
    return factors.size() <= kMaxProduct && std::is_sorted(factors.begin(), factors.end()) &&
           (factors.empty() || factors.back() <= kLaunches);
  };
  return formula.size() <= kMaxTerms &&
         std::all_of(formula.begin(), formula.end(), [&](const Term& term) {
           return term.eighths != 0 && in_range(term.product.above) && in_range(term.product.below);
         });
}

std::string to_text(const Formula& formula) {
  if (formula.empty()) return "0";
  std::string text;
  for (const Term& term : formula) {
    if (!text.empty()) text += " + ";
    text += fmt::format("{}", static_cast<double>(term.eighths) / kCoefficientUnit);
    for (const std::uint8_t factor : term.product.above) text += " " + factor_text(factor);
    if (!term.product.below.empty()) text += " /";
    for (const std::uint8_t factor : term.product.below) text += " " + factor_text(factor);
  }
  return text;
}

}  // namespace orrery::generative
