// SPDX-License-Identifier: Apache-2.0
#include "stream_option.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <limits>

namespace orrery::app {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kNoFolder = "true";  // what CLI11 makes of a flag without a value

/// Bytes; more than there can be when the system does not tell.
std::uint64_t memory_of_machine() {
  const long pages = ::sysconf(_SC_PHYS_PAGES), bytes = ::sysconf(_SC_PAGESIZE);
  if (pages <= 0 || bytes <= 0) return std::numeric_limits<std::uint64_t>::max();
  return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(bytes);
}

}  // namespace

void add_stream_option(CLI::App& command, StreamOptions& options) {
  options.possible = true;
  command
      .add_flag("--stream", options.folder,
                "Keep traces in a temporary file, as is done with those beyond half of the memory")
      ->option_text("[=FOLDER]")
      ->group("Inputs");
}

Result<void> choose_place(const StreamOptions& options, study::Question& question) {
  if (!options.possible) return {};
  std::error_code error;
  const bool named = options.given() && options.folder != kNoFolder;
  question.stream_folder = named ? options.folder : fs::temp_directory_path(error).string();
  if (named && !fs::is_directory(options.folder, error)) {
    return fail(Errc::input_not_found, options.folder, "there is no such folder",
                "--stream takes an existing folder, on a disk that has room for the traces");
  }
  question.stream_beyond = options.given() ? 0 : memory_of_machine() / 2;
  return {};
}

}  // namespace orrery::app
