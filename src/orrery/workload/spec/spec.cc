// SPDX-License-Identifier: Apache-2.0
//
// Reads and writes specifications.
#include "orrery/workload/spec/spec.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "orrery/config/parameters.h"
#include "orrery/config/yaml_writer.h"
#include "orrery/core/text/suggest.h"
#include "orrery/core/text/text.h"
#include "orrery/workload/spec/data_parallel_policy.h"
#include "orrery/workload/spec/lora_targets.h"
#include "orrery/workload/spec/model_catalog.h"
#include "orrery/workload/spec/model_parallel_policy.h"
#include "orrery/workload/spec/spec_rules.h"

namespace orrery::workload {
namespace {

using config::Json;
using config::OrderedJson;

Json as_json(const OrderedJson& tree) {
  return Json::parse(tree.dump(-1, ' ', false, OrderedJson::error_handler_t::replace));
}

/// Removes lists that are empty by default, but that files may not contain empty.
void drop_empty_lists(Json& tree) {
  for (auto it = tree.begin(); it != tree.end();) {
    if (it->is_object()) drop_empty_lists(*it);
    it = it->is_array() && it->empty() ? tree.erase(it) : std::next(it);
  }
}

/// "models of that family: …": the models whose names start with the same word.
std::string family_of(const std::string& name, const std::vector<std::string_view>& names) {
  constexpr std::size_t kShown = 6;
  const auto letter = [](unsigned char c) { return std::isalpha(c) != 0; };
  std::string word(name.begin(), std::find_if_not(name.begin(), name.end(), letter));
  std::transform(word.begin(), word.end(), word.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  std::vector<std::string_view> family;
  for (const std::string_view each : names) {
    if (!word.empty() && each.starts_with(word)) family.push_back(each);
  }
  const std::string rest =
      "names are in docs/reference/models.md; write any other model key by key";
  if (family.empty()) return rest;
  const bool more = family.size() > kShown;
  family.resize(std::min(family.size(), kShown));
  return "models of that family: " + join(family) + (more ? " and others; " : "; ") + rest;
}

/// Adds the keys of the catalog's model that the tree names, unless the tree has them. A null
/// removes a key ("moe: null").
Result<void> look_up_model(Json& tree, const std::string& where) {
  const auto found = tree.find("model");
  if (found == tree.end()) return {};
  if (found->is_string()) *found = Json{{"is", *found}};
  if (!found->is_object()) return {};
  const auto is = found->find("is");
  if (is == found->end() || !is->is_string() || is->get_ref<const std::string&>().empty())
    return {};
  const std::string name = is->get<std::string>();
  const ModelEntry* entry = find_model(name);
  if (entry == nullptr) {
    std::vector<std::string_view> names;
    for (const ModelEntry& each : models()) names.push_back(each.name);
    const std::string near = did_you_mean(name, names);
    return fail(Errc::config_range, where + ":/model/is",
                in_quotes(name) + " is not in the catalog of models",
                near.empty() ? family_of(name, names) : near);
  }
  found->erase("is");
  Json model = as_json(config::write_value(entry->model));
  drop_empty_lists(model);
  model["name"] = entry->name;
  model.erase("is");
  model.merge_patch(*found);
  *found = std::move(model);
  return {};
}

/// Converts a tree of the keys in spec.h. Missing keys keep the values of `spec`.
Result<Spec> spec_of(Json tree, const std::string& where, Spec spec) {
  if (tree.is_object()) {
    if (Result<void> known = look_up_model(tree, where); !known)
      return tl::unexpected(std::move(known.error()));
  }
  config::Reading reading{where};
  config::read_value(tree, "", config::Limits{}, spec, reading);
  if (reading.error) return tl::unexpected(*std::move(reading.error));
  return spec;
}

/// Replaces zeros by the values that they represent, and drops keys that are no longer needed.
Spec resolved(Spec spec) {
  Model& model = spec.model;
  model.is.clear();
  if (model.kind != ModelKind::resnet && model.kind != ModelKind::dlrm) {
    model.ffn = model.inner();
    if (!model.mla) {
      model.kv_heads = model.kv();
      if (model.heads > 0) model.head_dim = model.head_size();
    }
  }
  if (model.moe) {
    model.moe->ffn = model.expert_inner();
    model.moe->shared_ffn = model.shared_inner();
    spec.parallel.etp = spec.parallel.expert_tp();
  }
  if (spec.lora) spec.lora->targets = adapted_matrices(spec);
  // its buckets are not a single value
  const DataParallelPolicy policy = data_parallel_policy(spec);
  spec.parallel.overlap_gradients = policy.overlap_gradients;
  spec.parallel.overlap_weights = policy.overlap_weights;
  spec.parallel.dispatcher = dispatcher_of(spec);
  spec.parallel.overlap_experts = overlaps_experts(spec);
  spec.parallel.keep_gathered = policy.keep_gathered;
  spec.parallel.reduce_once = policy.reduce_once;
  spec.parallel.prefetch_backward = policy.prefetch_backward;
  spec.batch.global = spec.global_batch();
  if (model.kind == ModelKind::encoder_decoder) spec.batch.source_seq = spec.source_seq();
  return spec;
}

OrderedJson tree_of(const Spec& spec) {
  OrderedJson tree = config::write_value(spec);
  if (spec.schema.empty()) tree.erase("$schema");
  if (spec.model.is.empty()) tree["model"].erase("is");
  return tree;
}

/// Removes keys without a value (see defaults.h).
void drop_open(Json& tree, const Spec& spec) {
  if (spec.parallel.dp == 0) tree["parallel"].erase("dp");
  if (spec.batch.seq == 0) tree["batch"].erase("seq");
}

/// A new specification in which the same keys are open as in `spec`.
Spec open_as(const Spec& spec) {
  Spec start;
  if (spec.parallel.dp == 0) start.parallel.dp = 0;
  if (spec.batch.seq == 0) start.batch.seq = 0;
  return start;
}

/// The value of a flag's text, with the type of `old`: a text, a list of words separated by commas,
/// or else a YAML value.
Result<Json> flag_value(const Json& old, std::string_view text, const std::string& where) {
  if (old.is_string()) return Json(std::string(text));
  if (old.is_array() && !text.starts_with('['))
    return config::parse_yaml("[" + std::string(text) + "]", where);
  if (text.empty()) return Json("");
  return config::parse_yaml(text, where);
}

}  // namespace

Result<Spec> parse_spec(std::string_view text, const std::string& where) {
  Result<Json> tree = config::parse_yaml(text, where);
  if (!tree) return tl::unexpected(std::move(tree.error()));
  return spec_of(*std::move(tree), where, Spec{});
}

Result<Spec> parse_spec_over(const Spec& spec, std::string_view text, const std::string& where) {
  Result<Json> tree = config::parse_yaml(text, where);
  if (!tree) return tl::unexpected(std::move(tree.error()));
  return spec_of(*std::move(tree), where, open_as(spec));
}

bool has_model(const Spec& spec) {
  return config::write_value(spec.model) != config::write_value(Model{});
}

std::string to_yaml(const Spec& spec) { return config::to_yaml(tree_of(resolved(spec)), 2); }

std::string to_json(const Spec& spec) {
  return tree_of(resolved(spec)).dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

Result<void> check_ranges(const Spec& spec, bool may_be_unresolved) {
  Json tree = as_json(tree_of(spec));
  tree["model"].erase("is");
  drop_empty_lists(tree);
  if (may_be_unresolved) drop_open(tree, spec);
  Result<Spec> again = spec_of(std::move(tree), "", Spec{});
  if (again) return {};
  Error error = std::move(again.error());
  if (error.where.starts_with(':')) error.where.erase(0, 1);
  return tl::unexpected(std::move(error));
}

Result<void> set(Spec& spec, std::string_view path, std::string_view value) {
  const std::string where(path);
  if (path.empty()) return fail(Errc::config_unknown_key, "key", "has no name");
  Json tree = as_json(tree_of(spec));
  drop_open(tree, spec);
  Json* at = &tree;
  std::string_view rest = path == "model.is" ? "model" : path;
  while (!rest.empty()) {
    if (!at->is_object()) *at = Json::object();
    const std::size_t dot = rest.find('.');
    at = &(*at)[std::string(rest.substr(0, dot))];
    rest = dot == std::string_view::npos ? std::string_view{} : rest.substr(dot + 1);
  }
  Result<Json> parsed = flag_value(*at, value, where);
  if (!parsed) return tl::unexpected(std::move(parsed.error()));
  *at = *std::move(parsed);
  drop_empty_lists(tree);
  Result<Spec> changed = spec_of(std::move(tree), where, open_as(spec));
  if (!changed) {
    Error error = std::move(changed.error());
    error.where = where;
    return tl::unexpected(std::move(error));
  }
  changed->batch.accumulated = spec.batch.accumulated;
  spec = *std::move(changed);
  return {};
}

}  // namespace orrery::workload
