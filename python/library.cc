// SPDX-License-Identifier: Apache-2.0
//
// The Python module orrery._library: the C interface (orrery.h) without its pointers. Calls release
// the interpreter's lock; Ctrl-C ends a call of the main thread.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/orrery.h"

// https://arrow.apache.org/docs/format/CStreamInterface.html
struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema* out);
  int (*get_next)(ArrowArrayStream*, ArrowArray* out);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};

namespace orrery::python {

namespace py = pybind11;

/// A table of a run. Columns and streams share its memory.
class Table {
 public:
  Table() = default;
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;
  ~Table() {
    if (schema_.release != nullptr) schema_.release(&schema_);
    if (array_.release != nullptr) array_.release(&array_);
  }

  ArrowSchema schema_{};
  ArrowArray array_{};

  [[nodiscard]] std::int64_t rows() const { return array_.length; }
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (std::int64_t i = 0; i < schema_.n_children; ++i)
      names.emplace_back(schema_.children[i]->name);
    return names;
  }
  [[nodiscard]] std::int64_t index_of(const std::string& name) const {
    for (std::int64_t i = 0; i < schema_.n_children; ++i)
      if (name == schema_.children[i]->name) return i;
    throw py::key_error(name);
  }
};

using SharedTable = std::shared_ptr<Table>;

bool is_null(const ArrowArray& column, std::int64_t row) {
  const auto* const bits = static_cast<const std::uint8_t*>(column.buffers[0]);
  return bits != nullptr && (bits[row / 8] >> (row % 8) & 1) == 0;
}

/// A view of the column's memory, which stays alive as long as the array. With missing values, a
/// copy as doubles, in which they are NaN.
template <class Value>
py::array numbers_of(const SharedTable& table, const ArrowArray& column) {
  const auto* const values = static_cast<const Value*>(column.buffers[1]) + column.offset;
  if (column.null_count == 0 || column.buffers[0] == nullptr) {
    const py::capsule owner(new SharedTable(table),
                            [](void* held) { delete static_cast<SharedTable*>(held); });
    py::array_t<Value> view(std::vector<py::ssize_t>{column.length}, values, owner);
    py::detail::array_proxy(view.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
    return view;
  }
  py::array_t<double> copy(column.length);
  auto* const out = copy.mutable_data();
  for (std::int64_t row = 0; row < column.length; ++row)
    out[row] = is_null(column, row + column.offset) ? std::numeric_limits<double>::quiet_NaN()
                                                    : static_cast<double>(values[row]);
  return copy;
}

/// An array of Python strings; missing texts are None. Equal neighbors share one string.
py::array texts_of(const ArrowArray& column) {
  const auto* const ends = static_cast<const std::int64_t*>(column.buffers[1]) + column.offset;
  const auto* const text = static_cast<const char*>(column.buffers[2]);
  py::list list(column.length);
  py::object last = py::none();
  std::string_view last_text;
  for (std::int64_t row = 0; row < column.length; ++row) {
    if (is_null(column, row + column.offset)) {
      list[row] = py::none();
      continue;
    }
    const std::string_view here(text + ends[row],
                                static_cast<std::size_t>(ends[row + 1] - ends[row]));
    if (last.is_none() || here != last_text) {
      last = py::str(here.data(), here.size());
      last_text = here;
    }
    list[row] = last;
  }
  return py::module_::import("numpy").attr("array")(list, py::arg("dtype") = "object");
}

py::array column_of(const SharedTable& table, const std::string& name) {
  const std::int64_t index = table->index_of(name);
  const ArrowArray& column = *table->array_.children[index];
  const std::string_view format = table->schema_.children[index]->format;
  if (format == "l") return numbers_of<std::int64_t>(table, column);
  if (format == "g") return numbers_of<double>(table, column);
  if (format == "U") return texts_of(column);
  throw py::type_error("a column of the Arrow format " + std::string(format));
}

// Arrow's structures that a stream hands out: copies of the table's, whose release lets go of the
// table.

struct SharedSchema {
  SharedTable table;
  std::vector<ArrowSchema> children;
  std::vector<ArrowSchema*> pointers;
};
struct SharedArray {
  SharedTable table;
  std::vector<ArrowArray> children;
  std::vector<ArrowArray*> pointers;
};

template <class Struct, class Shared>
void release_shared(Struct* shared) {
  std::unique_ptr<Shared> data(static_cast<Shared*>(shared->private_data));
  for (Struct& child : data->children)
    if (child.release != nullptr) child.release(&child);
  shared->release = nullptr;
}

template <class Struct, class Shared>
Struct share(const Struct& original, const SharedTable& table) {
  auto data = std::make_unique<Shared>();
  data->table = table;
  data->children.reserve(static_cast<std::size_t>(original.n_children));
  for (std::int64_t i = 0; i < original.n_children; ++i)
    data->children.push_back(share<Struct, Shared>(*original.children[i], table));
  for (Struct& child : data->children) data->pointers.push_back(&child);
  Struct made = original;
  made.children = data->pointers.empty() ? nullptr : data->pointers.data();
  made.release = release_shared<Struct, Shared>;
  made.private_data = data.release();
  return made;
}

struct Stream {
  SharedTable table;
  bool done = false;
};

/// The PyCapsule protocol:
/// https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html
py::capsule stream_of(const SharedTable& table) {
  auto stream = std::make_unique<ArrowArrayStream>();
  stream->private_data = new Stream{table};
  stream->get_schema = [](ArrowArrayStream* self, ArrowSchema* out) {
    const SharedTable& held = static_cast<Stream*>(self->private_data)->table;
    *out = share<ArrowSchema, SharedSchema>(held->schema_, held);
    return 0;
  };
  stream->get_next = [](ArrowArrayStream* self, ArrowArray* out) {
    auto& here = *static_cast<Stream*>(self->private_data);
    if (here.done)
      *out = ArrowArray{};
    else
      *out = share<ArrowArray, SharedArray>(here.table->array_, here.table);
    here.done = true;
    return 0;
  };
  stream->get_last_error = [](ArrowArrayStream*) -> const char* { return nullptr; };
  stream->release = [](ArrowArrayStream* self) {
    delete static_cast<Stream*>(self->private_data);
    self->release = nullptr;
  };
  return py::capsule(stream.release(), "arrow_array_stream", [](PyObject* capsule) {
    auto* const held =
        static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule, "arrow_array_stream"));
    if (held->release != nullptr) held->release(held);
    delete held;
  });
}

