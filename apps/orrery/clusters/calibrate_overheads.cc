// SPDX-License-Identifier: Apache-2.0
#include "clusters/calibrate.h"
#include "orrery/present/clusters/calibrate_overheads_text.h"
#include "orrery/study/calibrate/overheads_calibration.h"
#include "progress.h"

namespace orrery::app {

int calibrate_overheads(const CalibrateOptions& options, Session& session) {
  const auto path = take_result_path(session);
  if (!path) return session.fail(path.error());
  study::OverheadsCalibrationQuestion question;
  question.files = options.files();
  question.device = options.device;
  question.date = options.date;
  Progress progress(session);
  question.progress = [&](std::uint32_t done, std::uint32_t of) { progress.reading(done, of); };
  Findings findings;
  const auto answer = study::calibrate_overheads(question, findings);
  progress.clear();
  if (!answer) return session.fail(answer.error(), findings);
  if (!path->empty())
    if (auto done = write_output(*path, answer->file, session.force); !done)
      return session.fail(done.error(), findings);
  if (*path == "-") return kOk;
  return session.deliver(present::calibrate_overheads_text(*answer, *path, session.out_style()),
                         [&] { return present::calibrate_overheads_json(*answer, *path); });
}

}  // namespace orrery::app
