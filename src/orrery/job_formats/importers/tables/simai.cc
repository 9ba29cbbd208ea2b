// SPDX-License-Identifier: Apache-2.0
//
// Reads the plan from the header of AICB's text for SimAI.
#include <algorithm>
#include <utility>

#include "orrery/core/text/units.h"
#include "orrery/job_formats/importers/importer_internal.h"

namespace orrery::workload {

using config::Json;
using config::KeyReader;

namespace {

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
  KeyReader keys(file, where);
  spec.parallel.tp = whole(keys, "model_parallel_NPU_group", 1);
  spec.parallel.ep = whole(keys, "ep", 1);
  spec.parallel.pp = whole(keys, "pp", 1);
  const std::int64_t steps = whole(keys, "ga", 1);
  const std::int64_t world = whole(keys, "all_gpus", 0);
  ignore_keys(keys, {"vpp", "checkpoints", "checkpoint_initiates", "pp_comm"});
  if (auto fine = finish(keys, findings); !fine) return fine;
  set_world_size(spec, world, where, findings);
  spec.batch.global = product({std::max<std::int64_t>(steps, 1), spec.batch.micro,
                               std::max<std::int64_t>(spec.parallel.dp, 1)});
  return {};
}

}  // namespace

const Importer kSimaiImporter{.name = "simai",
                              .tool = "SimAI",
                              .files = "AICB's text",
                              .reads =
                                  "the plan in its header, if a model is given; without one "
                                  "`orrery run` simulates its layers",
                              .is_text = looks_like_simai,
                              .import_text = import_simai};

}  // namespace orrery::workload
