// SPDX-License-Identifier: Apache-2.0
#include "orrery/commands/clusters/calibrate.h"
#include "orrery/commands/output_file.h"
#include "orrery/commands/progress.h"
#include "orrery/present/clusters/calibrate_overheads_answer.h"
#include "orrery/study/calibrate/overheads_calibration.h"

namespace orrery::commands {

int calibrate_overheads(const CalibrateOptions& options, Context& context) {
  const auto path = take_result_path(context);
  if (!path) return context.fail(path.error());
  study::OverheadsCalibrationQuestion question;
  question.files = options.files();
  question.device = options.device;
  question.date = options.date;
  Progress progress(context);
  question.progress = [&](std::uint32_t done, std::uint32_t of) { progress.reading(done, of); };
  Findings findings;
  const auto calibration = study::calibrate_overheads(question, findings);
  progress.clear();
  if (!calibration) return context.fail(calibration.error(), findings);
  if (!path->empty())
    if (auto done = write_output(*path, calibration->file, context.force); !done)
      return context.fail(done.error(), findings);
  if (*path == "-") return kOk;
  return context.deliver([&](report::Answer& answer) {
    present::state_overheads_calibration(answer, *calibration, *path);
  });
}

}  // namespace orrery::commands
