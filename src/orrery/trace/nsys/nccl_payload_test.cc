// SPDX-License-Identifier: Apache-2.0
//
// What NCCL's NVTX ranges tell.
#include "orrery/trace/nsys/nccl_payload.h"

#include <gtest/gtest.h>

#include "orrery/profile/link/link.h"
#include "orrery/trace/nsys/nsys_testing.h"

namespace orrery::trace::nsys {
namespace {

using profile::Comm;
using profile::CommKind;
using profile::Kind;
using testing::Export;
using testing::global;
using testing::kTables;
using testing::read;
using testing::text;
using trace::testing::TempFolder;

std::string hex(std::uint64_t value, std::size_t bytes) {
  constexpr const char* kDigits = "0123456789ABCDEF";
  std::string out;
  for (std::size_t i = 0; i < bytes; ++i) {
    const unsigned byte = static_cast<unsigned>(value >> (8 * i)) & 0xFF;
    out += {kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return out;
}

/// A payload's header and values as an SQL literal.
std::string blob(std::uint64_t schema, const std::string& values) {
  return "x'" + hex(4, 8) + hex(schema, 8) + hex(values.size() / 2, 8) + hex(32, 8) + values + "'";
}

std::string range(std::int64_t start, std::int64_t text_id, const std::string& payload) {
  return "INSERT INTO NVTX_EVENTS(start, end, eventType, globalTid, textId, domainId, binaryData) "
         "VALUES(" +
         std::to_string(start) + "," + std::to_string(start + 5) + ",59," + global(8, 8) + "," +
         std::to_string(text_id) + ",4," + payload + ");";
}

std::string entry(std::int64_t schema, std::int64_t index, std::int64_t type,
                  const std::string& name, const std::string& offset) {
  return "INSERT INTO NVTX_PAYLOAD_SCHEMA_ENTRIES VALUES(4," + std::to_string(schema) + "," +
         std::to_string(index) + ",NULL," + std::to_string(type) + ",'" + name + "',NULL,NULL," +
         offset + ");";
}

/// NCCL's schemas: a communicator is made (1), a collective (2), a send or receive (3).
std::string schemas() {
  return entry(1, 0, 18, "NCCL communicator ID", "NULL") + entry(1, 1, 5, "No. of ranks", "8") +
         entry(1, 2, 5, "Rank", "12") + entry(1, 3, 5, "CUDA device", "16") +
         entry(2, 0, 18, "NCCL communicator ID", "NULL") +
         entry(2, 1, 22, "Message size [bytes]", "8") +
         entry(2, 2, 999, "Reduction operation", "16") +
         entry(3, 0, 18, "NCCL communicator ID", "NULL") +
         entry(3, 1, 22, "Message size [bytes]", "8") + entry(3, 2, 5, "Peer rank", "16");
}

constexpr std::uint64_t kComm = 0xF000'0000'0000'0ABC;

void fill(Export& file) {
  file.sql(kTables)
      .sql(text(1, "ncclCommInitRankConfig") + text(2, "ncclAllReduce") + text(3, "ncclAllGather") +
           text(4, "ncclReduceScatter") + text(5, "ncclSend") + text(6, "ncclRecv") +
           text(7, "ncclGroupEnd") + text(8, "ncclBroadcast"))
      .sql(schemas())
      .sql(range(10, 1, blob(1, hex(kComm, 8) + hex(8, 4) + hex(3, 4) + hex(0, 8))))
      .sql(range(15, 1, blob(1, hex(0xDEF, 8) + hex(2, 4) + hex(1, 4) + hex(0, 8))))
      .sql(range(20, 2, blob(2, hex(kComm, 8) + hex(4096, 8) + hex(0, 8))))
      .sql(range(30, 3, blob(2, hex(kComm, 8) + hex(100, 8) + hex(0, 8))))
      .sql(range(40, 4, blob(2, hex(kComm, 8) + hex(100, 8) + hex(0, 8))))
      .sql(range(50, 5, blob(3, hex(0xDEF, 8) + hex(64, 8) + hex(0, 8))))
      .sql(range(60, 6, blob(3, hex(0xDEF, 8) + hex(64, 8) + hex(0, 8))))
      .sql(range(70, 7, "NULL"));
}

TEST(NsysNccl, TellsBytesPeersAndGroups) {
  const TempFolder folder;
  Export file(folder / "nccl.sqlite");
  fill(file);
  const auto out = read(file.close());
  ASSERT_TRUE(out.profile) << to_string(out.profile.error());
  const profile::Profile& profile = *out.profile;
  ASSERT_EQ(profile.groups.size(), 2u);
  EXPECT_EQ(profile.groups[0].name, "0xf000000000000abc");
  EXPECT_EQ(profile.groups[0].size, 8);
  EXPECT_EQ(profile.groups[0].backend, "nccl");
  EXPECT_EQ(profile.backend, "nccl");
  EXPECT_EQ(profile.world_size, 8u);  // the largest communicator
  EXPECT_EQ(profile.rank, 3u);        // our number in it

  ASSERT_EQ(profile.comms.size(), 5u);
  const Comm& reduce = profile.comms[0];
  EXPECT_EQ(reduce.kind, CommKind::all_reduce);
  EXPECT_EQ(reduce.bytes(), 4096);
  EXPECT_EQ(reduce.group, 0u);
  EXPECT_EQ(reduce.group_size, 8);
  EXPECT_EQ(profile.comms[1].kind, CommKind::all_gather);
  EXPECT_EQ(profile.comms[1].bytes(), 100);  // what this rank gives
  EXPECT_EQ(profile.comms[1].out_elements, 800);
  EXPECT_EQ(profile.comms[2].kind, CommKind::reduce_scatter);
  EXPECT_EQ(profile.comms[2].bytes(), 800);  // the whole input: NCCL names what comes out
  EXPECT_EQ(profile.comms[2].out_elements, 100);
  EXPECT_EQ(profile.comms[3].kind, CommKind::send);
  EXPECT_EQ(profile.comms[3].bytes(), 64);
  EXPECT_EQ(profile.comms[3].peer, 0);
  EXPECT_EQ(profile.comms[3].group, 1u);
  EXPECT_EQ(profile.comms[4].kind, CommKind::recv);
  EXPECT_EQ(profile.comms[4].bytes(), 64);

  for (std::size_t e = 0; e < profile.events.size(); ++e) {
    const auto event = static_cast<profile::EventId>(e);
    EXPECT_EQ(profile.events[event].kind, Kind::annotation);
    const bool communicates = profile.comm(event) != nullptr;
    EXPECT_EQ(communicates,
              profile.events[event].start >= ns(20) && profile.events[event].start < ns(70));
  }
}

TEST(NsysNccl, KernelsGetWhatTheirRangeSays) {
  const TempFolder folder;
  Export file(folder / "kernel.sqlite");
  fill(file);
  file.sql(text(20, "ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)") + text(21, "cudaLaunchKernelExC"))
      .sql(testing::call(21, 22, 8, 8, 500, 21) + testing::kernel(30, 60, 9, 500, 8, 20));
  auto out = read(file.close());
  ASSERT_TRUE(out.profile) << to_string(out.profile.error());
  (void)profile::attach(*out.profile, out.findings);
  for (std::size_t e = 0; e < out.profile->events.size(); ++e) {
    const auto event = static_cast<profile::EventId>(e);
    if (out.profile->events[event].kind != Kind::kernel) continue;
    EXPECT_EQ(out.profile->name(out.profile->work(event).op), "ncclAllReduce");
    ASSERT_NE(out.profile->comm(event), nullptr);
    EXPECT_EQ(out.profile->comm(event)->bytes(), 4096);
  }
}

TEST(NsysNccl, TakesPayloadsThatAreJson) {
  const TempFolder folder;
  Export file(folder / "json.sqlite");
  file.sql(kTables).sql(text(8, "ncclBroadcast") +
                        text(9, R"({"Message size [bytes]": 512, "Root": 2})"));
  file.sql(
      "INSERT INTO NVTX_EVENTS(start, end, eventType, globalTid, textId, jsonTextId) "
      "VALUES(1, 2, 59, 5, 8, 9)");
  file.sql(
      "INSERT INTO NVTX_EVENTS(start, end, eventType, globalTid, text, jsonText) VALUES(3, 4, 59, "
      "5, 'ncclReduce', '{\"Message size [bytes]\": 256, \"NCCL communicator ID\": "
      "18446744073709551615}')");
  const auto out = read(file.close());
  ASSERT_TRUE(out.profile) << to_string(out.profile.error());
  ASSERT_EQ(out.profile->comms.size(), 2u);
  EXPECT_EQ(out.profile->comms[0].kind, CommKind::broadcast);
  EXPECT_EQ(out.profile->comms[0].bytes(), 512);
  EXPECT_EQ(out.profile->comms[0].peer, 2);
  EXPECT_EQ(out.profile->comms[1].bytes(), 256);
  EXPECT_EQ(out.profile->groups.at(0).name, "0xffffffffffffffff");
}

TEST(NsysNccl, DoesNotTakeUsersRangesForCommunication) {
  const TempFolder folder;
  Export file(folder / "user.sqlite");
  file.sql(kTables);
  for (const char* name : {"all_reduce gradients", "broadcast", "forward"}) {
    file.sql(
        "INSERT INTO NVTX_EVENTS(start, end, eventType, globalTid, text) VALUES(1, 2, 59, 5, '" +
        std::string(name) + "')");
  }
  const auto out = read(file.close());
  ASSERT_TRUE(out.profile) << to_string(out.profile.error());
  EXPECT_TRUE(out.profile->comms.empty());
}

TEST(NsysNccl, DecodesNothingThatIsNotThere) {
  const TempFolder folder;
  Export file(folder / "bad.sqlite");
  file.sql(kTables).sql(schemas());
  file.sql(entry(5, 0, 18, "NCCL communicator ID", "9223372036854775807") +
           entry(5, 1, 22, "Message size [bytes]", "-8") + entry(5, 2, 22, "Root", "1"));
  auto database = open_export(file.close());
  ASSERT_TRUE(database);
  const auto known = PayloadSchemas::read(*database);
  ASSERT_TRUE(known);
  std::string bytes(32, '\0');
  bytes[0] = 4;
  EXPECT_FALSE(known->decode("").bytes);
  EXPECT_FALSE(known->decode(std::string(31, '\4')).bytes);
  EXPECT_FALSE(known->decode(bytes).bytes);  // no such schema
  bytes[8] = 2;
  EXPECT_FALSE(known->decode(bytes).bytes);  // values end before
  EXPECT_FALSE(known->decode(bytes + std::string(15, '\1')).bytes);
  EXPECT_TRUE(known->decode(bytes + std::string(16, '\1')).bytes);
  EXPECT_FALSE(known->decode(bytes + std::string(16, '\xFF')).bytes);  // no size is negative
  bytes[8] = 5;
  const Payload odd = known->decode(bytes + std::string(64, '\1'));
  EXPECT_FALSE(odd.communicator || odd.bytes);
  EXPECT_FALSE(payload_of_json("[1]").bytes || payload_of_json("{").bytes);
  EXPECT_FALSE(payload_of_json(R"({"Message size [bytes]": "x", "Rank": -1})").rank);
}

}  // namespace
}  // namespace orrery::trace::nsys
