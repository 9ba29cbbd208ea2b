// SPDX-License-Identifier: Apache-2.0
#include "energy.h"

#include <algorithm>
#include <fstream>
#include <string>
#include <system_error>

namespace orrery::bench {
namespace {

/// -1: the file has no number.
std::int64_t number_in(const std::filesystem::path& file) {
  std::int64_t number = -1;
  std::ifstream in(file);
  return in >> number ? number : -1;
}

/// Accepts "intel-rapl:0", but neither its parts ("intel-rapl:0:1") nor duplicates through another
/// interface ("intel-rapl-mmio:0").
bool is_package(const std::string& name) {
  return name.starts_with("intel-rapl:") && std::count(name.begin(), name.end(), ':') == 1;
}

}  // namespace

Energy::Energy(const std::filesystem::path& folder) {
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder, none)) {
    if (!is_package(entry.path().filename().string())) continue;
    const std::filesystem::path counter = entry.path() / "energy_uj";
    if (number_in(counter) < 0) continue;
    packages_.push_back(
        {counter, std::max<std::int64_t>(number_in(entry.path() / "max_energy_range_uj"), 0)});
  }
}

void Energy::start() {
  for (Package& package : packages_) package.at_start = number_in(package.counter);
}

std::int64_t Energy::since_start() const {
  if (packages_.empty()) return -1;
  std::int64_t sum = 0;
  for (const Package& package : packages_) {
    const std::int64_t now = number_in(package.counter);
    if (now < 0 || package.at_start < 0) return -1;
    sum += now - package.at_start + (now < package.at_start ? package.range : 0);
  }
  return sum;
}

}  // namespace orrery::bench
