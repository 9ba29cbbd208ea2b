// SPDX-License-Identifier: Apache-2.0
//
// What Calculon (Isaev et al., SC23, doi:10.1145/3581784.3607102) is asked about: a transformer,
// and how it is executed. Names in files are Calculon's own.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <tuple>

#include "orrery/config/field.h"

namespace orrery::estimate::calculon {

/// A stack of equal blocks; sizes are elements.
struct Model {
  std::int64_t hidden = 0, feedforward = 0, seq_size = 0, attn_heads = 0, attn_size = 0,
               num_blocks = 0;

  static constexpr double kMost = 1e7;
  static constexpr auto fields = std::tuple{
      config::field("hidden", &Model::hidden, "elements of a token", config::between(1, kMost))
          .required(),
      config::field("feedforward", &Model::feedforward, "elements inside the MLP",
                    config::between(1, kMost))
          .required(),
      config::field("seq_size", &Model::seq_size, "tokens of a sample", config::between(1, kMost))
          .required(),
      config::field("attn_heads", &Model::attn_heads, "of attention", config::between(1, kMost))
          .required(),
      config::field("attn_size", &Model::attn_size, "elements of a head", config::between(1, kMost))
          .required(),
      config::field("num_blocks", &Model::num_blocks, "attention and MLP, one after another",
                    config::between(1, kMost))
          .required()};
};

enum class DataType : std::uint8_t { float8, float16, float32, bfloat16 };
inline constexpr std::size_t kDataTypes = 4;
/// Bytes of an element.
[[nodiscard]] constexpr int size_of(DataType type) {
  return type == DataType::float8 ? 1 : type == DataType::float32 ? 4 : 2;
}

enum class Recompute : std::uint8_t { none, attn_only, full };
/// How a tensor's parts come together: by all-reduce; by reduce-scatter and all-gather around
/// messages of the pipeline; everywhere (sequence parallelism).
enum class PartJoining : std::uint8_t { ar, p2p_rs_ag, rs_ag };
enum class Overlap : std::uint8_t { none, ring, pipe };
enum class Attention : std::uint8_t { multihead, multiquery };

/// Calculon's execution. Parallelisms say over which of the machine's networks they go.
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

  static constexpr double kMost = 1e9;
  static constexpr auto fields = std::tuple{
      config::field("num_procs", &Plan::num_procs, "devices", config::between(1, kMost)).required(),
      config::field("tensor_par", &Plan::tensor_par, "devices that share a block",
                    config::between(1, kMost))
          .required(),
      config::field("pipeline_par", &Plan::pipeline_par, "stages", config::between(1, kMost))
          .required(),
      config::field("data_par", &Plan::data_par, "copies of the model", config::between(1, kMost))
          .required(),
      config::field("tensor_par_net", &Plan::tensor_par_net, "number of the network",
                    config::between(0, kMost))
          .required(),
      config::field("pipeline_par_net", &Plan::pipeline_par_net, "number of the network",
                    config::between(0, kMost))
          .required(),
      config::field("data_par_net", &Plan::data_par_net, "number of the network",
                    config::between(0, kMost))
          .required(),
      config::field("batch_size", &Plan::batch_size, "samples of a step", config::between(1, kMost))
          .required(),
      config::field("microbatch_size", &Plan::microbatch_size, "samples at a time",
                    config::between(1, kMost))
          .required(),
      config::field("datatype", &Plan::datatype, "of weights and activations").required(),
      config::field("fused_activation", &Plan::fused_activation,
                    "GeLU works on what is in registers")
          .required(),
      config::field("attention_type", &Plan::attention_type, "keys of all heads or of one")
          .required(),
      config::field("activation_recompute", &Plan::activation_recompute,
                    "what backward passes compute again")
          .required(),
      config::field("pipeline_interleaving", &Plan::pipeline_interleaving, "chunks of a stage",
                    config::between(1, kMost))
          .required(),
      config::field("optimizer_sharding", &Plan::optimizer_sharding,
                    "copies share the optimizer's state")
          .required(),
      config::field("tensor_par_comm_type", &Plan::tensor_par_comm_type, "how parts come together")
          .required(),
      config::field("tensor_par_overlap", &Plan::tensor_par_overlap, "of that with matrix products")
          .required(),
      config::field("seq_par_ag_redo", &Plan::seq_par_ag_redo,
                    "all-gathers of sequence parallelism are done again for backward passes")
          .required(),
      config::field("data_par_overlap", &Plan::data_par_overlap,
                    "gradients meet during backward passes")
          .required(),
      config::field("weight_offload", &Plan::weight_offload, "weights live in the second memory")
          .required(),
      config::field("activations_offload", &Plan::activations_offload,
                    "activations live in the second memory")
          .required(),
      config::field("optimizer_offload", &Plan::optimizer_offload,
                    "optimizer state lives in the second memory")
          .required(),
      config::field("training", &Plan::training, "not only a forward pass").required()};

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
