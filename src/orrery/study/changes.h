// SPDX-License-Identifier: Apache-2.0
//
// What is other than it was: words of the command line, and what they do to a workload.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/graph/workload.h"

namespace orrery::study {

/// How a change comes by the times it gives.
enum class Basis : std::uint8_t {
  recorded,  ///< times of the recording itself, elsewhere or without something
  scaled,    ///< recorded times by a factor that was asked for
  bound      ///< at the best or at the worst: what it leaves out, nobody does without
};
[[nodiscard]] std::string_view name(Basis basis);

/// A word that may stand before the "=" of a change, what may stand behind, and what it does.
struct ChangeWord {
  std::string_view name;   ///< "kernels", "overlap"
  std::string_view value;  ///< "FACTOR", "none"
  std::string_view about;
  Basis basis;
};
/// In the order in which they are told. Besides them operations ("gemm"), "kernel:TEXT" (part of
/// the name), "named:NAME" (all of it), "group:NAME" (communications of a process group) and
/// "rank:N" take factors.
[[nodiscard]] std::span<const ChangeWord> change_words();

/// One change, read.
struct Change {
  std::string text;  ///< as it was typed: "kernels=0.5"
  std::string name;  ///< before the "="
  double factor = 1;
  std::uint32_t rank = 0;  ///< of "rank:N"
  Basis basis = Basis::scaled;
};

/// Factors are from 0 to 1000. Errc: usage, with the nearest word that there is.
[[nodiscard]] Result<Change> parse_change(const std::string& text);
[[nodiscard]] Result<std::vector<Change>> parse_changes(const std::vector<std::string>& texts);

/// The workload with the changes, one after another. One that finds nothing to change is counted
/// (key_without_effect). Errc: as GraphBuilder::finish; usage for a rank that is not there.
/// O(nodes log nodes) each.
[[nodiscard]] Result<graph::Workload> with_changes(const graph::Workload& workload,
                                                   std::span<const Change> changes,
                                                   Findings& findings);

}  // namespace orrery::study
