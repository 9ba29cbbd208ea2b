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
#include "orrery/model/compute/models.h"
#include "orrery/model/kernels/kernel_model.h"
#include "orrery/study/question_rows.h"

namespace orrery::study {

struct ModelAnswer {
  TimeSource model = TimeSource::none;
  model::KernelTime time{};
  bool taken = false;  ///< by simulations whose compute is `auto`
};

/// The answers for one device; models that say nothing are not there.
struct DeviceAnswers {
  model::Silicon silicon;
  std::vector<ModelAnswer> models;
  std::string table_silent;  ///< why a table that was given says nothing; else empty
};

/// Where answers come from, as it was typed.
struct AnswerSources {
  std::vector<std::string> devices;
  KernelFiles files{};

  static constexpr std::string_view group = "Inputs";
  static constexpr auto fields = std::tuple{
      QuestionField{"devices", &AnswerSources::devices, "--device", "NAMES", kAnswer, "a100-40gb",
                    "Devices of the catalogue or the table, commas between them; h100-sxm"}
          .only_for("one kernel, 'check', 'context', 'plot'")
          .comma_separated()
          .one_each(),
      QuestionPart{
          "files", &AnswerSources::files,
          Chosen{"kernel_table", "Measured kernels, rows of device,kernel,us",
                 "one kernel, 'check', 'context', 'plot', a job", "--table,--kernel-table"},
          Chosen{"kernel_model", "A model that 'kernels fit' wrote",
                 "one kernel, 'context', 'plot', a job"},
          Chosen{"systolic", "A systolic array, as SCALE-Sim's configuration",
                 "one kernel, 'layers', a job"}}};
};

/// Errc::usage: no device of the catalogue is called so, but perhaps others nearly.
[[nodiscard]] Error unknown_device(const std::string& name);

/// What simulations would ask how long a kernel takes alone: all models in their order, or the one
/// that is called `compute`. Errc: usage (no such model, or it has nothing to answer from), and
/// those of reading the files.
[[nodiscard]] Result<std::vector<model::NamedModel>> models_alone(const AnswerSources& sources,
                                                                  const std::string& compute,
                                                                  Findings& findings);

/// Errc: usage (no such device), and those of reading the files.
[[nodiscard]] Result<std::vector<DeviceAnswers>> answer_kernel(const graph::Kernel& kernel,
                                                               const AnswerSources& sources,
                                                               Findings& findings);

}  // namespace orrery::study
