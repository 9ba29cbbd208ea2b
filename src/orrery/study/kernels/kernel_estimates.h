// SPDX-License-Identifier: Apache-2.0
//
// What every model of kernel times says of one kernel.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/graph/kernel.h"
#include "orrery/model/compute/kernel_models.h"
#include "orrery/model/kernels/kernel_model.h"
#include "orrery/study/questions/question_rows.h"

namespace orrery::study {

struct KernelEstimate {
  TimeSource model = TimeSource::none;
  model::KernelTime time{};
  bool is_selected = false;  ///< by simulations whose compute is `auto`
};

/// The answers for one device; models that say nothing are not there.
struct DeviceKernelEstimates {
  model::Silicon silicon;
  std::vector<KernelEstimate> models;
  std::string table_silence;  ///< why a table that was given says nothing; else empty
};

/// Where answers come from, as it was typed.
struct KernelModelSources {
  std::vector<std::string> devices;
  KernelFiles files{};

  static constexpr std::string_view group = "Inputs";
  static constexpr auto fields = std::tuple{
      QuestionField{"devices", &KernelModelSources::devices, "--device", "NAMES", kAnswer,
                    "a100-40gb",
                    "Devices of the catalogue or the table, commas between them; h100-sxm"}
          .only_for("one kernel, 'check', 'context', 'plot'")
          .comma_separated()
          .one_each(),
      QuestionStruct{
          "files", &KernelModelSources::files,
          SelectedRow{"kernel_table", "Measured kernels, rows of device,kernel,us",
                      "one kernel, 'check', 'context', 'plot', a job", "--table,--kernel-table"},
          SelectedRow{"kernel_model", "A model that 'kernels fit' wrote",
                      "one kernel, 'context', 'plot', a job"},
          SelectedRow{"systolic", "A systolic array, as SCALE-Sim's configuration",
                      "one kernel, 'layers', a job"}}};
};

/// Errc::usage: no device of the catalogue is called so, but perhaps others nearly.
[[nodiscard]] Error unknown_device(const std::string& name);

/// What simulations would ask how long a kernel takes alone: all models in their order, or the one
/// that is called `compute`. Errc: usage (no such model, or it has nothing to answer from), and
/// those of reading the files.
[[nodiscard]] Result<std::vector<model::NamedKernelModel>> select_kernel_models(
    const KernelModelSources& sources, const std::string& compute, Findings& findings);

/// Errc: usage (no such device), and those of reading the files.
[[nodiscard]] Result<std::vector<DeviceKernelEstimates>> estimate_kernel(
    const graph::Kernel& kernel, const KernelModelSources& sources, Findings& findings);

}  // namespace orrery::study
