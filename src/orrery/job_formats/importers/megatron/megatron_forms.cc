// SPDX-License-Identifier: Apache-2.0
//
// Other forms of Megatron's arguments: the list that it prints at its start (training/arguments.py,
// _print_args), and the files of its functional tests.
#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <utility>

#include "orrery/job_formats/importers/megatron/megatron.h"

namespace orrery::workload {

using config::Json;

namespace {

constexpr std::string_view kHead = "- arguments -";
constexpr std::string_view kEnd = "- end of arguments -";

/// A value as Python prints it; null for None.
Json printed_value(std::string_view text) {
  if (text == "None") return nullptr;
  if (text == "True" || text == "False") return text == "True";
  Json parsed = Json::parse(text, nullptr, false);
  return parsed.is_number() || parsed.is_array() ? parsed : Json(std::string(text));
}

/// The name and the value of "  name ........ value", behind any prefix; an empty name if the line
/// is something else. Names of 48 letters and more have no dots.
std::pair<std::string_view, std::string_view> printed_pair(std::string_view line) {
  while (!line.empty() && std::isspace(static_cast<unsigned char>(line.back())) != 0)
    line.remove_suffix(1);
  std::size_t end = line.find(" ..");
  std::size_t value = std::string_view::npos;
  if (end == std::string_view::npos) end = line.find(" . ");
  if (end != std::string_view::npos) {
    value = line.find_first_not_of('.', end + 1);
    if (value == std::string_view::npos || line[value] != ' ') return {};
    ++value;
  } else {
    end = line.rfind("  ");
    const std::size_t name = end == std::string_view::npos ? end : line.find_last_of(' ', end - 1);
    if (name == std::string_view::npos || end - name < 48) return {};
    value = end + 2;
  }
  const std::size_t begin = line.find_last_of(" \t:]>", end == 0 ? 0 : end - 1);
  const std::string_view name =
      line.substr(begin == std::string_view::npos ? 0 : begin + 1,
                  end - (begin == std::string_view::npos ? 0 : begin + 1));
  return {name, value < line.size() ? line.substr(value) : std::string_view{}};
}

/// Whether the list repeats another argument under this name, or states what is unset.
bool says_nothing(const std::string& name, const Json& value, const Json& all) {
  // A flag that is off says something only if it is on by default.
  const bool on_by_default = name.starts_with("add_") || name == "use_flash_attn";
  if (value.is_null() || value == "" || (value == false && !on_by_default)) return true;
  const auto same_as = [&](const char* other) {
    return all.contains(other) && all[other] == value;
  };
  // Its lists have the defaults of vision models, too.
  if (name.starts_with("img_") || name == "patch_dim") return true;
  if (name == "encoder_num_layers") return same_as("num_layers");
  if (name == "encoder_seq_length") return same_as("seq_length");
  return name == "transformer_pipeline_model_parallel_size" &&
         same_as("pipeline_model_parallel_size");
}

/// A list of words as on a command line: "core_attn moe".
Json words_of(const Json& list) {
  std::string text;
  for (const Json& each : list)
    text += (text.empty() ? "" : " ") + (each.is_string() ? each.get<std::string>() : each.dump());
  return text;
}

}  // namespace

bool is_printed_arguments(std::string_view text) {
  return text.find(kHead) != std::string_view::npos ||
         text.find(" num_layers ...") != std::string_view::npos;
}

Result<MegatronArguments> printed_arguments(std::string_view text, const std::string& where,
                                            Findings& findings) {
  Json all = Json::object();
  bool inside = text.find(kHead) == std::string_view::npos, ended = inside;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.find(kEnd) != std::string_view::npos) {
      ended = true;
      break;
    }
    if (line.find(kHead) != std::string_view::npos) inside = true;
    if (!inside) continue;
    const auto [name, value] = printed_pair(line);
    if (!name.empty()) all[std::string(name)] = printed_value(value);
  }
  if (!ended)
    return fail(Errc::input_corrupt, where, "the list of arguments does not end",
                "give the whole list, up to \"end of arguments\"");
  MegatronArguments made;
  for (const auto& [name, value] : all.items())
    if (!says_nothing(name, value, all)) made.options[name] = value;
  // Megatron prints every argument; a list without this one is cut.
  if (!all.contains("position_embedding_type") && all.contains("num_layers")) {
    made.options["position_embedding_type"] = "rope";
    findings.add(FindingCode::default_assumed, where + ": position_embedding_type = rope");
  }
  return made;
}

bool has_test_arguments(std::string_view text) {
  for (const char* const name : kTestArguments) {
    const std::string key = std::string(name) + ":";
    if (text.starts_with(key) || text.find("\n" + key) != std::string_view::npos) return true;
  }
  return false;
}

bool has_test_arguments(const Json& document) {
  return std::any_of(kTestArguments.begin(), kTestArguments.end(),
                     [&](const char* name) { return document.contains(name); });
}

MegatronArguments test_arguments(const Json& document, const std::string& where,
                                 Findings& findings) {
  MegatronArguments made;
  const char* const section =
      document.contains(kTestArguments[0]) ? kTestArguments[0] : kTestArguments[1];
  const Json& options = document[section];
  if (!options.is_object()) return made;
  for (const auto& [key, value] : options.items()) {
    std::string name = key.substr(std::min(key.find_first_not_of('-'), key.size()));
    std::replace(name.begin(), name.end(), '-', '_');
    if (value.is_null() || value == false || value.is_object()) continue;
    // Whoever starts the test sets such variables.
    if (value.is_string() && value.get_ref<const std::string&>().find('$') != std::string::npos) {
      const std::string place = where + ":" + config::pointer("/" + std::string(section), key);
      made.unknown[name] = {place, value.get<std::string>()};
      findings.add(FindingCode::key_ignored, place + " = " + value.get<std::string>());
      continue;
    }
    made.options[name] = value.is_array() && name != "moe_layer_freq" ? words_of(value) : value;
  }
  return made;
}

}  // namespace orrery::workload
