// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/chakra/groups.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_set>

#include "orrery/core/limits.h"
#include "orrery/core/text/text.h"
#include "orrery/trace/io/window.h"
#include "orrery/trace/json/scan.h"

namespace orrery::trace::chakra {
namespace {

using nlohmann::json;

json parse(std::string_view text) {
  return trace::json::nests_deeper(text, limits::kConfigDepth) ? json(json::value_t::discarded)
                                                               : json::parse(text, nullptr, false);
}

Result<std::vector<std::uint32_t>> ranks_of(const json& list, const std::string& place) {
  if (!list.is_array())
    return fail(Errc::input_group, place, "a process group must be a list of ranks");
  std::vector<std::uint32_t> ranks;
  for (const json& value : list) {
    if (!value.is_number_integer()) {
      return fail(Errc::input_group, fmt::format("{}/{}", place, ranks.size()),
                  "a rank must be a whole number");
    }
    const bool negative = !value.is_number_unsigned();
    if (negative || value.get<std::uint64_t>() >= limits::kRanks) {
      return fail(Errc::input_range, fmt::format("{}/{}", place, ranks.size()),
                  fmt::format("rank {} is not in 0 to {}", value.dump(), limits::kRanks - 1));
    }
    ranks.push_back(static_cast<std::uint32_t>(value.get<std::uint64_t>()));
  }
  return ranks;
}

/// The list of groups in any of its notations.
std::optional<json> group_list(std::string_view values) {
  const auto usable = [](const json& found) {
    return found.is_array() && (found.empty() || found[0].is_object());
  };
  json direct = parse(values);
  if (usable(direct)) return direct;
  if (direct.is_array() && direct.size() == 1 && direct[0].is_string()) {
    json inner = parse(direct[0].get_ref<const std::string&>());
    if (usable(inner)) return inner;
  }
  if (direct.is_string()) {
    json inner = parse(direct.get_ref<const std::string&>());
    if (usable(inner)) return inner;
  }
  if (values.size() > 4) {  // Python's str() of a list of one string: ['…']
    const std::string_view text = values.substr(2, values.size() - 4);
    json inner = parse(text);
    if (usable(inner)) return inner;
    std::string plain;  // Python escapes the backslashes and quotes inside
    for (std::size_t at = 0; at < text.size(); ++at) {
      if (text[at] == '\\' && at + 1 < text.size()) ++at;
      plain += text[at];
    }
    inner = parse(plain);
    if (usable(inner)) return inner;
  }
  return std::nullopt;
}

}  // namespace

Result<GroupMap> parse_groups(std::string_view text, const std::string& where) {
  const json document = parse(text);
  if (document.is_discarded()) {
    return fail(Errc::input_group, where, "not JSON, or nested too deeply",
                "write process groups as {\"name\": [ranks…]}");
  }
  if (!document.is_object()) {
    return fail(Errc::input_group, where, "must be an object of rank lists",
                "write process groups as {\"name\": [ranks…]}");
  }
  GroupMap groups;
  for (const auto& [name, list] : document.items()) {
    const std::string place = where + ":" + pointer_step(printable(name, kShownBytes));
    auto ranks = ranks_of(list, place);
    if (!ranks) return tl::unexpected(ranks.error());
    if (ranks->empty()) return fail(Errc::input_group, place, "the process group has no ranks");
    groups[name] = {name, std::move(*ranks)};
  }
  return groups;
}

Result<GroupMap> read_groups(const std::string& path) {
  auto source = open_file(path);
  if (!source) return tl::unexpected(source.error());
  Window window(**source);
  auto more = window.need(limits::kConfigBytes + 1);
  if (!more) return tl::unexpected(more.error());
  if (*more) {
    return fail(Errc::limit_exceeded, path,
                fmt::format("is larger than {} bytes", limits::kConfigBytes));
  }
  return parse_groups(window.text(), path);
}

bool looks_like_group_dump(std::string_view values) {
  return values.find("pg_name") != std::string_view::npos;
}

Result<GroupMap> parse_group_dump(std::string_view values, const std::string& where) {
  const auto list = group_list(values);
  if (!list)
    return fail(Errc::input_group, where,
                "process groups that are not a JSON list of {pg_name, ranks}");
  GroupMap groups;
  for (const json& entry : *list) {
    const auto name = entry.is_object() ? entry.find("pg_name") : entry.end();
    if (!entry.is_object() || name == entry.end() ||
        !(name->is_string() || name->is_number_integer())) {
      return fail(Errc::input_group, where, "a process group without pg_name");
    }
    graph::ProcessGroup group;
    group.name = name->is_string() ? name->get<std::string>() : name->dump();
    if (const auto members = entry.find("ranks"); members != entry.end()) {
      auto ranks = ranks_of(
          *members, fmt::format("{} group \"{}\"", where, printable(group.name, kShownBytes)));
      if (!ranks) return tl::unexpected(ranks.error());
      group.ranks = std::move(*ranks);
    }
    std::string key = group.name;
    groups[std::move(key)] = std::move(group);
  }
  return groups;
}

Result<void> merge_groups(GroupMap& groups, const GroupMap& more, const std::string& where,
                          graph::Repair repair, Findings& findings) {
  for (const auto& [name, group] : more) {
    const auto [known, fresh] = groups.emplace(name, group);
    if (fresh || known->second.ranks == group.ranks) continue;
    if (repair == graph::Repair::refuse) {
      return fail(
          Errc::input_group, where,
          fmt::format("process group \"{}\" has {} ranks here, but different ranks ({}) elsewhere",
                      printable(name, kShownBytes), group.ranks.size(), known->second.ranks.size()),
          "give groups with different members different names, or pass one group file for all "
          "ranks");
    }
    findings.add(FindingCode::metadata_group_ignored, where);
  }
  return {};
}

Result<void> check_groups(GroupMap& groups, std::uint32_t ranks, const std::string& where,
                          graph::Repair repair, Findings& findings) {
  for (auto& [name, group] : groups) {
    std::unordered_set<std::uint32_t> seen;
    std::vector<std::uint32_t> retained;
    for (const std::uint32_t rank : group.ranks) {
      if (rank < ranks && seen.insert(rank).second) {
        retained.push_back(rank);
        continue;
      }
      if (repair == graph::Repair::refuse) {
        return fail(Errc::input_group, where,
                    rank < ranks
                        ? fmt::format("process group \"{}\" lists rank {} twice",
                                      printable(name, kShownBytes), rank)
                        : fmt::format("process group \"{}\" lists rank {}, but only {} ranks exist",
                                      printable(name, kShownBytes), rank, ranks));
      }
      findings.add(FindingCode::value_clamped,
                   fmt::format("{} group {}", where, printable(name, kShownBytes)));
    }
    if (retained.size() != group.ranks.size()) group.ranks = std::move(retained);
  }
  return {};
}

}  // namespace orrery::trace::chakra
