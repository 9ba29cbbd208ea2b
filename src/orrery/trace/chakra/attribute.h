// SPDX-License-Identifier: Apache-2.0
//
// Attributes: found by name, their values taken from whatever scalar member they were stored in.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
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
  in_phase
};

[[nodiscard]] AttrId attr_id(std::string_view name);

/// An attribute's value, whatever member of the message's oneof held it.
struct Scalar {
  enum class Kind : std::uint8_t { none, integer, natural, real, boolean, text, numbers, texts };
  Kind kind = Kind::none;
  std::int64_t integer = 0;   ///< integer, boolean
  std::uint64_t natural = 0;  ///< natural
  double real = 0;
  std::string_view text;
  std::span<const std::uint64_t> numbers{};  ///< list of integers or booleans
  std::span<const std::string_view> texts{};
};

/// A record that says something impossible. Thrown inside this folder, caught where records are
/// read.
struct RecordError {
  Errc code;
  std::string what;
  std::string hint{};
};

/// What decoding needs to know and may touch. One per file.
class Decoding {
 public:
  Decoding(std::string where, std::shared_ptr<StringPool> strings, graph::Repair repair,
           Findings& findings)
      : where_(std::move(where)),
        strings_(std::move(strings)),
        repair_(repair),
        findings_(findings) {}

  /// Where kernels that nodes name by text go; `numbers`: what the numbers of others mean there.
  /// Without it none are taken.
  void use_kernels(graph::KernelTable& kernels, std::vector<graph::KernelId> numbers) {
    kernels_ = &kernels;
    kernel_numbers_ = std::move(numbers);
  }

  /// Before each record.
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

  /// Sets what the attribute says. The first attribute of a name wins. Throws RecordError.
  void apply(AttrId id, const Scalar& value, graph::NodeSpec& node);
  /// Sets a node's kind from its number in today's schema.
  void set_kind(std::uint64_t number, graph::NodeSpec& node);
  /// Microseconds → Time.
  void set_duration(std::uint64_t micros, graph::NodeSpec& node);
  /// When all of the record has been applied. Its data dependencies are those `data_deps` of
  /// `node.deps` from `first_data_dep` on.
  void finish(graph::NodeSpec& node, std::size_t first_data_dep, std::size_t data_deps);
  /// The kernel of a node that says none itself, by its operator; `texts`: what the record says of
  /// that, without the schema. `node.deps` begins with `control` control dependencies.
  void infer_kernel(NodeOperator texts, std::size_t control, graph::NodeSpec& node);

  StringId intern(std::string_view text);
  void note(FindingCode code);
  [[nodiscard]] std::string place() const;
  [[nodiscard]] graph::Repair repair() const { return repair_; }
  [[nodiscard]] const std::string& where() const { return where_; }
  /// Throws, or counts `finding` when repairing.
  void damaged(FindingCode finding, Errc code, const std::function<std::string()>& what);

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
  void set_experts(const Scalar& value, graph::NodeSpec& node);
  void set_numbers(const Scalar& value, graph::NodeSpec& node);
  void set_phase(const Scalar& value, graph::NodeSpec& node);
  void add_lane(graph::NodeSpec& node) const;
  void add_share(graph::NodeSpec& node) const;
  void add_notes(graph::NodeSpec& node, std::size_t first, std::size_t count);

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
  } share_;  ///< of a custom collective's buffer
  std::vector<DependencyKind> dep_kinds_;
  std::vector<Time> dep_lags_;
  std::vector<StringId> recent_ =
      std::vector<StringId>(kRecent, StringId::empty);  // last string of each bucket
};

/// "comm_size" for messages.
[[nodiscard]] std::string_view name(AttrId id);

}  // namespace orrery::trace::chakra
