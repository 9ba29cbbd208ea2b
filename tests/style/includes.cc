// SPDX-License-Identifier: Apache-2.0
#include "includes.h"

#include <algorithm>
#include <filesystem>
#include <regex>

#include "text.h"

namespace orrery::style {

std::string room_of(const std::string& path) {
  if (path.starts_with("apps/orrery/")) return "apps/orrery";
  if (path.starts_with("apps/orrery_bench/")) return "apps/orrery_bench";
  if (path.starts_with("addons/")) {
    static const std::regex addon(R"(addons/[^/]+(/(text|command)(?=/))?)");
    std::smatch match;
    return std::regex_search(path, match, addon) ? match.str() : "";
  }
  for (const std::string_view prefix : {"src/orrery/", "include/orrery/"}) {
    if (!path.starts_with(prefix)) continue;
    const std::string rest = path.substr(prefix.size());
    // orrery.h, call.h and the generated headers of commands are the interface of the library.
    const bool interface =
        rest.find('/') == std::string::npos || path.starts_with("include/orrery/commands/");
    return interface ? "c_interface" : rest.substr(0, rest.find('/'));
  }
  return {};
}

std::string room_of_include(const std::string& included) {
  const bool whole = included.starts_with("apps/") || included.starts_with("addons/");
  return room_of(whole ? included : "src/" + included);
}

std::vector<std::string> includes(std::string_view text) {
  static const std::regex include(R"re(^\s*#\s*include\s*"([^"]+)".*)re");
  std::vector<std::string> found;
  for (const std::string& line : lines_of(text)) {
    std::smatch match;
    if (std::regex_match(line, match, include)) found.push_back(match[1]);
  }
  return found;
}

namespace {

// "src/orrery/workload/spec/lora_targets.h" → "workload/spec", "include/orrery/result/run.h" →
// "result", "addons/bench/plan/fills.h" → "addons/bench/plan".
std::string folder_of(const std::string& path) {
  if (path.starts_with("addons/")) return path.substr(0, path.rfind('/'));
  if (path.starts_with("include/") && room_of(path) == "c_interface") return "c_interface";
  const std::size_t room = path.find("orrery/");
  if (room == std::string::npos) return {};
  const std::string rest = path.substr(room + 7);
  return rest.find('/') == std::string::npos ? "c_interface" : rest.substr(0, rest.rfind('/'));
}

bool reaches(const IncludeTable& table, const std::string& from, const std::string& to,
             std::set<std::string>& seen) {
  const auto known = table.find(from);
  if (known == table.end() || !seen.insert(from).second) return false;
  return std::any_of(known->second.begin(), known->second.end(), [&](const std::string& next) {
    return next == to || reaches(table, next, to, seen);
  });
}

}  // namespace

void add_folders(const std::string& path, std::string_view text, IncludeTable& folders) {
  const std::string room = room_of(path), folder = folder_of(path);
  std::set<std::string>& reached = folders[folder];
  for (const std::string& included : includes(text)) {
    if (room_of_include(included) == room && folder_of(included) != folder)
      reached.insert(folder_of(included));
  }
}

void add_header(const std::string& path, std::string_view text, IncludeTable& files) {
  const std::size_t room = path.starts_with("addons/") ? 0 : path.find("orrery/");
  if (room == std::string::npos) return;
  const std::vector<std::string> found = includes(text);
  files[path.substr(room)].insert(found.begin(), found.end());
}

void add_script(const std::string& path, std::string_view text, IncludeTable& files) {
  static const std::regex import(R"re((?:from|import)\s*\(?\s*['"](\.[^'"]*)['"])re");
  std::set<std::string>& reached = files[path];
  const std::string all(text);
  for (std::sregex_iterator it(all.begin(), all.end(), import), end; it != end; ++it) {
    const std::filesystem::path target = std::filesystem::path(path).parent_path() / (*it)[1].str();
    reached.insert(target.lexically_normal().string() + ".ts");
  }
}

Violations check_circles(const IncludeTable& table) {
  Violations violations;
  for (const auto& [one, reached] : table) {
    for (const std::string& other : reached) {
      std::set<std::string> seen;
      if (one < other && reaches(table, other, one, seen))
        violations.push_back(one + " and " + other + " include each other");
    }
  }
  return violations;
}

bool is_in_addon_tests(const std::string& path) {
  return path.starts_with("addons/") && path.find("/tests/") != std::string::npos;
}

bool is_for_tests(const std::string& path) {
  return is_in_addon_tests(path) || path.starts_with("tests/") || path.starts_with("benchmarks/") ||
         has_suffix(path, "_test.cc") || has_suffix(path, "_fuzz.cc") ||
         has_suffix(path, "_testing.h");
}

Violations check_test_headers(const IncludeTable& files) {
  std::map<std::string, std::set<std::string>> users;  // by header: files that are not for tests
  for (const auto& [file, reached] : files) {
    for (const std::string& header : reached) {
      if (!header.starts_with("orrery/") && !header.starts_with("addons/")) continue;
      if (is_in_addon_tests(header)) continue;
      std::set<std::string>& of = users[header];
      if (!is_for_tests(file)) of.insert(file);
    }
  }
  Violations violations;
  for (const auto& [header, of] : users) {
    const bool named = has_suffix(header, "_testing.h");
    if (named && !of.empty())
      violations.push_back(*of.begin() + " is no test and includes " + header);
    if (!named && of.empty())
      violations.push_back(header + " is included by tests alone: call it x_testing.h");
  }
  return violations;
}

}  // namespace orrery::style
