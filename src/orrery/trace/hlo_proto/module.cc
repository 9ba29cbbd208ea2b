// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/hlo_proto/module.h"

#include <array>
#include <protozero/pbf_reader.hpp>
#include <utility>

#include "orrery/trace/hlo_proto/fields.h"

namespace orrery::trace::hlo_proto {
namespace {

using protozero::pbf_reader;
using protozero::pbf_wire_type;

constexpr int kTupleDepth = 16;

/// By number of xla_data.proto's PrimitiveType.
constexpr std::array<std::pair<std::string_view, std::int32_t>, 34> kTypes = {
    {{"", 0},           {"pred", 1},   {"s8", 1},         {"s16", 2},        {"s32", 4},
     {"s64", 8},        {"u8", 1},     {"u16", 2},        {"u32", 4},        {"u64", 8},
     {"f16", 2},        {"f32", 4},    {"f64", 8},        {"", 0},           {"", 0},
     {"c64", 8},        {"bf16", 2},   {"", 0},           {"c128", 16},      {"f8e5m2", 1},
     {"f8e4m3fn", 1},   {"s4", 0},     {"u4", 0},         {"f8e4m3b11fnuz", 1},
     {"f8e5m2fnuz", 1}, {"f8e4m3fnuz", 1}, {"s2", 0},     {"u2", 0},         {"f8e4m3", 1},
     {"f8e3m4", 1},     {"s1", 0},     {"u1", 0},         {"f4e2m1fn", 0},   {"f8e8m0fnu", 1}}};

std::string text_of(pbf_reader& field) {
  const auto view = field.get_view();
  return {view.data(), view.size()};
}

/// Adds the numbers of a repeated integer field, packed or not; false for another wire type.
bool add_integers(pbf_reader& field, std::vector<std::int64_t>& to) {
  if (field.wire_type() == pbf_wire_type::varint) {
    to.push_back(field.get_int64());
    return true;
  }
  if (field.wire_type() != pbf_wire_type::length_delimited) return false;
  for (const std::int64_t each : field.get_packed_int64()) to.push_back(each);
  return true;
}

void add_arrays(pbf_reader shape, std::vector<Array>& to, int depth) {
  Array array;
  bool is_tuple = false;
  while (shape.next()) {
    if (shape.tag() == kElementType && shape.wire_type() == pbf_wire_type::varint) {
      array.type = element_type_name(shape.get_uint64());
    } else if (shape.tag() == kDimensions && add_integers(shape, array.dims)) {
    } else if (shape.tag() == kTupleShapes &&
               shape.wire_type() == pbf_wire_type::length_delimited && depth < kTupleDepth) {
      is_tuple = true;
      add_arrays(shape.get_message(), to, depth + 1);
    } else {
      shape.skip();
    }
  }
  if (!is_tuple && !array.type.empty()) to.push_back(std::move(array));
}

void add_groups(pbf_reader message, std::vector<std::vector<std::int64_t>>& to) {
  std::vector<std::int64_t>& ids = to.emplace_back();
  while (message.next())
    if (message.tag() != kReplicaIds || !add_integers(message, ids)) message.skip();
}

struct Draft {
  std::string name;
  Instruction is;
  std::int64_t id = -1;
  std::vector<std::int64_t> operand_ids;
};

Draft read_instruction(pbf_reader message) {
  Draft draft;
  while (message.next()) {
    const bool is_message = message.wire_type() == pbf_wire_type::length_delimited;
    if (message.tag() == kInstructionId && message.wire_type() == pbf_wire_type::varint) {
      draft.id = message.get_int64();
    } else if (message.tag() == kOperandIds && add_integers(message, draft.operand_ids)) {
    } else if (!is_message) {
      message.skip();
    } else if (message.tag() == kInstructionName) {
      draft.name = text_of(message);
    } else if (message.tag() == kOpcode) {
      draft.is.opcode = text_of(message);
    } else if (message.tag() == kCustomCallTarget) {
      draft.is.custom_call_target = text_of(message);
    } else if (message.tag() == kShape) {
      add_arrays(message.get_message(), draft.is.outputs, 0);
    } else if (message.tag() == kReplicaGroups) {
      add_groups(message.get_message(), draft.is.replica_groups);
    } else if (message.tag() == kCollectiveDeviceList) {
      pbf_reader list = message.get_message();
      while (list.next(kListedGroups, pbf_wire_type::length_delimited))
        add_groups(list.get_message(), draft.is.replica_groups);
    } else {
      message.skip();
    }
  }
  return draft;
}

void add_computation(pbf_reader message, Module& module) {
  std::vector<Draft> drafts;
  std::unordered_map<std::int64_t, std::size_t> by_id;
  while (message.next(kInstructions, pbf_wire_type::length_delimited)) {
    drafts.push_back(read_instruction(message.get_message()));
    by_id.try_emplace(drafts.back().id, drafts.size() - 1);
  }
  for (Draft& draft : drafts) {
    for (const std::int64_t id : draft.operand_ids) {
      const auto found = by_id.find(id);
      if (found == by_id.end()) continue;
      const auto& arrays = drafts[found->second].is.outputs;
      draft.is.operands.insert(draft.is.operands.end(), arrays.begin(), arrays.end());
    }
  }
  for (Draft& draft : drafts)
    module.instructions.insert_or_assign(std::move(draft.name), std::move(draft.is));
}

}  // namespace

std::string_view element_type_name(std::uint64_t number) {
  return number < kTypes.size() ? kTypes[number].first : std::string_view{};
}

std::int32_t element_type_bytes(std::string_view name) {
  for (const auto& [known, bytes] : kTypes)
    if (!name.empty() && known == name) return bytes;
  return 0;
}

std::int64_t Array::elements() const {
  std::int64_t product = 1;
  for (const std::int64_t size : dims)
    if (size < 0 || __builtin_mul_overflow(product, size, &product)) return -1;
  return product;
}

Module read_module(std::string_view bytes, bool& damaged) {
  Module module;
  damaged = false;
  try {
    pbf_reader proto(bytes.data(), bytes.size());
    while (proto.next(kModule, pbf_wire_type::length_delimited)) {
      pbf_reader message = proto.get_message();
      while (message.next()) {
        const bool is_message = message.wire_type() == pbf_wire_type::length_delimited;
        if (message.tag() == kModuleName && is_message) {
          module.name = text_of(message);
        } else if (message.tag() == kComputations && is_message) {
          add_computation(message.get_message(), module);
        } else {
          message.skip();
        }
      }
    }
  } catch (const protozero::exception&) {
    damaged = true;
  }
  return module;
}

}  // namespace orrery::trace::hlo_proto
