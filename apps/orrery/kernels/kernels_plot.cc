// SPDX-License-Identifier: Apache-2.0
//
// orrery kernels plot.
#include <CLI/CLI.hpp>
#include <utility>

#include "kernels/kernels_options.h"
#include "orrery/present/kernels/kernels_plot_text.h"

namespace orrery::app {

std::vector<std::string_view> kernel_pass_words() {
  return {"forward", "input_grad", "weight_grad", "backward"};
}

Result<std::vector<std::string>> named_tables(const KernelsOptions& options,
                                              const std::string& mode) {
  if (options.words.size() < 2)
    return fail(Errc::usage, "kernels " + mode, "which tables?",
                "orrery kernels " + mode + " TABLE.csv… -o FILE");
  return std::vector<std::string>(options.words.begin() + 1, options.words.end());
}

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
