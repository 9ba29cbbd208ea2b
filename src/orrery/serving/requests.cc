// SPDX-License-Identifier: Apache-2.0
#include "orrery/serving/requests.h"

#include <algorithm>

namespace orrery::serving {

std::int64_t RequestStream::input_tokens() const {
  std::int64_t sum = 0;
  for (const Request& one : requests) sum += one.input;
  return sum;
}

std::int64_t RequestStream::output_tokens() const {
  std::int64_t sum = 0;
  for (const Request& one : requests) sum += one.output;
  return sum;
}

std::int64_t RequestStream::longest() const {
  std::int64_t most = 0;
  for (const Request& one : requests) most = std::max(most, one.input + one.output);
  return most;
}

}  // namespace orrery::serving
