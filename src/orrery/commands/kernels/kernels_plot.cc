// SPDX-License-Identifier: Apache-2.0
//
// orrery kernels plot.
#include <utility>

#include "orrery/commands/kernels/kernels_options.h"
#include "orrery/commands/output_file.h"
#include "orrery/present/kernels/kernels_plot_answer.h"

namespace orrery::commands {

std::vector<std::string_view> kernel_pass_words() {
  return {"forward", "input_grad", "weight_grad", "backward"};
}

Result<std::vector<std::string>> named_tables(const KernelsOptions& options,
                                              const std::string& mode) {
  if (options.words.size() < 2)
    return fail(Errc::usage, "kernels " + mode, "no tables are given",
                "orrery kernels " + mode + " TABLE.csv… -o FILE");
  return std::vector<std::string>(options.words.begin() + 1, options.words.end());
}

Result<std::string> take_output(Context& context, const char* what) {
  std::string path = std::exchange(context.output, {});
  if (path.empty())
    return fail(Errc::usage, "--output", "is missing", std::string("-o FILE, for the ") + what);
  if (path == "-")
    return fail(Errc::usage, "--output", std::string("stdout is for the errors of the ") + what,
                "give a file");
  return path;
}

int plot_kernels(study::KernelPlotQuestion question, Context& context) {
  const auto path = take_output(context, "plot");
  if (!path) return context.fail(path.error());
  const auto plot = study::plot_kernels(question);
  if (!plot) return context.fail(plot.error());
  if (auto written = write_output(*path, present::kernels_plot_svg(*plot), context.force); !written)
    return context.fail(written.error(), plot->findings);
  return context.deliver(
      [&](report::Answer& answer) { present::state_kernel_plot(answer, *plot, *path); });
}

}  // namespace orrery::commands
