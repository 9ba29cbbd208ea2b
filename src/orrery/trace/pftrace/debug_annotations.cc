// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/pftrace/debug_annotations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "orrery/core/limits.h"
#include "orrery/core/text/text.h"
#include "orrery/trace/pftrace/proto_fields.h"

namespace orrery::trace::pftrace {
namespace {

using protozero::pbf_wire_type;

/// The name of an annotation, escaped for JSON but without quotes.
std::string key_of(std::string_view annotation, const InternedStrings& interned) {
  protozero::pbf_reader reader(annotation.data(), annotation.size());
  std::string_view name;
  while (reader.next()) {
    if (is_field(reader, kName, pbf_wire_type::length_delimited)) {
      name = next_text(reader);
    } else if (is_field(reader, kNameIid, pbf_wire_type::varint)) {
      name = interned.find(kAnnotationNames, reader.get_uint64());
    } else {
      reader.skip();
    }
  }
  std::string quoted;
  append_json_text(quoted, name.substr(0, limits::kEventNameBytes));
  return quoted.substr(1, quoted.size() - 2);
}

}  // namespace

void InternedStrings::add(std::string_view message) {
  protozero::pbf_reader reader(message.data(), message.size());
  while (reader.next()) {
    const std::uint32_t table = reader.tag();
    const bool known = table == kCategories || table == kEventNames || table == kAnnotationNames ||
                       table == kAnnotationTexts;
    if (!known || reader.wire_type() != pbf_wire_type::length_delimited) {
      reader.skip();
      continue;
    }
    protozero::pbf_reader entry = reader.get_message();
    std::uint64_t number = 0;
    std::string_view text;
    while (entry.next()) {
      if (is_field(entry, kIid, pbf_wire_type::varint)) {
        number = entry.get_uint64();
      } else if (is_field(entry, kText, pbf_wire_type::length_delimited)) {
        text = next_text(entry);
      } else {
        entry.skip();
      }
    }
    tables_[{table, number}] = std::string(text.substr(0, limits::kEventNameBytes));
  }
}

std::string_view InternedStrings::find(std::uint32_t table, std::uint64_t number) const {
  const auto found = tables_.find({table, number});
  return found == tables_.end() ? std::string_view() : std::string_view(found->second);
}

void DebugAnnotations::clear() {
  text_.clear();
  slots_.clear();
}

void DebugAnnotations::add(std::string_view annotation, const InternedStrings& interned) {
  if (text_.size() > limits::kJsonElementBytes) return;
  add(key_of(annotation, interned), std::string_view());
  append_value(annotation, interned, 0);
  slots_.back().end = text_.size();
}

void DebugAnnotations::add(std::string_view key, std::string_view raw) {
  const std::size_t begin = text_.size();
  text_ += key;
  text_ += raw;
  slots_.push_back({begin, begin + key.size(), text_.size()});
}

bool DebugAnnotations::has(std::string_view key) const {
  const std::string_view text = text_;
  return std::any_of(slots_.begin(), slots_.end(), [&](const Slot& slot) {
    return text.substr(slot.key, slot.value - slot.key) == key;
  });
}

void DebugAnnotations::copy_to(kineto::Record& record) const {
  const std::string_view text = text_;
  for (const Slot& slot : slots_)
    record.set(text.substr(slot.key, slot.value - slot.key),
               text.substr(slot.value, slot.end - slot.value));
}

/// The last value in a message counts; dictionaries and arrays have several entries.
void DebugAnnotations::append_value(std::string_view annotation, const InternedStrings& interned,
                                    int depth) {
  const std::size_t begin = text_.size();
  const auto scalar = [&](std::string_view raw) {
    text_.resize(begin);
    text_ += raw;
  };
  char bracket = '\0';  // set after an array or a dictionary has begun
  const auto member = [&](char kind) {
    if (bracket != kind) {
      text_.resize(begin);
      text_ += kind;
      bracket = kind;
    } else {
      text_ += ", ";
    }
  };
  protozero::pbf_reader reader(annotation.data(), annotation.size());
  while (reader.next()) {
    if (text_.size() > limits::kJsonElementBytes) {
      reader.skip();
    } else if (is_field(reader, kInt, pbf_wire_type::varint)) {
      scalar(fmt::format("{}", reader.get_int64()));
    } else if (is_field(reader, kUint, pbf_wire_type::varint) ||
               is_field(reader, kPointer, pbf_wire_type::varint)) {
      scalar(fmt::format("{}", reader.get_uint64()));
    } else if (is_field(reader, kBool, pbf_wire_type::varint)) {
      scalar(reader.get_uint64() != 0 ? "true" : "false");
    } else if (is_field(reader, kDouble, pbf_wire_type::fixed64)) {
      const double value = reader.get_double();
      scalar(std::isfinite(value) ? fmt::format("{}", value) : std::string("null"));
    } else if (is_field(reader, kString, pbf_wire_type::length_delimited) ||
               is_field(reader, kLegacyJson, pbf_wire_type::length_delimited)) {
      text_.resize(begin);
      append_json_text(text_, next_text(reader).substr(0, limits::kEventNameBytes));
    } else if (is_field(reader, kStringIid, pbf_wire_type::varint)) {
      text_.resize(begin);
      append_json_text(text_, interned.find(kAnnotationTexts, reader.get_uint64()));
    } else if (depth < limits::kJsonDepth &&
               is_field(reader, kArrayValues, pbf_wire_type::length_delimited)) {
      member('[');
      append_value(next_text(reader), interned, depth + 1);
    } else if (depth < limits::kJsonDepth &&
               is_field(reader, kDictEntries, pbf_wire_type::length_delimited)) {
      const std::string_view entry = next_text(reader);
      member('{');
      text_ += '"' + key_of(entry, interned) + "\": ";
      append_value(entry, interned, depth + 1);
    } else {
      reader.skip();
    }
  }
  if (text_.size() == begin) text_ += "null";
  if (bracket != '\0' && text_[begin] == bracket) text_ += bracket == '[' ? ']' : '}';
}

}  // namespace orrery::trace::pftrace
