// SPDX-License-Identifier: Apache-2.0
#include "addons/bench/operators/substitution_rules.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <utility>

#include "addons/bench/operators/substitution_rules_internal.h"

namespace orrery::bench {
namespace {

using Kind = RecordedValue::Kind;

const RecordedValue& argument(const Call& call, std::size_t i) {
  static const RecordedValue none;
  return i < call.arguments.size() ? call.arguments[i] : none;
}

std::vector<RecordedValue> first_results(const Call& call, std::size_t count) {
  return {call.results.begin(),
          call.results.begin() + static_cast<std::ptrdiff_t>(std::min(count, call.results.size()))};
}

/// Only creates the results from index `from` on.
void add_rest(const Call& call, std::size_t from, std::vector<SubstitutePart>& parts) {
  if (call.results.size() <= from) return;
  SubstitutePart rest;
  rest.kind = SubstitutePart::Kind::absent;
  rest.call.name = call.name;
  rest.call.results.assign(call.results.begin() + static_cast<std::ptrdiff_t>(from),
                           call.results.end());
  parts.push_back(std::move(rest));
}

/// cudnn_batch_norm and miopen_batch_norm have the arguments of native_batch_norm.
SubstituteParts batch_norm(const Call& call, RuleContext&) {
  if (call.arguments.size() < 8) return std::nullopt;
  std::vector<SubstitutePart> parts = {substitute_part(
      "aten::native_batch_norm", {call.arguments.begin(), call.arguments.begin() + 8},
      first_results(call, 3))};
  add_rest(call, 3, parts);
  return parts;
}

/// (input, grad_output, weight, running_mean, running_var, save_mean, save_var, epsilon[, reserve])
SubstituteParts batch_norm_backward(const Call& call, RuleContext&) {
  if (call.arguments.size() < 8) return std::nullopt;
  const auto& a = call.arguments;
  return std::vector{substitute_part(
      "aten::native_batch_norm_backward",
      {a[1], a[0], a[2], a[3], a[4], a[5], a[6], RecordedValue::of(true), a[7],
       RecordedValue::of(
           std::vector{RecordedValue::of(true), RecordedValue::of(true), RecordedValue::of(true)})},
      call.results)};
}

/// (self, weight, padding, stride, dilation, groups, …)
SubstituteParts convolution(const Call& call, RuleContext&) {
  if (call.arguments.size() < 6 || argument(call, 2).kind != Kind::list) return std::nullopt;
  const auto& a = call.arguments;
  std::vector<RecordedValue> none_added(a[2].items.size(), RecordedValue::of(std::int64_t{0}));
  return std::vector{
      substitute_part("aten::convolution",
                      {a[0], a[1], RecordedValue{}, a[3], a[2], a[4], RecordedValue::of(false),
                       RecordedValue::of(std::move(none_added)), a[5]},
                      call.results)};
}

/// (query, key, value, …): the unfused operators.
SubstituteParts attention(const Call& call, RuleContext&) {
  if (call.arguments.size() < 3) return std::nullopt;
  std::vector<SubstitutePart> parts = {substitute_part(
      "aten::_scaled_dot_product_attention", {call.arguments.begin(), call.arguments.begin() + 3},
      first_results(call, 1))};
  add_rest(call, 1, parts);
  return parts;
}

/// One call per tensor of the lists.
SubstituteParts foreach_one(const Call& call, RuleContext&) {
  constexpr std::string_view kPrefix = "aten::_foreach_";
  const RecordedValue& self = argument(call, 0);
  if (self.kind != Kind::list) return std::nullopt;
  const std::size_t count = self.items.size();
  for (const RecordedValue& value : call.arguments) {
    if (value.kind == Kind::list && value.items.size() != count) return std::nullopt;
  }
  std::vector<SubstitutePart> parts;
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<RecordedValue> arguments, results;
    for (const RecordedValue& value : call.arguments)
      arguments.push_back(value.kind == Kind::list ? value.items[i] : value);
    for (const RecordedValue& result : call.results) {
      if (result.kind != Kind::list || i >= result.items.size()) return std::nullopt;
      results.push_back(result.items[i]);
    }
    parts.push_back(substitute_part("aten::" + call.name.substr(kPrefix.size()),
                                    std::move(arguments), std::move(results)));
    parts.back().call.names = call.names;
  }
  return parts;
}

SubstituteParts omit(const Call&, RuleContext&) { return std::vector<SubstitutePart>{}; }

/// Pinning of host memory is a copy if there is no device.
SubstituteParts pinned(const Call& call, RuleContext&) {
  if (call.arguments.empty()) return std::nullopt;
  return std::vector{substitute_part("aten::clone", {call.arguments[0]}, call.results)};
}

/// Its source is a storage, which has no id in recordings: its result becomes a new tensor.
SubstituteParts set_storage(const Call& call, RuleContext&) {
  if (argument(call, 1).kind != Kind::other) return std::nullopt;
  std::vector<SubstitutePart> parts;
  add_rest(call, 0, parts);
  return parts;
}

constexpr std::array kRules = {
    SubstitutionRule{"streams", "aten::record_stream",
                     "omitted: it only extends the lifetime of memory on streams", true, omit},
    SubstitutionRule{"pinned", "aten::pin_memory", "a copy in pageable memory", true, pinned},
    SubstitutionRule{"pinned", "aten::_pin_memory", "a copy in pageable memory", true, pinned},
    SubstitutionRule{"set-storage", "aten::set_", "creates the recorded result", true, set_storage},
    SubstitutionRule{"batch-norm", "aten::cudnn_batch_norm", "native_batch_norm", false,
                     batch_norm},
    SubstitutionRule{"batch-norm", "aten::miopen_batch_norm", "native_batch_norm", false,
                     batch_norm},
    SubstitutionRule{"batch-norm", "aten::cudnn_batch_norm_backward", "native_batch_norm_backward",
                     false, batch_norm_backward},
    SubstitutionRule{"batch-norm", "aten::miopen_batch_norm_backward", "native_batch_norm_backward",
                     false, batch_norm_backward},
    SubstitutionRule{"convolution", "aten::cudnn_convolution", "convolution", false, convolution},
    SubstitutionRule{"convolution", "aten::miopen_convolution", "convolution", false, convolution},
    SubstitutionRule{"attention", "aten::_scaled_dot_product_flash_attention*",
                     "_scaled_dot_product_attention", false, attention},
    SubstitutionRule{"attention", "aten::_scaled_dot_product_efficient_attention",
                     "_scaled_dot_product_attention", false, attention},
    SubstitutionRule{"attention", "aten::_scaled_dot_product_cudnn_attention",
                     "_scaled_dot_product_attention", false, attention},
    SubstitutionRule{"foreach", "aten::_foreach_*", "one operator per tensor", false, foreach_one},
    SubstitutionRule{"fbgemm-lookup", "fbgemm::split_embedding_codegen_lookup_*", "embedding_bag",
                     false, fbgemm_lookup},
    SubstitutionRule{"fbgemm-lookup", "fbgemm::dense_embedding_codegen_lookup_*", "embedding_bag",
                     false, fbgemm_lookup},
    SubstitutionRule{"fbgemm-cumsum", "fbgemm::asynchronous_complete_cumsum",
                     "cumsum with a leading zero", false, fbgemm_cumsum},
    SubstitutionRule{"fbgemm-permute", "fbgemm::permute_2D_sparse_data", "index_select and a copy",
                     false, fbgemm_permute},
    SubstitutionRule{"fbgemm-check", "fbgemm::bounds_check_indices", "reads the same bytes", false,
                     fbgemm_check},
    SubstitutionRule{"fbgemm", "fbgemm::*", "reads and writes the same bytes", false, fbgemm_other},
};

/// Words in the name of a fused kernel that are not operations.
bool is_frame(std::string_view word) {
  static constexpr std::array<std::string_view, 8> kFrame = {"triton", "poi",   "red", "per",
                                                             "tem",    "fused", "for", "unk"};
  const bool number =
      std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
  return word.empty() || number || std::find(kFrame.begin(), kFrame.end(), word) != kFrame.end();
}

double operations_in(std::string_view kernel) {
  double count = 0;
  while (!kernel.empty()) {
    const std::size_t end = std::min(kernel.find('_'), kernel.size());
    if (!is_frame(kernel.substr(0, end))) ++count;
    kernel.remove_prefix(std::min(end + 1, kernel.size()));
  }
  return std::max(count, 1.0);
}

}  // namespace

