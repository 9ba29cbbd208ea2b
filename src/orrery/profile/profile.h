// SPDX-License-Identifier: Apache-2.0
//
// One rank as it was recorded: what ran on its threads and on its device's streams, when, and what
// is known about each of it. Every recorded format (Kineto, PyTorch execution traces, Nsight
// Systems) is read into this; linking, dependencies, conversion and inspection start from it.
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
/// A correlation, external, record-function or node id that the file does not give.
inline constexpr std::uint64_t kNoId = ~std::uint64_t{0};

enum class Kind : std::uint8_t {
  // On a thread of the host
  op,          ///< an operator of the framework (cpu_op), a node of an execution trace
  annotation,  ///< a user's or the framework's named range (record_function, NVTX)
  python,      ///< a Python function's frame
  call,        ///< a call of the device's runtime or driver (CUDA, HIP, MTIA)
  overhead,    ///< the profiler's own time
  // On a stream of a device
  kernel,
  memcpy,
  memset,
  device_other,  ///< work of a kind without a name of its own (MTIA's queues …)
  device_range,  ///< an annotation's shadow on a stream (gpu_user_annotation)
  sync           ///< a record of a synchronisation (cuda_sync)
};
inline constexpr std::size_t kKinds = 11;
/// "op", "annotation" …
[[nodiscard]] std::string_view name(Kind kind);

/// True for what takes a stream's time: kernel, memcpy, memset, device_other.
[[nodiscard]] constexpr bool is_device_work(Kind kind) {
  return kind == Kind::kernel || kind == Kind::memcpy || kind == Kind::memset ||
         kind == Kind::device_other;
}
/// True for what runs on a thread.
[[nodiscard]] constexpr bool is_host(Kind kind) { return kind <= Kind::overhead; }

enum EventFlag : std::uint8_t {
  kTimed = 1u << 0,       ///< start and duration are recorded (nodes of execution traces have none)
  kHasNode = 1u << 1,     ///< Op::node says more, from an execution trace
  kUnfinished = 1u << 2,  ///< its end is missing in the file; it lasts to the end of what is known
};

/// One thing that happened. Its `detail` is an index into the table of its kind:
/// op, annotation, python → Profile::ops; call → calls; device work and ranges → works; sync →
/// syncs; overhead → none (kNone).
struct Event {
  Time start{};     ///< since Profile::origin_ns
  Time duration{};  ///< never negative
  StringId name = StringId::empty;
  std::uint32_t lane = 0;     ///< in Profile::lanes
  EventId parent = kNoEvent;  ///< the innermost host event around it on the same thread
  std::uint32_t detail = kNone;
  Kind kind = Kind::op;
  std::uint8_t flags = 0;

  [[nodiscard]] Time end() const { return start + duration; }
  [[nodiscard]] bool timed() const { return (flags & kTimed) != 0; }
};

/// What is known about an operator, an annotation or a Python frame.
struct Op {
  std::uint64_t external_id = kNoId;
  std::uint64_t record_function_id = kNoId;  ///< 0 and absent are both kNoId
  std::int64_t sequence = -1;                ///< autograd's; a backward op has its forward op's
  std::uint32_t forward_thread = 0;          ///< the profiler's own number of the forward thread; 0
                                             ///< = this is no backward op
  std::uint32_t comm = kNone;                ///< in Profile::comms
  std::uint32_t node = kNone;                ///< in Profile::nodes (with kHasNode)
  // As the file has them (JSON text of nested lists); empty when absent
  StringId dims = StringId::empty;
  StringId strides = StringId::empty;
  StringId types = StringId::empty;
  StringId concrete = StringId::empty;
};

/// What only an execution trace knows about an operator. Texts are JSON lists as in the file.
struct Node {
  std::uint64_t id = 0;              ///< the trace's own
  std::uint64_t parent = 0;          ///< the trace's own id of it
  std::uint64_t forward_parent = 0;  ///< fw_parent: the forward op of a backward op; 0 = none
  std::int32_t scope = 0;
  std::int32_t thread = 0;  ///< logical: 1, 2 …
  std::int32_t forward_thread = 0;
  StringId schema = StringId::empty;          ///< op_schema
  StringId kernel_backend = StringId::empty;  ///< "triton"
  StringId kernel_file = StringId::empty;
  StringId input_shapes = StringId::empty, input_types = StringId::empty,
           input_strides = StringId::empty;
  StringId output_shapes = StringId::empty, output_types = StringId::empty,
           output_strides = StringId::empty;
  StringId extra = StringId::empty;  ///< attributes this program has no column for, as JSON
  StoredText inputs{};  ///< values; tensors are [id, storage, offset, count, width, device]
  StoredText outputs{};
};

/// A call of the runtime or driver.
struct Call {
  std::uint64_t correlation = kNoId;
  std::uint64_t external_id = kNoId;
};

/// Work on a stream.
struct Work {
  std::uint64_t correlation = kNoId;
  std::uint64_t external_id = kNoId;
  std::int64_t bytes = -1;            ///< memcpy, memset; -1 = not said
  std::uint32_t comm = kNone;         ///< in Profile::comms, for kernels of a communication library
  StringId launch = StringId::empty;  ///< grid, block, registers …, as a JSON object's text
  EventId call = kNoEvent;            ///< the call that launched it (filled by attach)
  EventId op = kNoEvent;           ///< the operator or annotation it belongs to (filled by attach)
  std::uint32_t captured = kNone;  ///< in Profile::captured, for nodes of graphs
};

