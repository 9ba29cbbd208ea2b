// SPDX-License-Identifier: Apache-2.0
//
// Predictions of all kernel models for one kernel.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/graph/kernel.h"
#include "orrery/model/compute/kernel_models.h"
#include "orrery/model/kernels/kernel_model.h"
#include "orrery/platform/catalog/catalog.h"
#include "orrery/study/questions/question_rows.h"

namespace orrery::study {

struct KernelEstimate {
  TimeSource model = TimeSource::none;
  model::KernelTime time{};
  bool is_selected = false;  ///< simulations with `compute: auto` use it
};

/// The predictions for one device; models without a prediction are omitted.
struct DeviceKernelEstimates {
  model::Silicon silicon;
  std::vector<KernelEstimate> models;
  std::string table_silence;  ///< why the given table has no prediction; else empty
};

/// Sources of kernel times, as given on the command line.
struct KernelModelSources {
  std::vector<std::string> devices;
  KernelFiles files{};

  static constexpr std::string_view group = "Inputs";
  static constexpr auto fields = std::tuple{
      QuestionField{"devices", &KernelModelSources::devices, "--device", "NAMES", kAnswer,
                    "a100-40gb",
                    "Devices of the catalog or the table, separated by commas; by default h100-sxm"}
          .only_for("one kernel, 'check', 'context', 'plot'")
          .comma_separated()
          .one_each(),
      QuestionStruct{
          "files", &KernelModelSources::files,
          SelectedRow{"kernel_table", "Measured kernels, rows of device,kernel,us",
                      "one kernel, 'check', 'context', 'plot', a job", "--table,--kernel-table"},
          SelectedRow{"kernel_model", "A model that 'kernels fit' wrote",
                      "one kernel, 'context', 'plot', a job"},
          SelectedRow{"systolic", "A systolic array, as a configuration of SCALE-Sim",
                      "one kernel, 'layers', a job"}}};
};

/// The error for a device that is not in the catalog (Errc::usage); its hint suggests similar
/// names.
[[nodiscard]] Error unknown_device(const std::string& name);
/// The device of the catalog; null for an empty name. Errc: that of unknown_device().
[[nodiscard]] Result<const platform::DeviceEntry*> catalog_device(const std::string& name);

/// The kernel models of simulations, in their order, or only the one named `compute`. Errc: usage
/// (no such model, or no file for it), and those of reading the files.
[[nodiscard]] Result<std::vector<model::NamedKernelModel>> select_kernel_models(
    const KernelModelSources& sources, const std::string& compute, Findings& findings);

/// Predicts `kernel` on each device with each model. Errc: usage (no such device), and those of
/// reading the files.
[[nodiscard]] Result<std::vector<DeviceKernelEstimates>> estimate_kernel(
    const graph::Kernel& kernel, const KernelModelSources& sources, Findings& findings);

}  // namespace orrery::study
