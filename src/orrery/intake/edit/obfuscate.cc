// SPDX-License-Identifier: Apache-2.0
#include "orrery/intake/edit/obfuscate.h"

#include <algorithm>
#include <utility>

#include "orrery/core/quantity.h"
#include "orrery/graph/graph.h"
#include "orrery/trace/chakra/records/writer.h"

namespace orrery::intake {

using trace::chakra::AttributeRecord;
using trace::chakra::Member;
using trace::chakra::MetadataRecord;
using trace::chakra::NodeRecord;

namespace {

/// Treatment of the value of a retained attribute.
enum class Treatment { unchanged, rounded, group, thread, stream, kinds, lags };

struct AttributeRule {
  std::string_view name;
  Treatment treatment;
};

constexpr AttributeRule kAttributeRules[] = {
    {"comm_dst", Treatment::unchanged},      {"comm_group", Treatment::group},
    {"comm_priority", Treatment::unchanged}, {"comm_root", Treatment::unchanged},
    {"comm_size", Treatment::rounded},       {"comm_size_unknown", Treatment::unchanged},
    {"comm_src", Treatment::unchanged},      {"comm_tag", Treatment::unchanged},
    {"comm_type", Treatment::unchanged},     {"dep_kinds", Treatment::kinds},
    {"dep_lags_ps", Treatment::lags},        {"device", Treatment::unchanged},
    {"involved_dim", Treatment::unchanged},  {"is_comm", Treatment::unchanged},
    {"is_copy", Treatment::unchanged},       {"is_cpu_op", Treatment::unchanged},
    {"is_wait", Treatment::unchanged},       {"num_ops", Treatment::rounded},
    {"pg_name", Treatment::group},           {"root", Treatment::unchanged},
    {"stream", Treatment::stream},           {"stream_row", Treatment::unchanged},
    {"tensor_size", Treatment::rounded},     {"tid", Treatment::thread},
};

const AttributeRule* rule_of(std::string_view name) {
  const auto place =
      std::lower_bound(std::begin(kAttributeRules), std::end(kAttributeRules), name,
                       [](const AttributeRule& k, std::string_view n) { return k.name < n; });
  return place != std::end(kAttributeRules) && place->name == name ? place : nullptr;
}

bool is_whole_number(Member member) {
  return member == Member::int32_val || member == Member::int64_val ||
         member == Member::uint32_val || member == Member::uint64_val;
}

/// Numbers distinct values from 1, in order of appearance.
std::uint64_t renumber(std::map<std::uint64_t, std::uint64_t>& known, std::uint64_t value) {
  return known.emplace(value, known.size() + 1).first->second;
}

}  // namespace

const std::vector<std::string_view>& allowed_attributes() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> list;
    for (const AttributeRule& k : kAttributeRules) list.push_back(k.name);
    return list;
  }();
  return names;
}

std::uint64_t round_to_two_digits(std::uint64_t value) {
  std::uint64_t scale = 1;
  while (value / scale >= 100) scale *= 10;
  if (scale == 1) return value;
  const std::uint64_t half = scale / 2;
  const std::uint64_t steps = value / scale + (value % scale >= half ? 1 : 0);
  return steps * scale;
}

Obfuscator::Obfuscator(std::string_view salt) : names_("n", salt), groups_("g", salt) {}

std::optional<AttributeRecord> Obfuscator::attribute(const AttributeRecord& attribute) {
  const AttributeRule* rule = rule_of(attribute.name);
  if (rule == nullptr) return std::nullopt;
  AttributeRecord out;
  out.name = attribute.name;
  out.member = attribute.member;
  switch (rule->treatment) {
    case Treatment::unchanged:
      // Only numbers pass: a text under a harmless name may contain anything.
      if (attribute.member == Member::string_val || attribute.member == Member::bytes_val ||
          attribute.member == Member::string_list || attribute.member == Member::bytes_list)
        return std::nullopt;
      out.bits = attribute.bits;
      out.list = attribute.list;
      return out;
    case Treatment::rounded:
      if (!is_whole_number(attribute.member)) return std::nullopt;
      out.bits = round_to_two_digits(attribute.bits);
      return out;
    case Treatment::group:
      if (attribute.member == Member::string_val) {
        out.text = groups_.of(attribute.text);
        return out;
      }
      if (!is_whole_number(attribute.member)) return std::nullopt;
      out.member = Member::string_val;
      out.name = "pg_name";
      out.text = groups_.of(std::to_string(static_cast<std::int64_t>(attribute.bits)));
      return out;
    case Treatment::thread:
    case Treatment::stream:
      if (!is_whole_number(attribute.member)) return std::nullopt;
      out.bits =
          renumber(rule->treatment == Treatment::thread ? threads_ : streams_, attribute.bits);
      return out;
    case Treatment::kinds:  // only words that Orrery writes
      if (attribute.member != Member::string_list) return std::nullopt;
      for (std::string_view text : attribute.texts) {
        if (text.ends_with('?')) text.remove_suffix(1);
        out.texts.emplace_back(name(dependency_kind(text)));
      }
      return out;
    case Treatment::lags:  // rounded to whole microseconds, like durations
      if (attribute.member != Member::int64_list) return std::nullopt;
      for (const std::uint64_t lag : attribute.list)
        out.list.push_back(lag - lag % static_cast<std::uint64_t>(kPsPerUs));
      return out;
  }
  return std::nullopt;
}

NodeRecord Obfuscator::node(const NodeRecord& node, std::uint64_t origin_micros) {
  NodeRecord out;
  out.id = node.id;
  out.name = names_.of(node.name);
  out.type = node.type;
  out.ctrl_deps = node.ctrl_deps;
  out.data_deps = node.data_deps;
  if (node.start_time_micros >= origin_micros)
    out.start_time_micros = node.start_time_micros - origin_micros;
  out.duration_micros = node.duration_micros;
  for (const AttributeRecord& a : node.attributes) {
    if (auto attribute = this->attribute(a)) out.add(*std::move(attribute));
  }
  return out;
}

MetadataRecord Obfuscator::metadata() const {
  MetadataRecord metadata;
  metadata.version = std::string(trace::chakra::kVersion);
  metadata.add(trace::chakra::attribute_string("schema", "obfuscated"));
  return metadata;
}

}  // namespace orrery::intake
