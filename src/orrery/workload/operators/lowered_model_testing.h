// SPDX-License-Identifier: Apache-2.0
//
// Small models, and sums over lowered parts, for tests.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/workload/operators/lowered_model.h"

namespace orrery::workload {

/// A small GPT.
inline Spec gpt() {
  Spec spec;
  spec.model.layers = 3;
  spec.model.hidden = 512;
  spec.model.heads = 8;
  spec.model.vocab = 1024;
  spec.model.max_positions = 2048;
  spec.model.dropout = true;
  spec.batch.seq = 256;
  spec.batch.micro = 4;
  spec.kernels.flash_attention = false;
  return spec;
}

/// A small LLaMA.
inline Spec llama() {
  Spec spec = gpt();
  spec.model.kv_heads = 4;
  spec.model.ffn = 1376;
  spec.model.mlp = Mlp::swiglu;
  spec.model.norm = Norm::rmsnorm;
  spec.model.positions = Positions::rope;
  spec.model.qkv_bias = spec.model.out_bias = spec.model.mlp_bias = false;
  spec.model.tied_embeddings = false;
  spec.model.dropout = false;
  spec.kernels.flash_attention = true;
  return spec;
}

/// FLOPs of matrix products of one part: forward, backward, and repeated ones (`again`).
struct Products {
  std::int64_t forward = 0;
  std::int64_t backward = 0;
  std::int64_t again = 0;
};

inline Products products_of(const LoweredPart& part) {
  Products sum;
  for (const Op& op : part.forward) {
    sum.forward += op.matmul - op.repeated_flops;
    sum.again += op.repeated_flops;
  }
  for (const Op& op : part.backward) {
    if (op.phase == Phase::recompute) {
      sum.again += op.matmul;
    } else {
      sum.backward += op.matmul - op.repeated_flops;
      sum.again += op.repeated_flops;
    }
  }
  return sum;
}

inline std::int64_t bytes_of(const std::vector<RetainedTensor>& items) {
  std::int64_t sum = 0;
  for (const RetainedTensor& item : items) sum += item.bytes;
  return sum;
}

/// Number and total size of the collectives of one kind ("all_reduce tp").
struct Traffic {
  std::int64_t count = 0;
  std::int64_t size = 0;
  friend bool operator==(const Traffic&, const Traffic&) = default;
  friend void PrintTo(const Traffic& traffic, std::ostream* out) {
    *out << traffic.count << " of " << traffic.size << " bytes";
  }
};

inline std::string traffic_kind(const Op& op) {
  if (op.kind == graph::NodeKind::send) return "send " + std::string(name(op.axis));
  if (op.kind == graph::NodeKind::recv) return "recv " + std::string(name(op.axis));
  const char* type = "other ";
  switch (op.collective) {
    case graph::CollectiveType::all_reduce:
      type = "all_reduce ";
      break;
    case graph::CollectiveType::all_gather:
      type = "all_gather ";
      break;
    case graph::CollectiveType::reduce_scatter:
      type = "reduce_scatter ";
      break;
    case graph::CollectiveType::all_to_all:
      type = "all_to_all ";
      break;
    default:
      break;
  }
  return type + std::string(name(op.axis));
}

inline std::map<std::string, Traffic> traffic_of(const std::vector<Op>& ops) {
  std::map<std::string, Traffic> sums;
  for (const Op& op : ops) {
    if (op.op_class != OpClass::communication) continue;
    Traffic& sum = sums[traffic_kind(op)];
    ++sum.count;
    sum.size += op.size;
  }
  return sums;
}

inline const Op* find(const std::vector<Op>& ops, std::string_view name) {
  for (const Op& op : ops)
    if (op.name == name) return &op;
  ADD_FAILURE() << "no op " << name;
  return nullptr;
}

inline bool waits_for(const Op& op, Stream stream) {
  for (const Stream each : op.waits)
    if (each == stream) return true;
  return false;
}

inline LoweredModel must_lower(const Spec& spec, const Position& where = {}) {
  Result<LoweredModel> model = lower_language_model(spec, Mesh(spec), where);
  if (!model) {
    ADD_FAILURE() << to_string(model.error());
    return {};
  }
  return std::move(*model);
}

/// The first part with this name.
inline const LoweredPart& part_of(const LoweredModel& model, std::string_view name) {
  for (const LoweredPart& part : model.parts)
    if (part.part.name == name) return part;
  ADD_FAILURE() << "no part " << name;
  return model.parts.front();
}

/// Checks the contract of LoweredPart: results are computed, and the pass has waited for all
/// communication except sends.
inline void expect_whole(const std::vector<Op>& ops, const std::string& where) {
  std::set<Stream> open;
  std::set<Stream> marked;
  for (const Op& op : ops) {
    if (op.stream != stream::compute) {
      if (op.marks != stream::none) {
        marked.insert(op.marks);  // for a weight gradient
      } else if (op.kind != graph::NodeKind::send) {
        for (const Stream each : op.waits)
          open.erase(each);  // a wait for this op includes its own
                             // waits
        open.insert(op.stream);
      }
      continue;
    }
    // An op that may run later cannot wait on behalf of others.
    if (op.phase == Phase::weight_grad) {
      for (const Stream each : op.waits)
        if (each != stream::none && each >= stream::layer_register) {
          EXPECT_TRUE(marked.count(each)) << where << ": " << op.name;
        }
      continue;
    }
    for (const Stream each : op.waits) open.erase(each);
  }
  EXPECT_TRUE(open.empty()) << where << ": stream " << (open.empty() ? 0 : *open.begin());
}

}  // namespace orrery::workload
