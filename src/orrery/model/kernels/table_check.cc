// SPDX-License-Identifier: Apache-2.0
//
// Tables of kernels against data sheets.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "orrery/core/text.h"
#include "orrery/model/kernels/quantile.h"
#include "orrery/model/kernels/table_file.h"

namespace orrery::model {
namespace {

constexpr double kTooShort = 0.1;    // of the limit, the larger half of a table: wrong unit
constexpr double kTooLong = 100;     // times the limit and …
constexpr double kOverhead = 20e-6;  // … what a launch may take beside it
constexpr double kOneTooShort = 1.0 / 3;
constexpr double kManyTooShort = 0.2;  // of all rows

/// The least time that a device needs. Products of matrices run at its peak; all else is only known
/// to move its bytes, and may find them in a cache that is many times faster.
double limit_of(const graph::Kernel& kernel, const Silicon& silicon) {
  const LeastWork work = least_work(canonical(kernel));
  const bool products = kernel.operation == graph::Operation::gemm ||
                        kernel.operation == graph::Operation::batched_gemm ||
                        kernel.operation == graph::Operation::grouped_gemm ||
                        kernel.operation == graph::Operation::attention ||
                        kernel.operation == graph::Operation::convolution;
  const double rate = silicon.rate(kernel.a);
  const double computing = products && rate > 0 ? work.flops / rate : 0;
  const bool cached = silicon.l2_bytes > 0 && work.bytes < silicon.l2_bytes;
  const double moving = silicon.memory > 0 && !cached ? work.bytes / silicon.memory : 0;
  return kernel.launches * std::max(computing, moving);
}

struct LimitedRow {
  double limit = 0;
  double seconds = 0;
  std::uint32_t line = 0;
};

/// The median of `value` over rows.
template <class Value>
double median_over(std::span<const LimitedRow> rows, Value value) {
  std::vector<double> values;
  for (const LimitedRow& row : rows) values.push_back(value(row));
  return quantile_of(values, 0.5);
}

bool is_called(std::string_view name, std::string_view other) {
  return std::equal(name.begin(), name.end(), other.begin(), other.end(), [](char a, char b) {
    const auto fold = [](char c) {
      return c == '_' ? '-' : (c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c);
    };
    return fold(a) == fold(b);
  });
}

}  // namespace

Result<void> check_measured(const MeasuredRows& measured, const Silicon& silicon,
                            Findings& findings) {
  std::vector<LimitedRow> rows;
  for (const MeasuredKernel& row : measured.rows) {
    if (!is_called(measured.devices[row.device], silicon.name)) continue;
    double limit = limit_of(row.kernel, silicon);
    for (const graph::Kernel& other : measured.others_of(row)) limit += limit_of(other, silicon);
    if (limit > 0) rows.push_back({limit, row.seconds, row.line});
  }
  if (rows.empty()) return {};
  std::sort(rows.begin(), rows.end(), [](const LimitedRow& a, const LimitedRow& b) {
    return a.limit != b.limit ? a.limit > b.limit : a.line < b.line;
  });
  const std::span<const LimitedRow> larger = std::span(rows).first((rows.size() + 1) / 2);
  const double share = median_over(larger, [](const LimitedRow& r) { return r.seconds / r.limit; });
  const auto below = std::count_if(rows.begin(), rows.end(), [](const LimitedRow& row) {
    return row.seconds < kOneTooShort * row.limit;
  });
  const bool many = static_cast<double>(below) > kManyTooShort * static_cast<double>(rows.size());
  if (share < kTooShort || many)
    return fail(Errc::config_unit, measured.where,
                share < kTooShort
                    ? fmt::format("the larger kernels take {:.2g} of the least time that {} needs "
                                  "by its data sheet",
                                  share, silicon.name)
                    : fmt::format("{} of {} rows take less than a third of the least time that {} "
                                  "needs by its data sheet",
                                  below, rows.size(), silicon.name),
                "times are microseconds: are these milliseconds, or another device's?");
  const double times =
      median_over(larger, [](const LimitedRow& r) { return r.seconds / (r.limit + kOverhead); });
  if (times > kTooLong)
    return fail(Errc::config_unit, measured.where,
                fmt::format("the larger kernels take {:.0f} times the least time that {} needs by "
                            "its data sheet",
                            times, silicon.name),
                "times are microseconds: are these nanoseconds?");
  for (const LimitedRow& row : rows)
    if (row.seconds < kOneTooShort * row.limit)
      findings.add(FindingCode::time_below_limit,
                   fmt::format("{}:{}: {:.4g} us, at least {:.4g}", measured.where, row.line,
                               row.seconds * 1e6, row.limit * 1e6));
  return {};
}

}  // namespace orrery::model
