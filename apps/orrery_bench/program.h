// SPDX-License-Identifier: Apache-2.0
//
// A benchmark as text (its format: plan_text.h of Orrery's bench room), read. Needs nothing but the
// standard library: generated programs are made of these files, too.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace orrery::replay {

using Slot = std::uint32_t;
constexpr std::uint32_t kMostStreams = 32;

struct Spec {
  std::string_view dtype;  ///< "float"
  std::vector<std::int64_t> sizes, strides;
  std::int64_t offset = 0;
};

struct Storage {
  std::int64_t bytes = 0;
  std::string_view dtype;
  std::string_view fill;  ///< "uniform", "whole", "ramp", "reuse"
  double first = 0, second = 0;
  bool written = false;
  std::int64_t after = -1;  ///< the step that it comes into being with; -1: before the first
};

struct External {
  Slot slot = 0;
  std::uint32_t storage = 0;
  Spec spec;
};

struct Value {
  /// '_' default, 'n' none, 'u' undefined, '%' tensor, 'i' whole, 'r' real, 'b' truth, 's' text,
  /// '@' device, 'l' list
  char kind = '_';
  char items = 0;  ///< of a list: t o i r b s x
  std::int64_t integer = 0;
  double real = 0;
  std::string text;
  std::vector<Value> list;
};

struct Output {
  std::uint32_t place = 0;
  std::int32_t item = -1;
  Slot slot = 0;
  Spec spec;
};

/// Ranks that communicate with each other, in the group's order; empty: all there are.
struct Group {
  std::string name;
  std::vector<std::uint32_t> ranks;
};

/// A communication of this rank with others.
struct Exchange {
  std::string_view kind;  ///< "all_reduce" …
  std::uint32_t group = 0;
  std::int64_t bytes = -1;
  std::int32_t peer = -1;  ///< of a message the other rank, else the root's number in the group
  std::vector<std::int64_t> in_split, out_split;  ///< elements per peer; empty: equal
  std::int64_t delay_ns = -1;                     ///< -1: not told
};

struct Step {
  enum class Kind : std::uint8_t { call, view, stand_in, absent, communicate, wait };
  Kind kind = Kind::call;
  std::uint32_t operation = 0;
  std::vector<Value> arguments;
  std::vector<Output> outputs;
  std::vector<Slot> last;
  double flops = 0;
  std::int64_t gap_ns = 0;
  std::uint32_t exchange = 0;  ///< communicate, wait
  std::uint32_t stream = 0;    ///< the device's, below kMostStreams
};

struct Program {
  std::uint32_t slots = 0;
  std::vector<Storage> storages;
  std::vector<External> externals;
  std::vector<std::string> operations;
  std::vector<Step> steps;
  std::vector<Group> groups;
  std::vector<Exchange> exchanges;
  std::vector<double> reuse;  ///< shares of rows by how often they are used

  /// Of a call its operation; else "(view)", "(stand-in)" or "(absent)".
  [[nodiscard]] std::string name(const Step& step) const;
};

/// Views of the program point into `text`. What it returns holds together: slots, storages and
/// operations are of those that there are, sizes, strides, ranges and offsets can be. Throws
/// std::runtime_error, which names the line. Linear.
[[nodiscard]] Program read_program(std::string_view text);

}  // namespace orrery::replay
