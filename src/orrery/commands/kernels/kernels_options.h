// SPDX-License-Identifier: Apache-2.0
//
// Options of `orrery kernels`, also for the modes that add-ons contribute.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orrery/commands/command_options.h"
#include "orrery/commands/context.h"
#include "orrery/study/kernels/kernel_estimates.h"
#include "orrery/study/kernels/kernel_plot.h"
#include "orrery/study/questions/job_description.h"

namespace orrery::commands {

/// Options of modes that read tables of measured kernels.
struct TableOptions {
  std::string devices;
  std::int64_t seed = 1;
  bool held_back = false;

  static constexpr std::string_view group = "Measured tables";
  static constexpr auto fields = std::tuple{
      QuestionField{
          "devices", &TableOptions::devices, "--device-sheets", "FILE", kAnswer, "devices.txt",
          "Data sheets of devices that are not in the catalog, as data/kernels/devices.txt"}
          .only_for("'plot'"),
      QuestionField{"seed", &TableOptions::seed, "--seed", "N", kAnswer, "2",
                    "Random seed, also of the choice of held-out kernels; by default 1"}
          .only_for("'plot'"),
      QuestionField{"held_back", &TableOptions::held_back, "--held-back", "", kAnswer, "true",
                    "plot: only the 10 % of kernels that fits do not use"}
          .only_for("'plot'")};
};

[[nodiscard]] std::vector<std::string_view> kernel_pass_words();

struct KernelsOptions {
  std::vector<std::string> words;
  std::string dtype, pass;
  study::KernelModelSources sources;
  study::Question question;  ///< for modes that simulate a step
  bool all = false;
  TableOptions tables;

  static constexpr std::string_view group = "Inputs";
  static constexpr auto fields = std::tuple{
      QuestionField{
          "words", &KernelsOptions::words, "KERNEL", "", kAnswer, "softmax",
          "An operation with its sizes, in order or as NAME=VALUE (gemm 4096 8192 k=8192), and "
          "traits (causal); or check TABLE, context TRACES, plot TABLES, layers TOPOLOGY"},
      QuestionField{"dtype", &KernelsOptions::dtype, "--dtype", "FORMAT", kAnswer, "fp16",
                    "Format of all operands, or of each: fp8,fp8>bf16"}
          .only_for("one kernel"),
      QuestionField{"pass", &KernelsOptions::pass, "--pass", "PASS", kAnswer, "backward",
                    "forward, input_grad, weight_grad or backward", kernel_pass_words}
          .only_for("one kernel"),
      QuestionStruct{"sources", &KernelsOptions::sources},
      QuestionStruct{"question", &KernelsOptions::question,
                     SelectedRow{"cluster", "The cluster that runs the step", "a job"},
                     SelectedRow{"compute", "Model of kernel times; by default the cluster file's",
                                 "'context', 'plot', a job"},
                     SelectedRow{"job"}},
      QuestionGroup{"Output"},
      QuestionField{"all", &KernelsOptions::all, "--all", "", kNothing, "true",
                    "Show every distinct kernel of the step, or of the recordings"}
          .only_for("'context', a job"),
      QuestionStruct{"tables", &KernelsOptions::tables}};
};

/// The tables that follow the word `mode`.
[[nodiscard]] Result<std::vector<std::string>> named_tables(const KernelsOptions& options,
                                                            const std::string& mode);

/// Removes --output from the context and returns it: the file for the `what` of a mode. The report
/// with errors goes to stdout.
[[nodiscard]] Result<std::string> take_output(Context& context, const char* what);

/// Writes the plot to --output and prints the errors.
int plot_kernels(study::KernelPlotQuestion question, Context& context);

}  // namespace orrery::commands
