// SPDX-License-Identifier: Apache-2.0
#include "orrery/report/answer/answer.h"

#include <fmt/format.h>

#include "orrery/report/answer/number_text.h"
#include "orrery/report/json/envelope.h"

namespace orrery::report {

/// An empty line between a table and what follows it, and before a table.
void Answer::separate(bool from_lines) {
  if (last_ == Last::block || (from_lines && last_ == Last::line)) text_ += '\n';
}

Answer& Answer::first(std::string_view text) {
  if (json_ != nullptr || lines_ != nullptr) return *this;
  separate(false);
  Sheet sheet(style_);
  sheet.line(text);
  text_ += sheet.text();
  last_ = Last::line;
  return *this;
}

Answer& Answer::line(std::string_view label, std::string_view sentence) {
  if (lines_ != nullptr) lines_->emplace_back(label, sentence);
  if (json_ != nullptr || lines_ != nullptr) return *this;
  separate(false);
  Sheet sheet(style_, label_width_);
  sheet.add(label, sentence);
  text_ += sheet.text();
  last_ = Last::line;
  return *this;
}

Answer& Answer::heading(std::string_view text) {
  if (json_ != nullptr || lines_ != nullptr) return *this;
  separate(true);
  text_ += text;
  text_ += '\n';
  last_ = Last::heading;
  return *this;
}

Answer& Answer::note(std::string_view text) {
  if (json_ != nullptr || lines_ != nullptr) return *this;
  text_ += text;
  text_ += '\n';
  last_ = Last::block;
  return *this;
}

Answer& Answer::block(std::string_view text) {
  if (json_ != nullptr || lines_ != nullptr || text.empty()) return *this;
  separate(true);
  text_ += text;
  last_ = Last::block;
  return *this;
}

Answer& Answer::end_section() {
  if (last_ != Last::nothing) last_ = Last::block;
  return *this;
}

Answer& Answer::label_width(std::size_t columns) {
  label_width_ = columns;
  return *this;
}

Answer& Answer::field(std::string_view key, const Value& value) {
  if (json_ != nullptr) value.write(json_->key(key));
  return *this;
}

Answer& Answer::optional_field(std::string_view key, const Value& value) {
  return value.is_null() ? *this : field(key, value);
}

Answer& Answer::findings(const Findings& findings) {
  findings_ = findings;
  if (json_ != nullptr || lines_ != nullptr) return *this;
  Sheet sheet(style_, label_width_);
  add_findings(sheet, findings, style_);
  if (sheet.text().empty()) return *this;
  separate(false);
  text_ += sheet.text();
  last_ = Last::line;
  const std::uint64_t ignored =
      findings.count(FindingCode::key_ignored) + findings.count(FindingCode::key_without_effect);
  if (ignored > 0)
    text_.insert(0, style_.warn(plural(ignored, "setting") + " ignored: see the findings") + "\n");
  return *this;
}

void Answer::append_table(const Table& table, std::size_t rows, const TableLayout& layout) {
  if (rows == 0 && layout.if_empty.empty() && !layout.headings_if_empty) return;
  separate(true);
  text_ += rows == 0 && !layout.if_empty.empty() ? std::string(layout.if_empty) + "\n"
                                                 : table.text(style_, 0, layout.width);
  if (rows > layout.limit)
    text_ += fmt::format("and {} {}\n", count(rows - layout.limit), layout.rest);
  last_ = Last::block;
}

std::string answer_text(const StateAnswer& state, Style style) {
  Answer answer(style);
  state(answer);
  return answer.text();
}

std::string answer_json(std::string_view command, const StateAnswer& state) {
  std::string text;
  JsonWriter json(text);
  begin_envelope(json, command);
  json.begin_object();
  Answer answer(json);
  state(answer);
  json.end_object();
  end_envelope(json, answer.stated_findings());
  text += '\n';
  return text;
}

}  // namespace orrery::report
