// SPDX-License-Identifier: Apache-2.0
#include "clusters/calibrate.h"
#include "orrery/present/clusters/calibrate_variability_text.h"
#include "orrery/study/calibrate/variability_calibration.h"
#include "progress.h"

namespace orrery::app {

int calibrate_variability(const CalibrateOptions& options, Session& session) {
  const auto path = take_result_path(session);
  if (!path) return session.fail(path.error());
  study::RecordedTraces recorded;
  recorded.traces = options.files();
  ShownWatch watch(session);
  const auto made = study::calibrate_variability(recorded, options.steps, watch);
  watch.phase_done();
  if (!made) return session.fail(made.error());
  if (!path->empty())
    if (auto done = write_output(*path, made->file, session.force); !done)
      return session.fail(done.error(), made->findings);
  if (*path == "-") return kOk;
  return session.deliver(present::calibrate_variability_text(*made, *path, session.out_style()),
                         [&] { return present::calibrate_variability_json(*made, *path); });
}

}  // namespace orrery::app
