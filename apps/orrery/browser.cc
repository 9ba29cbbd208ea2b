// SPDX-License-Identifier: Apache-2.0
#include "browser.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <vector>

namespace orrery::app {

namespace fs = std::filesystem;

namespace {

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(at), text.size());
    if (end > 0) parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

/// Splits "firefox --new-window %s" into words and inserts the address.
std::vector<std::string> words_of(std::string_view command, const std::string& address) {
  std::vector<std::string> words = split(command, ' ');
  bool placed = false;
  for (std::string& word : words) {
    const std::size_t at = word.find("%s");
    if (at == std::string::npos) continue;
    word.replace(at, 2, address);
    placed = true;
  }
  if (!placed) words.push_back(address);
  return words;
}

std::vector<std::string> openers() {
  if (const auto browser = variable("BROWSER"); !browser.empty()) return split(browser, ':');
  if (variable("DISPLAY").empty() && variable("WAYLAND_DISPLAY").empty()) return {};
  return {"xdg-open"};
}

/// Runs a program and waits for it. Its output goes to stderr, because stdout is for data.
bool runs_well(std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  if (::posix_spawn_file_actions_init(&actions) != 0) return false;
  pid_t child = 0;
  const bool started =
      ::posix_spawn_file_actions_adddup2(&actions, 2, 1) == 0 &&
      ::posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ) == 0;
  ::posix_spawn_file_actions_destroy(&actions);
  if (!started) return false;
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return false;
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

std::string file_address(const std::string& path) {
  std::error_code ignored;
  std::string address = "file://";
  for (const char c : fs::absolute(path, ignored).lexically_normal().string()) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("/-._~").find(c) != std::string_view::npos;
    address += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return address;
}

void show_page(const std::string& path, const Session& session) {
  const std::string address = file_address(path);
  for (const std::string& opener : openers()) {
    if (runs_well(words_of(opener, address))) return;
  }
  // Not a note, which --quiet hides: the user needs the address.
  print_stderr(fmt::format("orrery {}: no browser can be opened; the page is at {}\n",
                           session.command, address));
}

}  // namespace orrery::app
