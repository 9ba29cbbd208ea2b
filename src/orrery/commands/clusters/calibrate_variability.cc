// SPDX-License-Identifier: Apache-2.0
#include "orrery/commands/clusters/calibrate.h"
#include "orrery/commands/output_file.h"
#include "orrery/commands/progress.h"
#include "orrery/present/clusters/calibrate_variability_answer.h"
#include "orrery/study/calibrate/variability_calibration.h"

namespace orrery::commands {

int calibrate_variability(const CalibrateOptions& options, Context& context) {
  const auto path = take_result_path(context);
  if (!path) return context.fail(path.error());
  study::RecordedTraces recorded;
  recorded.traces = options.files();
  ShownWatch watch(context);
  const auto calibration = study::calibrate_variability(recorded, options.steps, watch);
  watch.phase_done();
  if (!calibration) return context.fail(calibration.error());
  if (!path->empty())
    if (auto done = write_output(*path, calibration->file, context.force); !done)
      return context.fail(done.error(), calibration->findings);
  if (*path == "-") return kOk;
  return context.deliver([&](report::Answer& answer) {
    present::state_variability_calibration(answer, *calibration, *path);
  });
}

}  // namespace orrery::commands
