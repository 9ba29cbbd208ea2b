// SPDX-License-Identifier: Apache-2.0
#include "orrery/commands/clusters/calibrate.h"
#include "orrery/commands/output_file.h"
#include "orrery/commands/progress.h"
#include "orrery/study/calibrate/compute_calibration.h"

namespace orrery::commands {

int calibrate_compute(const CalibrateOptions& options, Context& context,
                      const FitKernelModel& fit) {
  const auto path = take_result_path(context);
  if (!path) return context.fail(path.error());
  study::ComputeCalibrationQuestion question;
  question.files = options.files();
  question.device = options.device;
  question.devices = options.devices;
  question.date = options.date;
  Progress progress(context);
  question.progress = [&](std::uint32_t done, std::uint32_t of) { progress.reading(done, of); };
  Findings findings;
  const auto calibration = study::calibrate_compute(question, findings);
  progress.clear();
  if (!calibration) return context.fail(calibration.error(), findings);
  const auto model = fit ? fit(*calibration) : present::KernelModelFile();
  if (!model) return context.fail(model.error(), findings);
  if (!path->empty())
    if (auto done = write_output(*path, calibration->table, context.force); !done)
      return context.fail(done.error(), findings);
  if (!model->path.empty())
    if (auto done = write_output(model->path, model->text, context.force); !done)
      return context.fail(done.error(), findings);
  if (*path == "-") return kOk;
  return context.deliver([&](report::Answer& answer) {
    present::state_compute_calibration(answer, *calibration, *path, *model);
  });
}

}  // namespace orrery::commands
