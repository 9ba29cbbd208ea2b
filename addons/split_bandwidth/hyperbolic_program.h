// SPDX-License-Identifier: Apache-2.0
//
// Sums of largest quotients, minimised: an interior-point method of its own, with a bound that
// proves how good what it finds is.
#pragma once

#include <cstddef>
#include <vector>

namespace orrery::split_bandwidth {

/// Minimise Σ_k max_p m_kp / (w_kp · x) over positive x, where w_kp picks one number of x or sums
/// all of them, subject to a · x = 1, E x = 0 and H x ≥ 0. Convex.
struct HyperbolicProgram {
  static constexpr std::size_t kSum = static_cast<std::size_t>(-1);
  struct Quotient {
    std::size_t of = 0;  ///< which number of x is below; kSum: their sum
    double above = 0;    ///< more than 0
  };
  using Numbers = std::vector<double>;

  std::size_t dims = 0;
  std::vector<std::vector<Quotient>> terms;  ///< none is empty; kSum stands alone in its term
  Numbers scale;                             ///< a: all more than 0
  std::vector<Numbers> equal;                ///< E
  std::vector<Numbers> lower;                ///< H

  /// The sum at a point. O(quotients).
  [[nodiscard]] double value(const Numbers& x) const;
};

struct HyperbolicPoint {
  std::vector<double> x;
  double value = 0;
  double bound = 0;  ///< no point has less: by weak duality, whatever rounding did to x
};

/// From `start`, for which a · x = 1, E x = 0, and H x and x are more than 0, to where value and
/// bound are 1e-9 of the value apart, or as near as doubles come (1e-7 of badly scaled ones).
/// The same bits everywhere: adds, multiplies, divides and takes square roots. Some 100 steps of
/// O(quotients × dims + rows × dims² + dims³).
///
/// The barrier is -log(t (w · x) - m) of each quotient, t its term's value, and -log of each row
/// (Nesterov and Nemirovskii, Interior-Point Polynomial Algorithms in Convex Programming, 1994:
/// both are self-concordant, so that Newton's steps of length 1 / (1 + decrement) stay inside).
[[nodiscard]] HyperbolicPoint minimise(const HyperbolicProgram& program, std::vector<double> start);

}  // namespace orrery::split_bandwidth
