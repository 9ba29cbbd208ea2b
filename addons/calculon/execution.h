// SPDX-License-Identifier: Apache-2.0
//
// The input of Calculon (Isaev et al., SC23, doi:10.1145/3581784.3607102): a transformer and its
// execution. Names in files are Calculon's.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <tuple>

#include "orrery/config/field.h"

namespace orrery::estimate::calculon {

/// A field that every file has.
template <class... Arguments>
[[nodiscard]] constexpr auto required(Arguments... arguments) {
  return config::field(arguments...).required();
}

/// A stack of identical blocks; sizes are numbers of elements.
struct Model {
  std::int64_t hidden = 0, feedforward = 0, seq_size = 0, attn_heads = 0, attn_size = 0,
               num_blocks = 0;

  static constexpr double kMax = 1e7;
  static constexpr auto fields = std::tuple{
      required("hidden", &Model::hidden, "elements per token", config::between(1, kMax)),
      required("feedforward", &Model::feedforward, "elements in the MLP", config::between(1, kMax)),
      required("seq_size", &Model::seq_size, "tokens per sample", config::between(1, kMax)),
      required("attn_heads", &Model::attn_heads, "number of attention heads",
               config::between(1, kMax)),
      required("attn_size", &Model::attn_size, "elements per head", config::between(1, kMax)),
      required("num_blocks", &Model::num_blocks, "number of blocks, each with attention and MLP",
               config::between(1, kMax))};
};

enum class DataType : std::uint8_t { float8, float16, float32, bfloat16 };
inline constexpr std::size_t kDataTypes = 4;
/// The size of an element in bytes.
[[nodiscard]] constexpr int size_of(DataType type) {
  return type == DataType::float8 ? 1 : type == DataType::float32 ? 4 : 2;
}

enum class Recompute : std::uint8_t { none, attn_only, full };
/// How the parts of a tensor are combined: all-reduce; reduce-scatter and all-gather around
/// pipeline messages; reduce-scatter and all-gather everywhere (sequence parallelism).
enum class PartJoining : std::uint8_t { ar, p2p_rs_ag, rs_ag };
enum class Overlap : std::uint8_t { none, ring, pipe };
enum class Attention : std::uint8_t { multihead, multiquery };

/// Calculon's execution. Each kind of parallelism has the index of the machine's network that it
/// uses.
struct Plan {
  std::int64_t num_procs = 1, tensor_par = 1, pipeline_par = 1, data_par = 1;
  std::int64_t tensor_par_net = 0, pipeline_par_net = 0, data_par_net = 0;
  std::int64_t batch_size = 1, microbatch_size = 1, pipeline_interleaving = 1;
  DataType datatype = DataType::float16;
  Attention attention_type = Attention::multihead;
  Recompute activation_recompute = Recompute::none;
  PartJoining tensor_par_comm_type = PartJoining::ar;
  Overlap tensor_par_overlap = Overlap::none;
  bool fused_activation = false, optimizer_sharding = false, seq_par_ag_redo = false,
       data_par_overlap = false, weight_offload = false, activations_offload = false,
       optimizer_offload = false, training = true;

