// SPDX-License-Identifier: Apache-2.0
#include "help/doctor_inputs.h"

#include <algorithm>

#include "orrery/config/document.h"
#include "orrery/core/text/csv.h"
#include "orrery/model/collective/curves/curve_file.h"
#include "orrery/model/collective/nccl/tuner_file.h"
#include "orrery/model/kernels/learned/fitted_model.h"
#include "orrery/model/kernels/systolic/systolic_files.h"
#include "orrery/model/kernels/table/table_file.h"
#include "orrery/platform/catalog/variability.h"
#include "orrery/study/embeddings/embedding_tables.h"
#include "orrery/study/jobs/concurrency/concurrent_jobs_file.h"

namespace orrery::app {

namespace {

/// The first line that is neither empty nor a comment.
std::string_view first_line(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trim_cell(text.substr(0, end));
    if (!line.empty() && line.front() != '#') return line;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return {};
}

bool has_columns(std::string_view text, std::initializer_list<std::string_view> names) {
  const std::string line = "," + std::string(first_line(text)) + ",";
  return std::all_of(names.begin(), names.end(), [&](std::string_view name) {
    return line.find("," + std::string(name) + ",") != std::string::npos;
  });
}

/// Whether a line of the text begins with that key.
bool has_key(std::string_view text, std::string_view key) {
  return text.starts_with(key) || text.find("\n" + std::string(key)) != std::string_view::npos;
}

template <class Value>
Result<void> without_value(const Result<Value>& read) {
  if (!read) return tl::unexpected(read.error());
  return {};
}

/// A kind of file: how it is recognized, and its reader.
struct Kind {
  std::string_view what;
  std::span<const std::string_view> commands;
  bool (*is)(std::string_view text);
  Result<void> (*read)(const std::string& text, const std::string& path);
};

constexpr std::string_view kKernelTable[] = {
    "orrery kernels check FILE", "orrery run --model NAME --cluster CLUSTER --kernel-table FILE",
    "orrery whatif --traces TRACES --change gpu=DEVICE --kernel-table FILE  (a recording)"};
constexpr std::string_view kKernelModel[] = {
    "orrery run --model NAME --cluster CLUSTER --kernel-model FILE"};
constexpr std::string_view kCurves[] = {
    "orrery run --model NAME --cluster CLUSTER  (with 'collectives: {curves: FILE}' in CLUSTER)"};
constexpr std::string_view kTuner[] = {
    "orrery run --model NAME --cluster CLUSTER  (with 'collectives: {settings: "
    "{NCCL_TUNER_CONFIG_FILE: FILE}}' in CLUSTER)"};
constexpr std::string_view kEmbeddings[] = {"orrery dlrm shard FILE"};
constexpr std::string_view kJobs[] = {"orrery job together FILE"};
constexpr std::string_view kVariability[] = {
    "orrery run --model NAME --cluster CLUSTER --variability FILE"};
constexpr std::string_view kOverheads[] = {
    "orrery run --spec JOB --cluster CLUSTER  (with its 'job' in JOB and its 'cluster' in "
    "CLUSTER)"};
constexpr std::string_view kLayers[] = {"orrery kernels layers FILE --systolic ARRAY"};

const Kind kKinds[] = {
    {"measured kernels, as 'orrery calibrate compute' writes them", kKernelTable,
     [](std::string_view text) {
       return has_columns(text, {"device", "us"}) &&
              (has_columns(text, {"kernel"}) || has_columns(text, {"operation"}));
     },
     [](const std::string& text, const std::string& path) {
       return without_value(model::parse_measured(text, path));
     }},
    {"curves of measured collectives, as 'orrery calibrate network' writes them", kCurves,
     [](std::string_view text) { return has_key(text, "curves:"); },
     [](const std::string& text, const std::string& path) {
       return without_value(model::parse_curves(text, path));
     }},
    {"choices of NCCL's tuner plug-in", kTuner,
     [](std::string_view text) {
       const std::string_view line = first_line(text);
       return std::count(line.begin(), line.end(), ',') >= 7 &&
              model::nccl::parse_tuner(std::string(line) + "\n", "").has_value();
     },
     [](const std::string& text, const std::string& path) {
       return without_value(model::nccl::parse_tuner(text, path));
     }},
    {"embedding tables", kEmbeddings,
     [](std::string_view text) {
       return has_columns(text, {"name", "rows", "features", "pooling"});
     },
     [](const std::string& text, const std::string& path) {
       return without_value(study::read_embedding_tables(text, path));
     }},
    {"jobs that share a cluster", kJobs,
     [](std::string_view text) { return has_key(text, "jobs:"); },
     [](const std::string& text, const std::string& path) {
       return without_value(study::parse_concurrent_jobs(text, path));
     }},
    {"overheads of a host, as 'orrery calibrate overheads' writes them", kOverheads,
     [](std::string_view text) { return has_key(text, "made_by: \"orrery calibrate overheads\""); },
     [](const std::string& text, const std::string& path) {
       return without_value(config::parse_yaml(text, path));
     }},
    {"variability of ranks and steps", kVariability,
     [](std::string_view text) {
       return has_key(text, "speed:") || has_key(text, "jitter:") || has_key(text, "stalls:");
     },
     [](const std::string& text, const std::string& path) {
       return without_value(platform::parse_variability(text, path));
     }},
    {"layers in SCALE-Sim's form", kLayers,
     [](std::string_view text) {
       const std::string_view line = first_line(text);
       return line.starts_with("Layer") && line.find(',') != std::string_view::npos;
     },
     [](const std::string& text, const std::string& path) {
       Findings ignored_findings;
       return without_value(model::parse_systolic_layers(text, path, ignored_findings));
     }},
    {"a model of kernel times, as 'orrery kernels fit' writes it", kKernelModel,
     [](std::string_view text) { return model::read_fitted_model(text, "").has_value(); },
     [](const std::string&, const std::string&) { return Result<void>(); }},
};

}  // namespace

Result<std::optional<OptionFile>> option_file(const std::string& text, const std::string& path) {
  for (const Kind& kind : kKinds) {
    if (!kind.is(text)) continue;
    if (auto read = kind.read(text, path); !read) return tl::unexpected(read.error());
    return OptionFile{kind.what, kind.commands};
  }
  return std::optional<OptionFile>();
}

}  // namespace orrery::app
