// SPDX-License-Identifier: Apache-2.0
//
// Programs as text, readable for users and for the replay. One line per item:
//
//   orrery benchmark 1
//   slots 5
//   reuse 0.6 0.3 0.1                                only if indices are sampled with reuse
//   storage 0 4096 float uniform 0 0.5 written
//   external %0 0 float [32,32] [32,1] 0
//   operation 0 aten::add.Tensor
//   stream 1                                         device stream from here on; initially 0
//   gap 1200                                         host time in nanoseconds
//   call 0 (%0, %1, 1) -> 0 %2 float [32,32] [] ; last %0 %1
//   view %3 %2 float [1024] [1] 0 ; last
//   stand_in 4096 (t[%3], t[%0]) -> 0 %4 float [32] [] ; last
//   absent -> 0 %5 float [1] [] ; last
//   group 0 "tp" [0,1]                               its ranks; []: all ranks
//   communicate all_reduce 0 4096 delay 8000 (t[%4], t[%4]) -> ; last
//   wait 0 ; last %4
//
// A communication line contains its kind, group and bytes; optionally "peer N" (the other rank of a
// message, or the number of the root in the group), "in [..]" and "out [..]" (elements per peer),
// and "delay N" (nanoseconds); then the tensors to send and the tensors to receive into. `wait`
// refers to communications by number, from 0.
//
// Values: none, undefined, _ (the default), true, 7, 1.5, "text", @ (the device), %slot and lists:
// t[] tensors, o[] optional tensors, i[] r[] b[] s[] (scalars) x[] (texts). Results are
// "place[.item] %slot type sizes strides". Lines that start with # are comments.
//
// Each line is described once, for the writer and the reader: `Text` is one of the two. It writes
// the values that it gets, or reads into them and checks them.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "addons/bench/plan/program.h"

