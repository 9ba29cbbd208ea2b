// SPDX-License-Identifier: Apache-2.0
#include "help/doctor_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "orrery/calibrate/measurements/measurement_set.h"
#include "orrery/config/document.h"
#include "orrery/core/text/units.h"
#include "orrery/explore/space/space_file.h"
#include "orrery/intake/job/trace_files.h"
#include "orrery/job_formats/importers/importer.h"
#include "orrery/platform/cluster/cluster.h"
#include "orrery/platform/platform.h"
#include "orrery/workload/spec/defaults.h"

namespace orrery::app {

namespace {

/// A format of traces and results: what it is and what to do with it; FILE stands for the file.
struct KnownFormat {
  trace::Format format;
  std::string_view what;
  std::array<std::string_view, 3> commands;
};
constexpr KnownFormat kFormats[] = {
    {trace::Format::chakra,
     "a Chakra execution trace",
     {"orrery trace validate FILE",
      "orrery run PREFIX --cluster CLUSTER  (for traces PREFIX.0.et, PREFIX.1.et …)", ""}},
    {trace::Format::kineto,
     "a Kineto trace of PyTorch's profiler",
     {"orrery trace info FILE", "orrery whatif --traces FILE --list",
      "orrery run --traces FILE --cluster CLUSTER"}},
    {trace::Format::pftrace,
     "a Perfetto trace",
     {"orrery trace info FILE", "orrery whatif --traces FILE --list",
      "orrery run --traces FILE --cluster CLUSTER"}},
    {trace::Format::pytorch_et,
     "a PyTorch execution trace",
     {"orrery trace info FILE", "orrery trace merge FILE KINETO_TRACE  (adds the times)", ""}},
    {trace::Format::nsys_sqlite,
     "a recording of Nsight Systems",
     {"orrery trace info FILE", "orrery whatif --traces FILE --list",
      "orrery run --traces FILE --cluster CLUSTER"}},
    {trace::Format::rocpd,
     "a recording of rocprofv3",
     {"orrery trace info FILE", "orrery whatif --traces FILE --list",
      "orrery run --traces FILE --cluster CLUSTER"}},
    {trace::Format::run_file,
     "a result of 'orrery run'",
     {"orrery report FILE", "orrery report FILE --html report.html", "orrery critical-path FILE"}},
    {trace::Format::astra_text,
     "a workload of ASTRA-sim 1.0 or SimAI",
     {"orrery run FILE --cluster CLUSTER", "orrery trace convert FILE -o PREFIX", ""}},
    {trace::Format::htsim_matrix,
     "a connection matrix of htsim",
     {"orrery run FILE --cluster CLUSTER --network packet", "orrery trace convert FILE -o PREFIX",
      ""}},
    {trace::Format::ns3_flows,
     "a list of flows of an RDMA simulation in ns-3",
     {"orrery run FILE --cluster CLUSTER --network packet", "orrery trace convert FILE -o PREFIX",
      ""}},
    {trace::Format::goal,
     "a GOAL schedule",
     {"orrery run FILE --cluster CLUSTER", "orrery trace convert FILE -o PREFIX", ""}},
    {trace::Format::mpi_json,
     "a communication trace",
     {"orrery trace convert FILE -o PREFIX", "", ""}},
};

constexpr std::string_view kUnknown = "is not a file that Orrery reads";

void add_commands(std::span<const std::string_view> commands, const std::string& path,
                  FileFacts& facts) {
  for (const std::string_view command : commands) {
    if (command.empty()) continue;
    std::string text(command);
    for (std::size_t at = text.find("FILE"); at != std::string::npos;
         at = text.find("FILE", at + path.size()))
      text.replace(at, 4, path);
    facts.emplace_back("command", text);
  }
}

std::string plan_text(const workload::Parallel& plan) {
  std::string text;
  const auto add = [&](const char* name, std::int64_t degree) {
    if (degree > 1) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, degree);
  };
  add("tp", plan.tp);
  add("pp", plan.pp);
  add("cp", plan.cp);
  add("ep", plan.ep);
  add("dp", plan.dp);
  return text;
}

/// The facts of a job's description.
Result<FileFacts> job_facts(const workload::Importer& importer, const std::string& text,
                            const std::string& path) {
  workload::Spec spec = workload::unresolved_spec();
  Findings findings;
  FileFacts facts{{"file", path}, {"what", fmt::format("a job as {} describes it", importer.tool)}};
  const auto read = workload::import_into(spec, text, path, findings);
  const bool needs_model = !read && read.error().code == Errc::config_missing_key;
  if (!read && !needs_model) return tl::unexpected(read.error());
  const bool modeled = read && workload::has_model(spec);
  if (modeled)
    facts.emplace_back("model", fmt::format("{}, {} weights", spec.model.name,
                                            format_count(count_parameters(spec.model).total)));
  if (const std::string plan = plan_text(spec.parallel); !plan.empty())
    facts.emplace_back("plan", plan);
  const std::int64_t ignored =
      findings.count(FindingCode::key_ignored) + findings.count(FindingCode::key_without_effect);
  if (ignored > 0)
    facts.emplace_back("ignored",
                       fmt::format("{} setting{}; 'job count' names {}", ignored,
                                   ignored == 1 ? "" : "s", ignored == 1 ? "it" : "them"));
  if (!modeled)
    facts.emplace_back("missing", needs_model ? read.error().what : "the model: add --model NAME");
  const std::string model = modeled ? "" : " --model NAME";
  facts.emplace_back("command", fmt::format("orrery job count {}{}", path, model));
  facts.emplace_back("command",
                     fmt::format("orrery run --spec {}{} --cluster CLUSTER", path, model));
  facts.emplace_back("command",
                     fmt::format("orrery memory --spec {}{} --device DEVICE", path, model));
  return facts;
}

/// The facts of a file that is not a trace; empty: unknown.
Result<FileFacts> text_facts(const std::string& path) {
  const auto text = config::read_text(path);
  if (!text) return tl::unexpected(text.error());
  const auto importer = workload::detect_importer(*text, path);
  if (importer) return job_facts(**importer, *text, path);
  Findings ignored_findings;
  if (const auto cluster = platform::read_cluster(path, ignored_findings))
    return FileFacts{
        {"file", path},
        {"what", "a cluster"},
        {"devices", format_count(cluster->npu_count())},
        {"command", fmt::format("orrery network show {}", path)},
        {"command", fmt::format("orrery run --model llama-3.1-8b --cluster {}", path)}};
  if (const auto measured = calibrate::parse_measurements(*text, path, ignored_findings))
    return FileFacts{{"file", path},
                     {"what", "measured collectives (nccl-tests, NCCL Inspector or CSV)"},
                     {"command", fmt::format("orrery calibrate {} --cluster CLUSTER", path)}};
  if (explore::parse_space(*text, path))
    return FileFacts{{"file", path},
                     {"what", "a search space"},
                     {"command", fmt::format("orrery search {}", path)}};
  if (text->find("<algo ") != std::string::npos)
    return FileFacts{{"file", path},
                     {"what", "a collective algorithm as MSCCL describes it"},
                     {"command", fmt::format("orrery collective check {}", path)}};
  // What a reader says of a damaged file helps; that it is not the reader's file does not.
  if (importer.error().code == Errc::input_unsupported &&
      importer.error().what != "does not describe a training job")
    return tl::unexpected(importer.error());
  return fail(Errc::input_unsupported, path, std::string(kUnknown),
              fmt::format("it reads traces ('orrery trace info --help'), jobs of {}, clusters, "
                          "measured collectives, search spaces and collective algorithms",
                          workload::imported_tools()));
}

/// Texts and files of known tools: no trace, but maybe a job, a cluster or a log.
Result<FileFacts> facts_of_foreign(const trace::Input& input) {
  auto facts = text_facts(input.path);
  if (facts || facts.error().what != kUnknown) return facts;
  const Error known = intake::unsupported_error(input);
  return known.what.find("text file") == std::string::npos ? tl::unexpected(known) : facts;
}

}  // namespace

Result<FileFacts> facts_of_file(const std::string& path) {
  const auto inputs = trace::inputs_in(path);
  if (!inputs) return tl::unexpected(inputs.error());
  for (const trace::Input& input : *inputs) {
    if (input.format == trace::Format::foreign) return facts_of_foreign(input);
    if (trace::is_refused(input.format)) return tl::unexpected(intake::unsupported_error(input));
    const auto* const known = std::ranges::find(kFormats, input.format, &KnownFormat::format);
    if (known == std::end(kFormats)) continue;
    FileFacts facts{{"file", path}, {"what", std::string(known->what)}};
    if (inputs->size() > 1)
      facts.emplace_back(
          "archive", fmt::format("{} files; the first of them is {}", inputs->size(), input.name));
    add_commands(known->commands, path, facts);
    return facts;
  }
  return text_facts(path);
}

}  // namespace orrery::app
