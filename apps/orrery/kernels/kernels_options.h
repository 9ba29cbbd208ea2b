// SPDX-License-Identifier: Apache-2.0
//
// Options of `orrery kernels`, also for the modes that add-ons contribute.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orrery/study/kernels/kernel_estimates.h"
#include "orrery/study/kernels/kernel_plot.h"
#include "orrery/study/questions/job_description.h"
#include "question_options.h"
#include "session.h"

namespace orrery::app {

/// Options of modes that read tables of measured kernels.
struct TableOptions {
  std::string devices;
  std::int64_t seed = 1;
  bool held_back = false;

  static constexpr std::string_view group = "Measured tables";
  static constexpr auto fields = std::tuple{
      QuestionField{"devices", &TableOptions::devices, "--devices", "FILE", kAnswer, "devices.txt",
                    "Data sheets of devices that the catalogue lacks (data/kernels/devices.txt is "
                    "one)"}
          .only_for("'plot'"),
      QuestionField{"seed", &TableOptions::seed, "--seed", "N", kAnswer, "2",
                    "Which kernels are held back, and all else that is by chance; 1"}
          .only_for("'plot'"),
      QuestionField{"held_back", &TableOptions::held_back, "--held-back", "", kAnswer, "true",
                    "plot: only the tenth of kernels that fitting never looks at"}
          .only_for("'plot'")};
};

[[nodiscard]] std::vector<std::string_view> kernel_pass_words();

struct KernelsOptions {
  std::vector<std::string> words;
  std::string dtype, pass;
  study::KernelModelSources sources;
  study::Question question;  ///< of a step
  bool all = false;
  TableOptions tables;

  static constexpr std::string_view group = "Inputs";
  static constexpr auto fields = std::tuple{
      QuestionField{"words", &KernelsOptions::words, "KERNEL", "", kAnswer, "softmax",
                    "An operation and its sizes, in order or as NAME=VALUE: gemm 4096 8192 "
                    "k=8192; traits, too: causal. Or: check TABLE, context TRACES, plot TABLES, "
                    "layers TOPOLOGY"},
      QuestionField{"dtype", &KernelsOptions::dtype, "--dtype", "FORMAT", kAnswer, "fp16",
                    "Format of all operands; or of each: fp8,fp8>bf16"}
          .only_for("one kernel"),
      QuestionField{"pass", &KernelsOptions::pass, "--pass", "PASS", kAnswer, "backward",
                    "forward, input_grad, weight_grad or backward", kernel_pass_words}
          .only_for("one kernel"),
      QuestionStruct{"sources", &KernelsOptions::sources},
      QuestionStruct{"question", &KernelsOptions::question,
                     SelectedRow{"cluster", "The cluster that the step would run on", "a job"},
                     SelectedRow{"compute", "Which model; by default as the cluster's file",
                                 "'context', 'plot', a job"},
                     SelectedRow{"job"}},
      QuestionGroup{"Output"},
      QuestionField{"all", &KernelsOptions::all, "--all", "", kNothing, "true",
                    "Every different kernel of the step, or of the recordings"}
          .only_for("'context', a job"),
      QuestionStruct{"tables", &KernelsOptions::tables}};
};

/// The tables after the word `mode`.
[[nodiscard]] Result<std::vector<std::string>> named_tables(const KernelsOptions& options,
                                                            const std::string& mode);

/// Takes --output, the file with the `what` of a mode; its errors go to stdout.
[[nodiscard]] Result<std::string> take_output(Session& session, const char* what);

/// Writes the plot to --output and prints the errors.
int plot_kernels(study::KernelPlotQuestion question, Session& session);

}  // namespace orrery::app
