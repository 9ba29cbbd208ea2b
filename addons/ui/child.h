// SPDX-License-Identifier: Apache-2.0
//
// A question, answered by a process of its own: with limits, and without access to other files.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "orrery/core/system/file_read_recorder.h"

namespace orrery::ui {

/// A command by its name, and its options as a JSON object.
struct Question {
  std::string command, options;
};

struct Progress {
  std::string phase, unit;  ///< "simulate", "ranks"; empty: nothing is known yet
  std::uint64_t done = 0, of = 0;
};

struct Outcome {
  int status = 0;        ///< exit code of the command line
  std::string document;  ///< what --json prints
  FileHashes files;      ///< that it read, by paths relative to the folder
};

struct ChildLimits {
  double seconds = 600;
  std::uint64_t memory_bytes = 0;         ///< address space; 0: no limit of its own
  std::size_t answer_bytes = 256u << 20;  ///< of the document
};

/// How a process that answers is started: `program` with the hidden command that reads the
/// question from stdin, in `folder`.
struct ChildProgram {
  std::string program, command, folder;
  ChildLimits limits;
};

/// Processes that wait for questions, so that an answer need not wait for the start of a program.
/// Each answers one question, and another one is started afterwards. Any thread.
class Children {
 public:
  /// `waiting`: how many processes wait.
  Children(ChildProgram program, std::size_t waiting);
  /// Ends those that wait. No call of answer() may be in progress.
  ~Children();
  Children(const Children&) = delete;
  Children& operator=(const Children&) = delete;

  /// Asks a process, and waits for its answer. Ends it after the limits, or when `cancelled`
  /// becomes true (looked at every 50 ms): status 130 then, 5 for the limits, 70 if it dies.
  /// `on_progress` is called by this thread.
  [[nodiscard]] Outcome answer(const Question& question,
                               const std::function<void(const Progress&)>& on_progress,
                               const std::atomic<bool>& cancelled);

 private:
  class Process;

  /// A process that got the question; empty: none could be started.
  std::unique_ptr<Process> ask(const Question& question);
  void fill();

  ChildProgram program_;
  std::size_t most_waiting_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Process>> waiting_;
};

// What the process writes: a line of JSON for each progress, and one for the answer.
[[nodiscard]] std::string progress_line(const Progress& progress);
[[nodiscard]] std::string answer_line(const Outcome& outcome);

}  // namespace orrery::ui
