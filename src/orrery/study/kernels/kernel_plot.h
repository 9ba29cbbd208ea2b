// SPDX-License-Identifier: Apache-2.0
//
// Compares measured kernels with the predictions of a model.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/core/time_source.h"
#include "orrery/model/time_estimate.h"

namespace orrery::study {

/// The command-line arguments.
struct KernelPlotQuestion {
  std::vector<std::string> tables;
  std::string devices;           ///< a file of devices; empty: only those of the catalog
  std::string compute = "auto";  ///< model to evaluate
  KernelFiles files{};
  std::vector<std::string> only_devices;  ///< plot only these; empty: all
  bool held_back = false;  ///< only the tenth of all kernels held out from fitting …
  std::int64_t seed = 1;   ///< … with this seed
};

struct KernelPlot {
  /// One kernel. If several were measured together, each has a share of their time, as in fitting.
  struct Point {
    double measured = 0, predicted = 0;  ///< seconds
    std::uint32_t device = 0;            ///< index into `devices`
    bool inside = false;                 ///< within the interval
  };
  struct Class {
    std::string name;    ///< "gemm_bf16", or operation, pass and format
    std::string device;  ///< empty: all devices
    std::vector<Point> points;
    double median_error = 0;  ///< median of |predicted / measured - 1|
    double bias = 0;          ///< median of predicted / measured - 1
    /// The 10th and the 90th percentile of measured / predicted - 1, weighted by predicted time:
    /// the error of a sum of such kernels is mostly that of the long ones.
    model::ErrorBand spread{};
    double inside = 0;    ///< share of points within their interval
    bool banded = false;  ///< at least one point has an interval
  };
  std::string model;
  std::vector<std::string> devices;
  std::vector<Class> classes;  ///< by name; also by device if there are few
  std::size_t rows = 0;
  std::size_t unpredicted = 0;  ///< rows without a prediction
  Findings findings;
};

/// Compares predictions with measurements. The roofline counts the minimum work of a kernel's
/// sizes. Errc: usage (an unknown model or device), those of read_kernel_tables and of reading the
/// files of the model; input_empty if no row remains.
[[nodiscard]] Result<KernelPlot> plot_kernels(const KernelPlotQuestion& question);

}  // namespace orrery::study
