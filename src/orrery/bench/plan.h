// SPDX-License-Identifier: Apache-2.0
//
// What a replay does, step by step, as plain data: nothing of it is specific to a framework.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orrery/bench/tensor.h"
#include "orrery/core/quantity.h"

namespace orrery::bench {

/// Where tensors are while a replay runs: every tensor that comes into being has a slot of its own.
using Slot = std::uint32_t;
inline constexpr Slot kNoSlot = ~Slot{0};
inline constexpr std::uint32_t kNoStorage = ~std::uint32_t{0};
inline constexpr std::uint32_t kNoStep = ~std::uint32_t{0};

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
  std::string text{};
  std::vector<Value> items{};
};

/// A result of a step, and what takes its place when the step fails.
struct Output {
  std::uint32_t place = 0;  ///< which of the operator's results
  std::int32_t item = -1;   ///< which of a list's; -1 = the result is no list
  Slot slot = kNoSlot;
  TensorSpec spec;
};

struct Step {
  enum class Kind : std::uint8_t {
    call,      ///< calls `operation`
    view,      ///< makes outputs[0] see the storage of arguments[0]
    stand_in,  ///< reads tensors, writes tensors, calculates
    absent     ///< nothing can be called: only makes the outputs
  };
  Kind kind = Kind::call;
  std::uint32_t operation = 0;  ///< in Plan::operations (call); else its recorded name
  std::vector<Value> arguments;
  std::vector<Output> outputs;
  std::vector<Slot> last;    ///< slots that nothing after this step needs
  double flops = 0;          ///< stand_in
  std::uint64_t node = 0;    ///< the recording's id
  std::uint32_t source = 0;  ///< in Plan::sources: what it came of
  Time recorded{};           ///< how long it took, if anything says so
  Time gap{};                ///< how long the host did other things before
};

/// How a recorded operator became steps.
enum class How : std::uint8_t { exact, overload, rule, skipped, absent };
inline constexpr std::size_t kHows = 5;

/// A recorded operator that was selected.
struct Source {
  std::string name;  ///< with its overload
  How how = How::exact;
  std::string rule;  ///< of `rule` and `skipped`: its name
  Time recorded{};
  std::uint64_t record_function = 0;  ///< the recording's id of it; 0 = none
  std::uint32_t event = ~0u;          ///< the recording's event
};

struct Plan {
  std::vector<Storage> storages;
  std::vector<External> externals;
  std::vector<std::string> operations;  ///< "aten::add.Tensor", each once
  std::vector<Step> steps;
  std::vector<Source> sources;  ///< by recorded operator, in order
  std::uint32_t slots = 0;
  std::vector<double> reuse;  ///< shares of rows by how often they are used; for Fill::Kind::reuse

  // What was not selected.
  std::uint64_t communications = 0;  ///< not replayed
  std::uint64_t other_nodes = 0;     ///< annotations, frames, operators without a schema
  bool timed = false;                ///< the recording has times

  // What it needs.
  std::int64_t external_bytes = 0;  ///< before the first step
  std::int64_t restored_bytes = 0;  ///< of which copies are kept
  std::int64_t peak_bytes = 0;      ///< by recorded sizes, the above included but copies
};

}  // namespace orrery::bench
