// SPDX-License-Identifier: Apache-2.0
//
// Replaces FBGEMM's operators on embedding tables and ragged data by PyTorch's operators.
// Recordings contain their schemas.
#include <algorithm>
#include <cstdint>

#include "addons/bench/operators/substitution_rules_internal.h"

namespace orrery::bench {
namespace {

std::int64_t count_of(const RecordedTensor& tensor) { return elements_of(tensor.spec).value_or(0); }

RecordedValue number_in(const Call& call, std::string_view called, std::int64_t otherwise) {
  const RecordedValue* const found = call.argument(called);
  return found != nullptr && found->kind == RecordedValue::Kind::integer
             ? *found
             : RecordedValue::of(otherwise);
}

RecordedValue list_of(const std::vector<std::int64_t>& numbers) {
  std::vector<RecordedValue> items;
  items.reserve(numbers.size());
  for (const std::int64_t number : numbers) items.push_back(RecordedValue::of(number));
  return RecordedValue::of(std::move(items));
}

/// All tensors in the arguments.
std::vector<RecordedValue> tensors_of(const Call& call) {
  std::vector<RecordedValue> tensors;
  for_each_recorded_tensor(call.arguments, [&](const RecordedTensor& tensor) {
    if (tensor.defined) tensors.push_back(RecordedValue::of(tensor));
  });
  return tensors;
}

SubstitutePart same_bytes(const Call& call) {
  SubstitutePart made;
  made.kind = SubstitutePart::Kind::stand_in;
  made.call.name = call.name;
  made.call.arguments = tensors_of(call);
  made.call.results = call.results;
  return made;
}

}  // namespace

/// All tables are concatenated in one array; the bags of all tables are in one list of offsets,
/// including the end. If all rows have the same length, this is a single table with all rows.
SubstituteParts fbgemm_lookup(const Call& call, RuleContext& context) {
  const RecordedTensor* const weights = tensor_in(call.argument("dev_weights"));
  const RecordedTensor* const indices = tensor_in(call.argument("indices"));
  const RecordedTensor* const offsets = tensor_in(call.argument("offsets"));
  if (weights == nullptr || indices == nullptr || offsets == nullptr || call.results.size() != 1)
    return std::nullopt;
  const RecordedTensor* const made = tensor_in(&call.results[0]);
  const std::int64_t width = number_in(call, "max_D", 0).integer;
  const std::int64_t bags = count_of(*offsets) - 1;
  if (made == nullptr || width <= 0 || bags <= 0 || count_of(*weights) < width) return std::nullopt;
  const TensorSpec pooled{made->spec.dtype, {bags, width}, {}, 0};
  if (elements_of(pooled) != elements_of(made->spec)) return std::nullopt;
  const std::int64_t rows = count_of(*weights) / width;
  const RecordedValue table = RecordedValue::of(context.new_tensor(
      {weights->spec.dtype, {rows, width}, {width, 1}, weights->spec.offset}, weights->storage));
  const RecordedValue bag = RecordedValue::of(context.new_tensor(pooled));
  const std::int64_t mode =
      std::clamp<std::int64_t>(number_in(call, "pooling_mode", 0).integer, 0, 1);
  const RecordedValue* const per_sample = call.argument("indice_weights");
  return std::vector{
      substitute_part("aten::as_strided",
                      {RecordedValue::of(*weights), list_of({rows, width}), list_of({width, 1})},
                      {table}),
      substitute_part(
          "aten::embedding_bag",
          {table, RecordedValue::of(*indices), RecordedValue::of(*offsets),
           RecordedValue::of(false), RecordedValue::of(mode), RecordedValue::of(false),
           per_sample == nullptr ? RecordedValue{} : *per_sample, RecordedValue::of(true)},
          {bag}),
      substitute_part("aten::reshape", {bag, list_of(made->spec.sizes)}, call.results)};
}

/// t → 0, t₀, t₀ + t₁, …
SubstituteParts fbgemm_cumsum(const Call& call, RuleContext& context) {
  if (call.arguments.empty() || call.results.size() != 1) return std::nullopt;
  const RecordedTensor* const lengths = tensor_in(call.arguments.data());
  if (lengths == nullptr || lengths->spec.sizes.size() != 1) return std::nullopt;
  const RecordedValue sums =
      RecordedValue::of(context.new_tensor({lengths->spec.dtype, lengths->spec.sizes, {}, 0}));
  SubstitutePart cumsum =
      substitute_part("aten::cumsum",
                      {RecordedValue::of(*lengths), RecordedValue::of(std::int64_t{0}),
                       RecordedValue::of(static_cast<std::int64_t>(lengths->spec.dtype))},
                      {sums});
  cumsum.call.names = {"self", "dim", "dtype"};
  return std::vector{
      std::move(cumsum),
      substitute_part("aten::constant_pad_nd",
                      {sums, list_of({1, 0}), RecordedValue::of(std::int64_t{0})}, call.results)};
}

/// Reorders rows of different lengths, and the data that belongs to them.
SubstituteParts fbgemm_permute(const Call& call, RuleContext&) {
  const RecordedTensor* const permute = tensor_in(call.argument("permute"));
  const RecordedTensor* const lengths = tensor_in(call.argument("lengths"));
  const RecordedTensor* const values = tensor_in(call.argument("values"));
  if (permute == nullptr || lengths == nullptr || values == nullptr || call.results.size() < 2)
    return std::nullopt;
  const RecordedTensor* const moved = tensor_in(&call.results[1]);
  if (moved == nullptr || moved->spec.sizes != values->spec.sizes) return std::nullopt;
  return std::vector{
      substitute_part("aten::index_select",
                      {RecordedValue::of(*lengths), RecordedValue::of(std::int64_t{0}),
                       RecordedValue::of(*permute)},
                      {call.results[0]}),
      substitute_part("aten::clone", {RecordedValue::of(*values)}, {call.results[1]})};
}

SubstituteParts fbgemm_check(const Call& call, RuleContext&) {
  return std::vector{same_bytes(call)};
}

SubstituteParts fbgemm_other(const Call& call, RuleContext&) {
  return std::vector{same_bytes(call)};
}

}  // namespace orrery::bench
