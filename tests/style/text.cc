// SPDX-License-Identifier: Apache-2.0
#include "text.h"

#include <algorithm>
#include <fstream>
#include <iterator>

namespace orrery::style {

namespace fs = std::filesystem;

namespace {

// Where the token that starts at `i` ends, and whether it is one to blank.
struct Token {
  std::size_t end;
  bool blank;
};

std::size_t find_end(std::string_view text, std::string_view mark, std::size_t from) {
  const std::size_t at = text.find(mark, from);
  return at == std::string_view::npos ? text.size() : at + mark.size();
}

Token quoted(std::string_view text, std::size_t i) {
  std::size_t end = i + 1;
  while (end < text.size() && text[end] != text[i] && text[end] != '\n')
    end += text[end] == '\\' ? 2 : 1;
  return {std::min(end + 1, text.size()), false};
}

Token token_at(std::string_view text, std::size_t i) {
  const std::string_view rest = text.substr(i);
  if (rest.starts_with("//")) return {std::min(text.find('\n', i), text.size()), true};
  if (rest.starts_with("/*")) return {find_end(text, "*/", i + 2), true};
  if (rest.starts_with("R\"")) {
    const std::size_t open = text.find('(', i);
    if (open == std::string_view::npos) return {text.size(), true};
    const std::string close = ")" + std::string(text.substr(i + 2, open - i - 2)) + "\"";
    return {find_end(text, close, open), true};
  }
  const bool digit_before = i > 0 && text[i - 1] >= '0' && text[i - 1] <= '9';
  if (text[i] == '"' || (text[i] == '\'' && !digit_before)) return quoted(text, i);
  return {i + 1, false};
}

}  // namespace

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return lines;
}

std::string without_literals(std::string_view text) {
  std::string out(text);
  for (std::size_t i = 0; i < text.size();) {
    const Token token = token_at(text, i);
    if (token.blank) {
      for (std::size_t j = i; j < token.end; ++j) {
        if (out[j] != '\n') out[j] = ' ';
      }
    }
    i = token.end;
  }
  return out;
}

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

bool has_suffix(std::string_view text, std::string_view suffix) { return text.ends_with(suffix); }

std::vector<std::string> files_in(const fs::path& root, const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (fs::recursive_directory_iterator it(root / folder, error), end; !error && it != end;
       it.increment(error)) {
    // What the web page's build makes or fetches is not ours.
    const std::string name = it->path().filename().string();
    if (name == "node_modules" || name == "dist") it.disable_recursion_pending();
    if (it->is_regular_file(error))
      files.push_back(fs::relative(it->path(), root).generic_string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::string> project_files(const fs::path& root) {
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(root)) {
    const std::string name = entry.path().filename().string();
    if (name == ".git" || name == ".cache" || name.starts_with("build") || name.ends_with(".swp"))
      continue;
    if (entry.is_directory()) {
      const std::vector<std::string> inside = files_in(root, name);
      files.insert(files.end(), inside.begin(), inside.end());
    } else {
      files.push_back(name);
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace orrery::style
