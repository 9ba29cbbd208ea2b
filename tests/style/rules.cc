// SPDX-License-Identifier: Apache-2.0
#include "rules.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <regex>

#include "includes.h"
#include "text.h"

namespace orrery::style {

namespace {

constexpr std::size_t kFileLines = 700;
constexpr std::size_t kFunctionLines = 60;

std::string place(const std::string& path, std::size_t line) {
  return path + ":" + std::to_string(line);
}

std::vector<std::string> words_in_ticks(const std::string& text) {
  static const std::regex pattern("`([^`]+)`");
  std::vector<std::string> words;
  for (std::sregex_iterator it(text.begin(), text.end(), pattern), end; it != end; ++it)
    words.push_back((*it)[1]);
  return words;
}

}  // namespace

RoomTable parse_rooms(std::string_view architecture) {
  static const std::regex row(R"(^\| `([^`]+)` \|.*\|([^|]*)\|\s*$)");
  RoomTable direct, forbidden;
  for (const std::string& line : lines_of(architecture)) {
    std::smatch match;
    if (!std::regex_match(line, match, row)) continue;
    std::set<std::string>& allowed = direct[match[1]];
    allowed.insert(match[1]);
    const std::string column = match[2];
    const std::size_t refusal = std::min(column.find(" not "), column.size());
    if (column.find("everything") != std::string::npos) {
      for (const auto& [room, unused] : direct) allowed.insert(room);
    }
    for (const std::string& word : words_in_ticks(column.substr(0, refusal))) allowed.insert(word);
    for (const std::string& word : words_in_ticks(column.substr(refusal)))
      forbidden[match[1]].insert(word);
  }
  for (bool grew = true; grew;) {
    grew = false;
    for (auto& [room, allowed] : direct) {
      std::set<std::string> more = allowed;
      for (const std::string& other : allowed) {
        const auto it = direct.find(other);
        if (it != direct.end()) more.insert(it->second.begin(), it->second.end());
      }
      grew = grew || more.size() > allowed.size();
      allowed = std::move(more);
    }
  }
  for (const auto& [room, words] : forbidden) {
    for (const std::string& word : words) direct[room].erase(word);
  }
  return direct;
}

Violations check_folders(const RoomTable& rooms, const IncludeTable& folders) {
  Violations violations;
  for (const auto& [folder, included] : folders) {
    const auto allowed = rooms.find(folder);
    if (allowed == rooms.end()) {
      violations.push_back("folder '" + folder + "' is not in the tables of docs/architecture.md");
      continue;
    }
    for (const std::string& other : included) {
      if (!allowed->second.contains(other))
        violations.push_back("folder " + folder + " may not include " + other);
    }
  }
  for (const auto& [folder, allowed] : rooms) {
    const std::size_t parent = folder.starts_with("addons/") ? 7 : 0;
    const bool inside =
        folder.find('/', parent) != std::string::npos && !folder.starts_with("apps/");
    if (inside && !folders.contains(folder))
      violations.push_back("docs/architecture.md lists folder '" + folder +
                           "', which has no files");
  }
  return violations;
}

Violations check_includes(const std::string& path, std::string_view text, const RoomTable& rooms) {
  static const std::regex include(R"re(^\s*#\s*include\s*"([^"]+)".*)re");
  const std::string room = room_of(path);
  const auto allowed = rooms.find(room);
  if (allowed == rooms.end())
    return {path + ": room '" + room + "' is not in the table of docs/architecture.md"};
  Violations violations;
  std::size_t number = 0;
  for (const std::string& line : lines_of(text)) {
    ++number;
    std::smatch match;
    if (!std::regex_match(line, match, include)) continue;
    const std::string target = match[1];
    static const std::regex whole("(orrery|apps|addons)/.*");
    if (room.starts_with("apps/") && !std::regex_match(target, whole)) continue;
    // Its license allows both sides to include it: style_test.cc, ThePlugInOfNs3IsSeparate.
    if (room == "network" && target == "plugins/ns3/orrery_ns3.h") continue;
    const std::string other = room_of_include(target);
    if (other.empty() || !rooms.contains(other)) {
      violations.push_back(place(path, number) + ": \"" + target +
                           "\" is not a whole include of a known room");
    } else if (!allowed->second.contains(other)) {
      violations.push_back(place(path, number) + ": " + room + " may not include " + other);
    }
  }
  return violations;
}

Violations check_length(const std::string& path, std::string_view text) {
  const std::size_t count = lines_of(text).size();
  if (count <= kFileLines) return {};
  return {path + ": " + std::to_string(count) + " lines; at most " + std::to_string(kFileLines)};
}

// A function begins at the last line before its end that starts in column 0, and ends with a lone
// '}' in column 0. Types and tables end with "};", namespaces with a comment. A switch's labels are
// not counted: tables of cases are easy to read at any length.
Violations check_functions(const std::string& path, std::string_view text) {
  Violations violations;
  const std::vector<std::string> raw = lines_of(text);
  const std::vector<std::string> lines = lines_of(without_literals(text));
  std::size_t start = 0;
  std::size_t labels = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string& line = lines[i];
    const std::size_t first = line.find_first_not_of(' ');
    if (first != std::string::npos && line.compare(first, 5, "case ") == 0) ++labels;
    if (line.empty() || line[0] == ' ' || line[0] == '#') continue;
    if (line[0] != '}') {
      start = i;
      labels = 0;
      continue;
    }
    const std::size_t count = i - start + 1 - labels;
    if (raw[i] == "}" && count > kFunctionLines) {
      violations.push_back(place(path, start + 1) + ": a function of " + std::to_string(count) +
                           " lines; at most " + std::to_string(kFunctionLines));
    }
  }
  return violations;
}

Violations check_license(const std::string& path, std::string_view text) {
  if (text.starts_with("// SPDX-License-Identifier: Apache-2.0\n")) return {};
  return {path + ": the first line is not '// SPDX-License-Identifier: Apache-2.0'"};
}

namespace {

/// Whether a line may match what check_quiet() looks for: regular expressions take long.
bool may_be_loud(std::string_view line) {
  constexpr std::array<std::string_view, 23> kParts = {
      "cin",    "cout",   "cerr",    "clog",   "putchar", "puts",      "perror",       "locale",
      "exit",   "abort",  "system",  "tty",    "ioctl",   "tcgetattr", "env",          "stdin",
      "stdout", "stderr", "termios", "_clock", "print",   "iostream",  "random_device"};
  return std::any_of(kParts.begin(), kParts.end(), [&](std::string_view part) {
    return line.find(part) != std::string_view::npos;
  });
}

}  // namespace

Violations check_quiet(const std::string& path, std::string_view text) {
  static const std::regex loud(
      R"(\bstd::(w?cin|w?cout|w?cerr|w?clog)\b|\b(f?printf|putchar|f?puts|perror|setlocale|_?exit|abort|system)\s*\(|)"
      R"(\b(isatty|ttyname|ttyname_r|ioctl|tcgetattr|secure_getenv|getenv|setenv|putenv|unsetenv)\s*\(|)"
      R"((^|[^\w"/])(stdin|stdout|stderr|environ)\b|#\s*include\s*<(iostream|termios\.h|sys/ioctl\.h)>|)"
      R"(\b(system|steady|high_resolution)_clock\b|\bfmt::print\b|\bstd::random_device\b)");
  if (path == "src/orrery/core/check.cc") return {};
  Violations violations;
  std::size_t number = 0;
  static const std::regex literal(R"("(\\.|[^"\\])*")");
  for (std::string line : lines_of(without_literals(text))) {
    ++number;
    std::smatch match;
    if (!may_be_loud(line)) continue;
    line = std::regex_replace(line, literal, "\"\"");
    if (may_be_loud(line) && std::regex_search(line, match, loud)) {
      violations.push_back(place(path, number) +
                           ": the library never prints, exits, or asks for the clock, the "
                           "terminal or the environment: '" +
                           match.str() + "'");
    }
  }
  return violations;
}

Violations check_mentions(const std::string& path, std::string_view text) {
  // Spelt in two parts, so that this file is clean itself.
  static const std::array<std::string, 4> places = {
      "/wo"
      "rk/",
      "/roo"
      "t/",
      "deb."
      "debian.org",
      "registry."
      "npmjs.org"};
  Violations violations;
  for (const std::string& word : places) {
    const std::size_t at = text.find(word);
    if (at == std::string_view::npos) continue;
    const auto line = static_cast<std::size_t>(
        std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
    violations.push_back(place(path, line + 1) + ": mentions '" + word + "'");
  }
  return violations;
}

std::vector<Enumerator> enumerators(std::string_view header, std::string_view name) {
  static const std::regex enumerator(R"(^\s*([a-z][a-z0-9_]*)\s*(?:=\s*([^,\s]*))?\s*,?\s*$)");
  std::vector<Enumerator> found;
  bool inside = false;
  const std::string opening = "enum class " + std::string(name) + " ";
  for (const std::string& line : lines_of(without_literals(header))) {
    if (line.starts_with(opening)) inside = true;
    if (inside && line.starts_with("}")) break;
    std::smatch match;
    if (inside && std::regex_match(line, match, enumerator)) found.push_back({match[1], match[2]});
  }
  return found;
}

std::vector<std::string> constants(std::string_view header) {
  static const std::regex constant(R"(^inline constexpr [\w:]+ (k\w+) =.*)");
  std::vector<std::string> found;
  for (const std::string& line : lines_of(header)) {
    std::smatch match;
    if (std::regex_match(line, match, constant)) found.push_back(match[1]);
  }
  return found;
}

std::set<std::string> anchors(std::string_view markdown) {
  std::set<std::string> found;
  bool code = false;
  for (const std::string& line : lines_of(markdown)) {
    if (line.starts_with("```")) code = !code;
    if (code || !line.starts_with("#")) continue;
    std::string anchor;
    for (const char c : line.substr(std::min(line.find(' '), line.size() - 1) + 1)) {
      const auto byte = static_cast<unsigned char>(c);
      if (std::isalnum(byte) || c == '-' || c == '_' || byte >= 0x80)
        anchor += static_cast<char>(std::tolower(byte));
      if (c == ' ') anchor += '-';
    }
    found.insert(anchor);
  }
  return found;
}

std::vector<std::string> local_links(std::string_view markdown) {
  static const std::regex link(R"(\]\(([^()\s]+)\))");
  std::vector<std::string> found;
  bool code = false;
  for (std::string line : lines_of(markdown)) {
    if (line.starts_with("```")) code = !code;
    if (code) continue;
    line = std::regex_replace(line, std::regex("`[^`]*`"), "");
    for (std::sregex_iterator it(line.begin(), line.end(), link), end; it != end; ++it) {
      const std::string target = (*it)[1];
      if (target.find("://") == std::string::npos && !target.starts_with("mailto:"))
        found.push_back(target);
    }
  }
  return found;
}

}  // namespace orrery::style
