// SPDX-License-Identifier: Apache-2.0
//
// orrery calibrate compute --write-model: a model of kernel times next to the table.
#include <memory>

#include "addons/kernel_fitting/calibration_model.h"
#include "addons/kernel_fitting/command/rows.h"
#include "addons/kernel_fitting/text/calibration_model_text.h"
#include "orrery/commands/clusters/calibrate.h"
#include "orrery/commands/output_file.h"
#include "orrery/core/system/atomic_file.h"

namespace orrery::commands {

namespace {

struct ModelOptions {
  std::string model;

  static constexpr std::string_view group = "Output";
  static constexpr auto fields =
      std::tuple{QuestionField{"model", &ModelOptions::model, "--write-model", "FILE", kNothing,
                               "kernels.model", "compute: also write a model fitted to the kernels"}
                     .only_for("'compute'")};
};

int calibrate_with_model(const CalibrateOptions& options, const std::string& path,
                         Context& context) {
  if (path.empty()) return calibrate_compute(options, context, {});
  if (auto fine = check_absent(path, context.force); !fine) return context.fail(fine.error());
  return calibrate_compute(
      options, context,
      [&](const study::ComputeCalibration& answer) -> Result<present::KernelModelFile> {
        const auto fit = study::fit_calibration(answer);
        if (!fit) return tl::unexpected(fit.error());
        return present::KernelModelFile{path, fit->file, present::model_errors(*fit)};
      });
}

}  // namespace

Action add_calibrate_compute(CommandOptions& command, const CalibrateOptions& options,
                             Context& context) {
  const auto own = std::make_shared<ModelOptions>();
  add_fields(command, *own);
  return [own, &options, &context] { return calibrate_with_model(options, own->model, context); };
}

}  // namespace orrery::commands
