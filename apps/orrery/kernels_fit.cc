// SPDX-License-Identifier: Apache-2.0
#include "kernels_fit.h"

#include <CLI/CLI.hpp>
#include <utility>

#include "orrery/present/fit_text.h"
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

std::optional<TableOptions::Stray> TableOptions::stray(bool fit, bool plot) const {
  constexpr const char *kFit = "'kernels fit'", *kPlot = "'kernels plot'",
                       *kBoth = "'kernels fit' or 'kernels plot'";
  if (!devices.empty() && !fit && !plot) return Stray{"--devices", kBoth};
  if (!by.empty() && !fit) return Stray{"--by", kFit};
  if (!notes.empty() && !fit) return Stray{"--notes", kFit};
  if (!classes.empty() && !fit) return Stray{"--classes", kFit};
  if (seed != 1 && !fit && !plot) return Stray{"--seed", kBoth};
  if (epochs != 0 && !fit) return Stray{"--epochs", kFit};
  if (quick && !fit) return Stray{"--no-leave-out", kFit};
  if (held_back && !plot) return Stray{"--held-back", kPlot};
  return std::nullopt;
}

void add_table_options(CLI::App& command, TableOptions& options) {
  const auto option = [&](const char* names, auto& value, const char* about, const char* type) {
    return command.add_option(names, value, about)->type_name(type)->group("fit and plot");
  };
  option("--devices", options.devices,
         "Data sheets of devices that the catalogue lacks (data/kernels/devices.txt is one)",
         "FILE");
  option("--by", options.by, "fit: trees (XGBoost) or nets; trees where there is XGBoost", "HOW");
  option("--classes", options.classes, "fit: only these, commas between them: gemm_bf16,softmax",
         "NAMES")
      ->delimiter(',')
      ->allow_extra_args(false);
  option("--seed", options.seed, "Which kernels are held back, and all else that is by chance; 1",
         "N");
  option("--epochs", options.epochs,
         "fit: how often nets see each row; by default what takes about a minute a net", "N");
  option("--notes", options.notes, "fit: text for the model's head, such as sources", "FILE");
  command.add_flag("--no-leave-out", options.quick, "fit: do not try each device by the others")
      ->group("fit and plot");
  command
      .add_flag("--held-back", options.held_back,
                "plot: only the tenth of kernels that fitting never looks at")
      ->group("fit and plot");
}

int fit_kernels(study::FitQuestion question, Session& session) {
  const auto path = take_output(session, "model");
  if (!path) return session.fail(path.error());
  Progress progress(session);
  const Progress::Phase fitting{"fit", "fitting", "classes"};
  progress.begin(fitting, 0);
  std::uint64_t done = 0;
  const auto answer = study::fit_kernels(
      question, [&](const model::FitReport&) { progress.tell(fitting, ++done, 0); });
  progress.clear();
  if (!answer) return session.fail(answer.error());
  if (auto written = write_output(*path, answer->fit.file, session.force); !written)
    return session.fail(written.error(), answer->findings);
  return session.deliver(present::fit_text(*answer, *path, session.out_style()),
                         [&] { return present::fit_json(*answer, *path); });
}

int plot_kernels(study::PlotQuestion question, Session& session) {
  const auto path = take_output(session, "drawing");
  if (!path) return session.fail(path.error());
  const auto answer = study::plot_kernels(question);
  if (!answer) return session.fail(answer.error());
  if (auto written = write_output(*path, present::plot_svg(*answer), session.force); !written)
    return session.fail(written.error(), answer->findings);
  return session.deliver(present::plot_text(*answer, *path, session.out_style()),
                         [&] { return present::plot_json(*answer, *path); });
}

}  // namespace orrery::app
