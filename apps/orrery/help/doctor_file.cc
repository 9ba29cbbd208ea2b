// SPDX-License-Identifier: Apache-2.0
#include "help/doctor_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string_view>

#include "help/doctor_inputs.h"
#include "orrery/calibrate/measurements/measurement_set.h"
#include "orrery/calibrate/measurements/nccl_log.h"
#include "orrery/config/document.h"
#include "orrery/core/text/units.h"
#include "orrery/explore/space/space_file.h"
#include "orrery/intake/formats/aicb_workload.h"
#include "orrery/intake/job/trace_files.h"
#include "orrery/job_formats/importers/importer.h"
#include "orrery/platform/cluster/cluster.h"
#include "orrery/platform/platform.h"
#include "orrery/platform/topology/formats/read_topology.h"
#include "orrery/serving/request_file.h"
#include "orrery/study/questions/inputs/compiled_program.h"
#include "orrery/study/serving/measured_service.h"
#include "orrery/trace/inputs/foreign_files.h"
#include "orrery/validate/training_log.h"
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
    {trace::Format::xplane,
     "a recording of XLA's profiler (JAX, TensorFlow)",
     {"orrery trace info FILE", "orrery whatif --traces FILE --list",
      "orrery run --traces FILE --cluster CLUSTER"}},
    {trace::Format::run_metadata,
     "what a TensorFlow session recorded of a step (RunMetadata, StepStats)",
     {"orrery trace info FILE", "orrery whatif --traces FILE --list",
      "orrery run --traces FILE --cluster CLUSTER"}},
    {trace::Format::run_file,
     "a result of 'orrery run'",
     {"orrery report FILE", "orrery report FILE --html report.html", "orrery critical-path FILE"}},
    {trace::Format::flight_record,
     "a dump of PyTorch's flight recorder",
     {"orrery trace info FOLDER  (of the dumps of all ranks: what is stuck)",
      "orrery trace info FILE", "orrery trace convert FOLDER -o PREFIX"}},
    {trace::Format::astra_text,
     "a workload of ASTRA-sim 1.0",
     {"orrery run FILE --cluster CLUSTER", "orrery trace convert FILE --npus RANKS -o PREFIX", ""}},
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
    {trace::Format::flexflow,
     "a task graph of FlexFlow",
     {"orrery run FILE --cluster CLUSTER", "orrery trace convert FILE -o PREFIX", ""}},
    {trace::Format::cost_graph,
     "a graph of TensorFlow with estimated times",
     {"orrery trace info FILE", "orrery trace convert FILE -o PREFIX", ""}},
    {trace::Format::mpi_json,
     "a communication trace",
     {"orrery trace convert FILE -o PREFIX", "", ""}},
};

