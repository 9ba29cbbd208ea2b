// SPDX-License-Identifier: Apache-2.0
//
// Transcripts of the command line: what is typed and what comes back.
//
//   # a comment
//   $ orrery trace info tiny        a command, run by sh in a folder of its own
//   > ranks   2                  a line of stdout
//   ! warning: …                 a line of stderr
//   ? 3                          the exit code, 0 when absent
//   $$ orrery accuracy --fit     a command that takes long: run with full effort alone
//
// In a `>` or `!` line, "..." stands for any text; alone on a line it stands for any number of
// lines. A stream without a line is not looked at; "> (nothing)" says that it is empty.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace orrery::cli_test {

struct Step {
  std::size_t line = 0;      ///< where its command stands
  std::size_t out_line = 0;  ///< on a page: where its output begins
  std::string command;
  std::vector<std::string> out;
  std::vector<std::string> err;
  int exit_code = 0;
  bool full = false;  ///< run with full effort alone (core/effort_testing.h)
};

/// Steps of a transcript. Lines that are none of the above are put into `bad`.
[[nodiscard]] std::vector<Step> parse_transcript(std::string_view text,
                                                 std::vector<std::string>& bad);

/// Steps of a Markdown page: in ```console blocks, the lines after `$ orrery …` or `$ ./orrery …`
/// are its output. Words after "console": `exit=3` for the exit code, `no-run` for a block that is
/// not run.
[[nodiscard]] std::vector<Step> parse_page(std::string_view markdown);

/// The page with the output of `steps[i]` replaced by `outputs[i]`, except where no output or a
/// "..." is shown.
[[nodiscard]] std::string with_outputs(std::string_view markdown, const std::vector<Step>& steps,
                                       const std::vector<std::string>& outputs);

/// Do `actual`'s lines match `expected`?
[[nodiscard]] bool matches(const std::vector<std::string>& expected, std::string_view actual);

struct Outcome {
  std::string out;
  std::string err;
  int exit_code = 0;
};

/// Runs `command` with sh in `folder`, `program` being found as `orrery` and `./orrery`. No input,
/// a clean environment. What takes 20 minutes hangs, and ends with exit code 124.
[[nodiscard]] Outcome run(const std::string& command, const std::filesystem::path& folder,
                          const std::filesystem::path& program);

/// Where `run` leaves a copy of every JSON result that the program printed or wrote for commands in
/// `folder`. With full effort, commands run a second time with --json.
[[nodiscard]] std::filesystem::path json_folder(const std::filesystem::path& folder);

/// What came back, as it would stand in a transcript.
[[nodiscard]] std::string as_transcript(const Step& step, const Outcome& outcome);

}  // namespace orrery::cli_test
