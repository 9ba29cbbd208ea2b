// SPDX-License-Identifier: Apache-2.0
//
// orrery kernels fit, orrery kernels plot.
#pragma once

#include <optional>
#include <string>

#include "orrery/study/kernels/kernel_fit.h"
#include "orrery/study/kernels/kernel_plot.h"
#include "question_options.h"
#include "session.h"

namespace orrery::app {

/// What only these two are asked.
struct TableOptions {
  std::string devices, by;
  std::vector<std::string> classes;
  std::int64_t seed = 1, epochs = 0;
  std::string notes;
  bool quick = false, held_back = false;

  static constexpr std::string_view group = "fit and plot";
  static constexpr auto fields = std::tuple{
      QuestionField{"devices", &TableOptions::devices, "--devices", "FILE", kAnswer, "devices.txt",
                    "Data sheets of devices that the catalogue lacks (data/kernels/devices.txt is "
                    "one)"}
          .only_for("'fit', 'plot'"),
      QuestionField{"by", &TableOptions::by, "--by", "HOW", kAnswer, "nets",
                    "fit: trees (XGBoost) or nets; trees where there is XGBoost"}
          .only_for("'fit'"),
      QuestionField{"classes", &TableOptions::classes, "--classes", "NAMES", kAnswer, "softmax",
                    "fit: only these, commas between them: gemm_bf16,softmax"}
          .only_for("'fit'")
          .comma_separated()
          .one_each(),
      QuestionField{"seed", &TableOptions::seed, "--seed", "N", kAnswer, "2",
                    "Which kernels are held back, and all else that is by chance; 1"}
          .only_for("'fit', 'plot'"),
      QuestionField{"epochs", &TableOptions::epochs, "--epochs", "N", kAnswer, "3",
                    "fit: how often nets see each row; by default what takes about a minute a "
                    "net"}
          .only_for("'fit'"),
      QuestionField{"notes", &TableOptions::notes, "--notes", "FILE", kAnswer, "notes.txt",
                    "fit: text for the model's head, such as sources"}
          .only_for("'fit'"),
      QuestionField{"quick", &TableOptions::quick, "--no-leave-out", "", kAnswer, "true",
                    "fit: do not try each device by the others"}
          .only_for("'fit'"),
      QuestionField{"held_back", &TableOptions::held_back, "--held-back", "", kAnswer, "true",
                    "plot: only the tenth of kernels that fitting never looks at"}
          .only_for("'plot'")};
};

/// Writes what was fitted, or drawn, to --output and says how good it is.
int fit_kernels(study::KernelFitQuestion question, Session& session);
int plot_kernels(study::KernelPlotQuestion question, Session& session);

}  // namespace orrery::app
