// SPDX-License-Identifier: Apache-2.0
#include "clusters/calibrate.h"
#include "orrery/core/system/atomic_file.h"
#include "orrery/present/clusters/calibrate_compute_text.h"
#include "orrery/study/calibrate/compute_calibration.h"
#include "progress.h"

namespace orrery::app {

int calibrate_compute(const CalibrateOptions& options, Session& session) {
  const auto path = take_result_path(session);
  if (!path) return session.fail(path.error());
  if (auto fine =
          options.model.empty() ? Result<void>() : check_absent(options.model, session.force);
      !fine)
    return session.fail(fine.error());
  study::ComputeCalibrationQuestion question;
  question.files = options.files();
  question.device = options.device;
  question.devices = options.devices;
  question.date = options.date;
  question.model = !options.model.empty();
  Progress progress(session);
  question.progress = [&](std::uint32_t done, std::uint32_t of) { progress.reading(done, of); };
  Findings findings;
  const auto answer = study::calibrate_compute(question, findings);
  progress.clear();
  if (!answer) return session.fail(answer.error(), findings);
  if (!path->empty())
    if (auto done = write_output(*path, answer->table, session.force); !done)
      return session.fail(done.error(), findings);
  if (answer->fit)
    if (auto done = write_output(options.model, answer->fit->file, session.force); !done)
      return session.fail(done.error(), findings);
  if (*path == "-") return kOk;
  return session.deliver(
      present::calibrate_compute_text(*answer, *path, options.model, session.out_style()),
      [&] { return present::calibrate_compute_json(*answer, *path, options.model); });
}

}  // namespace orrery::app
