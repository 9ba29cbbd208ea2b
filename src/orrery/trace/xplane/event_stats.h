// SPDX-License-Identifier: Apache-2.0
//
// The statistics of an event.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <protozero/pbf_reader.hpp>
#include <string_view>

#include "orrery/trace/xplane/planes.h"
#include "orrery/trace/xplane/proto_fields.h"

namespace orrery::trace::xplane {

/// Those of Stat that an event has. Texts are views of the message or of the pool.
class EventStats {
 public:
  [[nodiscard]] bool has(Stat stat) const { return (present_ >> place(stat) & 1) != 0; }
  /// The value of a number; empty if the event has none.
  [[nodiscard]] std::optional<std::int64_t> number(Stat stat) const {
    return has(stat) ? std::optional(values_[place(stat)].number) : std::nullopt;
  }
  /// The value of a text; empty if the event has none.
  [[nodiscard]] std::string_view text(Stat stat) const {
    return has(stat) ? values_[place(stat)].text : std::string_view{};
  }
  /// The text, interned.
  [[nodiscard]] StringId interned(Stat stat, StringPool& strings) const {
    if (!has(stat)) return StringId::empty;
    const Value& value = values_[place(stat)];
    return value.id != StringId::empty ? value.id : strings.intern(value.text);
  }

  /// Adds a statistic. Throws protozero's exceptions.
  void add(protozero::pbf_reader message, const Plane& plane, const StringPool& strings) {
    std::uint64_t stat = 0;
    Value value(0, {}, StringId::empty);
    while (message.next()) {
      const std::uint32_t tag = message.tag();
      const auto type = message.wire_type();
      if (type == protozero::pbf_wire_type::varint) {
        const std::uint64_t number = message.get_uint64();
        if (tag == kStatMetadataOf) stat = number;
        if (tag == kUint || tag == kInt) value.number = static_cast<std::int64_t>(number);
        if (tag == kReference) value.id = plane.stat_names.find(number);
      } else if (tag == kText && type == protozero::pbf_wire_type::length_delimited) {
        const auto view = message.get_view();
        value.text = {view.data(), view.size()};
      } else {
        message.skip();
      }
    }
    const Stat known = plane.stats.find(stat);
    if (known == Stat::other) return;
    if (value.id != StringId::empty) value.text = strings.view(value.id);
    set(known, value);
  }

  /// Adds messages with their tags.
  void add_all(std::string_view messages, const Plane& plane, const StringPool& strings) {
    protozero::pbf_reader all(messages.data(), messages.size());
    while (all.next()) add(all.get_message(), plane, strings);
  }

  void set_text(Stat stat, std::string_view text, StringId id) { set(stat, {0, text, id}); }

 private:
  struct Value {
    std::int64_t number;
    std::string_view text;
    StringId id;  ///< of a text that the file has by reference
    Value() {}    // NOLINT(modernize-use-equals-default): most of an event's values are never set
    Value(std::int64_t is, std::string_view words, StringId known)
        : number(is), text(words), id(known) {}
  };

  static std::size_t place(Stat stat) { return static_cast<std::size_t>(stat); }
  void set(Stat stat, const Value& value) {
    present_ |= 1u << place(stat);
    values_[place(stat)] = value;
  }

  std::uint32_t present_ = 0;
  std::array<Value, kStats> values_;
};

}  // namespace orrery::trace::xplane
