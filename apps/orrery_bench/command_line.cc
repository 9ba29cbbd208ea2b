// SPDX-License-Identifier: Apache-2.0
#include "command_line.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace orrery::bench {

bool read_command_line(int argc, char** argv, const std::vector<std::string_view>& named,
                       CommandLine& line) {
  line.values.assign(named.size(), {});
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    const bool takes_number = word == "--iterations" || word == "--warm-up" || word == "--threads";
    const auto other = std::find(named.begin(), named.end(), word);
    if (word == "--order") {
      line.order = true;
    } else if (takes_number) {
      const int number = ++i < argc ? std::atoi(argv[i]) : 0;
      if (number < 1) return false;
      if (word == "--iterations") line.options.iterations = static_cast<unsigned>(number);
      if (word == "--warm-up") line.options.warm_up = static_cast<unsigned>(number);
      if (word == "--threads") line.options.threads = number;
    } else if (other != named.end()) {
      if (++i >= argc) return false;
      line.values[static_cast<std::size_t>(other - named.begin())] = argv[i];
    } else if (word.starts_with("-")) {
      return false;
    } else {
      line.file = word;
    }
  }
  return true;
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path + " cannot be read");
  return {std::istreambuf_iterator<char>(file), {}};
}

std::int64_t quantile(std::vector<std::int64_t> numbers, double share) {
  if (numbers.empty()) return 0;
  std::sort(numbers.begin(), numbers.end());
  const double rank = std::ceil(share * static_cast<double>(numbers.size()));
  return numbers[static_cast<std::size_t>(std::max(rank, 1.0)) - 1];
}

}  // namespace orrery::bench
