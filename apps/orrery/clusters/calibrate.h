// SPDX-License-Identifier: Apache-2.0
//
// orrery calibrate: what was measured on one's own machine, as files that simulations take.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "orrery/present/clusters/calibrate_compute_text.h"
#include "question_options.h"
#include "session.h"

namespace orrery::app {

/// The kinds whose result names a device.
inline constexpr std::string_view kOfOneMachine = "'network', 'compute', 'overheads'";

/// As it was typed; what each kind takes of it says check_options() there.
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
                    "Of the catalogue, where files do not say one that is"}
          .only_for(kOfOneMachine),
      QuestionField{"date", &CalibrateOptions::date, "--date", "DATE", kAnswer, "2026-01-31",
                    "When it was measured, where files do not say: 2026-01-31"}
          .only_for(kOfOneMachine),
      QuestionField{"collective", &CalibrateOptions::collective, "--collective", "NAME", kAnswer,
                    "all_reduce", "network: which, where files do not say"}
          .only_for("'network'"),
      QuestionField{"ranks", &CalibrateOptions::ranks, "--ranks", "N", kAnswer, "8",
                    "network: among how many, where files do not say"}
          .only_for("'network'"),
      QuestionField{"nodes", &CalibrateOptions::nodes, "--nodes", "N", kAnswer, "2",
                    "network: on how many, where files do not say"}
          .only_for("'network'"),
      QuestionField{"steps", &CalibrateOptions::steps, "--steps", "N", kAnswer, "2",
                    "variability: how many steps traces hold; by default as many as repeat"}
          .only_for("'variability'"),
      QuestionField{"devices", &CalibrateOptions::devices, "--devices", "FILE", kAnswer,
                    "devices.txt",
                    "compute: data sheets of devices that the catalogue lacks, for tables"}
          .only_for("'compute'"),
      QuestionGroup{"Output"},
      QuestionField{"tuner", &CalibrateOptions::tuner, "--write-tuner", "FILE", kNothing,
                    "tuner.csv", "network: what NCCL should choose, as its tuner's CSV"}
          .only_for("'network'"),
      QuestionField{"plot", &CalibrateOptions::plot, "--plot", "FILE", kNothing, "sizes.svg",
                    "network: held-back sizes, measured against predicted, as a drawing"}
          .only_for("'network'")};

  [[nodiscard]] std::vector<std::string> files() const { return {words.begin() + 1, words.end()}; }
};

/// Where the result goes: --output, which is no JSON here; empty: nowhere.
[[nodiscard]] Result<std::string> take_result_path(Session& session);

int calibrate_network(const CalibrateOptions& options, Session& session);
/// `fit`: fits a model to the kernels; it is written after the table.
using FitKernelModel =
    std::function<Result<present::KernelModelFile>(const study::ComputeCalibration& answer)>;
int calibrate_compute(const CalibrateOptions& options, Session& session, const FitKernelModel& fit);
int calibrate_overheads(const CalibrateOptions& options, Session& session);
int calibrate_variability(const CalibrateOptions& options, Session& session);

}  // namespace orrery::app
