// SPDX-License-Identifier: Apache-2.0
//
// The environment of a command: it receives the answer, the notes and the progress. The command
// line's writes to a terminal; the library's collects them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/report/answer/answer.h"

namespace orrery::model {
class CallerModels;
}
namespace orrery::result {
struct Run;
}

namespace orrery::commands {

class CommandOptions;

/// Exit codes without an Errc.
inline constexpr int kOk = 0;
inline constexpr int kSaysNo = 1;
inline constexpr int kUsage = 2;
inline constexpr int kDefect = 70;
inline constexpr int kInterrupted = 130;

/// Runs a command whose options are set; returns the exit code.
using Action = std::function<int()>;

/// Options of all commands. --json, --output and --force exist only if Command::output has them.
struct OutputOptions {
  bool json = false;
  std::string output;
  bool force = false, quiet = false;
  std::string color = "auto", progress = "auto";
};

/// A phase of a command's work.
struct ProgressPhase {
  std::string_view name;    ///< "read", "simulate", "convert", "write" …
  std::string_view words;   ///< "reading traces"
  std::string_view unit;    ///< of the count: "ranks"
  std::string about{};      ///< a file, or a remark on the remaining work
  bool show_rate = false;   ///< also show units per second and the remaining time
  std::uint64_t known = 0;  ///< part of `done` that was known at the start: excluded from the rate
};

/// Receives the progress of a command. Calls come from the thread that runs the command, or from
/// one of its workers, one at a time.
class ProgressSink {
 public:
  ProgressSink() = default;
  ProgressSink(const ProgressSink&) = delete;
  ProgressSink& operator=(const ProgressSink&) = delete;
  virtual ~ProgressSink() = default;
  /// A phase begins. `of`: the total; 0: unknown.
  virtual void begin(const ProgressPhase& phase, std::uint64_t of) = 0;
  /// `done` of `of` are done.
  virtual void update(const ProgressPhase& phase, std::uint64_t done, std::uint64_t of) = 0;
  /// The phases end.
  virtual void clear() = 0;
  /// Whether the progress is shown; if not, callers need not format texts.
  [[nodiscard]] virtual bool active() const = 0;
  /// Whether the next update would be shown: some texts are expensive.
  [[nodiscard]] virtual bool is_due() const { return active(); }
};

class Context : public OutputOptions {
 public:
  Context() = default;
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  virtual ~Context() = default;

  std::string program = "orrery";  ///< name of the program in suggested commands
  std::string command;             ///< its name, for messages and the JSON envelope
  std::string question;            ///< the options as JSON; empty: no JSON is wanted
  /// Options that ASTRA-sim would have ignored without a message.
  std::vector<std::string> ignored_options;
  bool astra_options = false;  ///< options of ASTRA-sim were given
  /// The program was called by the name of ASTRA-sim's congestion-aware one.
  bool congestion_aware_name = false;
  bool continues_output = false;  ///< the command continues in an existing output file
  /// For traces larger than memory; empty: they stay in memory unless the question names a folder.
  std::string temporary_folder;

  /// Adds the options that every command has.
  void add_options(CommandOptions& command);
  /// Errc: output_exists.
  [[nodiscard]] Result<void> check_output() const;
  /// Checks that processes of the program can be started; `what` is the option that needs them.
  /// Errc: usage in the library, which has no program.
  [[nodiscard]] Result<void> check_program(std::string_view what) const;

  [[nodiscard]] virtual report::Style out_style() const = 0;

  /// Reports why the command failed and returns its exit code.
  virtual int fail(const Error& error, const Findings& findings = {}) const = 0;
  /// Reports an error of a command that still has an answer.
  virtual void report_error(const Error& error) const = 0;
  /// One line, unless --quiet.
  virtual void note(std::string_view text) const = 0;
  virtual void warn(std::string_view text) const = 0;
  /// Delivers the answer as `text` or as `to_json()`. Returns `code`, or the exit code of a failed
  /// write.
  virtual int deliver(std::string_view text, const std::function<std::string()>& to_json,
                      int code = kOk) const = 0;
  /// Delivers what `state` states, as text or as JSON.
  int deliver(const report::StateAnswer& state, int code = kOk) const;
  /// A sink for the progress of the next phases. The context must outlive the sink.
  [[nodiscard]] virtual std::unique_ptr<ProgressSink> start_progress() const = 0;
  /// A function that returns true once in `seconds` of real time; empty: there is no clock.
  [[nodiscard]] virtual std::function<bool()> start_timer(double /*seconds*/) const { return {}; }
  /// Shows a web page to the user.
  virtual void show_page(const std::string& path) const = 0;
  /// A variable that a launcher (mpirun, srun) sets for its processes; empty: not set.
  [[nodiscard]] virtual std::string launcher_variable(const char* name) const = 0;
  /// The program as a file that other processes can start; empty: there is none.
  [[nodiscard]] virtual std::string program_file() const = 0;
  /// Whether the caller wants the run itself; the command then passes it to take_run().
  [[nodiscard]] virtual bool wants_run() const { return false; }
  virtual void take_run(result::Run run) const;
  /// Functions of the calling program that change predicted times; null: none. Commands that
  /// do not ask must refuse them (see call()).
  [[nodiscard]] virtual std::shared_ptr<const model::CallerModels> caller_models() const {
    return nullptr;
  }

 protected:
  /// The answer as a JSON document, as --json prints it.
  [[nodiscard]] std::string document(const std::function<std::string()>& to_json) const;
};

}  // namespace orrery::commands
