// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/collectives/chunk_choice_json.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace orrery::study {

namespace {

void write_numbers(report::JsonWriter& json, std::string_view key,
                   const std::vector<std::uint32_t>& numbers) {
  json.key(key).begin_array();
  for (const std::uint32_t number : numbers) json.value(number);
  json.end_array();
}

}  // namespace

void write_chunk_choice(report::JsonWriter& json, const sim::ChunkChoice& choice) {
  json.begin_object().field("type", std::string_view(choice.type));
  json.field("bytes", choice.bytes.count()).field("group_size", choice.members);
  write_numbers(json, "dimension_numbers", choice.dims);
  json.field("chunks", choice.chunks).field("order_source", std::string_view(choice.from));
  json.nanoseconds("time", choice.time);
  if (choice.bound.count() > 0) {
    json.nanoseconds("bound", choice.bound);
    write_numbers(json, "bound_by_dimensions", choice.binds);
    if (!choice.cut.empty()) json.field("cut", std::string_view(choice.cut));
  }
  json.key("orders").begin_array();
  for (const sim::ChunkChoice::Share& share : choice.shares) {
    json.begin_object();
    write_numbers(json, "order", share.order);
    json.field("chunks", share.chunks).end_object();
  }
  json.end_array().end_object();
}

}  // namespace orrery::study