  static constexpr double kMax = 1e9;
  static constexpr auto fields = std::tuple{
      required("num_procs", &Plan::num_procs, "number of devices", config::between(1, kMax)),
      required("tensor_par", &Plan::tensor_par, "tensor-parallel devices per block",
               config::between(1, kMax)),
      required("pipeline_par", &Plan::pipeline_par, "number of pipeline stages",
               config::between(1, kMax)),
      required("data_par", &Plan::data_par, "data-parallel copies of the model",
               config::between(1, kMax)),
      required("tensor_par_net", &Plan::tensor_par_net,
               "index of the network for tensor parallelism", config::between(0, kMax)),
      required("pipeline_par_net", &Plan::pipeline_par_net,
               "index of the network for pipeline parallelism", config::between(0, kMax)),
      required("data_par_net", &Plan::data_par_net, "index of the network for data parallelism",
               config::between(0, kMax)),
      required("batch_size", &Plan::batch_size, "samples per step", config::between(1, kMax)),
      required("microbatch_size", &Plan::microbatch_size, "samples per microbatch",
               config::between(1, kMax)),
      required("datatype", &Plan::datatype, "data type of weights and activations"),
      required("fused_activation", &Plan::fused_activation,
               "GeLU is fused with the previous operation"),
      required("attention_type", &Plan::attention_type, "keys for all heads, or for one head"),
      required("activation_recompute", &Plan::activation_recompute,
               "what backward passes recompute"),
      required("pipeline_interleaving", &Plan::pipeline_interleaving, "chunks per stage",
               config::between(1, kMax)),
      required("optimizer_sharding", &Plan::optimizer_sharding,
               "the optimizer state is sharded over copies"),
      required("tensor_par_comm_type", &Plan::tensor_par_comm_type,
               "how partial results are combined"),
      required("tensor_par_overlap", &Plan::tensor_par_overlap,
               "overlap of that communication with matrix products"),
      required("seq_par_ag_redo", &Plan::seq_par_ag_redo,
               "backward passes redo the all-gathers of sequence parallelism"),
      required("data_par_overlap", &Plan::data_par_overlap,
               "gradients are reduced during backward passes"),
      required("weight_offload", &Plan::weight_offload, "weights are stored in the second memory"),
      required("activations_offload", &Plan::activations_offload,
               "activations are stored in the second memory"),
      required("optimizer_offload", &Plan::optimizer_offload,
               "the optimizer state is stored in the second memory"),
      required("training", &Plan::training, "training, not only a forward pass")};

  [[nodiscard]] std::int64_t local_batch() const { return batch_size / data_par; }
  [[nodiscard]] std::int64_t microbatches() const { return local_batch() / microbatch_size; }
  [[nodiscard]] bool splits_sequence() const { return tensor_par_comm_type == PartJoining::rs_ag; }
  [[nodiscard]] bool splits_messages() const { return tensor_par_comm_type != PartJoining::ar; }
  [[nodiscard]] std::int64_t shards() const { return optimizer_sharding ? data_par : 1; }
  [[nodiscard]] bool offloads() const {
    return weight_offload || activations_offload || optimizer_offload;
  }
  friend bool operator==(const Plan&, const Plan&) = default;
};

}  // namespace orrery::estimate::calculon

namespace orrery::config {

template <>
struct EnumNames<estimate::calculon::DataType> {
  using enum estimate::calculon::DataType;
  static constexpr std::array<EnumName<estimate::calculon::DataType>, 4> names{
      {{"float8", float8}, {"float16", float16}, {"float32", float32}, {"bfloat16", bfloat16}}};
};
template <>
struct EnumNames<estimate::calculon::Recompute> {
  using enum estimate::calculon::Recompute;
  static constexpr std::array<EnumName<estimate::calculon::Recompute>, 3> names{
      {{"none", none}, {"attn_only", attn_only}, {"full", full}}};
};
template <>
struct EnumNames<estimate::calculon::PartJoining> {
  using enum estimate::calculon::PartJoining;
  static constexpr std::array<EnumName<estimate::calculon::PartJoining>, 3> names{
      {{"ar", ar}, {"p2p_rs_ag", p2p_rs_ag}, {"rs_ag", rs_ag}}};
};
template <>
struct EnumNames<estimate::calculon::Overlap> {
  using enum estimate::calculon::Overlap;
  static constexpr std::array<EnumName<estimate::calculon::Overlap>, 3> names{
      {{"none", none}, {"ring", ring}, {"pipe", pipe}}};
};
template <>
struct EnumNames<estimate::calculon::Attention> {
  using enum estimate::calculon::Attention;
  static constexpr std::array<EnumName<estimate::calculon::Attention>, 2> names{
      {{"multihead", multihead}, {"multiquery", multiquery}}};
};

}  // namespace orrery::config
