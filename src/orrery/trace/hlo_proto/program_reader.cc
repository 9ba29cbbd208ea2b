// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/hlo_proto/program_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <protozero/pbf_reader.hpp>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "orrery/hlo/text/hlo_attributes.h"
#include "orrery/trace/hlo_proto/fields.h"

namespace orrery::trace::hlo_proto {
namespace {

using hlo::Computation;
using hlo::Instruction;
using hlo::Program;
using hlo::Shape;
using protozero::pbf_reader;
using protozero::pbf_wire_type;

/// By number of xla_data.proto's PrimitiveType; empty: a tuple, a token, or an opaque value.
constexpr std::array<std::string_view, 34> kTypes = {
    "",           "pred",       "s8",   "s16",    "s32",      "s64",    "u8", "u16",
    "u32",        "u64",        "f16",  "f32",    "f64",      "",       "",   "c64",
    "bf16",       "",           "c128", "f8e5m2", "f8e4m3fn", "s4",     "u4", "f8e4m3b11fnuz",
    "f8e5m2fnuz", "f8e4m3fnuz", "s2",   "u2",     "f8e4m3",   "f8e3m4", "s1", "u1",
    "f4e2m1fn",   "f8e8m0fnu"};
constexpr std::uint64_t kTupleType = 13, kTokenType = 17;

std::string text_of(pbf_reader& field) {
  const auto view = field.get_view();
  return {view.data(), view.size()};
}

bool is_message(const pbf_reader& at) { return at.wire_type() == pbf_wire_type::length_delimited; }
bool is_number(const pbf_reader& at) { return at.wire_type() == pbf_wire_type::varint; }

/// Adds the numbers of a repeated integer field, packed or not; false for another wire type.
bool add_integers(pbf_reader& field, std::vector<std::int64_t>& to) {
  if (is_number(field)) {
    to.push_back(field.get_int64());
    return true;
  }
  if (!is_message(field)) return false;
  for (const std::int64_t each : field.get_packed_int64()) to.push_back(each);
  return true;
}

/// A message of integers only: sets the members of fields in `to`, in any order.
template <class Set>
void read_integers(pbf_reader message, Set set) {
  while (message.next()) {
    if (is_number(message)) {
      const std::uint32_t tag = message.tag();
      set(tag, message.get_int64());
    } else {
      message.skip();
    }
  }
}

Shape read_shape(pbf_reader message, int depth = 0) {
  Shape shape;
  while (message.next()) {
    if (message.tag() == kElementType && is_number(message)) {
      const std::uint64_t number = message.get_uint64();
      shape.type = number == kTupleType   ? hlo::ElementType::tuple
                   : number == kTokenType ? hlo::ElementType::token
                                          : hlo::element_type_of(primitive_type_name(number));
    } else if (message.tag() == kShapeDimensions && add_integers(message, shape.dims)) {
    } else if (message.tag() == kTupleShapes && is_message(message) && depth < hlo::kMostDepth) {
      shape.parts.push_back(read_shape(message.get_message(), depth + 1));
    } else {
      message.skip();
    }
  }
  return shape;
}

hlo::WindowDim read_window_dim(pbf_reader message) {
  hlo::WindowDim dim;
  read_integers(message, [&](std::uint32_t tag, std::int64_t value) {
    if (tag == kSize) dim.size = value;
    if (tag == kStride) dim.stride = value;
    if (tag == kPaddingLow) dim.pad_low = value;
    if (tag == kPaddingHigh) dim.pad_high = value;
    if (tag == kWindowDilation) dim.window_dilation = value;
    if (tag == kBaseDilation) dim.base_dilation = value;
  });
  return dim;
}

hlo::ConvolutionDims read_convolution(pbf_reader message) {
  hlo::ConvolutionDims dims;
  while (message.next()) {
    const std::uint32_t tag = message.tag();
    std::vector<std::int64_t>* const list = tag == kInputSpatial    ? &dims.input_spatial
                                            : tag == kKernelSpatial ? &dims.kernel_spatial
                                            : tag == kOutputSpatial ? &dims.output_spatial
                                                                    : nullptr;
    if (list != nullptr && add_integers(message, *list)) continue;
    if (list != nullptr || !is_number(message)) {
      message.skip();
      continue;
    }
    const std::int64_t value = message.get_int64();
    if (tag == kKernelInputFeature) dims.kernel_input = value;
    if (tag == kKernelOutputFeature) dims.kernel_output = value;
    if (tag == kInputBatch) dims.input_batch = value;
    if (tag == kInputFeature) dims.input_feature = value;
    if (tag == kOutputBatch) dims.output_batch = value;
    if (tag == kOutputFeature) dims.output_feature = value;
  }
  return dims;
}

hlo::DotDims read_dot(pbf_reader message) {
  hlo::DotDims dims;
  while (message.next()) {
    const std::uint32_t tag = message.tag();
    std::vector<std::int64_t>* const list = tag == kLhsContracting   ? &dims.lhs_contracting
                                            : tag == kRhsContracting ? &dims.rhs_contracting
                                            : tag == kLhsBatch       ? &dims.lhs_batch
                                            : tag == kRhsBatch       ? &dims.rhs_batch
                                                                     : nullptr;
    if (list == nullptr || !add_integers(message, *list)) message.skip();
  }
  return dims;
}

void add_group(pbf_reader message, hlo::ReplicaGroups& groups) {
  std::vector<std::int64_t>& ids = groups.groups.emplace_back();
  while (message.next())
    if (message.tag() != kReplicaIds || !add_integers(message, ids)) message.skip();
}

/// Groups that an enumeration of devices gives, by the rule of HLO's text.
void add_iota_groups(pbf_reader message, hlo::ReplicaGroups& groups) {
  std::int64_t count = 0, size = 0;
  std::vector<std::int64_t> dims, order;
  while (message.next()) {
    const std::uint32_t tag = message.tag();
    if (tag == kReshapeDims && add_integers(message, dims)) continue;
    if (tag == kTransposePermutation && add_integers(message, order)) continue;
    if ((tag == kGroupCount || tag == kGroupSize) && is_number(message)) {
      (tag == kGroupCount ? count : size) = message.get_int64();
    } else {
      message.skip();
    }
  }
  const std::string transposed = order.empty() ? "" : fmt::format("T({})", fmt::join(order, ","));
  auto more = hlo::hlo_groups(
      fmt::format("[{},{}]<=[{}]{}", count, size, fmt::join(dims, ","), transposed));
  std::move(more.begin(), more.end(), std::back_inserter(groups.groups));
}

void add_device_list(pbf_reader list, hlo::ReplicaGroups& groups) {
  while (list.next()) {
    if (list.tag() == kListedGroups && is_message(list)) {
      add_group(list.get_message(), groups);
    } else if (list.tag() == kIotaGroups && is_message(list)) {
      add_iota_groups(list.get_message(), groups);
    } else {
      list.skip();
    }
  }
}

/// An instruction whose references are ids.
struct Draft {
  Instruction is;
  std::int64_t id = -1;
  std::vector<std::int64_t> operand_ids, called_ids;
  hlo::ReplicaGroups groups;
  bool across = false, global = false;  // has a channel; ids are those of devices

