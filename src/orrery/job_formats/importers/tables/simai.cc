// SPDX-License-Identifier: Apache-2.0
//
// Reads the plan from the header of AICB's text for SimAI.
#include <algorithm>
#include <utility>

#include "orrery/core/text/units.h"
#include "orrery/job_formats/importers/tables/tables.h"

namespace orrery::workload {

namespace simai {
namespace {

using config::Json;

constexpr KeyRow kRows[] = {
    {"all_gpus", KeyUse::sets, kWorld},
    {"checkpoint_initiates"},
    {"checkpoints"},
    {"ep", KeyUse::sets, "parallel.ep"},
    {"ga", KeyUse::read, kAccumulated},
    {"model_parallel_NPU_group", KeyUse::sets, "parallel.tp"},
    {"pp", KeyUse::sets, "parallel.pp"},
    {"pp_comm"},
    {"vpp", KeyUse::not_modeled, "1"},
};

bool looks_like_simai(std::string_view text) {
  const std::string_view head = text.substr(0, text.find('\n'));
  return head.find("all_gpus:") != std::string_view::npos &&
         head.find("model_parallel_NPU_group:") != std::string_view::npos;
}

Result<void> import_simai(Spec& spec, std::string_view text, const std::string& where,
                          Findings& findings) {
  // First line: a word, then "name: value" pairs (aliyun/aicb, the header of its SimAI files).
  std::string_view head = text.substr(0, text.find('\n'));
  Json file = Json::object();
  std::string key;
  while (!head.empty()) {
    const std::size_t begin = head.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos) break;
    const std::size_t end = std::min(head.find_first_of(" \t\r", begin), head.size());
    const std::string_view word = head.substr(begin, end - begin);
    head.remove_prefix(end);
    if (word.back() == ':') {
      key = word.substr(0, word.size() - 1);
    } else if (!key.empty()) {
      const auto value = parse_integer(word, where + ":1: " + key);
      if (!value) return tl::unexpected(value.error());
      file[std::exchange(key, "")] = *value;
    }
  }
  Spec made = spec;
  made.parallel.tp = made.parallel.ep = made.parallel.pp = 1;
  const auto world = apply_keys({kRows}, file, where, made, findings);
  if (!world) return tl::unexpected(world.error());
  const std::int64_t steps = whole_at(file, "ga", 1);
  set_world_size(made, *world, where, findings);
  made.batch.global = product({std::max<std::int64_t>(steps, 1), made.batch.micro,
                               std::max<std::int64_t>(made.parallel.dp, 1)});
  spec = std::move(made);
  return {};
}

}  // namespace
}  // namespace simai

const Importer kSimaiImporter{.name = "simai",
                              .tool = "SimAI",
                              .files = "AICB's text",
                              .reads =
                                  "the plan in its header, if a model is given; without one "
                                  "`orrery run` simulates its layers",
                              .is_text = simai::looks_like_simai,
                              .import_text = simai::import_simai};
constinit const ImporterTable kSimaiTable{&kSimaiImporter, {simai::kRows}};

}  // namespace orrery::workload
