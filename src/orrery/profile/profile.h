// SPDX-License-Identifier: Apache-2.0
//
// One recorded rank: the events on its threads and on the streams of its device, their times and
// their details. The readers of all recorded formats (Kineto, PyTorch execution traces, Nsight
// Systems …) produce a Profile. Linking, dependencies, conversion and inspection use it.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "orrery/core/chunked_vector.h"
#include "orrery/core/findings.h"
#include "orrery/core/quantity.h"
#include "orrery/core/strings.h"
#include "orrery/profile/comm.h"
#include "orrery/profile/text_store.h"

namespace orrery::profile {

/// Index of an event in Profile::events.
using EventId = std::uint32_t;
inline constexpr EventId kNoEvent = ~EventId{0};
inline constexpr std::uint32_t kNone = ~std::uint32_t{0};
/// Value of a correlation, external, record-function or node id that the file does not contain.
inline constexpr std::uint64_t kNoId = ~std::uint64_t{0};

enum class Kind : std::uint8_t {
  // On a thread of the host
  op,          ///< an operator of the framework (cpu_op), or a node of an execution trace
  annotation,  ///< a named range of the user or the framework (record_function, NVTX)
  python,      ///< a frame of a Python function
  call,        ///< a call of the device's runtime or driver (CUDA, HIP, MTIA)
  overhead,    ///< the profiler's own time
  // On a stream of a device
  kernel,
  memcpy,
  memset,
  device_other,  ///< any other work (MTIA's queues …)
  device_range,  ///< the copy of an annotation on a stream (gpu_user_annotation)
  sync           ///< a record of a synchronization (cuda_sync)
};
inline constexpr std::size_t kKinds = static_cast<std::size_t>(Kind::sync) + 1;
/// "op", "annotation" …
[[nodiscard]] std::string_view name(Kind kind);

/// True for work that occupies a stream: kernel, memcpy, memset, device_other.
[[nodiscard]] constexpr bool is_device_work(Kind kind) {
  return kind == Kind::kernel || kind == Kind::memcpy || kind == Kind::memset ||
         kind == Kind::device_other;
}
/// True for events on a thread.
[[nodiscard]] constexpr bool is_host(Kind kind) { return kind <= Kind::overhead; }

enum EventFlag : std::uint8_t {
  kTimed = 1u << 0,       ///< start and duration are recorded (nodes of execution traces have none)
  kHasNode = 1u << 1,     ///< Op::node contains details from an execution trace
  kUnfinished = 1u << 2,  ///< the file lacks its end; it lasts to the end of the recording
};

/// One event. `detail` is an index into the table of its kind:
/// op, annotation, python → Profile::ops; call → calls; device work and ranges → works; sync →
/// syncs; overhead → none (kNone).
struct Event {
  Time start{};     ///< since Profile::origin_ns
  Time duration{};  ///< never negative
  StringId name = StringId::empty;
  std::uint32_t lane = 0;     ///< in Profile::lanes
  EventId parent = kNoEvent;  ///< the innermost host event that encloses it on the same thread
  std::uint32_t detail = kNone;
  Kind kind = Kind::op;
  std::uint8_t flags = 0;

