// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/nsys/nccl_payload.h"

#include <array>
#include <limits>
#include <nlohmann/json.hpp>

namespace orrery::trace::nsys {
namespace {

constexpr std::size_t kHeaderBytes = 32;
constexpr std::size_t kJsonBytes = 64u << 10;

void set_value(Payload& payload, std::string_view name, std::uint64_t bits, std::int64_t value) {
  if (name == "NCCL communicator ID") payload.communicator = bits;
  if (name == "Message size [bytes]" && value >= 0) payload.bytes = value;
  if (name == "Peer rank" && value >= 0) payload.peer = value;
  if (name == "Root" && value >= 0) payload.root = value;
  if (name == "No. of ranks" && value > 0) payload.ranks = value;
  if (name == "Rank" && value >= 0) payload.rank = value;
}

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;)
    value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

/// Bytes of NVTX's integer types on 64-bit Linux (nvtx3/nvToolsExtPayload.h); 0 for others.
struct Width {
  std::size_t bytes = 0;
  bool is_signed = false;
};
Width width_of(std::int64_t type) {
  constexpr std::array<Width, 23> kWidths = {
      {{0, false}, {1, true}, {1, false}, {2, true},  {2, false}, {4, true},  {4, false}, {8, true},
       {8, false}, {8, true}, {8, false}, {1, true},  {1, false}, {2, true},  {2, false}, {4, true},
       {4, false}, {8, true}, {8, false}, {0, false}, {0, false}, {0, false}, {8, false}}};
  if (type < 0 || type >= static_cast<std::int64_t>(kWidths.size())) return {};
  return kWidths[static_cast<std::size_t>(type)];
}

}  // namespace

Result<PayloadSchemas> PayloadSchemas::read(Database& database) {
  constexpr std::string_view kColumns[] = {"domainId", "schemaId", "type", "name", "offset"};
  PayloadSchemas schemas;
  auto rows = Rows::of(database, "NVTX_PAYLOAD_SCHEMA_ENTRIES", kColumns);
  if (!rows) return tl::unexpected(std::move(rows.error()));
  while (true) {
    const auto there = rows->next();
    if (!there) return tl::unexpected(there.error());
    if (!*there) return schemas;
    ++schemas.records_;
    const auto schema = rows->integer(1);
    const auto name = rows->text(3);
    const std::int64_t offset = rows->integer(4).value_or(0);  // the first has none
    const Width width = width_of(rows->integer(2).value_or(0));
    if (!schema || !name || offset < 0 || width.bytes == 0) continue;
    const auto domain = static_cast<std::uint64_t>(rows->integer(0).value_or(0));
    schemas.entries_[{domain, static_cast<std::uint64_t>(*schema)}].push_back(
        {std::string(*name), static_cast<std::uint64_t>(offset), width.bytes, width.is_signed});
  }
}

Payload PayloadSchemas::decode(std::string_view bytes) const {
  Payload payload;
  if (bytes.size() < kHeaderBytes) return payload;
  const std::uint64_t domain = little_endian(bytes.substr(0, 8));
  const std::uint64_t schema = little_endian(bytes.substr(8, 8));
  const auto found = entries_.find({domain, schema});
  if (found == entries_.end()) return payload;
  const std::string_view values = bytes.substr(kHeaderBytes);
  for (const Entry& entry : found->second) {
    if (entry.offset > values.size() || entry.width > values.size() - entry.offset) continue;
    const std::uint64_t bits =
        little_endian(values.substr(static_cast<std::size_t>(entry.offset), entry.width));
    auto value = static_cast<std::int64_t>(bits);
    if (entry.width == 4 && entry.is_signed)
      value = static_cast<std::int32_t>(static_cast<std::uint32_t>(bits));
    set_value(payload, entry.name, bits, value);
  }
  return payload;
}

Payload payload_of_json(std::string_view text) {
  Payload payload;
  if (text.size() > kJsonBytes) return payload;
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) return payload;
  for (const auto& [name, value] : json.items()) {
    if (value.is_number_unsigned()) {
      const auto bits = value.get<std::uint64_t>();
      const bool fits =
          bits <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
      set_value(payload, name, bits, fits ? static_cast<std::int64_t>(bits) : -1);
    } else if (value.is_number_integer()) {
      const auto number = value.get<std::int64_t>();
      set_value(payload, name, static_cast<std::uint64_t>(number), number);
    }
  }
  return payload;
}

}  // namespace orrery::trace::nsys
