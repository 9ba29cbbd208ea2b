// SPDX-License-Identifier: Apache-2.0
//
// What a replay does, step by step, as plain data: nothing of it is specific to a framework.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "addons/bench/recording/tensor.h"
#include "orrery/core/quantity.h"
#include "orrery/graph/kernel.h"
#include "orrery/profile/comm.h"

namespace orrery::bench {

/// Where tensors are while a replay runs: every tensor that comes into being has a slot of its own.
using Slot = std::uint32_t;
inline constexpr Slot kNoSlot = ~Slot{0};
inline constexpr std::uint32_t kNoStorage = ~std::uint32_t{0};
inline constexpr std::uint32_t kNoStep = ~std::uint32_t{0};
/// Of a device that steps run on; PyTorch's pool has so many.
inline constexpr std::uint32_t kMostStreams = 32;

/// What memory that exists before the first step holds.
struct Fill {
  enum class Kind : std::uint8_t {
    uniform,  ///< reals in [low, high)
    whole,    ///< whole numbers from low to high, both included
    ramp,     ///< 0, step, 2·step … up to high: where bags begin
    reuse,    ///< rows below high, used as often as Reuse says
  };
  Kind kind = Kind::uniform;
  double low = 0;
  double high = 1;
  double step = 0;
};

/// Memory that no step makes. It exists before the first one, and what steps write is made good
/// before each iteration; or it comes into being behind a step: what an operator that is called as
/// a whole kept for later ones, which a replay cannot get at.
struct Storage {
  std::int64_t bytes = 0;
  Dtype dtype = Dtype::real32;  ///< of its elements when it is filled
  Fill fill;
  bool written = false;
  std::uint32_t after = kNoStep;  ///< in Plan::steps
};

/// A tensor in such memory.
struct External {
  Slot slot = kNoSlot;
  std::uint32_t storage = 0;
  TensorSpec spec;
};

/// Memory that results share.
using Group = std::uint32_t;
inline constexpr Group kNoGroup = ~Group{0};

/// The tensor of a slot.
struct SlotInfo {
  TensorSpec spec;
  std::uint32_t storage = kNoStorage;  ///< in Plan::storages, of tensors that see one of those
  Group group = kNoGroup;              ///< of other tensors, in Plan::group_bytes
};

/// An argument as the operator's schema wants it.
struct Value {
  enum class Kind : std::uint8_t {
    fallback,   ///< the schema's default
    none,       ///< None
    undefined,  ///< a tensor without anything
    tensor,
    integer,
    real,
    truth,
    text,
    device,
    list
  };
  /// Of a list: what its items are.
  enum class Items : std::uint8_t {
    tensors,
    optional_tensors,
    integers,
    reals,
    truths,
    scalars,
    texts
  };
  Kind kind = Kind::fallback;
  Items of = Items::integers;
  std::int64_t integer = 0;  ///< and truth
  double real = 0;
  Slot slot = kNoSlot;
  bool written = false;  ///< a tensor that the step writes
  std::string text{};
  std::vector<Value> items{};
};

/// `fn(Slot)` for a value's tensor, or every one in a list.
template <class Fn>
void for_each_slot(const Value& value, Fn&& fn) {
  if (value.kind == Value::Kind::tensor) fn(value.slot);
  for (const Value& item : value.items) for_each_slot(item, fn);
}

/// A result of a step, and what takes its place when the step fails.
struct Output {
  std::uint32_t place = 0;  ///< which of the operator's results
  std::int32_t item = -1;   ///< which of a list's; -1 = the result is no list
  Slot slot = kNoSlot;
  TensorSpec spec;
};

struct ReplayStep {
  enum class Kind : std::uint8_t {
    call,      ///< calls `operation`
    view,      ///< makes outputs[0] see the storage of arguments[0]
    stand_in,  ///< reads tensors, writes tensors, calculates
    absent,    ///< nothing can be called: only makes the outputs
    /// Begins Plan::exchanges[exchange]; arguments are two lists of tensors, those that are sent
    /// and those that are received into.
    communicate,
    wait  ///< … until that is over
  };
  Kind kind = Kind::call;
  std::uint32_t operation = 0;  ///< in Plan::operations (call); else its recorded name
  std::vector<Value> arguments;
  std::vector<Output> outputs;
  std::vector<Slot> last;      ///< slots that nothing after this step needs
  double flops = 0;            ///< stand_in
  std::uint32_t exchange = 0;  ///< communicate, wait: in Plan::exchanges
  std::uint32_t stream = 0;    ///< below kMostStreams: the device's, as recorded
  std::uint64_t node = 0;      ///< the recording's id
  std::uint32_t source = 0;    ///< in Plan::sources: what it came of
  Time gap{};                  ///< how long the host did other things before
};

/// How a recorded operator became steps.
enum class ReplayMethod : std::uint8_t { exact, overload, rule, skipped, absent, communicated };
inline constexpr std::size_t kReplayMethods = 6;

/// Ranks that communicate with each other, in the group's order.
struct PlanGroup {
  std::string name;                  ///< as recorded; may be empty
  std::vector<std::uint32_t> ranks;  ///< global; empty: not said, which is all there are
  std::int32_t size = -1;            ///< -1: not said