/// An answer of the library.
class Answer {
 public:
  explicit Answer(orrery_answer* answer) : answer_(answer, orrery_free) {}

  [[nodiscard]] int status() const { return orrery_status(answer_.get()); }
  [[nodiscard]] std::string json() const { return orrery_json(answer_.get()); }
  [[nodiscard]] std::string text() const { return orrery_text(answer_.get()); }
  [[nodiscard]] std::string notes() const { return orrery_notes(answer_.get()); }
  [[nodiscard]] std::vector<std::string> tables() const {
    std::vector<std::string> names;
    std::istringstream lines(orrery_table_names(answer_.get()));
    for (std::string line; std::getline(lines, line);) names.push_back(line);
    return names;
  }
  [[nodiscard]] SharedTable table(const std::string& name) const {
    return build(name, [&](Table& table) {
      return orrery_table(answer_.get(), name.c_str(), &table.schema_, &table.array_);
    });
  }
  [[nodiscard]] SharedTable view(const std::string& name, std::int64_t rank) const {
    const std::string place = rank < 0 ? name : name + " of rank " + std::to_string(rank);
    return build(place, [&](Table& table) {
      return orrery_view(answer_.get(), name.c_str(), rank, &table.schema_, &table.array_);
    });
  }

 private:
  template <class Fill>
  static SharedTable build(const std::string& place, const Fill& fill) {
    auto table = std::make_shared<Table>();
    int status = 0;
    {
      const py::gil_scoped_release unlocked;
      status = fill(*table);
    }
    if (status == 5) throw std::bad_alloc();
    if (status != 0) throw py::key_error(place);
    return table;
  }

  std::shared_ptr<orrery_answer> answer_;
};

/// What the callbacks of one call need. An exception in Python ends the call and is thrown after.
struct CallState {
  py::object progress, kernel_time, network_time;
  std::chrono::steady_clock::time_point asked = std::chrono::steady_clock::now();
  std::mutex mutex;
  std::optional<py::error_already_set> error;
};

void on_progress(void* user, const char* phase, const char* unit, std::uint64_t done,
                 std::uint64_t of) {
  auto& state = *static_cast<CallState*>(user);
  const std::lock_guard lock(state.mutex);
  if (state.error) return;
  const py::gil_scoped_acquire locked;
  try {
    state.progress(phase, unit, done, of);
  } catch (py::error_already_set& error) {
    state.error.emplace(std::move(error));
  }
}

