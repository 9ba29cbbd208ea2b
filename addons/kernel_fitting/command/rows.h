// SPDX-License-Identifier: Apache-2.0
//
// The modes that this add-on contributes to core commands.
#pragma once

#include <array>

#include "orrery/commands/command.h"

namespace orrery::commands {

Action add_kernels_fit(CommandOptions& command, const KernelsOptions& options, Context& context);
Action add_dlrm_lookup_fit(CommandOptions& command, const EmbeddingsOptions& options,
                          Context& context);
Action add_calibrate_compute(CommandOptions& command, const CalibrateOptions& options,
                             Context& context);

namespace addons::kernel_fitting {

inline constexpr auto kModes = std::to_array<AddedMode>({
    {.mode = "kernels fit",
     .options = "--by --classes --epochs --notes --no-leave-out",
     .usage = "  orrery kernels fit a.csv -o my.model  a model for --kernel-model, from tables\n",
     .output = "fit: the model",
     .add = add_kernels_fit},
    {.mode = "dlrm lookup fit",
     .options = "--epochs",
     .usage = "  orrery dlrm lookup fit CSV… -o NETS  nets for --lookup-model, trained on measured "
              "lookups\n",
     .output = "fit: the nets",
     .add = add_dlrm_lookup_fit},
    {.mode = "calibrate compute",  // with --write-model
     .options = "--write-model",
     .usage = "",
     .output = "",
     .add = add_calibrate_compute},
});

}  // namespace addons::kernel_fitting
}  // namespace orrery::commands
