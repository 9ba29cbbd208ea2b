// SPDX-License-Identifier: Apache-2.0
//
// Detects the format of a file; functions that all importers share.
#include "orrery/job_formats/importers/importer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <set>

#include "orrery/job_formats/importers/importer_internal.h"
#include "orrery/workload/spec/model_catalog.h"
#include "orrery/workload/spec/spec_rules.h"

namespace orrery::workload {

using config::Json;
using config::KeyReader;

namespace {

/// Keys may appear twice in YAML; these are added to `repeated`.
Result<Json> parse(std::string_view text, const std::string& where,
                   std::vector<std::string>& repeated) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const bool json = first != std::string_view::npos && text[first] == '{';
  if (!json) return config::parse_yaml(text, where, &repeated);
  Result<Json> read = config::parse_json(text, where);
  if (read) return read;
  // GPT-NeoX writes YAML in brackets, with comments.
  const bool neox = text.find("pipe-parallel-size") != std::string_view::npos ||
                    text.find("pipe_parallel_size") != std::string_view::npos ||
                    text.find("model-parallel-size") != std::string_view::npos;
  if (!neox) return read;
  Result<Json> loose = config::parse_yaml(text, where, &repeated);
  return loose && loose->is_object() ? loose : read;
}

/// Removes keys without a value.
Json without_nulls(Json file) {
  for (auto it = file.begin(); it != file.end();) it = it->is_null() ? file.erase(it) : ++it;
  return file;
}

/// A configuration that is a Python program, and what its tool offers instead.
struct PythonTool {
  std::string_view word;  ///< in the program; the last is in every one
  std::string_view instead;
};
constexpr PythonTool kPythonTools[] = {
    {"megatron.bridge", "give run_config.yaml, which Megatron-Bridge saves with each checkpoint"},
    {"torchtitan", "give torchtitan's TOML, or the model and the plan as options"},
    {"nemo", "give the YAML of the run, or the model and the plan as options"},
    {"axlearn", "give the model and the plan as options"},
    {"", "give the file that the program writes or reads, or the model and the plan as options"}};

/// Whether the first line of code, after comments, is Python's.
bool is_python(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.find_first_not_of(" \t\r") == std::string_view::npos || line.front() == '#') continue;
    const bool imports = line.starts_with("from ") && line.find(" import ") != line.npos;
    return imports || line.starts_with("import ") || line.starts_with("\"\"\"") ||
           line.starts_with("def ") || line.starts_with("class ");
  }
  return false;
}

/// Errc: input_unsupported if the text is a Python program.
Result<void> refuse_python(std::string_view text, const std::string& where) {
  if (!is_python(text)) return {};
  const auto* const tool = std::find_if(
      std::begin(kPythonTools), std::end(kPythonTools),
      [&](const PythonTool& each) { return text.find(each.word) != std::string_view::npos; });
  return fail(Errc::input_unsupported, where, "is a Python program, which Orrery does not run",
              std::string(tool->instead));
}

/// A file and its format.
struct Detected {
  const Importer* importer = nullptr;   ///< null: it describes no job
  Json document{};                      ///< null for text formats
  std::vector<std::string> repeated{};  ///< places of keys that appear again
};

Result<Detected> detect(std::string_view text, const std::string& where) {
  if (auto fine = refuse_python(text, where); !fine) return tl::unexpected(fine.error());
  for (const Importer* one : kImporters)
    if (one->is_text != nullptr && one->is_text(text)) return Detected{one};
  std::vector<std::string> repeated;
  Result<Json> file = parse(text, where, repeated);
  if (!file) return tl::unexpected(file.error());
  if (file->is_object()) {
    for (const Importer* one : kImporters)
      if (one->is_document != nullptr && one->is_document(*file))
        return Detected{one, *std::move(file), std::move(repeated)};
  }
  return Detected{};
}

Result<void> import_own(Spec& spec, std::string_view text, const std::string& where,
                        Findings& /*findings*/) {
  auto own = parse_spec_over(spec, text, where);
  if (!own) return tl::unexpected(own.error());
  spec = *std::move(own);
  return {};
}

}  // namespace

const Importer kSpecificationImporter{
    .name = "specification",
    .tool = "Orrery's specification",
    .files = "`*.yaml`, `*.json`",
    .reads = "everything: [workload](workload.md)",
    .refuses = "unknown keys",
    .is_document = [](const Json& document) { return document.contains("model"); },
    .import_text = import_own};