/// The operator by which a node of a graph was captured (link/graph_captures.h). Texts as of Op.
struct CapturedOperator {
  StringId name = StringId::empty;
  StringId dims = StringId::empty;
  StringId types = StringId::empty;
  StringId concrete = StringId::empty;

  friend auto operator<=>(const CapturedOperator&, const CapturedOperator&) = default;
};

/// Which node of which CUDA graph a work is. A replay's works have the correlation of its launch.
struct GraphNode {
  std::uint32_t work = kNone;  ///< in Profile::works
  std::uint32_t node = 0;      ///< the lower half of its id, which is all that some profilers write
  std::uint64_t graph = 0;     ///< of the graph as it was instantiated
};

enum class SyncKind : std::uint8_t { unknown, event, stream, context, stream_wait };

/// A record of a synchronisation (Kineto's cuda_sync).
struct Sync {
  std::uint64_t correlation = kNoId;         ///< of the call that synchronised
  std::uint64_t record_correlation = kNoId;  ///< of the call that recorded the event waited for
  std::int64_t stream = -1;                  ///< that waits, or is waited for (stream); -1 = host
  std::int64_t wait_on_stream = -1;          ///< the stream the event was recorded on
  std::int64_t device = -1;
  SyncKind kind = SyncKind::unknown;
};

/// A tensor's memory was taken or given back (Kineto's "[memory]").
struct MemoryChange {
  Time at{};               ///< since Profile::origin_ns
  std::int64_t bytes = 0;  ///< below 0: given back
  bool device = false;     ///< not the host's
};

/// A thread of the host, or a stream of a device.
struct Lane {
  bool device = false;
  std::int64_t process = 0;  ///< process id, or device number
  std::int64_t id = 0;       ///< thread id (the system's; logical in execution traces), or stream
  std::string name;          ///< the file's own, may be empty
};

struct Device {
  std::int64_t id = 0;
  std::string name;
  std::int64_t memory_bytes = 0;
  std::int64_t processors = 0;  ///< SMs or CUs; 0 = not said
};

/// What happened to the records of a file that became no event: nothing is lost unseen.
struct RecordCounts {
  std::uint64_t records = 0;  ///< elements of traceEvents, nodes, rows …
  std::uint64_t events = 0;   ///< became events (a begin and an end are two records, one event)
  std::uint64_t mapped = 0;   ///< became something else: names, flows, groups, ends of events
  /// The rest by category: counted in findings too.
  std::vector<std::pair<std::string, std::uint64_t>> left_out;  ///< ascending by name
};

/// A recorded rank. After reading, `index()` has been called; after changing events, call it again.
struct Profile {
  std::shared_ptr<StringPool> strings;
  std::string
      format;  ///< "kineto", "pytorch_et", "pftrace", "nsys", "rocpd", "chakra_et_plus", "linked"
  std::string schema;  ///< the format's own version
  std::string where;   ///< the file
  std::optional<std::uint32_t> rank, world_size;
  std::string backend;         ///< of the process groups: "nccl", "gloo" …
  std::int64_t origin_ns = 0;  ///< when time 0 was, on the rank's own clock
  std::int64_t process_id = 0;
  bool has_sync_events = false;  ///< cuda_sync records are there
  std::vector<Device> devices;
  std::vector<std::pair<std::string, std::string>> facts;  ///< other top-level facts, as text

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
  /// Forward operator → backward operator (Kineto's fwdbwd flows), by file order.
  std::vector<std::pair<EventId, EventId>> forward_backward;
  std::vector<GraphNode> graph_nodes;  ///< of works that are nodes of graphs, ascending by work
  std::vector<CapturedOperator> captured;
  /// Node → node that waits for it, within one replay of a graph; ascending. The first had ended
  /// when the second began, but for what rounding makes of it.
  std::vector<std::pair<EventId, EventId>> graph_edges;
  RecordCounts account;

  /// The lane with these values, added if new. O(log lanes).
  std::uint32_t lane(bool device, std::int64_t process, std::int64_t id);

  /// Sorts the events of each lane and finds every host event's parent. Timed events: by start, the
  /// longer first, then in file order; what ends later than the event around it is counted
  /// (event_overlaps) and kept as its child. Untimed events (nodes of execution traces) keep the
  /// parent they have and stand in order of their node's id. O(events log events).
  void index(Findings& findings);

  /// The events of a lane in that order: a tree's pre-order on threads, start order on streams.
  [[nodiscard]] std::span<const EventId> in_order(std::uint32_t lane) const {
    return {order_.data() + first_of_lane_[lane], first_of_lane_[lane + 1] - first_of_lane_[lane]};
  }

  [[nodiscard]] std::string_view string(StringId id) const { return strings->view(id); }
  [[nodiscard]] std::string_view name(EventId e) const { return string(events[e].name); }
  [[nodiscard]] const Op& op(EventId e) const { return ops[events[e].detail]; }
  [[nodiscard]] const Call& call(EventId e) const { return calls[events[e].detail]; }
  [[nodiscard]] const Work& work(EventId e) const { return works[events[e].detail]; }
  [[nodiscard]] const Sync& sync(EventId e) const { return syncs[events[e].detail]; }
  /// The node of a graph that a work is, or null.
  [[nodiscard]] const GraphNode* graph_node(EventId work) const;
  /// What the execution trace says about an operator, or null.
  [[nodiscard]] const Node* node(EventId e) const {
    return (events[e].flags & kHasNode) == 0 ? nullptr : &nodes[op(e).node];
  }
  /// The communication an operator, annotation or kernel does, or null.
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