  void read(pbf_reader message) {
    while (message.next()) {
      const bool read = is_number(message)    ? number(message)
                        : is_message(message) ? content(message)
                                              : false;
      if (!read) message.skip();
    }
    is.opcode = &hlo::find_opcode(is.word);
    if (is.opcode->op_class == hlo::OpClass::collective ||
        is.opcode->op_class == hlo::OpClass::permute) {
      groups.ids = hlo::group_ids_of(*is.opcode, global, across);
      is.groups = std::move(groups);
    }
  }

 private:
  bool number(pbf_reader& field) {
    switch (field.tag()) {
      case kInstructionId:
        id = field.get_int64();
        return true;
      case kParameterNumber:
      case kTupleIndex:
        is.number = field.get_int64();
        return true;
      case kFeatureGroupCount:
        is.feature_groups = field.get_int64();
        return true;
      case kBatchGroupCount:
        is.batch_groups = field.get_int64();
        return true;
      case kChannelId:
        across = field.get_int64() > 0;
        return true;
      case kUseGlobalDeviceIds:
        global = field.get_bool();
        return true;
      default:
        return content(field);
    }
  }

  bool content(pbf_reader& field) {
    const std::uint32_t tag = field.tag();
    if (tag == kOperandIds) return add_integers(field, operand_ids);
    if (tag == kCalledComputationIds) return add_integers(field, called_ids);
    if (tag == kInstructionDimensions) return add_integers(field, is.dims);
    if (!is_message(field)) return false;
    switch (tag) {
      case kInstructionName:
        is.name = text_of(field);
        return true;
      case kOpcode:
        is.word = text_of(field);
        return true;
      case kCustomCallTarget:
        is.target = text_of(field);
        return true;
      case kComparisonDirection:
        is.direction = text_of(field);
        return true;
      case kShape:
        is.shape = read_shape(field.get_message());
        return true;
      case kConvolutionDimensions:
        is.convolution = read_convolution(field.get_message());
        return true;
      case kDotDimensions:
        is.dot = read_dot(field.get_message());
        return true;
      case kReplicaGroups:
        add_group(field.get_message(), groups);
        return true;
      case kCollectiveDeviceList:
        add_device_list(field.get_message(), groups);
        return true;
      case kMetadata: {
        pbf_reader metadata = field.get_message();
        while (metadata.next(kOpName, pbf_wire_type::length_delimited))
          is.scope = text_of(metadata);
        return true;
      }
      case kWindow: {
        pbf_reader window = field.get_message();
        while (window.next(kWindowDimensions, pbf_wire_type::length_delimited))
          is.window.push_back(read_window_dim(window.get_message()));
        return true;
      }
      case kSourceTargetPairs: {
        auto& pair = groups.pairs.emplace_back(0, 0);
        read_integers(field.get_message(), [&](std::uint32_t of, std::int64_t value) {
          if (of == kSource) pair.first = value;
          if (of == kTarget) pair.second = value;
        });
        return true;
      }
      default:
        return false;
    }
  }
};

class Reader {
 public:
  ReadProgram run(std::string_view bytes) {
    try {
      pbf_reader proto(bytes.data(), bytes.size());
      while (proto.next(kModule, pbf_wire_type::length_delimited)) read_module(proto.get_message());
    } catch (const protozero::exception&) {
      out_.damaged = true;
    }
    finish();
    return std::move(out_);
  }

