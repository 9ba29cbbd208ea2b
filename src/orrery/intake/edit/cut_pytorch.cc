// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <unordered_set>

#include "orrery/intake/edit/cut_internal.h"
#include "orrery/profile/iterations.h"
#include "orrery/trace/pytorch/reader.h"

namespace orrery::intake {
namespace {

using profile::EventId;
using profile::Profile;

struct NodeRange {
  std::uint64_t first = 0;
  std::uint64_t last = std::numeric_limits<std::uint64_t>::max();  ///< exclusive
  std::unordered_set<std::uint64_t> known;      ///< ids of nodes that became events
  std::unordered_set<std::uint64_t> enclosing;  ///< nodes that enclose the nodes inside
};

/// Ids ascend in the order in which operators begin, over all threads.
Result<NodeRange> range_of(const Profile& profile, const CutOptions& options) {
  NodeRange range;
  std::vector<std::pair<std::uint64_t, std::int64_t>> steps;  // (id, number)
  std::unordered_map<std::uint64_t, std::uint64_t> parents;
  for (EventId e = 0; e < profile.events.size(); ++e) {
    const profile::Node* node = profile.node(e);
    if (node == nullptr) continue;
    range.known.insert(node->id);
    parents.emplace(node->id, node->parent);
    const std::int64_t number = profile::iteration_number(profile.name(e));
    if (number >= 0) steps.emplace_back(node->id, number);
  }
  std::sort(steps.begin(), steps.end());
  if (options.iteration) {
    const auto step = std::find_if(steps.begin(), steps.end(),
                                   [&](const auto& s) { return s.second == *options.iteration; });
    if (step == steps.end()) {
      std::vector<std::int64_t> numbers;
      for (const auto& s : steps) numbers.push_back(s.second);
      return no_iteration(profile.where, *options.iteration, numbers);
    }
    range.first = step->first;
    if (std::next(step) != steps.end()) range.last = std::next(step)->first;
  }
  for (const auto& [id, parent] : parents) {
    if (id < range.first || id >= range.last) continue;
    for (std::uint64_t up = parent; range.enclosing.insert(up).second;) {
      const auto above = parents.find(up);
      if (above == parents.end()) break;
      up = above->second;
    }
  }
  return range;
}

}  // namespace

Result<CutReport> cut_pytorch(const trace::Input& input, const CutOptions& options,
                              const std::string& path, Findings& findings) {
  if (options.from || options.to)
    return fail(Errc::usage, input.name, "an execution trace has no times",
                "cut an iteration (--iteration N)");
  auto source = trace::open(input);
  if (!source) return tl::unexpected(source.error());
  const auto profile = trace::pytorch::read(*std::move(source),
                                            {input.name, std::make_shared<StringPool>()}, findings);
  if (!profile) return tl::unexpected(profile.error());
  const auto range = range_of(*profile, options);
  if (!range) return tl::unexpected(range.error());
  Findings repeated;
  return copy_elements(
      input, "nodes",
      [&](simdjson::ondemand::object& element) {
        std::uint64_t id = 0;
        std::string_view name;
        if (element.find_field_unordered("id").get_uint64().get(id) != simdjson::SUCCESS)
          return false;
        // Retains roots, threads and similar nodes, which are not events; and process groups, which
        // all parts need.
        if (range->known.count(id) == 0 || range->enclosing.count(id) > 0) return true;
        if (id >= range->first && id < range->last) return true;
        return element.find_field_unordered("name").get_string().get(name) == simdjson::SUCCESS &&
               name.find("process_group:init") != std::string_view::npos;
      },
      path, options.force, repeated);
}

}  // namespace orrery::intake
