// SPDX-License-Identifier: Apache-2.0
#include "orrery/serving/measured/expert_times.h"

#include <cmath>
#include <string>
#include <vector>

#include "orrery/config/field.h"
#include "orrery/core/text/csv.h"
#include "orrery/core/text/units.h"

namespace orrery::serving {

extern const std::string_view kExpertsText;  // data/serving/experts.csv

namespace {

/// Bytes of a weight with its scales, as the fit has them.
double bytes_of(std::string_view format, std::string_view device) {
  if (format == "bf16") return 2;
  if (format == "fp8") return 1;
  if (format == "fp8_block") return 1 + 4.0 / (128 * 128);
  // MXFP4 on Hopper, which has no products of 4 bits; NVFP4 elsewhere.
  return device.starts_with("h") ? 0.5 + 1.0 / 32 : 0.5 + 1.0 / 16;
}

}  // namespace

ExpertTimes ExpertTimes::of(std::string_view device, Engine engine, std::string_view format) {
  const std::string_view name =
      engine == Engine::static_batches ? "vllm" : config::enum_name(engine);
  TrimmedLineReader lines(kExpertsText, "experts.csv");
  std::vector<std::string_view> cells;
  std::vector<std::string> retained;
  ExpertTimes times;
  for (std::string_view line; lines.next(line);) {
    if (!line.starts_with(device) || !split_csv_row(line, cells, retained) || cells.size() != 9)
      continue;
    if (cells[0] != device || cells[1] != name || cells[2] != format) continue;
    for (std::size_t i = 0; i < times.coefficients_.size(); ++i)
      times.coefficients_[i] = parse_number(cells[3 + i]).value_or(0);
    times.weight_bytes_ = bytes_of(format, device);
  }
  return times;
}

double ExpertTimes::operator()(const ExpertShape& shape) const {
  const auto tokens = static_cast<double>(shape.tokens), hidden = static_cast<double>(shape.hidden),
             experts = static_cast<double>(shape.experts), top_k = static_cast<double>(shape.top_k);
  const double part = static_cast<double>(shape.inner) / static_cast<double>(shape.parts);
  const auto devices = static_cast<double>(shape.devices);
  const double copies = tokens * top_k / devices;
  const double chosen = experts / devices * (1 - std::pow(1 - top_k / experts, tokens));
  const std::array<double, 6> terms = {1,
                                       chosen * 3 * hidden * part * weight_bytes_ / 1e6,
                                       copies * 6 * hidden * part / 1e9,
                                       tokens * hidden * 4 / 1e6,
                                       copies * (hidden * 2 + 3 * part * 2) / 1e6,
                                       chosen};
  double us = 0;
  for (std::size_t i = 0; i < terms.size(); ++i) us += terms[i] * coefficients_[i];
  return us * 1e-6;
}

}  // namespace orrery::serving
