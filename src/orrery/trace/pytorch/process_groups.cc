// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/pytorch/process_groups.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "orrery/core/limits.h"
#include "orrery/trace/json/scan.h"

namespace orrery::trace::pytorch {
namespace {

using Json = nlohmann::json;

std::string word_of(const Json& entry, const char* key) {
  const auto found = entry.find(key);
  if (found == entry.end()) return {};
  if (found->is_string()) return found->get<std::string>();
  return found->is_number_integer() ? found->dump() : std::string{};
}

std::int32_t size_of(const Json& entry) {
  for (const char* const key : {"group_size", "pg_size"}) {
    const auto found = entry.find(key);
    if (found == entry.end() || !found->is_number_unsigned()) continue;
    const auto size = found->get<std::uint64_t>();
    if (size > 0 && size <= limits::kRanks) return static_cast<std::int32_t>(size);
  }
  return -1;
}

/// Nothing if they are not a list of distinct ranks.
std::optional<std::vector<std::uint32_t>> ranks_of(const Json& entry) {
  std::vector<std::uint32_t> ranks;
  const auto list = entry.find("ranks");
  if (list == entry.end() || list->is_null()) return ranks;
  if (!list->is_array()) return std::nullopt;
  for (const Json& rank : *list) {
    if (!rank.is_number_unsigned() || rank.get<std::uint64_t>() >= limits::kRanks)
      return std::nullopt;
    ranks.push_back(static_cast<std::uint32_t>(rank.get<std::uint64_t>()));
  }
  std::vector<std::uint32_t> sorted = ranks;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) return std::nullopt;
  return ranks;
}

std::int32_t size_within_limits(std::int64_t size) {
  return size > 0 && size <= static_cast<std::int64_t>(limits::kRanks)
             ? static_cast<std::int32_t>(size)
             : -1;
}

}  // namespace

bool ProcessGroups::add(const Json& entry) {
  if (!entry.is_object()) return false;
  profile::Group group;
  group.name = word_of(entry, "pg_name");
  const auto ranks = ranks_of(entry);
  if (group.name.empty() || !ranks) return false;
  group.description = word_of(entry, "pg_desc");
  group.backend = word_of(entry, "backend_config");
  if (group.backend.empty()) group.backend = word_of(entry, "backend");
  group.ranks = *ranks;
  group.size = group.ranks.empty() ? size_of(entry) : static_cast<std::int32_t>(group.ranks.size());
  const std::uint32_t at = named(group.name, group.description, group.size);
  // The last description of a name counts: a group can be created again.
  groups_[at] = std::move(group);
  if (is_world_.size() <= at) is_world_.resize(at + 1);
  is_world_[at] = ranks->empty();
  const auto address = entry.find("backend_id");
  if (address != entry.end() && address->is_number_integer())
    by_address_.insert_or_assign(address->get<std::int64_t>(), at);
  return true;
}

bool ProcessGroups::describe(std::string_view text, std::uint64_t& ignored) {
  if (trace::json::nests_deeper(text, limits::kJsonDepth)) return false;
  const Json list = Json::parse(text, nullptr, false);
  if (!list.is_array()) return false;
  for (const Json& entry : list) ignored += add(entry) ? 0 : 1;
  return true;
}

std::uint32_t ProcessGroups::named(std::string_view name, std::string_view description,
                                   std::int64_t size) {
  if (name.empty()) return ~0u;
  const auto known = by_name_.find(name);
  if (known != by_name_.end()) {
    profile::Group& group = groups_[known->second];
    if (group.description.empty()) group.description = description;
    if (group.size < 0) group.size = size_within_limits(size);
    return known->second;
  }
  const auto at = static_cast<std::uint32_t>(groups_.size());
  groups_.push_back(
      {std::string(name), std::string(description), {}, {}, size_within_limits(size)});
  by_name_.emplace(name, at);
  return at;
}

std::uint32_t ProcessGroups::at_address(std::int64_t address, std::int64_t size) {
  if (address == 0) return ~0u;
  const auto known = by_address_.find(address);
  if (known != by_address_.end()) return known->second;
  const std::uint32_t at = named(std::to_string(address), {}, size);
  by_address_.emplace(address, at);
  return at;
}

std::optional<std::uint32_t> ProcessGroups::world() const {
  for (std::size_t at = 0; at < groups_.size(); ++at) {
    if (groups_[at].description == "default_pg") return static_cast<std::uint32_t>(at);
  }
  const auto whole = std::find(is_world_.begin(), is_world_.end(), true);
  if (whole != is_world_.end()) return static_cast<std::uint32_t>(whole - is_world_.begin());
  // A single group that is known only by its address contains all ranks.
  if (groups_.size() == 1 && by_address_.size() == 1) return 0;
  return std::nullopt;
}

std::string library_of_backend(std::string_view backend) {
  std::string_view chosen = backend;
  // Of the libraries of several devices, uses that of the accelerator.
  for (std::size_t begin = 0; begin < backend.size();) {
    const std::size_t end = std::min(backend.find(',', begin), backend.size());
    const std::string_view part = backend.substr(begin, end - begin);
    if (!part.starts_with("cpu:") || end == backend.size()) {
      chosen = part;
      if (!part.starts_with("cpu:")) break;
    }
    begin = end + 1;
  }
  const std::size_t colon = chosen.rfind(':');
  return std::string(colon == std::string_view::npos ? chosen : chosen.substr(colon + 1));
}

}  // namespace orrery::trace::pytorch
