// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/recordings/operators/operator_text.h"

#include <algorithm>
#include <vector>

#include "orrery/core/text/text.h"
#include "orrery/report/terminal_text.h"
#include "orrery/trace/operators/arguments.h"

namespace orrery::study {

namespace {

constexpr std::size_t kKernelColumns = 64;

}  // namespace

std::string shapes_text(std::string_view dims) {
  std::string text(dims);
  std::erase(text, ' ');
  if (!text.starts_with("[[") || !text.ends_with("]]")) return text == "[]" ? "" : text;
  text = text.substr(1, text.size() - 2);
  while (text.ends_with(",[]")) text.resize(text.size() - 3);
  if (text == "[]") return "";
  int depth = 0;
  for (char& c : text) {
    if (c == '[') ++depth;
    if (c == ']') --depth;
    if (c == ',' && depth == 0) c = ' ';
  }
  return text;
}

std::string formats_text(std::string_view dims, std::string_view types) {
  const auto arguments = trace::operators::Arguments::read({dims, types, {}});
  if (!arguments) return "";
  std::vector<graph::Format> seen;
  std::string text;
  for (std::size_t i = 0; i < arguments->size(); ++i) {
    const graph::Format format = arguments->format(i);
    if (format == graph::Format::unsaid ||
        std::find(seen.begin(), seen.end(), format) != seen.end())
      continue;
    seen.push_back(format);
    text += (text.empty() ? "" : " ") + std::string(graph::name(format));
  }
  return text;
}

std::string device_kernel_text(std::string_view name) {
  constexpr std::string_view kAnonymous = "(anonymous namespace)::", kVoid = "void ";
  std::string text(name);
  for (std::size_t at = text.find(kAnonymous); at != std::string::npos; at = text.find(kAnonymous))
    text.erase(at, kAnonymous.size());
  if (text.starts_with(kVoid)) text.erase(0, kVoid.size());
  if (text.ends_with(')')) {
    const std::size_t close = text.rfind(">(");
    const std::size_t open = close == std::string::npos ? text.find('(') : close + 1;
    if (open > 0) text.resize(open);
  }
  return report::fit(printable(text), kKernelColumns);
}

}  // namespace orrery::study
