#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Writes the files of tests/arrays/data with NumPy. They are kept in the tree, so that the tests need no NumPy.
# Element k in row-major order of a "ramp" is k - 5 (unsigned: k; bool: k is odd).
import io, sys, zipfile
import numpy as np

folder = sys.argv[1] if len(sys.argv) > 1 else "tests/arrays/data"


def ramp(dtype, shape=(2, 3)):
    dtype = np.dtype(dtype)
    k = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    if dtype.kind == "b":
        return k % 2 == 1
    return (k - (0 if dtype.kind == "u" else 5)).astype(dtype)


def save(name, array):
    np.save(f"{folder}/{name}.npy", array)


def member(array, version=None):
    out = io.BytesIO()
    np.lib.format.write_array(out, array, version=version)
    return out.getvalue()


for t in "? i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8".split():
    name = "bool" if t == "?" else t
    save(f"ramp_{name}", ramp(t))
    if t[-1] in "248":
        save(f"ramp_{name}_big", ramp(">" + t))
save("fortran_f4", np.asfortranarray(ramp("f4", (2, 3, 4))))
save("fortran_i2_big", np.asfortranarray(ramp(">i2", (2, 3, 4))))
save("scalar_f8", np.array(2.5))
save("empty_f4", np.zeros((3, 0, 2), "f4"))
save("bytes_v2", ramp("u2").view("V2"))
save("bytes_v1", ramp("u1").view("V1"))
for version in [(2, 0), (3, 0)]:
    with open(f"{folder}/version_{version[0]}.npy", "wb") as f:
        f.write(member(ramp("i4"), version))
save("bad_complex", np.zeros(2, "c8"))
save("bad_dates", np.zeros(2, "M8[ns]"))
save("bad_text", np.array(["a", "bc"]))
save("bad_strings", np.array([b"a", b"bc"]))
save("bad_structured", np.zeros(2, [("x", "f4"), ("y", "i4", (2,))]))
save("bad_objects", np.array([None, {}], dtype=object))
save("bad_long_double", np.zeros(2, "f16"))

arrays = {"a": ramp("f4"), "b": ramp(">i4"), "c": np.asfortranarray(ramp("u2", (3, 5))), "empty": np.zeros((0,), "f8")}
np.savez(f"{folder}/stored.npz", **arrays)
np.savez_compressed(f"{folder}/deflated.npz", **arrays)
np.savez_compressed(f"{folder}/single.npz", only=ramp("f8", (40, 50)))


class Pipe(io.RawIOBase):
    """A sink that cannot seek: zipfile then writes data descriptors behind the members."""

    def __init__(self, file):
        self.file = file

    def writable(self):
        return True

    def write(self, data):
        return self.file.write(data)


with open(f"{folder}/descriptors.npz", "wb") as f, zipfile.ZipFile(Pipe(f), "w", zipfile.ZIP_DEFLATED) as z:
    z.comment = b"a comment at the end"
    z.writestr("a.npy", member(ramp("f4")))
    with z.open("b.npy", "w", force_zip64=True) as m:
        m.write(member(ramp("i4")))
