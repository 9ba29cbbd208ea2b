# SPDX-License-Identifier: Apache-2.0
"""Tables in columns: shared memory, and an Arrow stream that a consumer of ours reads."""

import ctypes
import gc
import os
import unittest
import warnings

import numpy
import orrery as o

SOURCE = os.environ["ORRERY_SOURCE"]


class ArrowSchema(ctypes.Structure):
    pass


class ArrowArray(ctypes.Structure):
    pass


class ArrowStream(ctypes.Structure):
    pass


RELEASE_SCHEMA = ctypes.CFUNCTYPE(None, ctypes.POINTER(ArrowSchema))
RELEASE_ARRAY = ctypes.CFUNCTYPE(None, ctypes.POINTER(ArrowArray))
ArrowSchema._fields_ = [
    ("format", ctypes.c_char_p), ("name", ctypes.c_char_p), ("metadata", ctypes.c_char_p),
    ("flags", ctypes.c_int64), ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(ArrowSchema))), ("dictionary", ctypes.c_void_p),
    ("release", RELEASE_SCHEMA), ("private_data", ctypes.c_void_p)]
ArrowArray._fields_ = [
    ("length", ctypes.c_int64), ("null_count", ctypes.c_int64), ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64), ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)), ("children", ctypes.POINTER(ctypes.POINTER(ArrowArray))),
    ("dictionary", ctypes.c_void_p), ("release", RELEASE_ARRAY), ("private_data", ctypes.c_void_p)]
ArrowStream._fields_ = [
    ("get_schema", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ArrowStream), ctypes.POINTER(ArrowSchema))),
    ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ArrowStream), ctypes.POINTER(ArrowArray))),
    ("get_last_error", ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.POINTER(ArrowStream))),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(ArrowStream))), ("private_data", ctypes.c_void_p)]

pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
pointer_of.restype, pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


def consume(table):
    """The columns of a stream as lists, read as Arrow's documents say."""
    capsule = table.__arrow_c_stream__()
    stream = ctypes.cast(pointer_of(capsule, b"arrow_array_stream"), ctypes.POINTER(ArrowStream))
    schema, array, end = ArrowSchema(), ArrowArray(), ArrowArray()
    assert stream.contents.get_schema(stream, schema) == 0
    assert stream.contents.get_next(stream, array) == 0
    assert stream.contents.get_next(stream, end) == 0 and not end.release
    assert schema.format == b"+s"
    columns = {}
    for i in range(schema.n_children):
        field, column = schema.children[i].contents, array.children[i].contents
        columns[field.name.decode()] = values_of(field.format, column)
    array.release(array)
    schema.release(schema)
    assert not array.release and not schema.release
    return columns


def values_of(kind, column):
    length = column.length
    bits = column.buffers[0]
    valid = [True] * length
    if bits:
        packed = ctypes.cast(bits, ctypes.POINTER(ctypes.c_uint8))
        valid = [bool(packed[i // 8] >> (i % 8) & 1) for i in range(length)]
    if kind == b"U":
        ends = ctypes.cast(column.buffers[1], ctypes.POINTER(ctypes.c_int64))
        text = [ctypes.string_at(column.buffers[2] + ends[i], ends[i + 1] - ends[i]).decode() for i in range(length)]
        return [value if here else None for value, here in zip(text, valid)]
    number = ctypes.c_int64 if kind == b"l" else ctypes.c_double
    values = ctypes.cast(column.buffers[1], ctypes.POINTER(number))
    return [values[i] if valid[i] else None for i in range(length)]


class Tables(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        os.chdir(SOURCE)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", o.OrreryWarning)
            cls.run_ = o.Job("llama-3.1-8b", tp=4, dp=2).run("h100-sxm:8")

    def test_numbers_are_views(self):
        table = self.run_.table("rank")
        name = next(name for name in table.columns if table[name].dtype.kind in "if")
        first, second = table[name], table[name]
        self.assertFalse(first.flags.owndata)
        self.assertFalse(first.flags.writeable)
        self.assertTrue(numpy.shares_memory(first, second))

    def test_a_column_outlives_its_table_and_answer(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", o.OrreryWarning)
            run = o.Job("llama-3.1-8b", tp=4, dp=2).run("h100-sxm:8")
        table = run.table("rank")
        name = next(name for name in table.columns if table[name].dtype.kind == "i")
        column, copy = table[name], table[name].tolist()
        del run, table
        gc.collect()
        self.assertEqual(column.tolist(), copy)

    def test_a_stream_has_the_same_values(self):
        for name in self.run_.tables:
            table = self.run_.table(name)
            columns = consume(table)
            self.assertEqual(list(columns), table.columns)
            for column, values in columns.items():
                ours = table[column].tolist()
                self.assertEqual(len(ours), len(values))
                for a, b in zip(ours, values):
                    self.assertTrue(a == b or (b is None and (a is None or a != a)), (name, column))

    def test_sums_by_a_column(self):
        table = self.run_.table("path")
        kind = "kind" if "kind" in table.columns else next(n for n in table.columns if table[n].dtype == object)
        number = next(n for n in table.columns if table[n].dtype.kind in "if")
        sums = table.by(kind, number)
        self.assertAlmostEqual(sum(sums.values()), float(numpy.nansum(table[number].astype(float))), places=3)
        self.assertEqual(list(sums.values()), sorted(sums.values(), reverse=True))

    def test_pandas_if_it_is_installed(self):
        try:
            import pandas  # noqa: F401
        except ImportError:
            self.skipTest("pandas is not installed")
        frame = self.run_.table("rank").to_pandas()
        self.assertEqual(len(frame), len(self.run_.table("rank")))
        self.assertEqual(len(self.run_.per_rank.to_pandas()), 8)

    def test_an_unknown_table_or_column_is_a_key_error(self):
        with self.assertRaises(KeyError):
            self.run_.table("nothing")
        with self.assertRaises(KeyError):
            self.run_.table("rank")["nothing"]

    def test_html(self):
        self.assertIn("<table>", self.run_.table("rank")._repr_html_())


if __name__ == "__main__":
    unittest.main()
