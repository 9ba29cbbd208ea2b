// SPDX-License-Identifier: Apache-2.0
//
// For tests: an element as PyTorch's profiler writes it, with text that may confuse a parser.
#pragma once

#include <string>

namespace orrery::trace::json::testing {

inline std::string event(int id) {
  return "{\n    \"ph\": \"X\", \"cat\": \"kernel\", \"id\": " + std::to_string(id) +
         ", \"name\": \"k<{lambda#1}>(a*, [2]) \\\"b\\\\\",\n    \"args\": {\n      \"grid\": [1, "
         "[2, 3]], \"pg\": [{\"r\": 1}, {\"r\": 2}], \"ranks\": \"[0, 1]\"\n    }\n  }";
}

}  // namespace orrery::trace::json::testing
