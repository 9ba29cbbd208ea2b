// SPDX-License-Identifier: Apache-2.0
#include "orrery/report/json/envelope.h"

#include <fmt/format.h>

#include "orrery/analysis/value_text.h"
#include "orrery/core/check.h"
#include "orrery/core/text/text.h"

namespace orrery::report {

void begin_envelope(JsonWriter& json, std::string_view command) {
  json.begin_object().field("orrery", kEnvelopeVersion).field("command", command).key("result");
}

void end_envelope(JsonWriter& json, const Findings& findings) {
  json.key("findings").begin_array();
  for (const Finding& finding : findings.list()) {
    const FindingInfo info = describe(finding.code);
    json.begin_object().field("code", info.name).field("severity", name(info.severity));
    json.field("count", finding.count).field("sentence", info.sentence).key("places").begin_array();
    for (const std::string& place : finding.places) json.value(place);
    json.end_array().end_object();
  }
  json.end_array().end_object();
}

std::string with_question(std::string envelope, std::string_view question) {
  if (question.empty() || !envelope.starts_with("{\n \"orrery\": ")) return envelope;
  const std::size_t result = envelope.find("\"result\"");  // the command's name has no quotes
  ORRERY_CHECK(result != std::string::npos);
  const std::size_t line = envelope.rfind('\n', result);  // its indentation
  const std::string_view gap = std::string_view(envelope).substr(line, result - line);
  envelope.insert(result, fmt::format("\"question\": {},{}", question, gap));
  return envelope;
}

void write_error_members(JsonWriter& json, const Error& error) {
  json.field("code", fmt::format("E{}", static_cast<int>(error.code)))
      .field("name", name(error.code));
  json.field("where", error.where).field("what", error.what).field("hint", error.hint);
}

std::string error_envelope(std::string_view command, const Error& error, const Findings& findings) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().field("orrery", kEnvelopeVersion).field("command", command);
  json.key("error").begin_object();
  write_error_members(json, error);
  json.end_object();
  end_envelope(json, findings);
  return text + '\n';
}

void add_findings(Sheet& sheet, const Findings& findings, Style style) {
  for (const Finding& finding : findings.list()) {
    const FindingInfo info = describe(finding.code);
    const std::string times =
        finding.count > 1 ? fmt::format(" ×{}", analysis::count(finding.count)) : "";
    std::string text = fmt::format("{}{}: {}", info.name, times, info.sentence);
    if (!finding.places.empty()) {
      const std::string place = printable(finding.places.front());
      text += fmt::format(" ({}{})", finding.count > 1 ? "first: " : "", place);
    }
    const bool serious = info.severity == Severity::error || info.severity == Severity::data_loss;
    sheet.add(serious ? style.bad("finding") : "finding", text);
  }
}

}  // namespace orrery::report
