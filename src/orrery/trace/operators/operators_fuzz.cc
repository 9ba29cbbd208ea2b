// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as an operator: a line each for its name, shapes, types, values and the name of a
// device kernel. A kernel that comes of it can be written and read, and so can its parts.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "orrery/core/check.h"
#include "orrery/trace/operators/kernel_parts.h"
#include "orrery/trace/operators/operator_kernel.h"

using orrery::trace::operators::Arguments;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  std::array<std::string_view, 5> lines;
  for (std::string_view& line : lines) {
    line = text.substr(0, text.find('\n'));
    text.remove_prefix(line.size() < text.size() ? line.size() + 1 : text.size());
  }
  const auto arguments = Arguments::read({lines[1], lines[2], lines[3]});
  if (!arguments) return 0;
  const auto kernel = orrery::trace::operators::kernel_of_operator(lines[0], *arguments);
  if (!kernel) return 0;
  ORRERY_CHECK(orrery::graph::parse_kernel(to_text(*kernel)) == *kernel);
  const std::array<std::string_view, 2> names = {lines[4], "gemm"};
  for (const auto& part : orrery::trace::operators::kernel_parts(*kernel, names))
    if (part) ORRERY_CHECK(orrery::graph::parse_kernel(to_text(*part)) == *part);
  return 0;
}
