// SPDX-License-Identifier: Apache-2.0
//
// Plans as text, which people can read and what replays them does read. A line for each thing:
//
//   orrery benchmark 1
//   slots 5
//   reuse 0.6 0.3 0.1                                only where rows are drawn by that
//   storage 0 4096 float uniform 0 0.5 written
//   external %0 0 float [32,32] [32,1] 0
//   operation 0 aten::add.Tensor
//   stream 1                                         the device's, from here on; first it is 0
//   gap 1200                                         nanoseconds of the host
//   call 0 (%0, %1, 1) -> 0 %2 float [32,32] [] ; last %0 %1
//   view %3 %2 float [1024] [1] 0 ; last
//   stand_in 4096 (t[%3], t[%0]) -> 0 %4 float [32] [] ; last
//   absent -> 0 %5 float [1] [] ; last
//   group 0 "tp" [0,1]                               its ranks; []: all there are
//   communicate all_reduce 0 4096 delay 8000 (t[%4], t[%4]) -> ; last
//   wait 0 ; last %4
//
// Of a communication: its kind, group and bytes; where there are such "peer N" (a message's other
// rank, or the root's number in the group), "in [..]" and "out [..]" (elements per peer), "delay N"
// (nanoseconds); what is sent and what is received into. The first one is 0 to those that wait.
//
// Values: none, undefined, _ (the default), true, 7, 1.5, "text", @ (the device), %slot and lists:
// t[] tensors, o[] tensors or none, i[] r[] b[] s[] (scalars) x[] (texts). Results are
// "place[.item] %slot type sizes strides". What begins with # is a remark.
#pragma once

#include <string>

#include "addons/bench/plan/replay_plan.h"

namespace orrery::bench {

/// Without `group_names` process groups have none.
[[nodiscard]] std::string plan_text(const ReplayPlan& plan, bool group_names = true);

}  // namespace orrery::bench
