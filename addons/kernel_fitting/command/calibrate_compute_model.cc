// SPDX-License-Identifier: Apache-2.0
//
// orrery calibrate compute --write-model: a model of kernel times next to the table.
#include <CLI/CLI.hpp>
#include <memory>

#include "addons/kernel_fitting/calibration_model.h"
#include "addons/kernel_fitting/command/rows.h"
#include "addons/kernel_fitting/text/calibration_model_text.h"
#include "apps/orrery/clusters/calibrate.h"
#include "orrery/core/system/atomic_file.h"

namespace orrery::app {

namespace {

struct ModelOptions {
  std::string model;

  static constexpr std::string_view group = "Output";
  static constexpr auto fields =
      std::tuple{QuestionField{"model", &ModelOptions::model, "--write-model", "FILE", kNothing,
                               "kernels.model", "compute: a model fitted to the kernels, too"}
                     .only_for("'compute'")};
};

int calibrate_with_model(const CalibrateOptions& options, const std::string& path,
                         Session& session) {
  if (path.empty()) return calibrate_compute(options, session, {});
  if (auto fine = check_absent(path, session.force); !fine) return session.fail(fine.error());
  return calibrate_compute(
      options, session,
      [&](const study::ComputeCalibration& answer) -> Result<present::KernelModelFile> {
        const auto fit = study::fit_calibration(answer);
        if (!fit) return tl::unexpected(fit.error());
        return present::KernelModelFile{path, fit->file, present::model_errors(*fit)};
      });
}

}  // namespace

Action add_calibrate_compute(CLI::App& command, const CalibrateOptions& options, Session& session) {
  const auto own = std::make_shared<ModelOptions>();
  add_fields(command, *own);
  return [own, &options, &session] { return calibrate_with_model(options, own->model, session); };
}

}  // namespace orrery::app
