// SPDX-License-Identifier: Apache-2.0
#include "orrery/generative/learning/pass_sampler.h"

#include <algorithm>
#include <cmath>

#include "orrery/core/random.h"

namespace orrery::generative {
namespace {

constexpr std::size_t kMaxTokens = 4096;  // of a pass

}  // namespace

/// One pass, token by token.
class PassSampler::Pass {
 public:
  Pass(const PassSampler& sampler, PassPlace place, std::uint64_t key)
      : sampler_(sampler),
        role_(sampler.job_.roles[place.role]),
        chunk_(chunk_of(role_, place.recipe)),
        factors_(factors_of(sampler.job_, place.role, chunk_)),
        conditions_(condition_numbers(sampler.learned_.conditions, sampler.settings_,
                                      pass_words(sampler.job_, place.role, place.recipe))),
        key_(key) {
    for (const std::uint32_t condition : conditions_) key_ = mix_bits(key_ ^ condition);
  }

  std::optional<std::vector<SampledSegment>> run() {
    while (tokens_.size() < kMaxTokens) {
      const std::optional<Token> token = next();
      if (!token) return std::nullopt;
      if (*token == kEnd) return std::move(segments_);
      tokens_.push_back(*token);
      take(*sampler_.learned_.symbols.find(*token));
    }
    return std::nullopt;
  }

 private:
  [[nodiscard]] std::int64_t layers() const {
    return factors_[static_cast<std::size_t>(Factor::layers)];
  }

  /// A token of the leaf; if the mask excludes all of them, of its parents.
  std::optional<Token> next() {
    const auto nodes = sampler_.learned_.trees.path(conditions_, tokens_);
    for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
      std::vector<std::pair<Token, double>> open;
      std::uint32_t most = 0;
      for (const auto& [token, count] : (*node)->counts) most = std::max(most, count);
      double total = 0;
      for (const auto& [token, count] : (*node)->counts) {
        if (!allows(token)) continue;
        total += std::pow(static_cast<double>(count) / most, 1 / sampler_.temperature_);
        open.emplace_back(token, total);
      }
      if (open.empty()) continue;
      const double drawn = total * uniform_double(mix_bits(key_ + tokens_.size()));
      const auto found = std::find_if(open.begin(), open.end(),
                                      [&](const auto& one) { return drawn < one.second; });
      return found == open.end() ? open.back().first : found->first;
    }
    return std::nullopt;
  }

  [[nodiscard]] bool allows(Token token) const {
    if (token == kEnd) return segments_.empty() || !segments_.back().ops.empty();
    const Symbol* symbol = sampler_.learned_.symbols.find(token);
    if (symbol == nullptr) return false;
    if (symbol->is_segment) {
      if (!segments_.empty() && segments_.back().ops.empty()) return false;
      return symbol->per_layer ? symbol->count < layers() : symbol->count > 0;
    }
    return !segments_.empty() && allows_op(*symbol);
  }

  [[nodiscard]] bool allows_op(const Symbol& symbol) const {
    const OpForm& form = sampler_.learned_.symbols.forms[symbol.form];
    const auto numbers = sampler_.learned_.symbols.numbers(symbol, factors_);
    if (!numbers) return false;
    const workload::Mesh& mesh = sampler_.job_.mesh;
    if (form.kind == graph::NodeKind::coll) return mesh.extent(form.axis) > 1;
    if (!graph::is_message(form.kind)) return true;
    const std::int64_t peer =
        role_.where.stage + (*numbers)[static_cast<std::size_t>(Number::peer_offset)];
    return form.axis == workload::Axis::pp && peer >= 0 && peer != role_.where.stage &&
           peer < static_cast<std::int64_t>(mesh.size(workload::Dim::pp));
  }

  void take(const Symbol& symbol) {
    if (symbol.is_segment) {
      segments_.push_back(
          {{},
           symbol.per_layer ? static_cast<std::uint32_t>(layers() - symbol.count) : symbol.count,
           symbol.per_layer});
      return;
    }
    segments_.back().ops.push_back(make_op(sampler_.learned_.symbols.forms[symbol.form],
                                           *sampler_.learned_.symbols.numbers(symbol, factors_),
                                           chunk_));
  }

  const PassSampler& sampler_;
  const workload::Role& role_;
  std::uint32_t chunk_;
  FactorValues factors_;
  std::vector<std::uint32_t> conditions_;
  std::uint64_t key_;
  std::vector<Token> tokens_;
  std::vector<SampledSegment> segments_;
};

std::optional<std::vector<SampledSegment>> PassSampler::sample(PassPlace place,
                                                               std::uint64_t key) const {
  return Pass(*this, place, key).run();
}

}  // namespace orrery::generative
