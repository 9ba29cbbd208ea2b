// SPDX-License-Identifier: Apache-2.0
//
// Decodes attributes. They are found by name, and their values are taken from any scalar member of
// the message.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/graph/builder.h"
#include "orrery/trace/chakra/inferred_kernels.h"

namespace orrery::trace::chakra {

/// The attributes that change what a node does.
enum class AttrId : std::uint8_t {
  other,
  is_cpu_op,
  num_ops,
  tensor_size,
  comm_type,
  comm_size,
  comm_src,
  comm_dst,
  comm_tag,
  comm_priority,
  pg_name,
  comm_group,
  involved_dim,
  inputs,
  outputs,
  root,
  runtime,
  duration_ps,
  stream,
  tid,
  device,
  stream_row,
  dep_kinds,
  dep_lags_ps,
  is_copy,
  is_comm,
  is_wait,
  kernel,
  op_schema,
  experts,
  comm_dtype,
  msg_chunk_cnt,
  msg_chunk_idx,
  total_chunk_cnt,
  in_step,
  in_layer,
  in_phase,
  comm_size_unknown
};

[[nodiscard]] AttrId attr_id(std::string_view name);

/// The value of an attribute, from any member of the message's oneof.
struct Scalar {
  enum class Kind : std::uint8_t { none, integer, natural, real, boolean, text, numbers, texts };
  Kind kind = Kind::none;
  std::int64_t integer = 0;   ///< valid for Kind::integer and Kind::boolean
  std::uint64_t natural = 0;  ///< valid for Kind::natural
  double real = 0;
  std::string_view text;
  std::span<const std::uint64_t> numbers{};  ///< list of integers or booleans
  std::span<const std::string_view> texts{};
};

/// An impossible value in a record. Thrown in this folder and caught where records are read.
struct RecordError {
  Errc code;
  std::string what;
  std::string hint{};
};

/// State that decoding needs. One object per file.
class DecodeContext {
 public:
  DecodeContext(std::string where, std::shared_ptr<StringPool> strings, graph::Repair repair,
                Findings& findings)
      : where_(std::move(where)),
        strings_(std::move(strings)),
        repair_(repair),
        findings_(findings) {}

  /// Sets the table for kernels that nodes name by text. `numbers`: the meaning of kernel numbers
  /// in this file. Without this call, kernels are ignored.
  void use_kernels(graph::KernelTable& kernels, std::vector<graph::KernelId> numbers) {
    kernels_ = &kernels;
    kernel_numbers_ = std::move(numbers);
  }

  /// Call before each record.
  void begin(std::uint64_t offset) {
    offset_ = offset;
    seen_ = 0;
    tensor_lists_ = 0;
    node_id_ = kNoId;
    lane_ = {};
    dep_kinds_.clear();
    dep_lags_.clear();
    schema_ = {};
    share_ = {};
  }
  void set_node_id(std::uint64_t id) { node_id_ = id; }

  /// Applies an attribute to `node`. Of attributes with the same name the first counts. Throws
  /// RecordError.
  void apply(AttrId id, const Scalar& value, graph::NodeSpec& node);
  /// Sets a node's kind from its number in the current schema.
  void set_kind(std::uint64_t number, graph::NodeSpec& node);
  /// Microseconds → Time.
  void set_duration(std::uint64_t micros, graph::NodeSpec& node);
  /// Call after all fields of the record have been applied. Its data dependencies are the
  /// `data_deps` elements of `node.deps` from index `first_data_dep`.
  void finish(graph::NodeSpec& node, std::size_t first_data_dep, std::size_t data_deps);
  /// Infers the kernel of a node without a kernel attribute from its operator. `texts`: the
  /// operator's texts in the record, without the schema. `node.deps` begins with `control` control
  /// dependencies.
  void infer_kernel(NodeOperator texts, std::size_t control, graph::NodeSpec& node);

  StringId intern(std::string_view text);
  void count_finding(FindingCode code);
  [[nodiscard]] std::string place() const;
  /// Throws, or with repair counts `finding`.
  void report_damage(FindingCode finding, Errc code, const std::function<std::string()>& what);

 private:
  static constexpr std::uint64_t kNoId = ~std::uint64_t{0};
  static constexpr std::size_t kRecent = 4096;
  [[nodiscard]] std::int64_t integer(AttrId id, const Scalar& value, std::int64_t low,
                                     std::int64_t high);
  void apply_number(AttrId id, const Scalar& value, graph::NodeSpec& node);
  void set_dims(const Scalar& value, graph::NodeSpec& node);
  void set_tensors(bool output, const Scalar& value, graph::NodeSpec& node);
  void set_group(const Scalar& value, graph::NodeSpec& node);
  void set_lane(AttrId id, const Scalar& value);
  void set_dep_list(AttrId id, const Scalar& value);
  void set_kernel(const Scalar& value, graph::NodeSpec& node);
  /// Counts the attribute as ignored if its text could not be parsed.
  template <class Parsed>
  void set_parsed(const std::optional<Parsed>& parsed, Parsed& into);
  void add_lane(graph::NodeSpec& node) const;
  void add_share(graph::NodeSpec& node) const;
  void add_dependency_notes(graph::NodeSpec& node, std::size_t first, std::size_t count);

  std::string where_;
  std::shared_ptr<StringPool> strings_;
  graph::Repair repair_;
  Findings& findings_;
  graph::KernelTable* kernels_ = nullptr;
  std::vector<graph::KernelId> kernel_numbers_;
  std::unique_ptr<InferredKernels> inferred_;
  std::string_view schema_;
  std::uint64_t offset_ = 0;
  std::uint64_t node_id_ = kNoId;
  std::uint64_t seen_ = 0;  // bit i: AttrId i was applied to this node
  std::uint8_t tensor_lists_ = 0;
  struct {
    std::int64_t stream = 0, thread = 0, device = 0, row = 0;
    bool has_stream = false, has_thread = false;
  } lane_;
  struct {
    std::int64_t first = 0, count = 0, all = 0;
  } share_;  ///< part of the buffer of a custom collective
  std::vector<DependencyKind> dep_kinds_;
  std::vector<Time> dep_lags_;
  std::vector<StringId> recent_ =
      std::vector<StringId>(kRecent, StringId::empty);  // last string of each hash bucket
};

/// "comm_size" etc., for error messages.
[[nodiscard]] std::string_view name(AttrId id);

}  // namespace orrery::trace::chakra
