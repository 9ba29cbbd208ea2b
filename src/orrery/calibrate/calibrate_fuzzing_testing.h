// SPDX-License-Identifier: Apache-2.0
//
// For fuzz targets: checks that hold for every reader on any input.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "orrery/calibrate/measurements/benchmark_run.h"
#include "orrery/calibrate/measurements/measured_curves.h"
#include "orrery/calibrate/tuner_choices.h"
#include "orrery/core/check.h"
#include "orrery/core/text/text.h"
#include "orrery/trace/io/byte_source.h"

namespace orrery::calibrate::fuzzing {

/// Checks that a curve returns the measured time at each of its sizes, and between two sizes a time
/// between theirs. Skips sizes from 2^45 bytes on, where neighboring sizes may be equal as
/// doubles.
inline void check_curve(const CalibratedCurve& made) {
  constexpr std::int64_t kMax = std::int64_t{1} << 45;
  double longest = 0;
  for (const model::SizedTime& point : made.points) longest = std::max(longest, point.us);
  for (std::size_t i = 0; i < made.points.size() && made.points[i].bytes < kMax; ++i) {
    const model::SizedTime& is = made.points[i];
    ORRERY_CHECK(std::abs(made.curve.curve(is.bytes) - is.us) <= 0.01 * longest);
    if (i == 0) continue;
    const model::SizedTime& before = made.points[i - 1];
    for (const std::int64_t part : {1, 7, 63}) {
      const double us = made.curve.curve(before.bytes + (is.bytes - before.bytes) / 64 * part);
      ORRERY_CHECK(us >= std::min(is.us, before.us) - 0.01 * longest);
      ORRERY_CHECK(us <= std::max(is.us, before.us) + 0.01 * longest);
    }
  }
}

/// Checks that curves built from a set can be written and read again, and also the file of tuner
/// choices.
inline void check_calibration(const MeasurementSet& set) {
  Findings findings;
  const auto made = calibrate_network(set, {"h100-sxm"}, findings);
  if (!made) return;
  std::vector<model::CollectiveCurve> curves;
  for (const CalibratedCurve& one : made->curves) {
    check_curve(one);
    curves.push_back(one.curve);
  }
  const auto again = model::parse_curves(model::write_curve_file(made->notes, curves), "fuzz");
  ORRERY_CHECK(again && again->size() == curves.size());
  const auto tuner = tuner_choices(*made);
  if (tuner) ORRERY_CHECK(model::nccl::parse_tuner(tuner->text(), "fuzz").has_value());
}

/// Reads the bytes with `read(source, into)`, and builds curves from the result.
template <class Read>
void check_reader(const std::uint8_t* data, std::size_t size, Read read) {
  for (const ReadOptions& options : {ReadOptions{}, ReadOptions{"all_reduce", "d", 8, 2}}) {
    Findings findings;
    MeasurementSet set{"fuzz", {}};
    MeasurementSink into{set.rows, findings, options};
    trace::MemorySource source(std::as_bytes(std::span(data, size)));
    const Result<void> done = read(source, into);
    ORRERY_CHECK(done || (!done.error().where.empty() && !done.error().what.empty()));
    for (const MeasuredCollective& row : set.rows) {
      ORRERY_CHECK(find_collective(row.collective) != nullptr && row.bytes > 0);
      ORRERY_CHECK(std::isfinite(row.time_us) && row.time_us > 0 && row.ranks >= 0);
      ORRERY_CHECK(printable(row.device) == row.device && printable(row.dtype) == row.dtype);
    }
    for (const MeasuredCurve& curve : measured_curves(set, findings)) {
      ORRERY_CHECK(curve.points.size() >= 4);
      for (std::size_t i = 1; i < curve.points.size(); ++i)
        ORRERY_CHECK(curve.points[i - 1].bytes < curve.points[i].bytes);
    }
    check_calibration(set);
  }
}

}  // namespace orrery::calibrate::fuzzing
