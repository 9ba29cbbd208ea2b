// SPDX-License-Identifier: Apache-2.0
//
// orrery answer-question: the process that answers one question of `orrery ui`.
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <iostream>
#include <iterator>

#include "addons/ui/child.h"
#include "addons/ui/command/rows.h"
#include "addons/ui/confine.h"
#include "orrery/commands/call.h"
#include "orrery/commands/command_options.h"
#include "orrery/config/json.h"
#include "orrery/core/system/file_read_recorder.h"

namespace orrery::commands {

namespace {

void print(const std::string& text) {
  (void)std::fwrite(text.data(), 1, text.size(), stdout);
  (void)std::fflush(stdout);
}

/// Prints at most ten lines of progress a second.
CallOptions with_progress() {
  CallOptions options;
  options.progress = [next = std::chrono::steady_clock::time_point{}](
                         const ProgressPhase& phase, std::uint64_t done, std::uint64_t of) mutable {
    const auto now = std::chrono::steady_clock::now();
    if (now < next) return;
    next = now + std::chrono::milliseconds(100);
    print(ui::progress_line({std::string(phase.words), std::string(phase.unit), done, of}));
  };
  return options;
}

int answer_question(const Context& context) {
  const std::string text{std::istreambuf_iterator<char>(std::cin), {}};
  const config::Json asked = config::Json::parse(text, nullptr, false);
  if (!asked.is_object())
    return context.fail({Errc::usage, "stdin", "must be a question of 'orrery ui'", ""});
  const std::string folder = asked.value("folder", "");
  if (!folder.empty())
    (void)ui::confine({.folder = folder,
                       .program = context.program_file(),
                       .memory_bytes = asked.value("memory_bytes", std::uint64_t{0}),
                       .cpu_seconds = asked.value("cpu_seconds", 0.0)});
  ui::Outcome outcome;
  {
    const FileReadRecorder files;
    const CallAnswer answer =
        call(asked.value("command", ""), asked.value("options", "{}"), with_progress());
    outcome = {answer.status, answer.json, files.hashes()};
  }
  print(ui::answer_line(outcome));
  return kOk;
}

}  // namespace

Action add_answer_question(CommandOptions& command, Context& context) {
  describe(command, "Reads a question from stdin. 'orrery ui' starts it.\n");
  return [&context] { return answer_question(context); };
}

}  // namespace orrery::commands
