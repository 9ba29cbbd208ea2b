// SPDX-License-Identifier: Apache-2.0
//
// The eight-parameter curve of Lin et al. for memory and collectives.
#pragma once

#include <cstdint>
#include <span>

#include "orrery/graph/graph.h"
#include "orrery/model/collective/curves/size_curve.h"

namespace orrery::model {

/// Time as a function of p = log2(bytes): constant below ln_p, a rate that grows as a sigmoid in
/// the middle, the full rate above sats_p. Source: Lin et al. (TPDS 2024) section 4 and their code;
/// the middle region is that of the code, bandwidth = 10^(L / (1 + exp(-k (p - x0))) + b).
struct LinCurve {
  double ln_p = 0, sats_p = 0;
  double max_bw = 0;       ///< GB/s
  double overhead_us = 0;  ///< t_s
  double L = 0, x0 = 0, k = 0, b = 0;

  /// Microseconds for a buffer of `bytes`. `factor`: bytes on the bus per byte of the buffer.
  [[nodiscard]] double operator()(std::int64_t bytes, double factor = 1) const;
};

/// The definition of an all-to-all's size when ranks send different amounts.
enum class UnevenSize : std::uint8_t {
  sum,            ///< bytes that all ranks together send to one
  max_one_way,    ///< maximum bytes that any rank sends, or receives: the choice of Lin et al.
  max_both_ways,  ///< maximum bytes that any rank sends and receives together
};
/// The size of the even exchange that is equivalent to an uneven one: bytes of one rank's buffer,
/// the argument of LinCurve. `to_each`: bytes that each rank sends to every other (and keeps). For
/// n ranks with equal bytes, every rule gives n times these bytes. Source: Lin et al. (TPDS 2024)
/// section 4.1 and their code.
[[nodiscard]] std::int64_t even_size(std::span<const std::int64_t> to_each, UnevenSize rule);

/// Fits a curve to a sweep over powers of two. sats_p is two sizes after the last size whose bus
/// bandwidth is below 95 % of the maximum. ln_p is the size before the first size (from the sixth
/// on) at which the change of the time per size exceeds 10 % of the time; by default the fifth
/// size. t_s is the time one size before ln_p. Between ln_p and sats_p, log10(bus bandwidth) is
/// fitted by least squares: damped Gauss-Newton from (maximum, median, 1, minimum). With fewer than
/// 7 points, or fewer than 4 in the middle, nothing is fitted and max_bw is 0.
[[nodiscard]] LinCurve fit_lin_curve(std::span<const SizedTime> points, double factor);

}  // namespace orrery::model
