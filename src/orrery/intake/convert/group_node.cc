// SPDX-License-Identifier: Apache-2.0
#include "orrery/intake/convert/group_node.h"

#include <nlohmann/json.hpp>
#include <set>

#include "orrery/graph/graph.h"
#include "orrery/intake/convert/python_lists.h"

namespace orrery::intake {

trace::chakra::NodeRecord group_node(const std::vector<profile::Group>& groups) {
  constexpr auto kReplace = nlohmann::json::error_handler_t::replace;
  nlohmann::json list = nlohmann::json::array();
  std::set<std::string> seen;
  for (const profile::Group& group : groups) {
    if (group.name.empty() || !seen.insert(group.name).second) continue;
    nlohmann::json entry;
    entry["pg_name"] = group.name;
    entry["pg_desc"] = group.description;
    entry["backend_config"] = group.backend;
    entry["pg_size"] =
        group.ranks.empty() ? group.size : static_cast<std::int64_t>(group.ranks.size());
    entry["ranks"] = group.ranks;
    list.push_back(std::move(entry));
  }
  trace::chakra::NodeRecord node;
  node.type = static_cast<std::uint64_t>(graph::NodeKind::metadata);
  if (list.empty()) return node;
  node.name = "## process_group:init ##";
  nlohmann::json printed = nlohmann::json::array();
  printed.push_back(list.dump(-1, ' ', false, kReplace));
  append_python(node.inputs.emplace().values, printed.dump(-1, ' ', false, kReplace));
  node.inputs->shapes = "[[]]";
  node.inputs->types = "['String']";
  node.add(trace::chakra::attribute_bool("is_cpu_op", true));
  return node;
}

}  // namespace orrery::intake
