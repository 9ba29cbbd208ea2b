// SPDX-License-Identifier: Apache-2.0
//
// The eight-parameter curve of Lin et al. for memory and collectives.
#pragma once

#include <cstdint>
#include <span>

#include "orrery/graph/graph.h"
#include "orrery/model/collective/curves/size_curve.h"

namespace orrery::model {

/// Over p = log2(bytes): a constant below ln_p, a rate that grows as a sigmoid, the full rate above
/// sats_p. Source: Lin et al. (TPDS 2024) section 4 and their code; the middle region is the
/// code's, bandwidth = 10^(L / (1 + exp(-k (p - x0))) + b).
struct LinCurve {
  double ln_p = 0, sats_p = 0;
  double max_bw = 0;       ///< GB/s
  double overhead_us = 0;  ///< t_s
  double L = 0, x0 = 0, k = 0, b = 0;

  /// Microseconds for a buffer of `bytes`; `factor` makes bytes on the bus of bytes of the buffer.
  [[nodiscard]] double operator()(std::int64_t bytes, double factor = 1) const;
};

/// How the size of an all-to-all whose ranks send different amounts is told.
enum class UnevenSize : std::uint8_t {
  sum,            ///< what all ranks send to one
  max_one_way,    ///< the most that any rank sends, or receives: Lin et al.'s choice
  max_both_ways,  ///< the most that any rank sends and receives together
};
/// The even exchange that is as large: bytes of one rank's buffer, as LinCurve takes them.
/// `to_each`: bytes that each rank sends to every other (and keeps). Equal ranks have n times that
/// by every rule. Source: Lin et al. (TPDS 2024) section 4.1 and their code.
[[nodiscard]] std::int64_t even_size(std::span<const std::int64_t> to_each, UnevenSize rule);

/// The curve of a sweep over powers of two. Turning points: sats_p is two sizes past the last whose
/// bus bandwidth is below 95 % of the best; ln_p is the size before the first (from the sixth) at
/// which the slope of time over an index exceeds 10 % of it, by default the fifth; t_s is the time
/// one size before. Between them log10(bus bandwidth) is fitted by least squares, damped
/// Gauss-Newton from (best, median, 1, least). Fewer than 7 points, or fewer than 4 between: not
/// fitted, a curve with max_bw 0.
[[nodiscard]] LinCurve fit_lin_curve(std::span<const SizedTime> points, double factor);

}  // namespace orrery::model
