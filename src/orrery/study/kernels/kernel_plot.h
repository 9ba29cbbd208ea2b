// SPDX-License-Identifier: Apache-2.0
//
// Measured kernels against what a model says of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/core/time_source.h"

namespace orrery::study {

/// As it was typed.
struct KernelPlotQuestion {
  std::vector<std::string> tables;
  std::string devices;           ///< a file of devices; empty: those of the catalogue alone
  std::string compute = "auto";  ///< which model is asked
  KernelFiles files{};
  std::vector<std::string> only_devices;  ///< these alone; empty: all
  bool held_back = false;  ///< only the tenth of all kernels that fitting never looks at …
  std::int64_t seed = 1;   ///< … with this seed
};

struct KernelPlot {
  /// A kernel. Of several that were measured together each has a share of their time, as in
  /// fitting.
  struct Point {
    double measured = 0, predicted = 0;  ///< seconds
    std::uint32_t device = 0;            ///< of `devices`
    bool inside = false;                 ///< of the band
  };
  struct Class {
    std::string name;    ///< "gemm_bf16", or operation, pass and format
    std::string device;  ///< empty: of all
    std::vector<Point> points;
    double median_error = 0;  ///< of |predicted / measured - 1|
    double bias = 0;          ///< predicted / measured - 1, its median
    double inside = 0;        ///< share of the points whose band holds them
    bool banded = false;      ///< they have bands
  };
  std::string model;
  std::vector<std::string> devices;
  std::vector<Class> classes;  ///< in order of their names; by device, too, where there are few
  std::size_t rows = 0;
  std::size_t unpredicted = 0;  ///< rows that the model says nothing of
  Findings findings;
};

/// Errc: usage (a model or device that is not there), those of read_kernel_tables and of reading
/// the model's files; input_empty where no row is left.
[[nodiscard]] Result<KernelPlot> plot_kernels(const KernelPlotQuestion& question);

}  // namespace orrery::study
