// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/collective/nccl/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "orrery/core/text/text.h"

namespace orrery::model {

using nccl::Sets;
using std::string_view;

namespace {

/// The valid names of a setting.
struct Words {
  string_view what;  ///< "algorithm", for messages
  string_view all;   ///< all names, for messages
  std::size_t count = 0;
  std::optional<std::size_t> (*place)(string_view word) = nullptr;
};

constexpr std::uint8_t all_of(std::size_t count) {
  return static_cast<std::uint8_t>((1U << count) - 1);
}

/// The text in lower case, without blanks around it.
std::string bare(string_view text) {
  std::string word;
  for (const char c : text) word += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  while (!word.empty() && word.back() == ' ') word.pop_back();
  return word.substr(std::min(word.find_first_not_of(' '), word.size()));
}

/// Removes the text up to `mark`, and `mark`, from `text`; returns the part before `mark`.
string_view next_part(string_view& text, char mark) {
  const std::size_t end = std::min(text.find(mark), text.size());
  const string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

Result<std::uint8_t> read_set(string_view text, const std::string& where, const Words& words) {
  const bool others = text.starts_with('^');
  if (others) text.remove_prefix(1);
  std::uint8_t set = 0;
  while (!text.empty()) {
    const std::string word = bare(next_part(text, ','));
    const auto place = words.place(word);
    if (!place)
      return fail(Errc::config_range, where,
                  in_quotes(word) + " is not an NCCL " + std::string(words.what),
                  fmt::format("supported are {}", words.all));
    set |= static_cast<std::uint8_t>(1U << *place);
  }
  if (others) set = static_cast<std::uint8_t>(all_of(words.count) & ~set);
  if (set == 0) return fail(Errc::config_range, where, "excludes all choices");
  return set;
}

Result<Sets> read_sets(string_view text, const std::string& where, const Words& words) {
  Sets sets;
  sets.fill(all_of(words.count));
  for (bool first = true; !text.empty(); first = false) {
    string_view list = next_part(text, ';');
    std::optional<std::size_t> only;
    if (list.find(':') != string_view::npos) {
      const std::string name = bare(next_part(list, ':'));
      const auto* const found = std::find(nccl::kTunedNames.begin(), nccl::kTunedNames.end(), name);
      if (found == nccl::kTunedNames.end())
        return fail(Errc::config_range, where, in_quotes(name) + " is not an NCCL collective",
                    "supported are broadcast, reduce, allgather, reducescatter, allreduce");
      only = static_cast<std::size_t>(found - nccl::kTunedNames.begin());
    } else if (!first) {
      return fail(Errc::config_range, where, in_quotes(list) + " names no collective",
                  "only the first list can apply to all collectives");
    }
    const auto set = read_set(list, where, words);
    if (!set) return tl::unexpected(set.error());
    if (only) {
      sets[*only] = *set;
    } else {
      sets.fill(*set);
    }
  }
  return sets;
}

std::optional<std::size_t> algorithm_place(string_view word) {
  for (std::size_t a = 0; a < nccl::kAlgorithms; ++a) {
    const auto algorithm = static_cast<nccl::Algorithm>(a);
    if (word == nccl::setting_name(algorithm) || word == nccl::name(algorithm)) return a;
  }
  return std::nullopt;
}

std::optional<std::size_t> protocol_place(string_view word) {
  const auto protocol = nccl::protocol_named(word);
  return protocol ? std::optional(static_cast<std::size_t>(*protocol)) : std::nullopt;
}

constexpr Words kAlgorithmWords{"algorithm",
                                "tree, ring, collnetdirect, collnetchain, nvls, nvlstree, pat",
                                nccl::kAlgorithms, algorithm_place};
constexpr Words kProtocolWords{"protocol", "ll, ll128, simple", nccl::kProtocols, protocol_place};

constexpr unsigned kNvls = 1U << static_cast<unsigned>(nccl::Algorithm::nvls) |
                           1U << static_cast<unsigned>(nccl::Algorithm::nvls_tree);

}  // namespace

Result<nccl::Allowed> read_allowed(const platform::LibrarySettings& settings,
                                   const std::string& where) {
  nccl::Allowed allowed;
  const auto algorithms = read_sets(settings.algorithms, where + "/NCCL_ALGO", kAlgorithmWords);
  if (!algorithms) return tl::unexpected(algorithms.error());
  const auto protocols = read_sets(settings.protocols, where + "/NCCL_PROTO", kProtocolWords);
  if (!protocols) return tl::unexpected(protocols.error());
  allowed.algorithms = *algorithms;
  allowed.protocols = *protocols;
  if (!settings.nvls)
    for (std::uint8_t& set : allowed.algorithms) set = static_cast<std::uint8_t>(set & ~kNvls);
  allowed.min_channels = static_cast<int>(settings.min_channels);
  allowed.max_channels = static_cast<int>(settings.max_channels);
  if (allowed.max_channels > 0 && allowed.min_channels > allowed.max_channels)
    return fail(Errc::config_conflict, where + "/NCCL_MIN_NCHANNELS",
                "is more than NCCL_MAX_NCHANNELS");
  return allowed;
}

}  // namespace orrery::model