/// Asks Python for signals at most every 20 ms, so that calls of several threads do not queue.
int on_cancelled(void* user) {
  constexpr std::chrono::milliseconds kBetween{20};
  auto& state = *static_cast<CallState*>(user);
  const std::lock_guard lock(state.mutex);
  if (state.error) return 1;
  const auto now = std::chrono::steady_clock::now();
  if (now - state.asked < kBetween) return 0;
  state.asked = now;
  const py::gil_scoped_acquire locked;
  if (PyErr_CheckSignals() == 0) return 0;
  state.error.emplace();
  return 1;
}

/// Asks a function for a time. After an exception, any number that is no time ends the call.
double ask(CallState& state, const py::object& function, const char* about, double predicted) {
  constexpr double kEndsCall = -1;
  const std::lock_guard lock(state.mutex);
  if (state.error) return kEndsCall;
  const py::gil_scoped_acquire locked;
  try {
    const py::object seconds =
        std::isnan(predicted) ? py::none() : py::object(py::float_(predicted));
    return function(about, seconds).cast<double>();
  } catch (py::error_already_set& error) {
    state.error.emplace(std::move(error));
  }
  return kEndsCall;
}

double on_kernel_time(void* user, const char* about, double predicted) {
  auto& state = *static_cast<CallState*>(user);
  return ask(state, state.kernel_time, about, predicted);
}

double on_network_time(void* user, const char* about, double predicted) {
  auto& state = *static_cast<CallState*>(user);
  return ask(state, state.network_time, about, predicted);
}

Answer call(const std::string& command, const std::string& question, py::object progress,
            bool keep_run, const std::string& temporary_folder, py::object kernel_time,
            py::object network_time) {
  CallState state;
  state.progress = std::move(progress);
  state.kernel_time = std::move(kernel_time);
  state.network_time = std::move(network_time);
  orrery_models models{};
  models.user = &state;
  if (!state.kernel_time.is_none()) models.kernel_time = on_kernel_time;
  if (!state.network_time.is_none()) models.network_time = on_network_time;
  orrery_call_options options{};
  options.user = &state;
  options.cancelled = on_cancelled;
  if (!state.progress.is_none()) options.progress = on_progress;
  options.keep_run = keep_run ? 1 : 0;
  options.temporary_folder = temporary_folder.empty() ? nullptr : temporary_folder.c_str();
  orrery_answer* answer = nullptr;
  {
    const py::gil_scoped_release unlocked;
    answer = orrery_call_with_models(command.c_str(), question.c_str(), &options, &models);
  }
  if (answer == nullptr) throw std::bad_alloc();
  Answer made(answer);
  if (state.error) throw std::move(*state.error);
  return made;
}

std::vector<std::string> command_names() {
  std::vector<std::string> names;
  std::istringstream lines(orrery_commands());
  for (std::string line; std::getline(lines, line);) names.push_back(line);
  return names;
}

}  // namespace orrery::python

PYBIND11_MODULE(_library, module) {
  using namespace orrery::python;
  module.doc() = "The library liborrery: calls of commands, answers, and tables in columns.";
  py::class_<Table, SharedTable>(module, "Table", "A table in columns, which share its memory.")
      .def("__len__", &Table::rows)
      .def_property_readonly("columns", &Table::names, "The names of the columns.")
      .def("column", &column_of, py::arg("name"), "One column. Raises KeyError.")
      .def(
          "__arrow_c_stream__",
          [](const SharedTable& table, const py::object&) { return stream_of(table); },
          py::arg("requested_schema") = py::none(), "Arrow's PyCapsule protocol.");
  py::class_<Answer>(module, "Answer", "An answer of the library.")
      .def_property_readonly("status", &Answer::status, "The exit code of the command line.")
      .def_property_readonly("json", &Answer::json, "The document of --json.")
      .def_property_readonly("text", &Answer::text, "What the command prints.")
      .def_property_readonly("notes", &Answer::notes, "Notes and errors, one per line.")
      .def_property_readonly("tables", &Answer::tables, "The names of the tables of the run.")
      .def("table", &Answer::table, py::arg("name"), "A table of the run. Raises KeyError.")
      .def("view", &Answer::view, py::arg("name"), py::arg("rank") = -1,
           "A view of the run, of one rank or of all. Raises KeyError.");
  module.def("call", &call, py::arg("command"), py::arg("question"), py::kw_only(),
             py::arg("progress") = py::none(), py::arg("keep_run") = false,
             py::arg("temporary_folder") = "", py::arg("kernel_time") = py::none(),
             py::arg("network_time") = py::none(), "Calls a command; the question is JSON.");
  module.def(
      "version", [] { return std::string(orrery_version()); }, "The version of the library.");
  module.def("command_names", &command_names, "The names of all commands.");
}
