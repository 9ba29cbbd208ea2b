// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/chakra/encoding/schema.h"

#include <algorithm>
#include <array>
#include <protozero/pbf_reader.hpp>

#include "orrery/core/enum_names.h"
#include "orrery/trace/json/scan.h"

namespace orrery::trace::chakra {
namespace {

using protozero::pbf_reader;
using protozero::pbf_wire_type;

constexpr std::size_t kMaxRecords = 4096;

protozero::data_view view(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

bool is_text(protozero::data_view bytes) {
  return std::all_of(bytes.data(), bytes.data() + bytes.size(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 || byte == '\n' || byte == '\t' || byte == '\r';
  });
}

/// True if the bytes are a message whose first field is a name, as in every attribute.
bool looks_like_attribute(protozero::data_view bytes) {
  try {
    pbf_reader attribute(bytes);
    if (!attribute.next() || attribute.tag() != 1 ||
        attribute.wire_type() != pbf_wire_type::length_delimited) {
      return false;
    }
    if (!is_text(attribute.get_view())) return false;
    while (attribute.next()) attribute.skip();
    return true;
  } catch (const protozero::exception&) {
    return false;
  }
}

/// Evidence for layouts, collected from records. The enumerators of Schema are ordered by age.
class Evidence {
 public:
  void add_record(std::span<const std::byte> record) {
    try {
      add_node(view(record));
    } catch (const protozero::exception&) {  // damage is reported when the record is read, not here
    }
  }

  [[nodiscard]] bool is_decided() const {
    return attribute_lists_ > 0 || old_attributes_002_ + old_attributes_003_ > 0;
  }

  [[nodiscard]] Schema schema(bool metadata) const {
    if (attribute_lists_ > 0) return Schema::current;
    if (old_lists_ > 0 || old_strings_ > 0) {
      if (old_attributes_002_ != old_attributes_003_) {
        return old_attributes_002_ > old_attributes_003_ ? Schema::v002 : Schema::v003;
      }
      return metadata || highest_type_ > 6 ? Schema::v003 : Schema::v002;
    }
    if (flat_fields_ > 0) return Schema::v001;
    return metadata || current_fields_ > 0 || highest_type_ > 6 ? Schema::current : Schema::v001;
  }

 private:
  void add_node(protozero::data_view bytes) {
    pbf_reader node(bytes);
    while (node.next()) {
      const auto tag = node.tag();
      const bool text = node.wire_type() == pbf_wire_type::length_delimited;
      if (tag == 3 && !text && node.wire_type() == pbf_wire_type::varint) {
        const auto type = node.get_uint64();
        highest_type_ = std::max(highest_type_, std::min<std::uint64_t>(type, 7));
        continue;
      }
      if (tag == 10 && text) {
        const auto value = node.get_view();
        if (looks_like_attribute(value)) {
          ++attribute_lists_;
        } else {
          ++old_strings_;
        }
        continue;
      }
      if (tag == 11 && text) {
        const auto value = node.get_view();
        if (looks_like_attribute(value)) {
          ++old_lists_;
          add_old_attribute(value);
        }
        continue;
      }
      if (tag == 5 && text) {  // data_deps, or a printed list
        const auto value = node.get_view();
        if (value.size() > 0 && value.data()[0] == '[' && is_text(value)) {
          ++old_strings_;
        } else {
          ++current_fields_;
        }
        continue;
      }
      if ((tag == 6 || tag == 7) && text) ++old_strings_;
      if ((tag == 8 || tag == 9) && text) ++current_fields_;
      if (tag >= 12 && tag <= 20) ++flat_fields_;
      if (tag >= 8 && tag <= 11 && !text) ++flat_fields_;
      node.skip();
    }
  }

  void add_old_attribute(protozero::data_view bytes) {
    pbf_reader attribute(bytes);
    std::uint64_t type = 0;
    while (attribute.next()) {
      const auto tag = attribute.tag();
      const auto wire = attribute.wire_type();
      if (tag == 2 && wire == pbf_wire_type::varint) {
        type = attribute.get_uint64();
        continue;
      }
      if (tag >= 4) {
        const bool number = wire == pbf_wire_type::varint;
        const bool text = wire == pbf_wire_type::length_delimited;
        const bool real = wire == pbf_wire_type::fixed32;
        if ((type == 1 && tag == 5 && number) || (type == 2 && tag == 6 && text) ||
            (type == 0 && tag == 4 && real)) {
          ++old_attributes_002_;
        } else if ((type == 0 && tag == 4 && number) || (type == 1 && tag == 5 && real) ||
                   (type == 2 && tag == 6 && number) || (type == 3 && tag == 7) || (type >= 6) ||
                   tag >= 10) {
          ++old_attributes_003_;
        }
      }
      attribute.skip();
    }
  }

  std::size_t attribute_lists_ = 0;
  std::size_t current_fields_ = 0;
  std::size_t flat_fields_ = 0;
  std::size_t old_lists_ = 0;
  std::size_t old_strings_ = 0;
  std::size_t old_attributes_002_ = 0;
  std::size_t old_attributes_003_ = 0;
  std::uint64_t highest_type_ = 0;
};

/// True if a GlobalMetadata has a version, which it has since the current layout.
bool has_version(std::span<const std::byte> record) {
  pbf_reader message(view(record));
  while (message.next()) {
    const bool version = message.tag() == 1;
    const auto value = message.get_view();
    if (version && !looks_like_attribute(value)) return true;
  }
  return false;
}

}  // namespace

std::string_view name(Schema schema) {
  constexpr auto kSchemaNames =
      enumerator_names<Schema::current>("0.0.1", "0.0.2", "0.0.3", "0.0.4");
  return kSchemaNames[static_cast<std::size_t>(schema)];
}

bool looks_like_metadata(std::span<const std::byte> record) {
  // GlobalMetadata has a version (field 1) and attributes (field 2; or 1 in layouts without
  // versions). A Node has a number in field 1 or a name in field 2, and its type in field 3.
  try {
    pbf_reader message(view(record));
    while (message.next()) {
      if (message.wire_type() != pbf_wire_type::length_delimited || message.tag() > 2) return false;
      const bool attribute = message.tag() == 2;
      const auto value = message.get_view();
      if (attribute && !looks_like_attribute(value)) return false;
    }
    return true;
  } catch (const protozero::exception&) {
    return false;
  }
}

Result<DetectedSchema> detect_schema(Window& window) {
  if (auto some = window.need(Window::kBlock); !some && window.size() == 0)
    return tl::unexpected(some.error());
  DetectedSchema detected;
  Evidence evidence;
  const auto ahead = window.ahead();
  std::size_t at = 0;
  for (std::size_t seen = 0; seen < kMaxRecords && at < ahead.size() && !evidence.is_decided();
       ++seen) {
    std::uint64_t length = 0;
    const char* cursor = reinterpret_cast<const char*>(ahead.data() + at);
    const char* const end = reinterpret_cast<const char*>(ahead.data() + ahead.size());
    try {
      length = protozero::decode_varint(&cursor, end);
    } catch (const protozero::exception&) {
      break;
    }
    if (length > static_cast<std::uint64_t>(end - cursor)) break;
    const std::span<const std::byte> record{reinterpret_cast<const std::byte*>(cursor),
                                            static_cast<std::size_t>(length)};
    if (seen == 0 && looks_like_metadata(record)) {
      detected.has_metadata = true;
      if (has_version(record)) return detected;
    } else {
      evidence.add_record(record);
    }
    at = static_cast<std::size_t>(cursor - reinterpret_cast<const char*>(ahead.data())) +
         record.size();
  }
  detected.schema = evidence.schema(detected.has_metadata);
  return detected;
}

bool looks_like_json(std::string_view head) {
  std::size_t at = trace::json::skip_space(head);
  if (at >= head.size() || head[at] != '{') return false;
  at = trace::json::skip_space(head, at + 1);
  return at < head.size() && (head[at] == '"' || head[at] == '}');
}

bool looks_like_list(std::string_view head) {
  const bool text = std::all_of(head.begin(), head.end(), [](char c) {
    return static_cast<unsigned char>(c) >= ' ' || trace::json::is_space(c);
  });
  const std::size_t first = trace::json::skip_space(head);
  return text && first < head.size() && head[first] == '[';
}

}  // namespace orrery::trace::chakra
