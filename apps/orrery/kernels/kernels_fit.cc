// SPDX-License-Identifier: Apache-2.0
#include "kernels/kernels_fit.h"

#include <CLI/CLI.hpp>
#include <utility>

#include "orrery/present/kernels/kernels_fit_text.h"
#include "progress.h"

namespace orrery::app {

namespace {

/// --output is the model or the drawing here; what is said of it goes to stdout.
Result<std::string> take_output(Session& session, const char* what) {
  std::string path = std::exchange(session.output, {});
  if (path.empty())
    return fail(Errc::usage, "--output", std::string("where shall the ") + what + " go?",
                std::string("-o FILE"));
  if (path == "-")
    return fail(Errc::usage, "--output", std::string("stdout says how good the ") + what + " is",
                "give a file");
  return path;
}

}  // namespace

int fit_kernels(study::KernelFitQuestion question, Session& session) {
  const auto path = take_output(session, "model");
  if (!path) return session.fail(path.error());
  Progress progress(session);
  const Progress::Phase fitting{"fit", "fitting", "classes"};
  progress.begin(fitting, 0);
  std::uint64_t done = 0;
  const auto answer = study::fit_kernels(
      question, [&](const model::KernelFitReport&) { progress.tell(fitting, ++done, 0); });
  progress.clear();
  if (!answer) return session.fail(answer.error());
  if (auto written = write_output(*path, answer->fit.file, session.force); !written)
    return session.fail(written.error(), answer->findings);
  return session.deliver(present::kernels_fit_text(*answer, *path, session.out_style()),
                         [&] { return present::kernels_fit_json(*answer, *path); });
}

int plot_kernels(study::KernelPlotQuestion question, Session& session) {
  const auto path = take_output(session, "drawing");
  if (!path) return session.fail(path.error());
  const auto answer = study::plot_kernels(question);
  if (!answer) return session.fail(answer.error());
  if (auto written = write_output(*path, present::kernels_plot_svg(*answer), session.force);
      !written)
    return session.fail(written.error(), answer->findings);
  return session.deliver(present::kernels_plot_text(*answer, *path, session.out_style()),
                         [&] { return present::kernels_plot_json(*answer, *path); });
}

}  // namespace orrery::app
