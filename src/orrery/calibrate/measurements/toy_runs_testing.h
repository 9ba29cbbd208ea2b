// SPDX-License-Identifier: Apache-2.0
//
// For tests: printed runs of nccl-tests with consistent numbers.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "orrery/calibrate/measurements/measurement_set.h"

namespace orrery::calibrate::testing_runs {

struct Outcome {
  Result<MeasurementSet> set;
  Findings findings;
};

inline Outcome parse(std::string_view text, const ReadOptions& options = {}) {
  Findings findings;
  auto set = parse_measurements(text, "toy.log", findings, options);
  return {std::move(set), findings};
}

/// The error, or "none".
inline std::string error_of(std::string_view text, const ReadOptions& options = {}) {
  const Outcome outcome = parse(text, options);
  return outcome.set ? "none" : to_string(outcome.set.error());
}

struct ToyRun {
  std::string program = "all_reduce_perf";  ///< empty: not printed
  int ranks = 8, hosts = 1;
  double factor = 1.75;
  std::string redop = "sum", root = "-1";
  std::string device = "NVIDIA H100 80GB HBM3";
  double unit = 1;  ///< unit of printed times, in us
};

/// The text of a run with these sizes and times in us. In-place times are 1 % shorter.
inline std::string text_of(const ToyRun& run, const std::vector<std::pair<long, double>>& times) {
  std::string text;
  if (!run.program.empty())
    text +=
        "# nccl-tests version 2.18.0 nccl-headers=22907 nccl-library=22907\n"
        "# Collective test starting: " +
        run.program + "\n";
  text += "# nThread 1 nGpus 1 minBytes 8 maxBytes 1024 step: 2(factor)\n#\n# Using devices\n";
  for (int rank = 0; rank < run.ranks; ++rank)
    text += fmt::format("#  Rank {:2} Group  0 Pid {:6} on {:>10} device {:2} [0000:1b:00] {}\n",
                        rank, 4000 + rank, fmt::format("node-{}", rank * run.hosts / run.ranks),
                        rank, run.device);
  text +=
      "#\n#                                                out-of-place               in-place\n"
      "#       size  count   type   redop  root   time algbw busbw #wrong   time algbw busbw "
      "#wrong\n"
      "#        (B)  (elements)                   (us) (GB/s) (GB/s)        (us) (GB/s) (GB/s)\n";
  for (const auto& [bytes, us] : times) {
    text += fmt::format("{:12} {:12} float {} {}", bytes, bytes / 4, run.redop, run.root);
    for (const double time : {us, us * 0.99}) {
      const double bandwidth = static_cast<double>(bytes) / (time * 1e3);
      text += fmt::format(" {:.2f} {:.2f} {:.2f} 0", time / run.unit, bandwidth,
                          bandwidth * run.factor);
    }
    text += "\n";
  }
  return text + "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 12.3\n#\n";
}

/// Sizes from 1 KiB on, each four times the previous, with times of 10 us + size / (100 GB/s).
inline std::vector<std::pair<long, double>> toy_times(int count) {
  std::vector<std::pair<long, double>> times;
  for (long bytes = 1024; count > 0; --count, bytes *= 4)
    times.emplace_back(bytes, 10 + static_cast<double>(bytes) / 1e5);
  return times;
}

}  // namespace orrery::calibrate::testing_runs
