// SPDX-License-Identifier: Apache-2.0
#include "orrery/profile/inspection/kernel_algorithm.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace orrery::profile {
namespace {

struct AlgorithmWord {
  std::string_view word;  ///< in lower case, without '_'
  std::string_view name;
};

// Earlier words first: "nvlstree" contains "tree".
constexpr std::array<AlgorithmWord, 8> kAlgorithms{{{"collnetdirect", "collnet direct"},
                                                    {"collnetchain", "collnet chain"},
                                                    {"collnet", "collnet"},
                                                    {"nvlstree", "NVLS tree"},
                                                    {"nvls", "NVLS"},
                                                    {"ring", "ring"},
                                                    {"tree", "tree"},
                                                    {"pat", "PAT"}}};
constexpr std::array<AlgorithmWord, 3> kProtocols{
    {{"ll128", " LL128"}, {"simple", " simple"}, {"ll", " LL"}}};
// Kernels outside of NCCL: symmetric memory of PyTorch, and vLLM.
constexpr std::array<AlgorithmWord, 5> kOthers{{{"multimem", "multimem"},
                                                {"oneshot", "one shot"},
                                                {"twoshot", "two shot"},
                                                {"reduce1stage", "one stage"},
                                                {"reduce2stage", "two stages"}}};

/// Lower case letters and digits before the arguments, '_' removed.
std::string simplified(std::string_view kernel) {
  std::string text;
  for (const char c : kernel.substr(0, kernel.rfind('(')))
    if (c != '_') text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

/// The first of the words that `text` contains; null: none.
template <std::size_t N>
const AlgorithmWord* word_in(const std::array<AlgorithmWord, N>& words, std::string_view text) {
  const auto found = std::find_if(words.begin(), words.end(), [&](const AlgorithmWord& one) {
    return text.find(one.word) != std::string_view::npos;
  });
  return found == words.end() ? nullptr : &*found;
}

}  // namespace

std::string kernel_algorithm(std::string_view kernel) {
  const std::string text = simplified(kernel);
  if (const AlgorithmWord* other = word_in(kOthers, text)) return std::string(other->name);
  const std::size_t nccl = text.find("nccl");
  if (nccl == std::string::npos) return {};
  const std::string_view name = std::string_view(text).substr(nccl);
  const AlgorithmWord* algorithm = word_in(kAlgorithms, name);
  if (algorithm == nullptr) return {};
  const AlgorithmWord* protocol =
      word_in(kProtocols, name.substr(name.find(algorithm->word) + algorithm->word.size()));
  return std::string(algorithm->name) + (protocol == nullptr ? "" : std::string(protocol->name));
}

}  // namespace orrery::profile
