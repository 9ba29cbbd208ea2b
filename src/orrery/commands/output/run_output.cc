// SPDX-License-Identifier: Apache-2.0
#include "orrery/commands/output/run_output.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>
#include <vector>

#include "orrery/analysis/value_text.h"
#include "orrery/commands/output_file.h"
#include "orrery/commands/progress.h"
#include "orrery/result/run_file.h"

namespace orrery::commands {

namespace fs = std::filesystem;

Result<OutputKind> kind_of_output(const std::string& path) {
  if (path.ends_with(".orrery")) return OutputKind::run_file;
  if (path.ends_with(".html")) return OutputKind::page;
  if (path.empty() || path == "-" || path.ends_with(".json") || is_device(path))
    return OutputKind::json;
  return fail(Errc::usage, "--output",
              fmt::format("'{}' does not end in .orrery, .html or .json", path),
              "FILE.orrery gets the complete run, FILE.html its web page, FILE.json the summary");
}

namespace {

/// Errc: output_exists, output_failed.
Result<void> write_run_file(const result::Run& run, const std::string& path,
                            const Context& context) {
  Progress progress(context);
  const auto done = result::write_run(run, path, context.force);
  std::error_code ignored;
  const std::uintmax_t size = fs::file_size(path, ignored);
  if (done && !ignored) progress.written(path, size);
  progress.clear();
  if (!done) return done;
  context.note(fmt::format("wrote {}{}; 'orrery report {}' shows it", path,
                           ignored ? "" : fmt::format(" ({})", analysis::bytes_text(size)), path));
  return {};
}

}  // namespace

bool keeps_run(const std::string& run_file, const PageOptions& page, const Context& context) {
  return !run_file.empty() || page.wanted() || context.wants_run();
}

Result<void> write_run(const study::Outcome& outcome, const std::string& run_file, PageFile& page,
                       const Context& context, const study::Outcome* baseline) {
  if (run_file.empty() && !page.wanted() && !context.wants_run()) return {};
  result::Run run;
  {
    Progress progress(context);
    if (!run_file.empty()) progress.begin({"write", "writing", "bytes", run_file});
    run = study::make_run(outcome);
  }
  if (!run_file.empty())
    if (auto done = write_run_file(run, run_file, context); !done) return done;
  result::Run before;
  std::vector<const result::Run*> shown{&run};
  if (baseline != nullptr && page.wanted()) {
    before = study::make_run(*baseline);
    shown.insert(shown.begin(), &before);
  }
  if (auto done = page.write(shown, context); !done) return tl::unexpected(done.error());
  if (context.wants_run()) context.take_run(std::move(run));
  return {};
}

}  // namespace orrery::commands