namespace orrery::bench::program_format {

inline constexpr std::string_view kFirstLine = "orrery benchmark 1";
inline constexpr std::int64_t kBeyond = (std::int64_t{1} << 62) + 1;
inline constexpr std::uint32_t kMaxRank = ~std::uint32_t{0} >> 1;
inline constexpr std::size_t kMaxReuseShares = 60;  // use j of a row is 3 << j visits
inline constexpr double kMaxExact = 0x1p53;  // integers up to this value are exact as doubles

/// By Fill::Kind, ReplayStep::Kind and Value::Items.
inline constexpr std::array<std::string_view, 4> kFills = {"uniform", "whole", "ramp", "reuse"};
inline constexpr std::array<std::string_view, 6> kSteps = {"call",   "view",        "stand_in",
                                                           "absent", "communicate", "wait"};
inline constexpr std::string_view kItems = "toirbsx";
inline constexpr std::array<std::string_view, 12> kExchanges = {
    "all_reduce", "reduce",         "all_gather", "gather", "scatter", "broadcast",
    "all_to_all", "reduce_scatter", "barrier",    "send",   "recv",    "coalesced"};

inline bool are_possible(const std::vector<std::int64_t>& sizes) {
  std::int64_t elements = 1;
  return std::all_of(sizes.begin(), sizes.end(), [&](std::int64_t size) {
    return size >= 0 &&
           !__builtin_mul_overflow(elements, std::max<std::int64_t>(size, 1), &elements);
  });
}

/// The only item of a list.
template <class Text, class List>
auto& only(Text& text, List& list) {
  std::size_t first = 0;
  return text.next(list, first);
}

template <class Text, class Spec>
void describe_spec(Text& text, Spec& spec) {
  text.choice(spec.dtype, kDtypeNames, "a type of elements");
  text.number(spec.sizes);
  text.number(spec.strides);
  text.check(are_possible(spec.sizes), "sizes that a tensor can have");
  text.check(std::none_of(spec.strides.begin(), spec.strides.end(),
                          [](std::int64_t stride) { return stride < 0; }),
             "strides that a tensor can have");
}

template <class Text, class Spec>
void describe_spec_and_offset(Text& text, Spec& spec) {
  describe_spec(text, spec);
  text.number(spec.offset, kBeyond, "an offset that a tensor can have");
}

/// `check`: as in Line::number.
template <class Text, class Number, class... Check>
void describe_setting(Text& text, std::string_view name, Number& value, const Check&... check) {
  text.word(name);
  text.number(value, check...);
  text.end();
}

template <class Text, class Whole>
void describe_reuse(Text& text, Whole& program) {
  text.word("reuse");
  text.rest(program.reuse, [&](auto& share) { text.number(share); });
  text.check(program.reuse.size() <= kMaxReuseShares &&
                 std::all_of(program.reuse.begin(), program.reuse.end(),
                             [](double share) { return share >= 0 && share <= 1; }),
             "up to 60 shares from 0 to 1");
  text.end();
}

/// The next storage; for the writer, the one with this index. As in the functions below.
template <class Text, class Storages>
void describe_storage(Text& text, Storages& storages, std::size_t index = 0) {
  auto& storage = text.next(storages, index);
  auto& fill = storage.fill;
  text.word("storage");
  text.index(index);
  text.number(storage.bytes, kBeyond, "so many bytes");
  text.choice(storage.dtype, kDtypeNames, "a type of elements");
  text.choice(fill.kind, kFills, "uniform, whole, ramp or reuse");
  auto& first = fill.kind == Fill::Kind::ramp ? fill.step : fill.low;
  text.number(first);
  text.number(fill.high);
  const bool finite = std::abs(first) <= kMaxExact && std::abs(fill.high) <= kMaxExact;
  const bool rises = first >= 0 && fill.high >= 0;
  text.check(finite && (fill.kind != Fill::Kind::whole || first <= fill.high) &&
                 (fill.kind != Fill::Kind::ramp || rises),
             "a range");
  text.flag("written", storage.written);
  text.optional("after", storage.after, kNoStep);
  text.end();
}

template <class Text, class One>
void describe_external(Text& text, One& external, const Program& program) {
  text.word("external");
  text.slot(external.slot);
  text.number(external.storage, program.storages.size(), "a storage that there is");
  describe_spec_and_offset(text, external.spec);
  text.end();
}

template <class Text, class Groups>
void describe_group(Text& text, Groups& groups, std::size_t index = 0) {
  auto& group = text.next(groups, index);
  text.word("group");
  text.index(index);
  text.quoted(group.name);
  text.number(group.ranks);
  text.check(std::none_of(group.ranks.begin(), group.ranks.end(),
                          [](std::uint32_t rank) { return rank > kMaxRank; }),
             "a rank");
  text.end();
}

template <class Text, class Operations>
void describe_operation(Text& text, Operations& operations, std::size_t index = 0) {
  auto& operation = text.next(operations, index);
  text.word("operation");
  text.index(index);
  text.name(operation);
  text.end();
}

template <class Text, class One>
void describe_exchange(Text& text, One& exchange, const Program& program) {
  text.name(exchange.kind);
  text.check(std::find(kExchanges.begin(), kExchanges.end(), exchange.kind) != kExchanges.end(),
             "a kind of communication");
  text.number(exchange.group, program.groups.size(), "a group that there is");
  text.number(exchange.bytes);
  text.optional("peer", exchange.peer, -1);
  text.optional("in", exchange.in_split, {});
  text.optional("out", exchange.out_split, {});
  text.optional("delay", exchange.delay_ns, -1);
  text.check(exchange.delay_ns >= -1 && exchange.delay_ns < kBeyond, "so many nanoseconds");
}

template <class Text, class Step>
void describe_outputs(Text& text, Step& step) {
  text.word("->");
  text.list(step.outputs, [&](auto& output) {
    text.place(output.place, output.item);
    text.slot(output.slot);
    describe_spec(text, output.spec);
  });
}

inline bool is_tensor_list(const Value& value) {
  return value.kind == Value::Kind::list && value.of == Value::Items::tensors;
}

template <class Text, class Step>
void describe_arguments_and_outputs(Text& text, Step& step) {
  text.arguments(step.arguments);
  describe_outputs(text, step);
}

/// The reader adds the communication of a step to the program.
template <class Text, class Step, class Whole>
void describe_step(Text& text, Step& step, Whole& program) {
  text.choice(step.kind, kSteps, "a kind of step");
  switch (step.kind) {
    case ReplayStep::Kind::call:
      text.number(step.operation, program.operations.size(), "an operation that there is");
      describe_arguments_and_outputs(text, step);
      break;
    case ReplayStep::Kind::view: {
      auto& output = only(text, step.outputs);
      auto& base = only(text, step.arguments);
      text.slot(output.slot);
      text.value(base);
      text.check(base.kind == Value::Kind::tensor, "a slot");
      describe_spec_and_offset(text, output.spec);
      break;
    }
    case ReplayStep::Kind::stand_in:
      text.number(step.flops);
      text.check(step.flops >= 0 && step.flops <= 0x1p62, "so many calculations");
      describe_arguments_and_outputs(text, step);
      break;
    case ReplayStep::Kind::absent:
      describe_outputs(text, step);
      break;
    case ReplayStep::Kind::communicate:
      describe_exchange(text, text.next(program.exchanges, step.exchange), program);
      describe_arguments_and_outputs(text, step);
      text.check(step.arguments.size() == 2 &&
                     std::all_of(step.arguments.begin(), step.arguments.end(), is_tensor_list),
                 "two lists of tensors");
      break;
    case ReplayStep::Kind::wait:
      text.number(step.exchange, program.exchanges.size(), "a communication before it");
      break;
  }
  text.word(";");
  text.word("last");
  text.rest(step.last, [&](auto& slot) { text.slot(slot); });
  text.end();
}

}  // namespace orrery::bench::program_format