RecordedTensor RuleContext::new_tensor(TensorSpec spec, std::uint64_t storage) {
  RecordedTensor made;
  made.id = next_++;
  made.storage = storage != 0 ? storage : next_++;
  made.spec = std::move(spec);
  return made;
}

std::span<const SubstitutionRule> rules() { return kRules; }

SubstitutePart triton_stand_in(std::string_view kernel, std::vector<RecordedValue> arguments) {
  SubstitutePart made;
  made.kind = SubstitutePart::Kind::stand_in;
  made.call.name = std::string(kernel);
  double most = 0, product = 1;
  for_each_recorded_tensor(arguments, [&](const RecordedTensor& tensor) {
    const auto elements = static_cast<double>(elements_of(tensor.spec).value_or(0));
    most = std::max(most, elements);
    product *= elements;
  });
  // The matrices of a product have m·k, k·n and m·n elements.
  const bool matrices = kernel.find("_tem_") != std::string_view::npos;
  made.flops = matrices ? 2 * std::sqrt(product) : most * operations_in(kernel);
  if (!std::isfinite(made.flops)) made.flops = 0;
  // Inductor passes the output last.
  while (!arguments.empty() && arguments.back().kind != Kind::tensor) arguments.pop_back();
  if (!arguments.empty()) {
    made.written.push_back(std::move(arguments.back()));
    arguments.pop_back();
  }
  made.call.arguments = std::move(arguments);
  return made;
}

}  // namespace orrery::bench
