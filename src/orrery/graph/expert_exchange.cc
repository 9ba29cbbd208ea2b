// SPDX-License-Identifier: Apache-2.0
#include "orrery/graph/expert_exchange.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "orrery/core/enum_names.h"

namespace orrery::graph {
namespace {

/// Reads "key=number". False: `word` has another form, or the number is 0 or out of range.
template <class Number>
bool read_field(std::string_view word, std::string_view key, Number& out) {
  if (!word.starts_with(key) || word.size() <= key.size() || word[key.size()] != '=') return false;
  word.remove_prefix(key.size() + 1);
  const char* end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, out);
  return error == std::errc{} && stop == end && out > 0;
}

std::string_view next_field(std::string_view& text) {
  const std::size_t end = text.find(' ');
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return word;
}

}  // namespace

double probability_any_expert_reached(double there, int top_k, int experts) {
  const double all = experts;
  double missed = 1;
  for (int k = 0; k < top_k && missed > 0; ++k)
    missed *= std::max(0.0, all - there - k) / (all - k);
  return 1 - missed;
}

std::string_view name(ExpertTransport transport) {
  constexpr auto kNames = enumerator_names<ExpertTransport::in_network>(
      "none", "deepep", "deepep_low_latency", "hybridep", "in_network");
  return kNames[static_cast<std::size_t>(transport)];
}

std::string to_text(const ExpertExchange& exchange) {
  return fmt::format("{} {} experts={} top_k={} row={}",
                     exchange.is_combine() ? "combine" : "dispatch", name(exchange.transport()),
                     exchange.experts, exchange.top_k, exchange.token_bytes);
}

std::optional<ExpertExchange> parse_expert_exchange(std::string_view text) {
  ExpertExchange exchange;
  const std::string_view which = next_field(text), transport = next_field(text);
  if (which != "combine" && which != "dispatch") return std::nullopt;
  for (const ExpertTransport known : {ExpertTransport::deepep, ExpertTransport::deepep_low_latency,
                                      ExpertTransport::hybridep, ExpertTransport::in_network})
    if (transport == name(known)) exchange.set(known, which == "combine");
  if (!exchange) return std::nullopt;
  if (!read_field(next_field(text), "experts", exchange.experts) ||
      !read_field(next_field(text), "top_k", exchange.top_k) ||
      !read_field(next_field(text), "row", exchange.token_bytes) || !text.empty())
    return std::nullopt;
  if (exchange.top_k > exchange.experts) return std::nullopt;
  return exchange;
}

}  // namespace orrery::graph
