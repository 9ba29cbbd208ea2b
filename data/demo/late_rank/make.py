# SPDX-License-Identifier: Apache-2.0
"""Writes rank0.json and rank1.json: two steps of an invented job on two ranks, of which rank 1 is late."""
import json
import pathlib

GEMM, EXP, SUM, DIVIDE = "gemm_bf16_128x128", "exp_kernel", "row_sum_kernel", "divide_kernel"
REDUCE = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)"


class Rank:
    def __init__(self, number, late):
        self.number, self.late, self.events = number, late, []
        self.correlation = self.allocated = 0
        self.now = 1000.0 + late  # of the host, us
        self.free = {7: 0.0, 20: 0.0}  # when a stream has done its work

    def event(self, category, name, start, duration, pid=1, tid=1, **args):
        self.events.append({"ph": "X", "cat": category, "name": name, "pid": pid, "tid": tid, "ts": round(start, 3),
                            "dur": round(duration, 3), "args": args})

    def launch(self, name, lasts, stream=7, after=0.0, until=None, **args):
        """Launches a kernel, which starts 4 us after its call, its stream and `after`."""
        self.correlation += 1
        self.event("cuda_runtime", "cudaLaunchKernel", self.now, 5, correlation=self.correlation)
        start = max(self.now + 4, self.free[stream] + 1, after)
        lasts = lasts if until is None else until - start
        self.event("kernel", name, start, lasts, pid=0, tid=stream, device=0, stream=stream,
                   correlation=self.correlation, **args)
        self.free[stream] = start + lasts
        self.now += 6

    def memory(self, size, address):
        self.allocated += size
        self.events.append({"ph": "i", "s": "t", "cat": "cpu_instant_event", "name": "[memory]", "pid": 1, "tid": 1,
                            "ts": round(self.now, 3),
                            "args": {"Device Type": 1, "Device Id": 0, "Addr": address, "Bytes": size,
                                     "Total Allocated": 1 << 30 | self.allocated, "Total Reserved": 3 << 29}})

    def layer(self, number):
        begin = self.now
        self.now += 3
        self.memory(8 << 20, 1000 + number)
        self.launch(GEMM, 60)
        self.event("cpu_op", "aten::linear", begin, self.now - begin)
        begin = self.now
        self.now += 2
        self.memory(4 << 20, 2000 + number)
        for name, lasts in ((EXP, 3), (SUM, 4), (DIVIDE, 3)):
            self.launch(name, lasts)
        self.event("cpu_op", "aten::softmax", begin, self.now - begin)
        self.now += 4

    def step(self, number, arrives, ends):
        begin = self.now
        first = self.free[7]
        for layer in range(4):
            self.layer(layer)
        self.event("gpu_user_annotation", "forward", max(first + 1, begin + 13), self.free[7] - max(first + 1, begin + 13),
                   pid=0, tid=7)
        self.launch(REDUCE, 0, stream=20, after=arrives, until=ends,
                    **{"Collective name": "allreduce", "In msg nelems": 8 << 20, "Out msg nelems": 8 << 20,
                       "dtype": "BFloat16", "Group size": 2, "Process Group Name": "0",
                       "Process Group Description": "default_pg", "Process Group Ranks": "[0, 1]"})
        for layer in range(4):
            self.memory(-(8 << 20), 1000 + layer)
            self.memory(-(4 << 20), 2000 + layer)
        self.event("cuda_runtime", "cudaDeviceSynchronize", self.now, ends - self.now + 8, correlation=0)
        self.now = ends + 40
        self.free[7] = self.now
        self.event("user_annotation", f"ProfilerStep#{number}", begin, self.now - begin - 2)

    def write(self):
        path = pathlib.Path(__file__).with_name(f"rank{self.number}.json")
        events = ",\n".join(json.dumps(event) for event in sorted(self.events, key=lambda e: e["ts"]))
        path.write_text('{"schemaVersion": 1, "distributedInfo": {"backend": "nccl", "rank": %d, "world_size": 2},\n'
                        '"deviceProperties": [{"id": 0, "name": "NVIDIA H100 80GB HBM3", "totalGlobalMem": 85899345920}],\n'
                        '"traceEvents": [\n%s\n]}\n' % (self.number, events))


ranks = [Rank(0, 0.0), Rank(1, 700.0)]
for one in ranks:
    one.step(5, one.now + 330, 2300.0)
for one, later in zip(ranks, (330, 410)):
    one.step(6, one.now + later, 2300.0 + 40 + 410 + 270)
for one in ranks:
    one.write()
