// SPDX-License-Identifier: Apache-2.0
#include "addons/bench/outcome/operator_work.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "addons/bench/operators/operator_schema.h"
#include "addons/bench/recording/name_pattern.h"

namespace orrery::bench {
namespace {

using graph::Operation;

constexpr std::array<std::string_view, kWorkClasses> kClassNames = {
    "products",     "convolutions", "attention",  "normalization", "softmax and losses",
    "element-wise", "reductions",   "pooling",    "embedding",     "optimizer",
    "copies",       "views",        "allocation", "communication", "other"};

/// Operators without a kernel in trace::operators.
struct NamedClass {
  std::string_view name;  ///< '*' at its end matches any suffix
  WorkClass kind;
};
constexpr std::array kNamedClasses = {
    NamedClass{"c10d::*", WorkClass::communication},
    NamedClass{"_c10d_functional::*", WorkClass::communication},
    NamedClass{"record_param_comms", WorkClass::communication},
    NamedClass{"aten::empty*", WorkClass::allocation},
    NamedClass{"aten::new_empty*", WorkClass::allocation},
    NamedClass{"aten::resize_*", WorkClass::allocation},
    NamedClass{"aten::_local_scalar_dense", WorkClass::copy},
    NamedClass{"aten::index", WorkClass::copy},
    NamedClass{"aten::index.*", WorkClass::copy},
    NamedClass{"aten::contiguous", WorkClass::copy},
    NamedClass{"aten::clone", WorkClass::copy},
    NamedClass{"aten::zero_", WorkClass::elementwise},
    NamedClass{"aten::fill_", WorkClass::elementwise},
    NamedClass{"aten::zeros*", WorkClass::elementwise},
    NamedClass{"aten::ones*", WorkClass::elementwise},
    NamedClass{"aten::cumsum", WorkClass::reduction},
    NamedClass{"aten::detach_", WorkClass::view},
    NamedClass{"aten::as_strided_", WorkClass::view},
    NamedClass{"fbgemm::permute*", WorkClass::copy},
    NamedClass{"fbgemm::asynchronous_*", WorkClass::reduction},
    NamedClass{"fbgemm::dense_embedding*", WorkClass::embedding},
    NamedClass{"fbgemm::split_embedding*", WorkClass::embedding},
    NamedClass{"aten::scaled_dot_product_attention", WorkClass::attention},
    NamedClass{"aten::_scaled_dot_product*", WorkClass::attention},
    NamedClass{"aten::_transform_bias_rescale_qkv*", WorkClass::attention},
};

/// Whether it returns memory that it received, without writing to it.
bool only_views(std::string_view text) {
  const auto schema = parse_schema(text);
  if (!schema || schema->returns.empty()) return false;
  return std::all_of(schema->returns.begin(), schema->returns.end(),
                     [](const ParameterType& type) { return type.aliases && !type.written; });
}

bool moves_nothing(WorkClass kind) {
  return kind == WorkClass::view || kind == WorkClass::allocation;
}

std::optional<WorkClass> class_by_name(std::string_view name) {
  for (const NamedClass& one : kNamedClasses)
    if (matches(one.name, name)) return one.kind;
  return std::nullopt;
}

}  // namespace

std::string_view name(WorkClass kind) { return kClassNames[static_cast<std::size_t>(kind)]; }

WorkClass class_of(Operation operation) {
  switch (operation) {
    case Operation::gemm:
    case Operation::batched_gemm:
    case Operation::grouped_gemm:
    case Operation::interaction:
      return WorkClass::product;
    case Operation::attention:
      return WorkClass::attention;
    case Operation::convolution:
      return WorkClass::convolution;
    case Operation::layer_norm:
    case Operation::rms_norm:
    case Operation::batch_norm:
      return WorkClass::normalization;
    case Operation::softmax:
    case Operation::cross_entropy:
      return WorkClass::softmax;
    case Operation::activation:
    case Operation::rotary:
    case Operation::dropout:
    case Operation::elementwise:
    case Operation::cast:
      return WorkClass::elementwise;
    case Operation::reduction:
      return WorkClass::reduction;
    case Operation::embedding:
    case Operation::embedding_bag:
      return WorkClass::embedding;
    case Operation::optimizer:
      return WorkClass::optimizer;
    case Operation::router:
    case Operation::permute:
    case Operation::copy:
    case Operation::transfer:
      return WorkClass::copy;
    case Operation::pooling:
      return WorkClass::pooling;
    case Operation::unsaid:
      break;
  }
  return WorkClass::other;
}

WorkCounter::WorkCounter(const profile::Profile& profile, const InnerOperators& inside)
    : profile_(profile), inside_(inside), kernels_(profile) {}

/// The work of the operator itself, without callees.
Work WorkCounter::alone(profile::EventId event) {
  Work work;
  const std::string_view schema = profile_.string(profile_.node(event)->schema);
  if (const auto kernel = kernels_.of(event)) {
    work.kind = class_of(kernel->operation);
    work.known = true;
    work.flops = static_cast<double>(kernel->flops);
    work.bytes = static_cast<double>(kernel->bytes);
  } else if (const auto named = class_by_name(profile_.name(event))) {
    work.kind = *named;
    work.known = moves_nothing(work.kind);
  } else if (only_views(schema)) {
    work.kind = WorkClass::view;
    work.known = true;
  }
  return work;
}

Work WorkCounter::of(profile::EventId event) {
  Work sum = alone(event);
  if (sum.known && sum.kind != WorkClass::view) return sum;
  // Adds the callees; the callees of operators with known work are skipped.
  std::vector<profile::EventId> open(inside_.inner_operators(event));
  if (open.empty()) return sum;
  const WorkClass own = sum.kind;
  std::pair<double, double> most{-1, -1};
  sum.known = true;
  while (!open.empty()) {
    const profile::EventId e = open.back();
    open.pop_back();
    const Work work = alone(e);
    const std::vector<profile::EventId>& called = inside_.inner_operators(e);
    if (!work.known && !called.empty()) {
      open.insert(open.end(), called.begin(), called.end());
      continue;
    }
    sum.known = sum.known && work.known;
    sum.flops += work.flops;
    sum.bytes += work.bytes;
    const std::pair<double, double> weight{work.flops, work.bytes};
    if (work.kind == WorkClass::other || weight < most || (weight == most && work.kind > sum.kind))
      continue;
    most = weight;
    if (own == WorkClass::other || own == WorkClass::view) sum.kind = work.kind;
  }
  // An operator that calls others only for allocations does its work itself.
  if (moves_nothing(sum.kind) && !moves_nothing(own)) sum.kind = own;
  if (!moves_nothing(sum.kind) && most.second <= 0 && most.first <= 0) sum.known = false;
  return sum;
}

}  // namespace orrery::bench
