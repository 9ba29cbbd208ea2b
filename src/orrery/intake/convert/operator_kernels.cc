// SPDX-License-Identifier: Apache-2.0
#include "orrery/intake/convert/operator_kernels.h"

#include <algorithm>
#include <string_view>

#include "orrery/trace/operators/gradients.h"
#include "orrery/trace/operators/operator_kernel.h"

namespace orrery::intake {
namespace {

using graph::Kernel;
using graph::Operation;
using graph::Pass;
using profile::EventId;
using profile::kNoEvent;
using trace::operators::ArgumentTexts;
using MaybeKernel = std::optional<Kernel>;

constexpr int kMaxNesting = 16;  // maximum nesting that is searched

bool is_matrix_product(const Kernel& kernel) {
  return kernel.operation == Operation::gemm || kernel.operation == Operation::batched_gemm;
}

bool is_product_operator(std::string_view name) {
  for (const std::string_view known :
       {"aten::mm", "aten::addmm", "aten::bmm", "aten::baddbmm", "aten::_addmm_activation"})
    if (name == known) return true;
  return false;
}

/// True if a reduction computes the gradient of a product's bias. Autograd runs it after the node,
/// inside the enclosing event.
bool contains_bias_gradient(std::string_view around) {
  for (const std::string_view known : {"AddmmBackward", "BaddbmmBackward", "LinearBackward"})
    if (around.find(known) != std::string_view::npos) return true;
  return false;
}

}  // namespace

OperatorKernels::OperatorKernels(const profile::Profile& profile) : profile_(profile) {
  infer_gradients();
}

OperatorKernels::Role OperatorKernels::role_of(StringId name) {
  const auto number = static_cast<std::size_t>(name);
  if (number >= roles_.size()) roles_.resize(number + 1, Role::unseen);
  Role& role = roles_[number];
  if (role != Role::unseen) return role;
  const std::string_view text = profile_.string(name);
  role = is_product_operator(text)                   ? Role::product
         : text == "aten::linear"                    ? Role::linear
         : text == "torch::autograd::AccumulateGrad" ? Role::accumulation
         : trace::operators::is_autograd_node(text)  ? Role::autograd
                                                     : Role::none;
  return role;
}

EventId OperatorKernels::enclosing(EventId op, Role role) {
  EventId at = profile_.events[op].parent;
  for (int i = 0; i < kMaxNesting && at != kNoEvent; ++i, at = profile_.events[at].parent)
    if (role_of(profile_.events[at].name) == role) return at;
  return kNoEvent;
}

const MaybeKernel& OperatorKernels::cached_kernel(const Texts& key,
                                                  const ArgumentTexts& arguments) {
  const StringId name = std::get<0>(key), values = std::get<3>(key);
  const auto infer = [&]() -> MaybeKernel {
    const auto read = trace::operators::Arguments::read(arguments);
    return read ? kernel_of_operator(profile_.string(name), *read) : std::nullopt;
  };
  const bool has_key = values != StringId::empty || arguments.values.empty() ||
                       !trace::operators::reads_values(profile_.string(name));
  if (!has_key) return uncached_ = infer();
  const auto [at, added] = kernel_of_texts_.try_emplace(key);
  if (added) at->second = infer();
  return at->second;
}

MaybeKernel OperatorKernels::recorded_kernel(EventId op) {
  const profile::Event& event = profile_.events[op];
  if (event.kind != profile::Kind::op || event.detail == profile::kNone) return std::nullopt;
  const profile::Node* node = profile_.node(op);
  if (node != nullptr && node->input_shapes != StringId::empty)
    return cached_kernel({event.name, node->input_shapes, node->input_types, StringId::empty},
                         {profile_.string(node->input_shapes), profile_.string(node->input_types),
                          profile_.texts.view(node->inputs)});
  const profile::Op& is = profile_.ops[event.detail];
  if (is.dims == StringId::empty) return std::nullopt;
  return cached_kernel(
      {event.name, is.dims, is.types, is.concrete},
      {profile_.string(is.dims), profile_.string(is.types), profile_.string(is.concrete)});
}

MaybeKernel OperatorKernels::forward_kernel(EventId op) {
  auto kernel = recorded_kernel(op);
  if (kernel && kernel->operation == Operation::gemm && enclosing(op, Role::linear) != kNoEvent)
    kernel->traits |= graph::kTransposedB;
  return kernel;
}

void OperatorKernels::infer_gradients() {
  std::map<EventId, std::vector<EventId>> under;  // autograd node → its products
  for (EventId e = 0; e < profile_.events.size(); ++e) {
    const profile::Event& event = profile_.events[e];
    if (event.kind != profile::Kind::op || role_of(event.name) != Role::product) continue;
    if (const EventId node = enclosing(e, Role::autograd); node != kNoEvent) {
      under[node].push_back(e);
    } else if (event.detail != profile::kNone && profile_.op(e).sequence >= 0) {
      products_[profile_.op(e).sequence].push_back(e);
    }
  }
  for (auto& [node, products] : under) {
    std::stable_sort(products.begin(), products.end(), [&](EventId a, EventId b) {
      return profile_.events[a].start < profile_.events[b].start;
    });
    infer_gradients(node, products);
  }
}

void OperatorKernels::infer_gradients(EventId node, std::span<const EventId> products) {
  const auto kind = trace::operators::product_gradients_of(profile_.name(node));
  if (!kind) return;
  std::vector<Kernel> gradients, candidates;
  for (const EventId e : products) gradients.push_back(recorded_kernel(e).value_or(Kernel{}));
  const profile::Event& event = profile_.events[node];
  const std::int64_t sequence =
      event.detail == profile::kNone ? -1 : profile_.ops[event.detail].sequence;
  if (const auto found = products_.find(sequence); found != products_.end())
    for (const EventId e : found->second)
      if (const auto kernel = forward_kernel(e)) candidates.push_back(*kernel);
  const std::vector<Pass> passes = trace::operators::gradient_passes(*kind, gradients, candidates);
  const bool plain_weights = !candidates.empty() && !candidates.front().has(graph::kTransposedB);
  for (std::size_t i = 0; i < products.size(); ++i)
    gradients_[products[i]] = {passes[i], plain_weights};
}

MaybeKernel OperatorKernels::of(EventId op) {
  auto kernel = forward_kernel(op);
  if (!kernel) return kernel;
  if (is_matrix_product(*kernel)) {
    const auto gradient = gradients_.find(op);
    if (gradient != gradients_.end() && gradient->second.pass != Pass::forward)
      trace::operators::make_gradient(*kernel, gradient->second.pass,
                                      gradient->second.plain_weights);
    return kernel;
  }
  if (kernel->pass != Pass::forward) return kernel;
  const EventId parent = profile_.events[op].parent;
  const bool is_after_node = parent != kNoEvent && profile_.name(parent).starts_with(
                                                       "autograd::engine::evaluate_function: ");
  switch (kernel->operation) {
    case Operation::elementwise:
    case Operation::activation:
    case Operation::reduction:
      if (enclosing(op, Role::accumulation) != kNoEvent) {
        kernel->pass = Pass::weight_grad;
      } else if (is_after_node && kernel->operation == Operation::reduction) {
        kernel->pass =
            contains_bias_gradient(profile_.name(parent)) ? Pass::weight_grad : Pass::input_grad;
      } else if (is_after_node || enclosing(op, Role::autograd) != kNoEvent) {
        kernel->pass = Pass::input_grad;
      }
      return kernel;
    default:
      return kernel;
  }
}

bool OperatorKernels::states_kernel(const profile::CapturedOperator& captured) const {
  const std::string_view text = profile_.string(captured.concrete);
  return !text.empty() && text.front() != '[';
}

MaybeKernel OperatorKernels::of(const profile::CapturedOperator& captured) {
  if (captured.dims == StringId::empty) return std::nullopt;
  if (states_kernel(captured)) return graph::parse_kernel(profile_.string(captured.concrete));
  return cached_kernel({captured.name, captured.dims, captured.types, captured.concrete},
                       {profile_.string(captured.dims), profile_.string(captured.types),
                        profile_.string(captured.concrete)});
}

}  // namespace orrery::intake
