// SPDX-License-Identifier: Apache-2.0
#include "output/run_output.h"

#include <fmt/format.h>

#include <filesystem>

#include "orrery/core/text/units.h"
#include "orrery/result/run_file.h"
#include "output_file.h"
#include "progress.h"

namespace orrery::app {

namespace fs = std::filesystem;

Result<OutputKind> kind_of_output(const std::string& path) {
  if (path.ends_with(".orrery")) return OutputKind::run_file;
  if (path.ends_with(".html")) return OutputKind::page;
  if (path.empty() || path == "-" || path.ends_with(".json") || is_device(path))
    return OutputKind::json;
  return fail(Errc::usage, "--output",
              fmt::format("'{}' ends in none of .orrery, .html, .json", path),
              "FILE.orrery gets the whole run, FILE.html its web page, FILE.json the summary");
}

result::Run recorded_run(const study::Outcome& outcome, const std::string& path,
                         const Session& session) {
  Progress progress(session);
  if (!path.empty()) progress.begin({"write", "writing", "bytes", path});
  return study::make_run(outcome);
}

Result<void> write_run_file(const result::Run& run, const std::string& path,
                            const Session& session) {
  Progress progress(session);
  const auto done = result::write_run(run, path, session.force);
  std::error_code ignored;
  const std::uintmax_t size = fs::file_size(path, ignored);
  if (done && !ignored) progress.written(path, size);
  progress.clear();
  if (!done) return done;
  const std::string size_text = format_bytes(Bytes(static_cast<std::int64_t>(size)));
  session.note(fmt::format("wrote {}{}; 'orrery report {}' shows it", path,
                           ignored ? "" : fmt::format(" ({})", size_text), path));
  return {};
}

}  // namespace orrery::app
