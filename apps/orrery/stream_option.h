// SPDX-License-Identifier: Apache-2.0
//
// Workloads beyond memory: graphs in a temporary file.
#pragma once

#include <cstdint>
#include <string>

#include "orrery/core/error.h"
#include "orrery/study/question.h"

namespace CLI {
class App;
}

namespace orrery::app {

/// What was typed.
struct StreamOptions {
  /// --stream: empty = not given, "true" = the temporary folder, else a folder.
  std::string folder;
  /// The command can do with graphs in a file: they go there when they take too much memory.
  bool possible = false;

  [[nodiscard]] bool given() const { return !folder.empty(); }
};

/// Adds --stream; from then on graphs that memory has no room for go to the temporary folder.
void add_stream_option(CLI::App& command, StreamOptions& options);

/// Where graphs go and how many stay in memory: with --stream none, else half of the machine's
/// memory full. Errc: input_not_found (no such folder).
[[nodiscard]] Result<void> choose_place(const StreamOptions& options, study::Question& question);

}  // namespace orrery::app
