// SPDX-License-Identifier: Apache-2.0
#include "orrery/calibrate/measurements/collective_names.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace orrery::calibrate {
namespace {

constexpr Collective of(CollectiveType type, bool reduces, bool rooted) {
  return {name(type), type, reduces, rooted};
}

constexpr std::array kCollectives{
    of(CollectiveType::all_reduce, true, false),
    of(CollectiveType::all_gather, false, false),
    of(CollectiveType::reduce_scatter, true, false),
    of(CollectiveType::all_to_all, false, false),
    of(CollectiveType::broadcast, false, true),
    of(CollectiveType::reduce, true, true),
    Collective{"send_recv", CollectiveType::unknown, false, false},
};

// Spellings in lower case, without separators. The number is an index into kCollectives.
constexpr std::array<std::pair<std::string_view, std::size_t>, 12> kSpellings{{
    {"allreduce", 0},
    {"allgather", 1},
    {"reducescatter", 2},
    {"alltoall", 3},
    {"all2all", 3},
    {"broadcast", 4},
    {"bcast", 4},
    {"reduce", 5},
    {"sendrecv", 6},
    {"send", 6},
    {"recv", 6},
    {"p2p", 6},
}};
constexpr std::array<std::string_view, 6> kOthers = {"gather",    "scatter",    "hypercube",
                                                     "alltoallv", "allgatherv", "all2allv"};
constexpr std::size_t kLongestSpelling = 40;

/// "ncclAllReduce", "all_reduce_perf_mpi" → "allreduce".
std::string bare_word(std::string_view word) {
  std::string bare;
  if (word.size() > kLongestSpelling) return bare;
  for (const char c : word) {
    if (c == '_' || c == '-' || c == ' ') continue;
    bare += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  for (const std::string_view end : {"mpi", "perf"})
    if (bare.ends_with(end)) bare.resize(bare.size() - end.size());
  if (bare.starts_with("nccl")) bare.erase(0, 4);
  return bare;
}

}  // namespace

std::span<const Collective> collectives() { return kCollectives; }

const Collective* find_collective(std::string_view word) {
  const std::string bare = bare_word(word);
  for (const auto& [spelling, which] : kSpellings)
    if (bare == spelling) return &kCollectives[which];
  return nullptr;
}

bool is_unmodeled_collective(std::string_view word) {
  return std::find(kOthers.begin(), kOthers.end(), bare_word(word)) != kOthers.end();
}

FactorRange bus_factor(const Collective& collective, std::int32_t ranks) {
  if (ranks >= 1) {
    const double factor = orrery::bus_factor(collective.type, ranks);
    return {factor, factor};
  }
  // The factors of two ranks and of infinitely many.
  const BusFactor factor = orrery::bus_factor(collective.type);
  const double upper = factor == BusFactor::twice ? 2 : 1;
  return {factor == BusFactor::one ? 1 : upper / 2, upper};
}

}  // namespace orrery::calibrate