void add_commands(std::span<const std::string_view> commands, const std::string& path,
                  FileFacts& facts) {
  for (const std::string_view command : commands) {
    if (command.empty()) continue;
    std::string text(command);
    // NCCL_TUNER_CONFIG_FILE is a name.
    for (std::size_t at = text.find("FILE"); at != std::string::npos;) {
      const bool name = at > 0 && text[at - 1] == '_';
      if (!name) text.replace(at, 4, path);
      at = text.find("FILE", at + (name ? 4 : path.size()));
    }
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

/// The facts of a file that other files extend.
FileFacts part_facts(const std::string& path) {
  return {
      {"file", path},
      {"what", "a part of a model under Megatron-LM's names, which other files extend"},
      {"missing", "its layers and sizes"},
      {"command", "orrery job count MODEL  (a file whose 'extends' names this one: AMD Primus)"}};
}

/// A file with one command, or two.
FileFacts simple_facts(const std::string& path, std::string what,
                       std::initializer_list<std::string_view> commands) {
  FileFacts facts{{"file", path}, {"what", std::move(what)}};
  add_commands({commands.begin(), commands.size()}, path, facts);
  return facts;
}

/// The facts of a log of NCCL without measurements.
FileFacts nccl_facts(const std::string& path, const calibrate::NcclLog& log) {
  FileFacts facts{{"file", path}, {"what", "a log of NCCL (NCCL_DEBUG), which has no times"}};
  if (!log.version.empty()) facts.emplace_back("version", log.version);
  facts.emplace_back("states", calibrate::contents_of(log));
  for (const auto& [choice, lines] : log.choices)
    facts.emplace_back("chosen", fmt::format("{} ({} line{})", choice, format_count(lines),
                                             lines == 1 ? "" : "s"));
  if (log.channels > 0)
    facts.emplace_back("command", fmt::format("orrery collective compare all-reduce --cluster "
                                              "CLUSTER --change NCCL_MIN_CTAS={0} --change "
                                              "NCCL_MAX_CTAS={0}",
                                              log.channels));
  facts.emplace_back("command",
                     "orrery calibrate network LOG  (a log of nccl-tests with NCCL_DEBUG=INFO)");
  facts.emplace_back("command",
                     "orrery network show TOPOLOGY  (of NCCL_TOPO_DUMP_FILE: GPUs, switches, "
                     "adapters)");
  return facts;
}

/// The facts of a file for which a reader other than that of jobs is responsible; empty: none is.
/// Errc: that of the reader of a recognized file.
Result<std::optional<FileFacts>> other_facts(const std::string& path, const std::string& text) {
  Findings ignored_findings;
  const auto cluster = platform::read_cluster(path, ignored_findings);
  if (cluster) {
    FileFacts facts = simple_facts(
        path, "a cluster",
        {"orrery network show FILE", "orrery run --model llama-3.1-8b --cluster FILE"});
    facts.insert(facts.begin() + 2, {"devices", format_count(cluster->npu_count())});
    return facts;
  }
  const auto option = option_file(text, path);
  if (!option) return tl::unexpected(option.error());
  if (*option) {
    FileFacts facts = simple_facts(path, std::string((*option)->what), {});
    add_commands((*option)->commands, path, facts);
    return facts;
  }
  if (calibrate::parse_measurements(text, path, ignored_findings))
    return simple_facts(path, "measured collectives (nccl-tests, NCCL Inspector or CSV)",
                        {"orrery calibrate network FILE -o curves.yaml"});
  if (const calibrate::NcclLog log = calibrate::read_nccl_log(text); log.seen)
    return nccl_facts(path, log);
  if (study::parse_measured_service(text, path))
    return simple_facts(path, "a result of a server's benchmark (vLLM, SGLang)",
                        {"orrery infer --model NAME --gpu DEVICE --benchmark FILE"});
  if (const auto log = validate::find_training_log(text))
    return simple_facts(
        path, validate::describe(*log).substr(std::string_view("is ").size()),
        {log->serves ? "orrery infer --model NAME --gpu DEVICE --rate RATE"
                     : "orrery mfu --model NAME --cluster CLUSTER --measured TIME"});
  if (explore::parse_space(text, path))
    return simple_facts(path, "a search space", {"orrery search FILE"});
  if (serving::parse_requests(text, path, ignored_findings))
    return simple_facts(path, "requests to a server of a model",
                        {"orrery infer --model NAME --requests FILE"});
  const platform::TopologyFormat format = platform::topology_format(text);
  if (format == platform::TopologyFormat::unknown) return std::optional<FileFacts>();
  if (format == platform::TopologyFormat::cluster) return tl::unexpected(cluster.error());
  const bool plan =
      format == platform::TopologyFormat::msccl || format == platform::TopologyFormat::mscclpp;
  return simple_facts(path, std::string(platform::describe(format).name),
                      {plan ? "orrery collective check FILE" : "orrery network show FILE"});
}

/// The facts of a file that is not a trace; empty: unknown. Errc: that of a job's reader.
Result<std::optional<FileFacts>> text_facts(const std::string& path) {
  const auto text = config::read_text(path);
  if (!text) return tl::unexpected(text.error());
  const auto importer = workload::detect_importer(*text, path);
  if (!importer && importer.error().code == Errc::input_unsupported)
    return tl::unexpected(importer.error());
  if (importer && *importer != nullptr) {
    if (workload::is_part_of_model(*text)) return std::optional(part_facts(path));
    auto facts = job_facts(**importer, *text, path);
    if (!facts) return tl::unexpected(facts.error());
    return std::optional(*std::move(facts));
  }
  auto other = other_facts(path, *text);
  if (!other) return other;
  const bool document =
      path.ends_with(".json") || path.ends_with(".yaml") || path.ends_with(".yml");
  if (!*other && !importer && document) return tl::unexpected(importer.error());
  return other;
}

Error unknown_error(const std::string& path) {
  return {
      Errc::input_unsupported, path, "is not a file that Orrery reads",
      fmt::format("it reads traces ('orrery trace info --help'), jobs of {}, clusters, fabrics, "
                  "measured collectives, search spaces, requests and collective algorithms",
                  workload::imported_tools())};
}

}  // namespace

Result<FileFacts> facts_of_file(const std::string& path) {
  const auto inputs = trace::inputs_in(path);
  if (!inputs) return tl::unexpected(inputs.error());
  if (const auto form = study::program_form(path); form != hlo::TextForm::none)
    return simple_facts(path,
                        form == hlo::TextForm::hlo ? "a compiled program as text of HLO (XLA)"
                                                   : "a program as text of StableHLO (JAX, XLA)",
                        {"orrery run FILE --cluster CLUSTER", "orrery job count FILE"});
  for (const trace::Input& input : *inputs) {
    const bool maybe_text =
        input.format == trace::Format::foreign && input.foreign->may_be_other_input;
    if (!maybe_text && trace::is_refused(input.format))
      return tl::unexpected(intake::unsupported_error(input));
    if (input.format == trace::Format::astra_text && intake::is_aicb_file(path))
      return simple_facts(path, "a workload of AICB for SimAI",
                          {"orrery run FILE --cluster CLUSTER", "orrery job count FILE"});
    const auto* const known = std::ranges::find(kFormats, input.format, &KnownFormat::format);
    if (known == std::end(kFormats)) continue;
    FileFacts facts{{"file", path}, {"what", std::string(known->what)}};
    if (inputs->size() > 1)
      facts.emplace_back(
          "archive", fmt::format("{} files; the first of them is {}", inputs->size(), input.name));
    add_commands(known->commands, path, facts);
    return facts;
  }
  auto facts = text_facts(path);
  if (!facts) return tl::unexpected(facts.error());
  if (!*facts) return tl::unexpected(unknown_error(path));
  return **std::move(facts);
}

}  // namespace orrery::app
