// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/chakra/records/finding_attribute.h"

#include <fmt/format.h>

#include "orrery/trace/json/decimal.h"

namespace orrery::trace::chakra {
namespace {

constexpr std::string_view kFindings = "findings";

/// Parses an entry like "wait_learned 28".
void parse_finding(std::string_view text, const std::string& where, Findings& findings) {
  const std::size_t space = text.find(' ');
  if (space == std::string_view::npos) return;
  const auto code = find_finding_code(text.substr(0, space));
  const auto count = trace::json::parse_number<std::uint64_t>(text.substr(space + 1));
  if (code && count && *count != 0) findings.add(*code, where, *count);
}

}  // namespace

AttributeRecord attribute_findings(const Findings& findings) {
  std::vector<std::string> texts;
  for (const Finding& finding : findings.list())
    texts.push_back(fmt::format("{} {}", describe(finding.code).name, finding.count));
  return attribute_strings(std::string(kFindings), std::move(texts));
}

bool remove_findings(MetadataRecord& metadata) {
  return std::erase_if(metadata.attributes, [](const AttributeRecord& attribute) {
           return attribute.name == kFindings;
         }) > 0;
}

void read_findings(std::string_view message, const std::string& where, Findings& findings) {
  if (message.find(kFindings) == std::string_view::npos) return;
  const auto metadata = decode_metadata_record(message, where);
  if (!metadata) return;
  for (const AttributeRecord& attribute : metadata->attributes) {
    if (attribute.name != kFindings || attribute.member != Member::string_list) continue;
    for (const std::string& text : attribute.texts) parse_finding(text, where, findings);
  }
}

}  // namespace orrery::trace::chakra
