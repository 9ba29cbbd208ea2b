// SPDX-License-Identifier: Apache-2.0
//
// orrery calibrate: fits models to measurements of a cluster, and writes files that simulations
// read.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "orrery/commands/command_options.h"
#include "orrery/commands/context.h"
#include "orrery/present/clusters/calibrate_compute_answer.h"

namespace orrery::commands {

/// The kinds whose result names a device.
inline constexpr std::string_view kOfOneMachine = "'network', 'compute', 'overheads'";

/// Options as typed; `only_for` lists the kinds that use each of them.
struct CalibrateOptions {
  std::vector<std::string> words;  ///< network, compute, overheads or variability, then files
  std::string device, date, collective;
  std::int64_t ranks = 0, nodes = 0, steps = 0;
  std::string devices, tuner, plot;

  static constexpr std::string_view group = "Inputs";
  static constexpr auto fields = std::tuple{
      QuestionField{"words", &CalibrateOptions::words, "WHAT", "", kAnswer, "compute",
                    "network, compute, overheads or variability, then files, folders or patterns"},
      QuestionField{"device", &CalibrateOptions::device, "--device", "NAME", kAnswer, "a100-40gb",
                    "Device of the catalog, if the files name none"}
          .only_for(kOfOneMachine),
      QuestionField{"date", &CalibrateOptions::date, "--date", "DATE", kAnswer, "2026-01-31",
                    "Date of the measurement, if the files have none: 2026-01-31"}
          .only_for(kOfOneMachine),
      QuestionField{"collective", &CalibrateOptions::collective, "--collective", "NAME", kAnswer,
                    "all_reduce", "network: the collective, if the files name none"}
          .only_for("'network'"),
      QuestionField{"ranks", &CalibrateOptions::ranks, "--world-size", "N", kAnswer, "8",
                    "network: number of ranks, if the files do not contain it"}
          .only_for("'network'"),
      QuestionField{"nodes", &CalibrateOptions::nodes, "--nodes", "N", kAnswer, "2",
                    "network: number of nodes, if the files do not contain it"}
          .only_for("'network'"),
      QuestionField{"steps", &CalibrateOptions::steps, "--steps", "N", kAnswer, "2",
                    "variability: number of steps in the traces; by default the repetitions found"}
          .only_for("'variability'"),
      QuestionField{"devices", &CalibrateOptions::devices, "--device-sheets", "FILE", kAnswer,
                    "devices.txt",
                    "compute: data sheets of devices that are not in the catalog, for tables"}
          .only_for("'compute'"),
      QuestionGroup{"Output"},
      QuestionField{"tuner", &CalibrateOptions::tuner, "--write-tuner", "FILE", kNothing,
                    "tuner.csv", "network: best choices for NCCL, as CSV for its tuner plug-in"}
          .only_for("'network'"),
      QuestionField{"plot", &CalibrateOptions::plot, "--plot", "FILE", kNothing, "sizes.svg",
                    "network: plot measured against predicted times of held-out sizes as SVG"}
          .only_for("'network'")};

  [[nodiscard]] std::vector<std::string> files() const { return {words.begin() + 1, words.end()}; }
};

/// Removes --output from the context and returns it, because a mode writes its result there instead
/// of JSON; empty: not given.
[[nodiscard]] Result<std::string> take_result_path(Context& context);

int calibrate_network(const CalibrateOptions& options, Context& context);
/// Fits a model to the kernels. The model is written after the table.
using FitKernelModel =
    std::function<Result<present::KernelModelFile>(const study::ComputeCalibration& answer)>;
int calibrate_compute(const CalibrateOptions& options, Context& context, const FitKernelModel& fit);
int calibrate_overheads(const CalibrateOptions& options, Context& context);
int calibrate_variability(const CalibrateOptions& options, Context& context);

}  // namespace orrery::commands
