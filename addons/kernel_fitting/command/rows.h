// SPDX-License-Identifier: Apache-2.0
//
// The modes that this add-on contributes to commands of the core.
#pragma once

#include <array>

#include "apps/orrery/command.h"

namespace orrery::app {

Action add_kernels_fit(CLI::App& command, const KernelsOptions& options, Session& session);
Action add_embeddings_fit(CLI::App& command, const EmbeddingsOptions& options, Session& session);
Action add_calibrate_compute(CLI::App& command, const CalibrateOptions& options, Session& session);

namespace addons::kernel_fitting {

inline constexpr auto kModes = std::to_array<AddedMode>({
    {.mode = "kernels fit",
     .options = "--by --classes --epochs --notes --no-leave-out",
     .usage = "  orrery kernels fit a.csv b.csv -o my.model   a model for --kernel-model, fitted\n"
              "                                        to tables\n",
     .output = "fit: the model",
     .add = add_kernels_fit},
    {.mode = "embeddings fit",
     .options = "--epochs",
     .usage = "  orrery embeddings fit CSV… -o NETS  nets for --lookup-model, trained on measured "
              "lookups\n",
     .output = "fit: the nets",
     .add = add_embeddings_fit},
    {.mode = "calibrate compute",  // with --write-model
     .options = "--write-model",
     .usage = "",
     .output = "",
     .add = add_calibrate_compute},
});

}  // namespace addons::kernel_fitting
}  // namespace orrery::app
