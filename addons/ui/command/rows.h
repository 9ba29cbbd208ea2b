// SPDX-License-Identifier: Apache-2.0
//
// The commands of this add-on, as rows of the command table.
#pragma once

#include <array>

#include "addons/ui/http_module.h"
#include "orrery/commands/command.h"

namespace orrery::commands {

Action add_ui(CommandOptions& command, Context& context);
Action add_answer_question(CommandOptions& command, Context& context);

namespace addons::ui {

/// The name of the hidden command that answers one question in a process of its own.
inline constexpr const char* kAnswerQuestion = "answer-question";

inline constexpr auto kCommands = std::to_array<Command>({
    {.name = "ui",
     .group = Group::everyday,
     .summary = "Serve a page that shows the effect of changes to jobs and clusters",
     .add = add_ui,
     .output = {.json = false, .file = ""},
     .plug_in = {.file = orrery::ui::kHttpModuleFile,
                 .label = "HTTP (ui)",
                 .subject = "web page",
                 .present = "'orrery ui' serves it",
                 .missing = "'orrery ui' needs cpp-httplib: ./setup, then build again"}},
    {.name = kAnswerQuestion,
     .group = Group::hidden,
     .summary = "Answer one question of 'orrery ui', in a process of its own",
     .add = add_answer_question,
     .output = {.json = false, .file = ""}},
});

}  // namespace addons::ui
}  // namespace orrery::commands