  [[nodiscard]] Time end() const { return start + duration; }
  [[nodiscard]] bool timed() const { return (flags & kTimed) != 0; }
};

/// Details of an operator, an annotation or a Python frame.
struct Op {
  std::uint64_t external_id = kNoId;
  std::uint64_t record_function_id = kNoId;  ///< kNoId if the file has 0 or nothing
  std::int64_t sequence = -1;  ///< of autograd; a backward op has the number of its forward op
  /// Number that the profiler gives the forward thread; 0: this is no backward op.
  std::uint32_t forward_thread = 0;
  std::uint32_t comm = kNone;  ///< in Profile::comms
  std::uint32_t node = kNone;  ///< in Profile::nodes (with kHasNode)
  // JSON text of nested lists, as in the file; empty if absent
  StringId dims = StringId::empty;
  StringId strides = StringId::empty;
  StringId types = StringId::empty;
  StringId concrete = StringId::empty;
};

/// Details of an operator that only execution traces contain. Texts are JSON lists as in the file.
struct Node {
  std::uint64_t id = 0;              ///< in the trace
  std::uint64_t parent = 0;          ///< id of the parent in the trace
  std::uint64_t forward_parent = 0;  ///< fw_parent: id of the forward op of a backward op; 0: none
  std::int32_t scope = 0;
  std::int32_t thread = 0;  ///< logical number: 1, 2 …
  std::int32_t forward_thread = 0;
  StringId schema = StringId::empty;          ///< op_schema
  StringId kernel_backend = StringId::empty;  ///< "triton"
  StringId kernel_file = StringId::empty;
  StringId input_shapes = StringId::empty, input_types = StringId::empty,
           input_strides = StringId::empty;
  StringId output_shapes = StringId::empty, output_types = StringId::empty,
           output_strides = StringId::empty;
  StringId extra = StringId::empty;  ///< attributes without a column here, as JSON
  StoredText inputs{};  ///< values; tensors are [id, storage, offset, count, width, device]
  StoredText outputs{};
};

/// A call of the runtime or driver.
struct Call {
  std::uint64_t correlation = kNoId;
  std::uint64_t external_id = kNoId;
};

/// Work on a stream of a device.
struct Work {
  std::uint64_t correlation = kNoId;
  std::uint64_t external_id = kNoId;
  std::int64_t bytes = -1;            ///< memcpy, memset; -1: not recorded
  std::uint32_t comm = kNone;         ///< in Profile::comms, for kernels of a communication library
  StringId launch = StringId::empty;  ///< grid, block, registers …, as text of a JSON object
  EventId call = kNoEvent;            ///< the call that launched it (filled by attach)
  EventId op = kNoEvent;           ///< the operator or annotation it belongs to (filled by attach)
  std::uint32_t captured = kNone;  ///< in Profile::captured, for nodes of graphs
};

/// What captured a node of a graph (link/graph_captures.h), or an operation of a compiled program.
struct CapturedOperator {
  StringId name = StringId::empty;
  StringId dims = StringId::empty;
  StringId types = StringId::empty;
  StringId concrete = StringId::empty;  ///< of a compiled program: graph::to_text of its kernel

  friend auto operator<=>(const CapturedOperator&, const CapturedOperator&) = default;
};

/// The node of a CUDA graph that a work executed. All works of one replay have the correlation of
/// its launch.
struct GraphNode {
  std::uint32_t work = kNone;  ///< in Profile::works
  std::uint32_t node = 0;      ///< the lower half of its id; some profilers write only this half
  std::uint64_t graph = 0;     ///< id of the instantiated graph
};

enum class SyncKind : std::uint8_t { unknown, event, stream, context, stream_wait };

/// A record of a synchronization (Kineto's cuda_sync).
struct Sync {
  std::uint64_t correlation = kNoId;         ///< of the synchronizing call
  std::uint64_t record_correlation = kNoId;  ///< of the call that recorded the event
  std::int64_t stream = -1;  ///< the stream that waits; SyncKind::stream: the stream that the host
                             ///< waits for; -1: host
  std::int64_t wait_on_stream = -1;  ///< the stream on which the event was recorded
  std::int64_t device = -1;
  SyncKind kind = SyncKind::unknown;
};

/// An allocation or a release of tensor memory (Kineto's "[memory]").
struct MemoryChange {
  Time at{};                    ///< since Profile::origin_ns
  std::int64_t bytes = 0;       ///< negative: released
  bool device = false;          ///< memory of the device, not of the host
  std::int32_t device_id = -1;  ///< number of the device
  std::uint32_t lane = kNone;   ///< the thread that allocated or released
  std::uint64_t address = 0;    ///< 0: not recorded
  std::int64_t allocated = -1;  ///< bytes after the change; -1: not recorded
  std::int64_t reserved = -1;   ///< by the allocator, after the change; -1: not recorded
};

/// A thread of the host, or a stream of a device.
struct Lane {
  bool device = false;
  std::int64_t process = 0;  ///< process id, or device number
  std::int64_t id = 0;  ///< thread id (of the system; logical in execution traces), or stream id
  std::string name;     ///< name in the file; may be empty
};

struct Device {
  std::int64_t id = 0;
  std::string name;
  std::int64_t memory_bytes = 0;
  std::int64_t processors = 0;  ///< SMs or CUs; 0: not recorded
};

/// What the records of a file became. Every record that became no event is counted.
struct RecordCounts {
  std::uint64_t records = 0;  ///< elements of traceEvents, nodes, rows …
  std::uint64_t events = 0;   ///< became events (the begin and the end of an event are two records)
  std::uint64_t mapped = 0;   ///< became something else: names, flows, groups, ends of events
  /// Other records by category; findings count them, too.
  std::vector<std::pair<std::string, std::uint64_t>> left_out;  ///< ascending by name
};

/// A recorded rank. Readers call `index()` before they return a profile. Code that changes events
/// must call it again.
struct Profile {
  std::shared_ptr<StringPool> strings;
  std::string format;  ///< "kineto", "pytorch_et", "pftrace", "nsys", "rocpd", "xplane",
                       ///< "chakra_et_plus", …
  std::string schema;  ///< version of the format
  std::string where;   ///< name of the file
  std::optional<std::uint32_t> rank, world_size;
  std::string backend;         ///< of the process groups: "nccl", "gloo" …
  std::int64_t origin_ns = 0;  ///< time 0 on the rank's own clock, in ns
  std::int64_t process_id = 0;
  bool has_sync_events = false;  ///< the file contains cuda_sync records
  std::vector<Device> devices;
  /// Other top-level values of the file, as text.
  std::vector<std::pair<std::string, std::string>> facts;

