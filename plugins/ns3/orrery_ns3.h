/* SPDX-License-Identifier: MIT */
/*
 * The functions of the ns-3 plug-in. The program loads the plug-in at run time and is never linked
 * with ns-3. This header includes nothing of the program, and of ns-3, so that both may include it.
 *
 * Messages are split into packets. Links are store and forward, with one unlimited queue in front
 * of each. The packets of a connection share a window; the receiver acknowledges each packet.
 *
 * Times are picoseconds and never decrease from call to call. Functions may be called by several
 * threads; they wait for each other, because a process has only one ns-3.
 */
#ifndef ORRERY_NS3_H
#define ORRERY_NS3_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Increases with each change of this file. */
#define ORRERY_NS3_ABI 1

/** The time of an event that does not come. */
#define ORRERY_NS3_NEVER INT64_MAX

/** ns-3's point-to-point header is part of every packet, so that none is smaller. */
#define ORRERY_NS3_LEAST_PACKET 3

/** A link, in one direction. Links have the numbers of their places in the list. */
struct OrreryNs3Link {
  uint32_t from, to;        /**< nodes, numbered from 0 */
  uint64_t bits_per_second; /**< 0: no packet uses it */
  int64_t delay_ps;
};

/** What a simulation has from its begin. All sizes are bytes. */
struct OrreryNs3Setup {
  uint32_t nodes;
  const struct OrreryNs3Link* links;
  size_t link_count;
  uint32_t payload;         /**< of a full packet */
  uint32_t header;          /**< of each packet, in addition */
  uint32_t acknowledgement; /**< on the wire */
  /** 1: at the first link of their routes, connections take turns, packet by packet, and at all
   *  links acknowledgements go first. 0: the packets that the window allows enter the queue at
   *  once, and acknowledgements wait in the same queue. */
  int32_t turns;
};

/** The packets from one end to another. */
struct OrreryNs3Connection {
  const uint32_t* forth; /**< links of the packets, at least one */
  size_t forth_count;
  const uint32_t* back; /**< links of their acknowledgements, at least one */
  size_t back_count;
  int64_t window; /**< bytes on the wire that are not acknowledged; 0: unlimited. One packet may
                       always travel. */
};

/** A packet on a link. */
struct OrreryNs3Transfer {
  uint32_t link;
  int64_t from_ps, until_ps;
  int64_t payload; /**< bytes */
};

struct OrreryNs3Counts {
  uint64_t packets; /**< data packets sent */
  uint64_t events;  /**< of ns-3 */
};

struct OrreryNs3Simulation;

struct OrreryNs3Functions {
  int32_t abi; /**< ORRERY_NS3_ABI of the plug-in; first in every version */
  /** "ns-3 3.37" */
  const char* version;
  /** Null: error() has the reason. `setup` is not used after the call. */
  struct OrreryNs3Simulation* (*create)(const struct OrreryNs3Setup* setup);
  void (*destroy)(struct OrreryNs3Simulation*);
  /** Returns the number of the connection, from 0 on; negative: error(). */
  int64_t (*connect)(struct OrreryNs3Simulation*, const struct OrreryNs3Connection*);
  /** Sends a message at `now`, after all events until then. Returns 0; else: error(). A message
   *  without bytes is one packet. */
  int32_t (*send)(struct OrreryNs3Simulation*, int64_t now, uint32_t connection, int64_t bytes,
                  uint32_t token);
  /** The time of the next event of ns-3. */
  int64_t (*next)(const struct OrreryNs3Simulation*);
  /** Handles all events until `until`. Returns 0; else: error(). */
  int32_t (*advance)(struct OrreryNs3Simulation*, int64_t until);
  /** The tokens of the messages whose last packet arrived since the call before, in order. Valid
   *  until the next call for this simulation. Returns their number. */
  size_t (*arrivals)(struct OrreryNs3Simulation*, const uint32_t** tokens);
  /** From now on, transfers() has data packets on links. */
  void (*record_transfers)(struct OrreryNs3Simulation*, int32_t on);
  /** Those that began since the call before; else as arrivals(). */
  size_t (*transfers)(struct OrreryNs3Simulation*, const struct OrreryNs3Transfer** transfers);
  void (*counts)(const struct OrreryNs3Simulation*, struct OrreryNs3Counts*);
  /** Why the last call of this thread failed. Valid until its next call. */
  const char* (*error)(void);
};

/** The only symbol that the program looks up: orrery_ns3_functions. */
typedef const struct OrreryNs3Functions* OrreryNs3Entry(void);
#define ORRERY_NS3_ENTRY "orrery_ns3_functions"

#ifdef __cplusplus
}
#endif

#endif
