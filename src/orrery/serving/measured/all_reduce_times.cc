// SPDX-License-Identifier: Apache-2.0
#include "orrery/serving/measured/all_reduce_times.h"

#include <string>
#include <vector>

#include "orrery/core/text/csv.h"
#include "orrery/core/text/units.h"

namespace orrery::serving {

extern const std::string_view kAllReduceText;  // data/collectives/serving_all_reduce.csv

model::SizeCurve all_reduce_curve(std::string_view device, Engine engine, std::int64_t ranks) {
  const std::string_view name = engine == Engine::sglang   ? "sglang"
                                : engine == Engine::trtllm ? "trtllm"
                                                           : "vllm";
  std::vector<model::SizedTime> points;
  TrimmedLineReader lines(kAllReduceText, "serving_all_reduce.csv");
  std::vector<std::string_view> cells;
  std::vector<std::string> retained;
  for (std::string_view line; lines.next(line);) {
    if (!line.starts_with(device) || !split_csv_row(line, cells, retained) || cells.size() != 5)
      continue;
    if (cells[0] != device || cells[1] != name) continue;
    const auto count = parse_integer(cells[2]);
    const auto bytes = parse_integer(cells[3]);
    const auto us = parse_number(cells[4]);
    if (!count || *count != ranks || !bytes || !us) continue;
    points.push_back({*bytes, *us});
  }
  return model::curve_through(points);
}

}  // namespace orrery::serving
