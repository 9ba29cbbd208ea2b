// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/pftrace/debug_annotations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <protozero/pbf_reader.hpp>

#include "orrery/core/limits.h"
#include "orrery/core/text/text.h"
#include "orrery/trace/pftrace/proto_fields.h"

namespace orrery::trace::pftrace {
namespace {

std::string_view view(const protozero::data_view& data) { return {data.data(), data.size()}; }

/// The name of an annotation, as it stands between the quotes of a JSON text.
std::string key_of(std::string_view annotation, const InternedStrings& interned) {
  protozero::pbf_reader reader(annotation.data(), annotation.size());
  std::string_view name;
  while (reader.next()) {
    if (reader.tag_and_type() ==
        protozero::tag_and_type(kName, protozero::pbf_wire_type::length_delimited)) {
      name = view(reader.get_view());
    } else if (reader.tag_and_type() ==
               protozero::tag_and_type(kNameIid, protozero::pbf_wire_type::varint)) {
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
    if (!known || reader.wire_type() != protozero::pbf_wire_type::length_delimited) {
      reader.skip();
      continue;
    }
    protozero::pbf_reader entry = reader.get_message();
    std::uint64_t number = 0;
    std::string_view text;
    while (entry.next()) {
      if (entry.tag_and_type() == protozero::tag_and_type(kIid, protozero::pbf_wire_type::varint)) {
        number = entry.get_uint64();
      } else if (entry.tag_and_type() ==
                 protozero::tag_and_type(kText, protozero::pbf_wire_type::length_delimited)) {
        text = view(entry.get_view());
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
  Slot slot;
  slot.key = text_.size();
  text_ += key_of(annotation, interned);
  slot.value = text_.size();
  append_value(annotation, interned, 0);
  slot.end = text_.size();
  slots_.push_back(slot);
}

void DebugAnnotations::add(std::string_view key, std::string_view raw) {
  Slot slot;
  slot.key = text_.size();
  text_ += key;
  slot.value = text_.size();
  text_ += raw;
  slot.end = text_.size();
  slots_.push_back(slot);
}

bool DebugAnnotations::has(std::string_view key) const {
  const std::string_view text = text_;
  return std::any_of(slots_.begin(), slots_.end(), [&](const Slot& slot) {
    return text.substr(slot.key, slot.value - slot.key) == key;
  });
}

void DebugAnnotations::give(kineto::Record& record) const {
  const std::string_view text = text_;
  for (const Slot& slot : slots_)
    record.set(text.substr(slot.key, slot.value - slot.key),
               text.substr(slot.value, slot.end - slot.value));
}

/// A message's last value is its value; dictionaries and arrays are of as many as there are.
void DebugAnnotations::append_value(std::string_view annotation, const InternedStrings& interned,
                                    int depth) {
  using protozero::pbf_wire_type;
  const auto is = [](const protozero::pbf_reader& reader, std::uint32_t tag, pbf_wire_type type) {
    return reader.tag_and_type() == protozero::tag_and_type(tag, type);
  };
  const std::size_t begin = text_.size();
  const auto scalar = [&](std::string_view raw) {
    text_.resize(begin);
    text_ += raw;
  };
  char around = '\0';  // an array or a dictionary has begun
  const auto member = [&](char kind) {
    if (around != kind) {
      text_.resize(begin);
      text_ += kind;
      around = kind;
    } else {
      text_ += ", ";
    }
  };
  protozero::pbf_reader reader(annotation.data(), annotation.size());
  while (reader.next()) {
    if (text_.size() > limits::kJsonElementBytes) {
      reader.skip();
    } else if (is(reader, kInt, pbf_wire_type::varint)) {
      scalar(fmt::format("{}", reader.get_int64()));
    } else if (is(reader, kUint, pbf_wire_type::varint) ||
               is(reader, kPointer, pbf_wire_type::varint)) {
      scalar(fmt::format("{}", reader.get_uint64()));
    } else if (is(reader, kBool, pbf_wire_type::varint)) {
      scalar(reader.get_uint64() != 0 ? "true" : "false");
    } else if (is(reader, kDouble, pbf_wire_type::fixed64)) {
      const double value = reader.get_double();
      scalar(std::isfinite(value) ? fmt::format("{}", value) : std::string("null"));
    } else if (is(reader, kString, pbf_wire_type::length_delimited) ||
               is(reader, kLegacyJson, pbf_wire_type::length_delimited)) {
      text_.resize(begin);
      append_json_text(text_, view(reader.get_view()).substr(0, limits::kEventNameBytes));
    } else if (is(reader, kStringIid, pbf_wire_type::varint)) {
      text_.resize(begin);
      append_json_text(text_, interned.find(kAnnotationTexts, reader.get_uint64()));
    } else if (depth < limits::kJsonDepth &&
               is(reader, kArrayValues, pbf_wire_type::length_delimited)) {
      member('[');
      append_value(view(reader.get_view()), interned, depth + 1);
    } else if (depth < limits::kJsonDepth &&
               is(reader, kDictEntries, pbf_wire_type::length_delimited)) {
      const std::string_view entry = view(reader.get_view());
      member('{');
      text_ += '"' + key_of(entry, interned) + "\": ";
      append_value(entry, interned, depth + 1);
    } else {
      reader.skip();
    }
  }
  if (text_.size() == begin) text_ += "null";
  if (around != '\0' && text_[begin] == around) text_ += around == '[' ? ']' : '}';
}

}  // namespace orrery::trace::pftrace
