// SPDX-License-Identifier: Apache-2.0
#include "orrery/calibrate/measurements/measurement_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <span>
#include <system_error>

#include "orrery/calibrate/measurements/benchmark_run.h"
#include "orrery/calibrate/measurements/inspector.h"
#include "orrery/calibrate/measurements/measured_csv.h"
#include "orrery/calibrate/measurements/nccl_tests.h"
#include "orrery/core/limits.h"
#include "orrery/core/text/csv.h"
#include "orrery/core/text/text.h"
#include "orrery/trace/inputs/format.h"
#include "orrery/trace/json/scan.h"

namespace orrery::calibrate {
namespace {

using std::string_view;

constexpr std::size_t kHead = 64u << 10;  // bytes that determine the format of a file

enum class Kind : std::uint8_t { printed, json, inspector, csv, binary };

Kind kind_of(string_view head) {
  if (head.starts_with("\xEF\xBB\xBF")) head.remove_prefix(3);
  if (head.find('\0') != string_view::npos) return Kind::binary;
  for (const string_view key :
       {"\"inspector_output_format_version\"", "\"coll_perf\"", "\"p2p_perf\"", "\"dump_stats\""})
    if (head.find(key) != string_view::npos) return Kind::inspector;
  if (head.substr(trace::json::skip_space(head)).starts_with('{')) return Kind::json;
  TrimmedLineReader lines(head, "");
  string_view line;
  while (lines.next(line)) {
    if (line.empty() || line.front() == '#') continue;
    return is_csv_header(line) ? Kind::csv : Kind::printed;
  }
  return Kind::printed;
}

/// The first bytes of a source. A read error ends them and occurs again at the next read.
std::string head_of(trace::ByteSource& source) {
  std::string head(kHead, '\0');
  std::size_t filled = 0;
  while (filled < head.size()) {
    const auto got = source.read(std::as_writable_bytes(std::span(head).subspan(filled)));
    if (!got || *got == 0) break;
    filled += *got;
  }
  head.resize(filled);
  return head;
}

/// The files of a folder, or those that match a path or pattern, ordered by name.
Result<std::vector<std::string>> files_of(const std::string& path) {
  std::error_code status;
  if (!std::filesystem::is_directory(path, status)) return trace::expand(path);
  std::vector<std::string> files;
  std::filesystem::directory_iterator entries(path, status);
  for (; !status && entries != std::filesystem::directory_iterator(); entries.increment(status))
    if (!entries->is_directory(status)) files.push_back(entries->path().string());
  if (files.empty()) return fail(Errc::input_empty, path, "this folder contains no files");
  std::sort(files.begin(), files.end(), trace::natural_less);
  return files;
}

class MeasurementReader {
 public:
  MeasurementReader(const std::string& where, Findings& findings, const ReadOptions& options)
      : into_{set_.rows, findings, options} {
    set_.where = where;
  }

  Result<void> read(std::unique_ptr<trace::ByteSource> source, const std::string& where) {
    const std::string head = head_of(*source);
    const auto rewound = trace::prepend(std::move(source), std::as_bytes(std::span(head)));
    switch (kind_of(head)) {
      case Kind::printed:
        return read_nccl_tests(*rewound, where, into_);
      case Kind::json:
        return read_nccl_tests_json(*rewound, where, into_);
      case Kind::inspector:
        has_logs_ = true;
        return logs_.read(*rewound, where, into_.findings);
      case Kind::csv:
        return read_measured_csv(*rewound, where, into_);
      case Kind::binary:
        break;
    }
    return fail(Errc::input_unsupported, where, "contains no measured collectives", kFormats);
  }

  Result<MeasurementSet> finish() {
    if (auto done = logs_.finish(into_); !done) return tl::unexpected(done.error());
    if (set_.rows.empty() && into_.log.seen)
      return fail(Errc::input_empty, set_.where,
                  fmt::format("is a log of NCCL (NCCL_DEBUG), which has no times; it states {}",
                              contents_of(into_.log)),
                  "run nccl-tests with NCCL_DEBUG=INFO: then the log has both");
    if (set_.rows.empty())
      return fail(Errc::input_empty, set_.where, "contains no measured collective",
                  has_logs_ ? "NCCL Inspector does not log messages below 8192 bytes" : kFormats);
    return std::move(set_);
  }

 private:
  static constexpr const char* kFormats =
      "supported: text or JSON output of nccl-tests and rccl-tests, NCCL Inspector logs, and CSV "
      "with a header";

  MeasurementSet set_;
  MeasurementSink into_;
  InspectorLogs logs_;
  bool has_logs_ = false;
};

/// Reads a file, or all members of an archive.
Result<void> read_file(const std::string& file, MeasurementReader& reading) {
  const auto inputs = trace::inputs_in(file);
  if (!inputs) return tl::unexpected(inputs.error());
  for (const trace::Input& input : *inputs) {
    auto source = trace::open(input);
    if (!source) return tl::unexpected(source.error());
    if (auto done = reading.read(std::move(*source), input.name); !done) return done;
  }
  return {};
}

Result<void> check_options(const ReadOptions& options) {
  if (!options.collective.empty() && find_collective(options.collective) == nullptr)
    return fail(Errc::usage, "collective", in_quotes(options.collective) + " is not a collective");
  constexpr auto kMax = static_cast<std::int64_t>(limits::kRanks);
  if (options.ranks < 0 || options.ranks > kMax || options.nodes < 0 || options.nodes > kMax)
    return fail(Errc::usage, "ranks", "the number of ranks or nodes is out of range");
  return {};
}

}  // namespace

Result<MeasurementSet> read_measurements(const std::vector<std::string>& paths, Findings& findings,
                                         const ReadOptions& options) {
  if (auto fits = check_options(options); !fits) return tl::unexpected(fits.error());
  if (paths.empty()) return fail(Errc::usage, "FILE", "no measurements are given");
  MeasurementReader reading(
      paths.size() == 1 ? paths.front() : fmt::format("{} files", paths.size()), findings, options);
  std::vector<std::string> read;
  for (const std::string& path : paths) {
    const auto files = files_of(path);
    if (!files) return tl::unexpected(files.error());
    for (const std::string& file : *files) {
      const auto done = read_file(file, reading);
      if (done) {
        read.push_back(file);
        continue;
      }
      const Errc code = done.error().code;
      if (files->size() == 1 || (code != Errc::input_empty && code != Errc::input_unsupported))
        return tl::unexpected(done.error());
      findings.add(FindingCode::file_skipped, file);
    }
  }
  auto set = reading.finish();
  if (set) set->files = std::move(read);
  return set;
}

Result<MeasurementSet> parse_measurements(std::string_view text, const std::string& where,
                                          Findings& findings, const ReadOptions& options) {
  if (auto fits = check_options(options); !fits) return tl::unexpected(fits.error());
  MeasurementReader reading(where, findings, options);
  auto source =
      std::make_unique<trace::MemorySource>(std::as_bytes(std::span(text.data(), text.size())));
  if (auto done = reading.read(std::move(source), where); !done)
    return tl::unexpected(done.error());
  return reading.finish();
}

}  // namespace orrery::calibrate
