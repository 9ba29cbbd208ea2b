// SPDX-License-Identifier: Apache-2.0
#include "orrery/intake/job/trace_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <span>

#include "orrery/trace/inputs/foreign_files.h"
#include "orrery/trace/nsys/reader.h"
#include "orrery/trace/rocpd/reader.h"
#include "orrery/trace/tensorflow/reader.h"
#include "orrery/trace/xplane/reader.h"

namespace orrery::intake {

using trace::Format;

Error unsupported_error(const trace::Input& input) {
  if (input.foreign != nullptr) return trace::foreign_error(*input.foreign, input.name);
  switch (input.format) {
    case Format::chakra:
      return {Errc::usage, input.name, "this is already a Chakra trace, not a recorded one",
              "simulate it with 'orrery run', or check it with 'orrery trace validate'"};
    case Format::run_file:
      return {Errc::usage, input.name, "this is a result of a simulation, not a recorded trace",
              "show it with 'orrery report'"};
    case Format::flight_record:
      return {
          Errc::usage, input.name,
          "this is a dump of PyTorch's flight recorder, which has no kernels",
          "'orrery trace info FOLDER' shows its collectives and what is stuck, 'orrery run FOLDER' "
          "simulates them"};
    case Format::astra_text:
    case Format::mpi_json:
    case Format::htsim_matrix:
    case Format::ns3_flows:
    case Format::goal:
    case Format::flexflow:
    case Format::cost_graph:
      return {Errc::usage, input.name,
              fmt::format("this is a workload for all ranks ({}), not a recorded rank",
                          trace::name(input.format)),
              "convert it separately"};
    default:
      return {Errc::input_unsupported, input.name, "this is not a trace in a supported format",
              "supported: Kineto (JSON, .pftrace), PyTorch execution traces (JSON), Nsight Systems "
              "exports (.sqlite), rocprofv3 databases (.db), XPlane (.xplane.pb), RunMetadata of "
              "TensorFlow; see docs/recorded-traces.md"};
  }
}

namespace {

bool is_documentation(const std::string& path) {
  constexpr std::array<std::string_view, 7> kEndings = {".md",   ".txt", ".yaml", ".yml",
                                                        ".html", ".py",  ".sh"};
  return std::any_of(kEndings.begin(), kEndings.end(),
                     [&](std::string_view ending) { return path.ends_with(ending); });
}

/// True if the file describes traces next to it.
bool is_facts_file(const trace::Input& input) {
  if (input.format != Format::unknown && input.format != Format::foreign) return false;
  auto source = trace::open(input);
  if (!source) return false;
  std::array<char, 4096> head{};
  const auto got = (*source)->read(std::as_writable_bytes(std::span(head)));
  return got && std::string_view(head.data(), *got).find("\"orrery_facts\"") != std::string::npos;
}

/// Collects the files that JobOptions::traces names.
class Collector {
 public:
  explicit Collector(Findings& findings) : findings_(findings) {}

  Result<void> add(const std::string& pattern) {
    const auto paths = trace::expand(pattern);
    if (!paths) return tl::unexpected(paths.error());
    const bool named = paths->size() == 1 && paths->front() == pattern;
    for (const std::string& path : *paths) {
      if (!seen_.insert(path).second) continue;
      if (!named && is_documentation(path)) {
        skip(path, unsupported_error({path, path, Format::unknown}));
      } else if (auto fine = add_file(path, named); !fine) {
        return fine;
      }
    }
    return {};
  }

  Result<std::vector<TraceFile>> finish() {
    if (all_.empty() && first_error_) return tl::unexpected(*first_error_);
    for (const std::string& name : skipped_) findings_.add(FindingCode::file_skipped, name);
    return std::move(all_);
  }

 private:
  Result<void> add_file(const std::string& path, bool named) {
    auto inputs = trace::inputs_in(path);
    if (!inputs) return tl::unexpected(inputs.error());
    std::size_t used = 0;
    std::optional<Error> first_refused;
    for (trace::Input& input : *inputs) {
      const bool device = trace::is_device_trace(input.format);
      if (device || input.format == Format::pytorch_et) {
        ++used;
        add_input(std::move(input), device);
        continue;
      }
      const Error error = unsupported_error(input);
      const bool alone = named && input.name == path;
      if (alone && !is_documentation(path) && !is_facts_file(input)) return tl::unexpected(error);
      if (input.foreign != nullptr && !first_refused) first_refused = error;
      skip(input.name, error);
    }
    if (used == 0 && named && (inputs->size() != 1 || inputs->front().name != path)) {
      if (first_refused) return tl::unexpected(*first_refused);
      return fail(Errc::input_unsupported, path, "this archive contains no recorded trace",
                  "docs/recorded-traces.md lists the recordings that are read");
    }
    return {};
  }

  /// The parts of a file that are ranks of their own: processes, or devices that one process uses.
  /// Errors are reported when the file is read.
  static std::vector<std::int64_t> ranks_in(const trace::Input& input) {
    switch (input.format) {
      case Format::nsys_sqlite:
        return trace::nsys::processes_in(input.path).value_or(std::vector<std::int64_t>());
      case Format::rocpd:
        return trace::rocpd::processes_in(input.path).value_or(std::vector<std::int64_t>());
      case Format::xplane:
        return trace::xplane::devices_in([&] { return trace::open(input); }, input.name)
            .value_or(std::vector<std::int64_t>());
      case Format::run_metadata: {
        auto source = trace::open(input);
        if (!source) return {};
        return trace::tensorflow::devices_in(std::move(*source), input.name)
            .value_or(std::vector<std::int64_t>());
      }
      default:
        return {};
    }
  }

  /// Adds an input. A report of a complete node becomes one trace per process.
  void add_input(trace::Input input, bool device) {
    const std::vector<std::int64_t> ranks = ranks_in(input);
    if (ranks.size() > 1) {
      for (const std::int64_t rank : ranks) {
        all_.push_back({.input = input, .is_device = true});
        all_.back().process = rank;
      }
      return;
    }
    const bool capture = device && is_capture_name(input.name);
    all_.push_back({.input = std::move(input), .is_device = device, .is_capture = capture});
  }

  void skip(const std::string& name, const Error& why) {
    if (!first_error_) first_error_ = why;
    skipped_.push_back(name);
  }

  Findings& findings_;
  std::set<std::string> seen_;
  std::vector<TraceFile> all_;
  std::vector<std::string> skipped_;
  std::optional<Error> first_error_;  ///< of the first file that was skipped
};

}  // namespace

Result<std::vector<TraceFile>> find_trace_files(const JobOptions& options, Findings& findings) {
  if (options.traces.empty()) {
    return fail(Errc::usage, "--traces", "no trace is given",
                "give files or patterns, such as 'traces/*.json.gz'");
  }
  Collector collector(findings);
  for (const std::string& pattern : options.traces) {
    if (auto fine = collector.add(pattern); !fine) return tl::unexpected(fine.error());
  }
  return collector.finish();
}

}  // namespace orrery::intake