  friend bool operator==(const PlanGroup&, const PlanGroup&) = default;
};

/// One communication of this rank with others.
struct Exchange {
  profile::CommKind kind = profile::CommKind::unknown;
  std::uint32_t group = 0;     ///< in Plan::groups
  std::int64_t bytes = -1;     ///< as profile::Comm::bytes; -1 = not said
  std::int32_t peer = -1;      ///< of a message a global rank; else the root's number in the group
  std::int64_t sequence = -1;  ///< the recording's number of it
  std::vector<std::int64_t> in_split, out_split;  ///< all-to-all: elements per peer; empty: equal
  std::optional<Time> delay;                      ///< how long it is to take, where that is told
  std::uint32_t source = 0;                       ///< in Plan::sources
  Time recorded{};  ///< how long its kernels took, where they are known
};

/// A recorded operator that was selected.
struct PlanSource {
  std::string name;  ///< with its overload
  ReplayMethod how = ReplayMethod::exact;
  std::string rule;  ///< of `rule` and `skipped`: its name
  Time recorded{};
  std::uint64_t record_function = 0;      ///< the recording's id of it; 0 = none
  std::uint32_t event = ~0u;              ///< the recording's event
  std::optional<graph::Kernel> kernel{};  ///< what it computes, where asked for and known
};

struct ReplayPlan {
  std::vector<Storage> storages;
  std::vector<External> externals;
  std::vector<std::string> operations;  ///< "aten::add.Tensor", each once
  std::vector<ReplayStep> steps;
  std::vector<PlanSource> sources;  ///< by recorded operator, in order
  std::uint32_t slots = 0;
  std::vector<SlotInfo> info;             ///< by slot
  std::vector<std::int64_t> group_bytes;  ///< bytes of what results share
  std::vector<double> reuse;  ///< shares of rows by how often they are used; for Fill::Kind::reuse
  std::vector<PlanGroup> groups;    ///< that `exchanges` name
  std::vector<Exchange> exchanges;  ///< in the order in which they begin

  // What was not selected.
  std::uint64_t communications = 0;  ///< not replayed, waits included
  std::uint64_t other_nodes = 0;     ///< annotations, frames, operators without a schema
  bool timed = false;                ///< the recording has times
  bool named = true;                 ///< sources have their recorded names

  // What it needs.
  std::int64_t external_bytes = 0;  ///< before the first step
  std::int64_t restored_bytes = 0;  ///< of which copies are kept
  std::int64_t peak_bytes = 0;      ///< by recorded sizes, the above included but copies
};

}  // namespace orrery::bench
