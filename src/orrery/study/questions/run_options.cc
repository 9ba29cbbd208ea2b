// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/questions/run_options.h"

#include <fmt/format.h>

#include <algorithm>

namespace orrery::study {

std::string field_text(const JobDescription::Text& value) {
  return fmt::format("{}\n{}", value.name, value.text);
}
std::string field_text(const InStepFactor& value) {
  return fmt::format("{}:{}:{}:{}", value.bits, value.factor, value.lower, value.upper);
}

Result<void> set_field(const std::string& text, std::string_view, JobDescription::Text& out) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  out = {text.substr(0, end), text.substr(std::min(end + 1, text.size()))};
  return {};
}

Result<void> set_field(const std::string& text, std::string_view where, InStepFactor& out) {
  auto next = [&, rest = std::string_view(text)](auto& value) mutable {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    const bool set = set_field(std::string(rest.substr(0, end)), where, value).has_value();
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return set;
  };
  return next(out.bits) && next(out.factor) && next(out.lower) && next(out.upper)
             ? Result<void>{}
             : fail(Errc::usage, std::string(where), "is not BITS:FACTOR:LOW:HIGH");
}

std::string stage_key(const Question& question, Stage stage) {
  std::string key;
  each_field(question, [&](const std::string& name, const auto& field, const auto& value) {
    if ((field.stages & stage) == 0) return;
    const std::string text = field_text(value);
    key += fmt::format("{} {}:{}\n", name, text.size(), text);
  });
  return key;
}

}  // namespace orrery::study
