// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/tensorflow/device_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace orrery::trace::tensorflow {
namespace {

std::int64_t number_in(std::string_view text) {
  std::int64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  return read.ec == std::errc{} ? number : 0;
}

}  // namespace

DeviceName parse_device_name(std::string_view name) {
  DeviceName out;
  std::string kind;
  while (name.starts_with('/')) {
    const std::size_t end = std::min(name.find('/', 1), name.size());
    std::string_view part = name.substr(1, end - 1);
    name.remove_prefix(end);
    if (part.starts_with("job:") || part.starts_with("replica:") || part.starts_with("task:")) {
      out.task += fmt::format("/{}", part);
      continue;
    }
    if (part.starts_with("stream:")) {
      part.remove_prefix(7);
      // "stream:13<Compute>" in later versions
      const bool all = part.starts_with("all");
      out.use = all ? DeviceName::Use::all : DeviceName::Use::stream;
      out.stream = number_in(part);
      continue;
    }
    if (part == "memcpy") {
      out.use = DeviceName::Use::copies;
      continue;
    }
    if (part.starts_with("device:")) part.remove_prefix(7);  // "device:GPU:0", or old: "gpu:0"
    const std::size_t colon = part.find(':');
    kind = std::string(part.substr(0, colon));
    std::transform(kind.begin(), kind.end(), kind.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    out.number = colon == part.npos ? 0 : number_in(part.substr(colon + 1));
  }
  out.is_gpu = kind == "gpu";
  out.device = fmt::format("{}/{}:{}", out.task, kind, out.number);
  return out;
}

}  // namespace orrery::trace::tensorflow
