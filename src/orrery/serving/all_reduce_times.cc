// SPDX-License-Identifier: Apache-2.0
#include "orrery/serving/all_reduce_times.h"

#include <algorithm>
#include <string>

#include "orrery/core/statistics/exact_math.h"
#include "orrery/core/text/csv.h"
#include "orrery/core/text/units.h"

namespace orrery::serving {

extern const std::string_view kAllReduceText;  // data/collectives/serving_all_reduce.csv

double AllReduceCurve::at(std::int64_t size) const {
  if (bytes.empty() || size <= 0) return 0;
  const auto x = static_cast<double>(size);
  const auto above = std::ranges::lower_bound(bytes, x);
  const auto i = static_cast<std::size_t>(above - bytes.begin());
  if (i == 0) return seconds.front();
  if (i == bytes.size()) return seconds.back() * x / bytes.back();
  const double share = exact_log2(x / bytes[i - 1]) / exact_log2(bytes[i] / bytes[i - 1]);
  return seconds[i - 1] * exact_exp2(share * exact_log2(seconds[i] / seconds[i - 1]));
}

AllReduceCurve all_reduce_curve(std::string_view device, Engine engine, std::int64_t ranks) {
  const std::string_view name = engine == Engine::sglang   ? "sglang"
                                : engine == Engine::trtllm ? "trtllm"
                                                           : "vllm";
  AllReduceCurve curve;
  TrimmedLineReader lines(kAllReduceText, "serving_all_reduce.csv");
  std::vector<std::string_view> cells;
  std::vector<std::string> retained;
  for (std::string_view line; lines.next(line);) {
    if (!line.starts_with(device) || !split_csv_row(line, cells, retained) || cells.size() != 5)
      continue;
    if (cells[0] != device || cells[1] != name) continue;
    const auto count = parse_integer(cells[2]);
    const auto bytes = parse_number(cells[3]), us = parse_number(cells[4]);
    if (!count || *count != ranks || !bytes || !us) continue;
    curve.bytes.push_back(*bytes);
    curve.seconds.push_back(*us * 1e-6);
  }
  return curve;
}

}  // namespace orrery::serving
