// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/question_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace orrery::study {

std::string field_text(const JobDescription::Text& value) {
  return fmt::format("{}\n{}", value.name, value.text);
}
std::string field_text(const InStepFactor& value) {
  return fmt::format("{}:{}:{}:{}", value.bits, value.factor, value.least, value.most);
}

Result<void> set_field(const std::string& text, std::string_view, JobDescription::Text& out) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  out = {text.substr(0, end), text.substr(std::min(end + 1, text.size()))};
  return {};
}

Result<void> set_field(const std::string& text, std::string_view where, InStepFactor& out) {
  const int read =
      std::sscanf(text.c_str(), "%ld:%lf:%lf:%lf", &out.bits, &out.factor, &out.least, &out.most);
  return read == 4 ? Result<void>{}
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
