// SPDX-License-Identifier: Apache-2.0
//
// The command of this add-on.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "apps/orrery/command.h"

namespace orrery::app {

Action add_bench(CLI::App& command, Session& session);
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
     .plug_in = {.file = "orrery_bench.so",
                 .label = "PyTorch (orrery bench run)",
                 .subject = "replays",
                 .present = "by PyTorch, for 'orrery bench'",
                 .missing = "not there: './setup bench' and a build, or the package orrery-bench"}},
});

}  // namespace addons::bench
}  // namespace orrery::app