bool has(const Json& object, std::initializer_list<const char*> keys) {
  return std::all_of(keys.begin(), keys.end(),
                     [&](const char* key) { return object.contains(key); });
}

bool has_any(const Json& object, std::initializer_list<const char*> keys) {
  return std::any_of(keys.begin(), keys.end(),
                     [&](const char* key) { return object.contains(key); });
}

Result<const Importer*> detect_importer(std::string_view text, const std::string& where) {
  const Result<Detected> file = detect(text, where);
  if (!file) return tl::unexpected(file.error());
  return file->importer;
}

Result<void> import_into(Spec& spec, std::string_view text, const std::string& where,
                         Findings& findings) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
    return fail(Errc::input_empty, where, "is empty");
  Result<Detected> file = detect(text, where);
  if (!file) return tl::unexpected(file.error());
  if (file->importer == nullptr)
    return fail(
        Errc::input_unsupported, where, "does not describe a training job",
        fmt::format("supported: Orrery's specification, and files of {}", imported_tools()));
  const Importer& importer = *file->importer;
  const bool document = !file->document.is_null() && importer.import_document != nullptr;
  Result<void> read = document
                          ? importer.import_document(spec, without_nulls(std::move(file->document)),
                                                     where, findings)
                          : importer.import_text(spec, text, where, findings);
  if (!read) return read;
  if (document) report_repeated(file->repeated, findings);
  // Check now, so that errors name this file and not later files or flags.
  Result<void> fine = check_ranges(spec, true);
  if (!fine) fine.error().where = where + ":" + fine.error().where;
  return fine;
}

bool is_part_of_model(std::string_view text) {
  const Result<Detected> file = detect(text, "");
  return file && file->importer == &kMegatronImporter && is_part_of_megatron_model(file->document);
}

std::string imported_tools() {
  std::set<std::string_view> names;
  for (const Importer* each : kImporters)
    if (each != &kSpecificationImporter) names.insert(each->tool);
  return fmt::format("{}", fmt::join(names, ", "));
}

void report_repeated(const std::vector<std::string>& places, Findings& findings) {
  for (const std::string& place : places)
    findings.add(FindingCode::key_ignored, place + " appears again; only the last value is used");
}

void ignore_keys(KeyReader& keys, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) static_cast<void>(keys.has(name));
}

void report_unmodeled(KeyReader& keys, const Json& file,
                      const std::vector<std::pair<const char*, Json>>& ours, Findings& findings) {
  for (const auto& each : ours) {
    const auto found = file.find(each.first);
    if (keys.has(each.first) && found != file.end() && *found != each.second)
      findings.add(FindingCode::key_without_effect, keys.place(each.first));
  }
}

std::int64_t whole(KeyReader& keys, std::string_view key, std::int64_t fallback) {
  return keys.has(key) ? keys.integer(key, fallback, 0, std::int64_t{1} << 40) : fallback;
}

std::int64_t whole(KeyReader& keys, std::initializer_list<std::string_view> names,
                   std::int64_t fallback) {
  std::int64_t value = fallback;
  bool found = false;
  for (const std::string_view name : names) {
    const std::int64_t here = whole(keys, name, fallback);
    if (!found && keys.has(name)) {
      value = here;
      found = true;
    }
  }
  return value;
}

std::int64_t product(std::initializer_list<std::int64_t> factors) {
  std::int64_t value = 1;
  for (const std::int64_t factor : factors) {
    if (__builtin_mul_overflow(value, factor, &value))
      return std::numeric_limits<std::int64_t>::max();
  }
  return value;
}

void set_world_size(Spec& spec, std::int64_t world, const std::string& where, Findings& findings) {
  const std::int64_t model = product({spec.parallel.tp, spec.parallel.pp, spec.parallel.cp});
  if (world < 1) return;
  if (model < 1 || world % model != 0) {
    findings.add(
        FindingCode::key_without_effect,
        fmt::format("{}: {} devices; the plan needs a multiple of {}", where, world, model));
    return;
  }
  spec.parallel.dp = world / model;
}

void use_catalog_model(Spec& spec, const ModelEntry& entry) {
  spec.model = entry.model;
  spec.model.name = entry.name;
}

Result<void> finish(KeyReader& keys, Findings& findings) {
  if (keys.error()) return tl::unexpected(*keys.error());
  keys.report_unread(findings);
  return {};
}

}  // namespace orrery::workload