  ChunkedVector<Event> events;  ///< in file order
  ChunkedVector<Op> ops;
  ChunkedVector<Call> calls;
  ChunkedVector<Work> works;
  ChunkedVector<Sync> syncs;
  ChunkedVector<Node> nodes;
  TextStore texts;  ///< of nodes
  std::vector<Comm> comms;
  std::vector<Group> groups;
  std::vector<Lane> lanes;
  std::vector<MemoryChange> memory;  ///< in file order
  /// Forward operator → backward operator (Kineto's fwdbwd flows), in file order.
  std::vector<std::pair<EventId, EventId>> forward_backward;
  std::vector<GraphNode> graph_nodes;  ///< of works that are nodes of graphs, ascending by work
  std::vector<CapturedOperator> captured;
  /// Node → node that waits for it, within one replay of a graph; ascending. The first node ends
  /// before the second begins, within rounding.
  std::vector<std::pair<EventId, EventId>> graph_edges;
  RecordCounts account;

  /// Returns the lane with these values and adds it if it is new. O(log lanes).
  std::uint32_t lane(bool device, std::int64_t process, std::int64_t id);

  /// Sorts the events of each lane and sets the parent of every host event. Timed events are
  /// ordered by start, then by length (longer first), then in file order. An event that ends after
  /// its parent is counted (event_overlaps) and remains its child. Untimed events (nodes of
  /// execution traces) keep their parent and are ordered by node id. O(events log events).
  void index(Findings& findings);

  /// The events of a lane in this order: pre-order of the tree on threads, by start on streams.
  [[nodiscard]] std::span<const EventId> in_order(std::uint32_t lane) const {
    return {order_.data() + first_of_lane_[lane], first_of_lane_[lane + 1] - first_of_lane_[lane]};
  }

  [[nodiscard]] std::string_view string(StringId id) const { return strings->view(id); }
  [[nodiscard]] std::string_view name(EventId e) const { return string(events[e].name); }
  [[nodiscard]] const Op& op(EventId e) const { return ops[events[e].detail]; }
  [[nodiscard]] const Call& call(EventId e) const { return calls[events[e].detail]; }
  [[nodiscard]] const Work& work(EventId e) const { return works[events[e].detail]; }
  [[nodiscard]] const Sync& sync(EventId e) const { return syncs[events[e].detail]; }
  /// The graph node that a work executed, or null.
  [[nodiscard]] const GraphNode* graph_node(EventId work) const;
  /// The details of an operator from an execution trace, or null.
  [[nodiscard]] const Node* node(EventId e) const {
    return (events[e].flags & kHasNode) == 0 ? nullptr : &nodes[op(e).node];
  }
  /// The communication of an operator, annotation or kernel, or null.
  [[nodiscard]] const Comm* comm(EventId e) const;
  [[nodiscard]] std::size_t resident_bytes() const;

 private:
  void order_lane(std::uint32_t lane, Findings& findings);
  void nest(std::span<const EventId> timed, Findings& findings);
  void place_untimed(std::uint32_t lane, std::size_t timed);

  std::vector<EventId> order_;
  std::vector<std::uint32_t> first_of_lane_{0};
  std::vector<std::uint32_t> lanes_by_key_;  // sorted by (device, process, id)
};

}  // namespace orrery::profile
