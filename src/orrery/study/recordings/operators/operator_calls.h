// SPDX-License-Identifier: Apache-2.0
//
// The device work of a recorded rank by the operators that launched it, with their FLOPs and bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "orrery/graph/kernel.h"
#include "orrery/intake/convert/recorded_kernels.h"
#include "orrery/model/kernels/roofline_model.h"
#include "orrery/model/kernels/silicon.h"
#include "orrery/profile/profile.h"

namespace orrery::study {

/// The data sheets of the devices of a recorded rank.
class RecordedDevices {
 public:
  /// O(lanes × devices).
  explicit RecordedDevices(const profile::Profile& profile);

  /// The data sheet of a stream's device. Null: the recording does not name the device, or the
  /// catalog does not contain it.
  [[nodiscard]] const model::Silicon* of(std::uint32_t lane) const {
    return of_lane_[lane] == profile::kNone ? nullptr : &silicon_[of_lane_[lane]];
  }
  /// "NVIDIA H100 80GB HBM3 (h100-sxm)", one per name; "X (not in the catalog)".
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::vector<model::Silicon> silicon_;
  std::vector<std::uint32_t> of_lane_;  // index in silicon_, or kNone
  std::string text_;
};

/// The names and arguments by which calls of operators are equal. Texts as in profile::Op.
struct CallKey {
  StringId name = StringId::empty;
  StringId dims = StringId::empty;
  StringId types = StringId::empty;

  friend auto operator<=>(const CallKey&, const CallKey&) = default;
};

/// One call of an operator that launched device work itself. Works without a recorded operator form
/// one call each, with an empty name.
struct OperatorCall {
  profile::EventId op = profile::kNoEvent;  ///< operator or annotation; none for nodes of graphs
  CallKey key{};
  std::uint32_t first_work = 0, works = 0;    ///< in OperatorCalls::works()
  graph::KernelId kernel = graph::kNoKernel;  ///< its computation, in OperatorCalls::kernels()
  Time own{};            ///< sum of the lengths of the works that it launched itself
  Time with_children{};  ///< … and of those that operators inside it launched
};

/// What calls compute, and how long the device needs at least. Sums over calls.
struct OperatorWork {
  std::uint64_t calls = 0;  ///< with known work
  Time recorded{};          ///< their own time
  double flop = 0;
  double bytes = 0;
  Time rated{};        ///< own time of the calls with a known roof
  double roof = 0;     ///< seconds at the roof of `rated`
  double compute = 0;  ///< the part of `roof` of calls whose roof is the peak

  OperatorWork& operator+=(const OperatorWork& other);
  [[nodiscard]] std::optional<double> flop_per_s() const;
  [[nodiscard]] std::optional<double> bytes_per_s() const;
  /// Time at the roof / recorded time.
  [[nodiscard]] std::optional<double> roof_share() const;
  /// "compute" or "memory": the roof of most of the time; empty if unknown.
  [[nodiscard]] std::string_view bound() const;
};

/// Every timed device work belongs to one call: that of the operator (or annotation) from which it
/// was launched, else that of the operator that captured it in a graph.
class OperatorCalls {
 public:
  /// `profile` is indexed and attached, and must outlive this. O(events log events).
  explicit OperatorCalls(const profile::Profile& profile);

  [[nodiscard]] const std::vector<OperatorCall>& calls() const { return calls_; }
  /// In order of their start.
  [[nodiscard]] std::span<const profile::EventId> works(const OperatorCall& call) const {
    return {works_.data() + call.first_work, call.works};
  }
  [[nodiscard]] const graph::KernelTable& kernels() const { return kernels_; }
  /// The computation of a call; null if its name or its arguments do not determine it.
  [[nodiscard]] const graph::Kernel* kernel(const OperatorCall& call) const {
    return call.kernel == graph::kNoKernel ? nullptr : &kernels_[call.kernel];
  }
  /// Its work; nothing if its computation is unknown.
  [[nodiscard]] OperatorWork work(const OperatorCall& call) const;
  /// The device of a call's first work.
  [[nodiscard]] const model::Silicon* silicon(const OperatorCall& call) const {
    return devices_.of(profile_.events[works_[call.first_work]].lane);
  }
  /// The computations of single works.
  [[nodiscard]] const intake::RecordedKernels& recorded() const { return recorded_; }
  [[nodiscard]] const RecordedDevices& devices() const { return devices_; }
  /// Sum of the lengths of all works.
  [[nodiscard]] Time total() const { return total_; }

 private:
  /// Whether it only copies between devices or to and from the host: the memory is not its limit.
  [[nodiscard]] bool is_transfer(const OperatorCall& call) const;
  void find_calls();
  void add_children();
  void find_kernels();
  [[nodiscard]] CallKey key_of(profile::EventId op) const;

  const profile::Profile& profile_;
  RecordedDevices devices_;
  intake::RecordedKernels recorded_;
  std::vector<profile::EventId> works_;
  std::vector<OperatorCall> calls_;
  graph::KernelTable kernels_;
  Time total_{};
};

}  // namespace orrery::study
