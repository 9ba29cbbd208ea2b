// SPDX-License-Identifier: Apache-2.0
//
// The products that can explain sizes, simple ones first.
#include <algorithm>
#include <set>

#include "orrery/generative/sizes/mining.h"

namespace orrery::generative {
namespace {

using F = Factor;
using Factors = std::vector<Factor>;

const std::vector<Factors> kAmounts = {{},
                                       {F::tokens},
                                       {F::sharded_tokens},
                                       {F::sequences},
                                       {F::sequence_length},
                                       {F::tokens, F::sequence_length},
                                       {F::tokens, F::tp_peers},
                                       {F::sharded_tokens, F::sequence_length},
                                       {F::tokens, F::chosen_experts},
                                       {F::sharded_tokens, F::chosen_experts},
                                       {F::layers}};
const std::vector<Factors> kWidths = {{},
                                      {F::hidden},
                                      {F::query_width},
                                      {F::kv_width},
                                      {F::qkv_width},
                                      {F::heads},
                                      {F::kv_heads},
                                      {F::head_size},
                                      {F::ffn},
                                      {F::vocabulary},
                                      {F::experts},
                                      {F::expert_ffn},
                                      {F::hidden, F::query_width},
                                      {F::hidden, F::qkv_width},
                                      {F::hidden, F::ffn},
                                      {F::hidden, F::vocabulary},
                                      {F::hidden, F::experts},
                                      {F::hidden, F::expert_ffn},
                                      {F::layer_weights},
                                      {F::expert_layer_weights},
                                      {F::experts_weights},
                                      {F::embedding_weights},
                                      {F::head_weights},
                                      {F::stage_weights},
                                      {F::stage_experts_weights},
                                      {F::replicated_weights},
                                      {F::layer_shard},
                                      {F::expert_layer_shard},
                                      {F::experts_shard},
                                      {F::embedding_shard},
                                      {F::head_shard},
                                      {F::stage_shard},
                                      {F::stage_experts_shard},
                                      {F::parts_shard},
                                      {F::parts_experts_shard},
                                      {F::replicated_shard},
                                      {F::tp},
                                      {F::tp_peers},
                                      {F::stages},
                                      {F::stage},
                                      {F::chunk}};
const std::vector<Factors> kDivisors = {
    {},      {F::tp},        {F::cp},        {F::tp, F::cp},
    {F::ep}, {F::expert_tp}, {F::expert_dp}, {F::ep, F::expert_tp},
    {F::dp}, {F::tp, F::ep}};

std::vector<std::uint8_t> numbers(const Factors& a, const Factors& b = {}) {
  std::vector<std::uint8_t> made;
  for (const Factors* part : {&a, &b})
    for (const Factor factor : *part) made.push_back(static_cast<std::uint8_t>(factor));
  std::sort(made.begin(), made.end());
  return made;
}

std::vector<Product> sorted(const std::set<Product>& products) {
  std::vector<Product> made(products.begin(), products.end());
  std::stable_sort(made.begin(), made.end(), [](const Product& a, const Product& b) {
    return a.above.size() + 2 * a.below.size() < b.above.size() + 2 * b.below.size();
  });
  return made;
}

std::vector<Product> build_dimension_products() {
  std::set<Product> made;
  for (const Factors& divisors : kDivisors)
    for (const Factors& width : kWidths)
      for (const Factors& amount : kAmounts)
        made.insert({numbers(amount, width), numbers(divisors)});
  return sorted(made);
}

void extend(const Product& from, std::size_t first, std::set<Product>& made) {
  made.insert(from);
  if (from.above.size() == kMaxProduct) return;
  for (std::size_t i = first; i <= graph::kKernelSizes; ++i) {  // the last: launches
    const auto number = static_cast<std::uint8_t>(kFactors + i);
    if (std::count(from.above.begin(), from.above.end(), number) == 2) continue;
    Product next = from;
    next.above.push_back(number);
    extend(next, i, made);
  }
}

std::vector<Product> build_size_products() {
  std::set<Product> made;
  extend({}, 0, made);
  return sorted(made);
}

}  // namespace

const std::vector<Product>& dimension_products() {
  static const std::vector<Product> products = build_dimension_products();
  return products;
}

const std::vector<Product>& size_products() {
  static const std::vector<Product> products = build_size_products();
  return products;
}

}  // namespace orrery::generative
