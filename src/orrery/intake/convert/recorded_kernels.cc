// SPDX-License-Identifier: Apache-2.0
#include "orrery/intake/convert/recorded_kernels.h"

#include <map>
#include <tuple>
#include <unordered_map>

#include "orrery/intake/convert/operator_kernel.h"

namespace orrery::intake {
namespace {

using graph::kNoKernel;
using graph::Operation;
using profile::EventId;
using profile::kNoEvent;
using profile::kNone;
using profile::Profile;

/// Part of what libraries call their products.
bool sounds_like_product(std::string_view name) {
  for (const std::string_view part : {"gemm", "Cijk_", "cutlass", "nvjet", "xmma", "wgmma"})
    if (name.find(part) != std::string_view::npos) return true;
  return false;
}

bool is_product(const graph::Kernel& kernel) {
  return kernel.operation == Operation::gemm || kernel.operation == Operation::batched_gemm;
}

/// Each distinct operator once.
class Operators {
 public:
  Operators(const Profile& profile, graph::KernelTable& table) : profile_(profile), table_(table) {}

  graph::KernelId of(StringId name, StringId dims, StringId types) {
    if (dims == StringId::empty) return kNoKernel;
    const auto [at, added] = known_.try_emplace({name, dims, types}, kNoKernel);
    if (!added) return at->second;
    const auto shapes = read_shapes(profile_.string(dims));
    if (!shapes) return kNoKernel;
    const auto kernel =
        kernel_of_operator(profile_.string(name), *shapes, read_formats(profile_.string(types)));
    if (kernel) at->second = table_.intern(*kernel);
    return at->second;
  }

 private:
  const Profile& profile_;
  graph::KernelTable& table_;
  std::map<std::tuple<StringId, StringId, StringId>, graph::KernelId> known_;
};

}  // namespace

RecordedKernels::RecordedKernels(const Profile& profile)
    : by_work_(profile.works.size(), kNoKernel) {
  Operators operators(profile, table_);
  std::unordered_map<EventId, std::uint32_t> launched;  // by operator
  for (EventId e = 0; e < profile.events.size(); ++e) {
    const profile::Event& event = profile.events[e];
    if (event.kind != profile::Kind::kernel) continue;
    const profile::Work& work = profile.works[event.detail];
    if (work.op != kNoEvent) ++launched[work.op];
  }
  for (EventId e = 0; e < profile.events.size(); ++e) {
    const profile::Event& event = profile.events[e];
    if (event.kind != profile::Kind::kernel) continue;
    const profile::Work& work = profile.works[event.detail];
    graph::KernelId kernel = kNoKernel;
    bool only = false;
    if (work.captured != kNone) {
      const profile::Captured& captured = profile.captured[work.captured];
      kernel = operators.of(captured.name, captured.dims, captured.types);
    } else if (work.op != kNoEvent) {
      const profile::Op& op = profile.op(work.op);
      kernel = operators.of(profile.events[work.op].name, op.dims, op.types);
      only = launched[work.op] == 1;
    }
    if (kernel == kNoKernel) continue;
    if (only || (is_product(table_[kernel]) && sounds_like_product(profile.string(event.name))))
      by_work_[event.detail] = kernel;
  }
}

}  // namespace orrery::intake
