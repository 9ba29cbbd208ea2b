// SPDX-License-Identifier: Apache-2.0
//
// Minimizes sums of maxima of quotients by an interior-point method, with a lower bound that proves
// the quality of the result.
#pragma once

#include <cstddef>
#include <vector>

namespace orrery::split_bandwidth {

/// Minimize Σ_k max_p m_kp / (w_kp · x) over positive x, where w_kp selects one component of x or
/// the sum of all, subject to a · x = 1, E x = 0 and H x ≥ 0. Convex.
struct HyperbolicProgram {
  static constexpr std::size_t kSum = static_cast<std::size_t>(-1);
  struct Quotient {
    std::size_t of = 0;  ///< component of x in the denominator; kSum: the sum of all
    double above = 0;    ///< numerator, above 0
  };
  using Numbers = std::vector<double>;

  std::size_t dims = 0;
  /// No term is empty; a quotient with kSum is alone in its term.
  std::vector<std::vector<Quotient>> terms;
  Numbers scale;               ///< a: all components above 0
  std::vector<Numbers> equal;  ///< E
  std::vector<Numbers> lower;  ///< H

  /// The objective at `x`. O(quotients).
  [[nodiscard]] double value(const Numbers& x) const;
};

struct HyperbolicPoint {
  std::vector<double> x;
  double value = 0;
  double bound = 0;  ///< lower bound over all points: by weak duality, independent of rounding in x
};

/// Starts at `start`, where a · x = 1, E x = 0, H x > 0 and x > 0. Stops when value and bound
/// differ by 1e-9 of the value, or as close as doubles allow (1e-7 for badly scaled programs).
/// Identical bits on all machines: uses only additions, multiplications, divisions and square
/// roots. About 100 steps of O(quotients × dims + rows × dims² + dims³).
///
/// The barrier is -log(t (w · x) - m) for each quotient, with t the value of its term, and -log for
/// each row (Nesterov and Nemirovskii, Interior-Point Polynomial Algorithms in Convex Programming,
/// 1994: both are self-concordant, so that Newton steps of length 1 / (1 + decrement) stay inside).
[[nodiscard]] HyperbolicPoint minimize(const HyperbolicProgram& program, std::vector<double> start);

}  // namespace orrery::split_bandwidth
