// SPDX-License-Identifier: Apache-2.0
//
// Writes the state of objects as bytes. StateReader reads them back.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "orrery/core/quantity.h"
#include "orrery/core/state/aggregate_members.h"

namespace orrery {

class StateWriter;

/// A class that lists its members: `static auto fields(auto& self)` returns std::tie of those that
/// are state. It names all members by a structured binding of `self`, so that a new member does not
/// compile until it is in that list.
template <class T>
concept ListsFields = requires(T& value) {
  std::remove_const_t<T>::fields(value);
};

/// A type that writes and reads itself, because members refer to other objects.
template <class T>
concept SavesItself = requires(const T& value, StateWriter& to) {
  value.save(to);
};

/// How to write and read a type that has none of these properties:
/// `static void save(StateWriter&, const T&)` and `static void load(StateReader&, T&)`.
template <class T>
struct StateOf;

template <class T>
concept HasStateOf = requires {
  sizeof(StateOf<T>);
};

/// A number, written as its bytes, the lowest first.
template <class T>
concept StateNumber = std::is_arithmetic_v<T> || std::is_enum_v<T>;

/// Accepts numbers, strings, standard containers, types with one of the properties above, and plain
/// structs (members()). Pointers do not compile. Containers are written with their size, unordered
/// ones in the order of their keys. Equal states give equal bytes on every machine.
class StateWriter {
 public:
  /// Receives the bytes in pieces.
  using Sink = std::function<void(std::string_view)>;
  explicit StateWriter(Sink sink) : sink_(std::move(sink)) {}
  StateWriter(const StateWriter&) = delete;
  StateWriter& operator=(const StateWriter&) = delete;
  ~StateWriter() = default;

  template <class... T>
  void operator()(const T&... values) {
    (write(values), ...);
  }

  /// Passes the remaining bytes on. Call it at the end.
  void flush() {
    sink_(buffer_);
    buffer_.clear();
  }

 private:
  static constexpr std::size_t kPiece = std::size_t{1} << 20;

  void append(const void* bytes, std::size_t size) {
    buffer_.append(static_cast<const char*>(bytes), size);
    if (buffer_.size() >= kPiece) flush();
  }

  template <class T>
  void write(const T& value) {
    if constexpr (HasStateOf<T>) {
      StateOf<T>::save(*this, value);
    } else if constexpr (StateNumber<T>) {
      write_number(value);
    } else if constexpr (ListsFields<const T>) {
      std::apply(*this, T::fields(value));
    } else if constexpr (SavesItself<T>) {
      value.save(*this);
    } else if constexpr (requires { write_standard(value); }) {
      write_standard(value);
    } else {
      std::apply(*this, members(value));
    }
  }

  template <class T>
  void write_number(T value) {
    std::array<char, sizeof(T)> bytes;
    std::memcpy(bytes.data(), &value, sizeof(T));
    if constexpr (std::endian::native == std::endian::big) std::reverse(bytes.begin(), bytes.end());
    append(bytes.data(), bytes.size());
  }

  template <class All>
  void write_each(const All& all) {
    write_number(static_cast<std::uint64_t>(all.size()));
    for (const auto& one : all) write<typename All::value_type>(one);
  }

  template <class Unit, class Rep>
  void write_standard(const Quantity<Unit, Rep>& value) {
    write_number(value.count());
  }
  void write_standard(const std::string& text) {
    write_number(static_cast<std::uint64_t>(text.size()));
    append(text.data(), text.size());
  }
  template <class T>
  void write_standard(const std::vector<T>& all) {
    if constexpr (StateNumber<T> && !std::same_as<T, bool> &&
                  std::endian::native == std::endian::little) {
      write_number(static_cast<std::uint64_t>(all.size()));
      append(all.data(), all.size() * sizeof(T));
    } else {
      write_each(all);
    }
  }
  template <class T>
  void write_standard(const std::deque<T>& all) {
    write_each(all);
  }
  template <class Key, class T>
  void write_standard(const std::map<Key, T>& all) {
    write_each(all);
  }
  template <class Key>
  void write_standard(const std::set<Key>& all) {
    write_each(all);
  }
  template <class Key, class T, class Hash>
  void write_standard(const std::unordered_map<Key, T, Hash>& all) {
    std::vector<const std::pair<const Key, T>*> sorted;
    for (const auto& one : all) sorted.push_back(&one);
    std::sort(sorted.begin(), sorted.end(), [](auto* a, auto* b) { return a->first < b->first; });
    write_number(static_cast<std::uint64_t>(all.size()));
    for (const auto* one : sorted) write(*one);
  }
  template <class T, std::size_t n>
  void write_standard(const std::array<T, n>& all) {
    for (const T& one : all) write(one);
  }
  template <class T, std::size_t n>
  void write_standard(const T (&all)[n]) {
    for (const T& one : all) write(one);
  }
  template <class A, class B>
  void write_standard(const std::pair<A, B>& both) {
    (*this)(both.first, both.second);
  }
  template <class... T>
  void write_standard(const std::tuple<T...>& all) {
    std::apply(*this, all);
  }
  template <class T>
  void write_standard(const std::optional<T>& value) {
    write_number(value.has_value());
    if (value) write(*value);
  }
  template <class T>
  void write_standard(const std::unique_ptr<T>& value) {
    write_number(value != nullptr);
    if (value) write(*value);
  }

  Sink sink_;
  std::string buffer_;
};

/// The bytes of a state.
template <class... T>
[[nodiscard]] std::string state_bytes(const T&... values) {
  std::string bytes;
  StateWriter writer([&](std::string_view piece) { bytes += piece; });
  writer(values...);
  writer.flush();
  return bytes;
}

}  // namespace orrery