 private:
  void read_module(pbf_reader module) {
    while (module.next()) {
      if (module.tag() == kModuleName && is_message(module)) {
        program().name = text_of(module);
      } else if (module.tag() == kEntryComputationId && is_number(module)) {
        entry_id_ = module.get_int64();
      } else if (module.tag() == kComputations && is_message(module)) {
        read_computation(module.get_message());
      } else if (module.tag() == kDeviceAssignment && is_message(module)) {
        read_devices(module.get_message());
      } else {
        module.skip();
      }
    }
  }

  void read_devices(pbf_reader assignment) {
    constexpr std::int64_t kMost = std::int64_t{1} << 20;
    std::int64_t replicas = 1, partitions = 1;
    read_integers(assignment, [&](std::uint32_t tag, std::int64_t value) {
      if (tag == kReplicaCount) replicas = value;
      if (tag == kComputationCount) partitions = value;
    });
    if (replicas < 1 || partitions < 1 || hlo::saturating_product(replicas, partitions) > kMost) {
      out_.damaged = true;
      return;
    }
    program().replicas = replicas;
    program().partitions = partitions;
    program().states_devices = true;
  }

  /// Too many instructions count as damage.
  void read_computation(pbf_reader message) {
    std::vector<Draft> drafts;
    Computation made;
    std::int64_t id = -1, root_id = -1;
    while (message.next()) {
      if (message.tag() == kComputationName && is_message(message)) {
        made.name = text_of(message);
      } else if (message.tag() == kInstructions && is_message(message)) {
        if (++operations_ > kMostOperations) throw protozero::end_of_buffer_exception();
        drafts.emplace_back().read(message.get_message());
      } else if (message.tag() == kComputationId && is_number(message)) {
        id = message.get_int64();
      } else if (message.tag() == kRootId && is_number(message)) {
        root_id = message.get_int64();
      } else {
        message.skip();
      }
    }
    if (drafts.empty()) {
      out_.damaged = true;
      return;
    }
    const auto number = static_cast<std::uint32_t>(program().computations.size());
    computations_.try_emplace(id, number);
    made.root = static_cast<std::uint32_t>(drafts.size() - 1);
    place(drafts, root_id, number, made);
    program().computations.push_back(std::move(made));
  }

