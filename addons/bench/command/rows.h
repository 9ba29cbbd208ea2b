// SPDX-License-Identifier: Apache-2.0
//
// The command of this add-on, as a row of the command table.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "orrery/commands/command.h"

namespace orrery::commands {

Action add_bench(CommandOptions& command, Context& context);
[[nodiscard]] std::vector<std::string_view> bench_words();

namespace addons::bench {

inline constexpr auto kCommands = std::to_array<Command>({
    {.name = "bench",
     .group = Group::accuracy,
     .summary = "Run the operators of a recording on this machine",
     .add = add_bench,
     .output =
         {.file =
              "Write the JSON to FILE ('-' for stdout); generate: the program to the folder FILE"},
     .words = {.list = bench_words},
     .plug_in =
         {.file = "orrery_bench.so",
          .label = "PyTorch (orrery bench run)",
          .subject = "replays",
          .present = "with PyTorch, for 'orrery bench'",
          .missing =
              "not installed: './setup bench' and a new build, or the package orrery-bench"}},
});

}  // namespace addons::bench
}  // namespace orrery::commands
