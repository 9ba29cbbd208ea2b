// SPDX-License-Identifier: Apache-2.0
//
// What a replay executes: memory, operators and communications as plain data. Planner, module and
// generated programs share it, so it uses only the standard library.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "addons/bench/recording/tensor.h"

namespace orrery::bench {

/// The location of a tensor during a replay. Each tensor that is created gets its own slot.
using Slot = std::uint32_t;
inline constexpr Slot kNoSlot = ~Slot{0};
inline constexpr std::uint32_t kNoStep = ~std::uint32_t{0};
/// Maximum number of device streams: the size of PyTorch's stream pool.
inline constexpr std::uint32_t kMaxStreams = 32;

/// The content of memory that exists before the first step.
struct Fill {
  enum class Kind : std::uint8_t {
    uniform,  ///< reals in [low, high)
    whole,    ///< integers from low to high, inclusive
    ramp,     ///< 0, step, 2·step … up to high: offsets of bags
    reuse,    ///< rows below high, with frequencies from Program::reuse
  };
  Kind kind = Kind::uniform;
  double low = 0;
  double high = 1;
  double step = 0;
};

/// Memory that no step creates. It exists before the first step; before each iteration, the replay
/// restores what steps wrote. With `after`, it appears after a step: memory that an operator
/// retains internally for later operators, which a replay cannot access.
struct Storage {
  std::int64_t bytes = 0;
  Dtype dtype = Dtype::real32;  ///< element type for the fill
  Fill fill;
  bool written = false;
  std::uint32_t after = kNoStep;  ///< index in Program::steps
};

/// A tensor in a Storage.
struct External {
  Slot slot = kNoSlot;
  std::uint32_t storage = 0;
  TensorSpec spec;
};

/// An argument in the form of the operator's schema.
struct Value {
  enum class Kind : std::uint8_t {
    fallback,   ///< default value of the schema
    none,       ///< None
    undefined,  ///< an undefined tensor
    tensor,
    integer,
    real,
    truth,
    text,
    device,
    list
  };
  /// The type of a list's items.
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
  std::int64_t integer = 0;  ///< also for booleans
  double real = 0;
  Slot slot = kNoSlot;
  bool written = false;  ///< the step writes the tensor; not part of the text
  std::string text{};
  std::vector<Value> items{};
};

/// A result of a step, and the tensor that replaces it if the step fails.
struct Output {
  std::uint32_t place = 0;  ///< index among the operator's results
  std::int32_t item = -1;   ///< index in a list result; -1: the result is not a list
  Slot slot = kNoSlot;
  TensorSpec spec;
};

struct ReplayStep {
  enum class Kind : std::uint8_t {
    call,      ///< calls `operation`
    view,      ///< outputs[0] becomes a view of the storage of arguments[0]
    stand_in,  ///< reads tensors, writes tensors, computes
    absent,    ///< no substitute exists: only creates the outputs
    /// Begins Program::exchanges[exchange]. The arguments are two lists of tensors: those to send,
    /// and those to receive into.
    communicate,
    wait  ///< waits for the end of Program::exchanges[exchange]
  };
  Kind kind = Kind::call;
  std::uint32_t operation = 0;  ///< call: index in Program::operations
  std::vector<Value> arguments;
  std::vector<Output> outputs;
  std::vector<Slot> last;      ///< slots that no later step needs
  double flops = 0;            ///< stand_in
  std::uint32_t exchange = 0;  ///< communicate, wait: index in Program::exchanges
  std::uint32_t stream = 0;    ///< below kMaxStreams: device stream as recorded
  std::int64_t gap_ns = 0;     ///< time of the host between the previous step and this one
  std::uint32_t source = 0;    ///< index in ReplayPlan::sources; in the text, a comment
};

/// Ranks that communicate, in the order of the group.
struct ProcessGroup {
  std::string name;                  ///< as recorded; may be empty
  std::vector<std::uint32_t> ranks;  ///< global numbers; empty: not stated, which means all ranks
  std::int32_t size = -1;            ///< -1: not stated; not part of the text

  friend bool operator==(const ProcessGroup&, const ProcessGroup&) = default;
};

/// A communication of this rank.
struct Exchange {
  std::string_view kind;    ///< "all_reduce" …; text that outlives the program
  std::uint32_t group = 0;  ///< index in Program::groups
  std::int64_t bytes = -1;  ///< as profile::Comm::bytes; -1: not stated
  /// Message: global rank of the peer; else number of the root in the group.
  std::int32_t peer = -1;
  std::vector<std::int64_t> in_split, out_split;  ///< all-to-all: elements per peer; empty: equal
  std::int64_t delay_ns = -1;                     ///< specified duration; -1: none
};

struct Program {
  std::uint32_t slots = 0;
  std::vector<Storage> storages;
  std::vector<External> externals;
  std::vector<std::string> operations;  ///< "aten::add.Tensor", without duplicates
  std::vector<ReplayStep> steps;
  std::vector<ProcessGroup> groups;
  std::vector<Exchange> exchanges;  ///< in the order in which they begin
  std::vector<double> reuse;        ///< shares of rows by frequency of use, for Fill::Kind::reuse

  /// For a call, the name of its operation; otherwise "(view)", "(stand-in)", "(absent)",
  /// "(wait)" or the communication: "(all_reduce)".
  [[nodiscard]] std::string name(const ReplayStep& step) const;
};

/// The number of streams: the largest stream number + 1.
[[nodiscard]] std::uint32_t stream_count(const Program& program);

/// Reads a program (format: program_format.h). Views in it point into `text`. The result is
/// consistent: slots, storages and operations exist; sizes, strides, ranges and offsets are valid.
/// Throws std::runtime_error, which names the line. O(length).
[[nodiscard]] Program read_program(std::string_view text);

}  // namespace orrery::bench