  /// Replaces the ids of operands by indices. Instructions are in an order in which operands come
  /// first.
  void place(std::vector<Draft>& drafts, std::int64_t root_id, std::uint32_t computation,
             Computation& made) {
    std::unordered_map<std::int64_t, std::uint32_t> by_id;
    std::vector<std::pair<std::int64_t, std::uint32_t>> parameters;
    for (std::uint32_t i = 0; i < drafts.size(); ++i) {
      Draft& draft = drafts[i];
      for (const std::int64_t operand : draft.operand_ids) {
        const auto found = by_id.find(operand);
        if (found != by_id.end()) draft.is.operands.push_back(found->second);
      }
      if (draft.is.operands.size() != draft.operand_ids.size()) {
        draft.is.operands.clear();
        out_.damaged = true;
      }
      if (!by_id.try_emplace(draft.id, i).second) out_.damaged = true;
      if (draft.id == root_id) made.root = i;
      if (draft.is.opcode->op_class == hlo::OpClass::parameter)
        parameters.emplace_back(draft.is.number, i);
      for (const std::int64_t called : draft.called_ids) calls_.push_back({computation, i, called});
      made.operations.push_back(std::move(draft.is));
    }
    std::sort(parameters.begin(), parameters.end());
    for (const auto& [number, operation] : parameters) made.parameters.push_back(operation);
  }

  void finish() {
    for (const Call& call : calls_) {
      const auto found = computations_.find(call.id);
      // Callees precede their callers, so calls have no cycles.
      if (found == computations_.end() || found->second >= call.computation) {
        out_.damaged = true;
      } else {
        program().computations[call.computation].operations[call.operation].called.push_back(
            found->second);
      }
    }
    // A loop's body precedes its condition here.
    for (Computation& computation : program().computations)
      for (Instruction& op : computation.operations)
        if (op.opcode->op_class == hlo::OpClass::loop && op.called.size() == 2)
          std::swap(op.called[0], op.called[1]);
    const auto entry = computations_.find(entry_id_);
    if (entry != computations_.end()) {
      program().entry = entry->second;
    } else {
      out_.damaged = true;
      program().entry = program().computations.empty()
                            ? 0
                            : static_cast<std::uint32_t>(program().computations.size() - 1);
    }
    program().scheduled = program().is_fused = true;
  }

  [[nodiscard]] Program& program() { return out_.program; }

  struct Call {
    std::uint32_t computation, operation;
    std::int64_t id;
  };
  static constexpr std::size_t kMostOperations = std::size_t{1} << 20;
  ReadProgram out_;
  std::size_t operations_ = 0;
  std::int64_t entry_id_ = -1;
  std::unordered_map<std::int64_t, std::uint32_t> computations_;
  std::vector<Call> calls_;
};

}  // namespace

std::string_view primitive_type_name(std::uint64_t number) {
  return number < kTypes.size() ? kTypes[number] : std::string_view{};
}

ReadProgram read_program(std::string_view bytes) { return Reader().run(bytes); }

}  // namespace orrery::trace::hlo_proto
