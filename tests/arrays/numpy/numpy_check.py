#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Holds the reader and the writer against NumPy: numpy_check.py COPY_ARRAYS. Exit status 77: no NumPy here.
import os, subprocess, sys, tempfile, zipfile

try:
    import numpy as np
except ImportError:
    if sys.executable != "/usr/bin/python3" and os.path.exists("/usr/bin/python3"):
        os.execv("/usr/bin/python3", ["/usr/bin/python3"] + sys.argv)
    print("skipped: this Python has no numpy (package python3-numpy)")
    sys.exit(77)

copy_arrays = sys.argv[1]
checked = 0


def run(*words):
    return subprocess.run([copy_arrays, *words], capture_output=True, text=True)


def copy(*words):
    done = run(*words)
    assert done.returncode == 0, f"{words}: {done.stderr}"


def same(got, wanted, what):
    global checked
    checked += 1
    wanted = np.asarray(wanted)
    assert got.shape == wanted.shape, f"{what}: shape {got.shape}, not {wanted.shape}"
    assert got.dtype == wanted.dtype.newbyteorder("<"), f"{what}: {got.dtype}, not {wanted.dtype}"
    native = wanted.astype(wanted.dtype.newbyteorder("="), order="C")
    assert np.ascontiguousarray(got).tobytes() == native.tobytes(), f"{what}: elements differ"


random = np.random.default_rng(7)


def sample(dtype, shape):
    dtype = np.dtype(dtype)
    raw = random.integers(0, 2 if dtype.kind == "b" else 256, int(np.prod(shape, dtype=int)) * dtype.itemsize)
    return raw.astype("u1").view(dtype.newbyteorder("=")).astype(dtype).reshape(shape)


with tempfile.TemporaryDirectory() as folder:
    a_npy, b_npy, a_npz, b_npz = (f"{folder}/{n}" for n in ("a.npy", "b.npy", "a.npz", "b.npz"))
    for base in "? i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8".split():
        for order in "<>":
            for shape in [(), (0,), (7,), (3, 5), (2, 3, 4), (4, 0, 2), (1, 1, 3), (200, 300)]:
                for fortran in (False, True):
                    a = sample(order + base, shape)
                    a = np.asfortranarray(a) if fortran else a
                    a = a.reshape(shape)
                    what = f"{a.dtype.str} {shape} fortran={fortran}"
                    np.save(a_npy, a)
                    copy("any", a_npy, b_npy)
                    same(np.load(b_npy), a, what)
            # Archives, several members, both ways of packing.
            arrays = [sample(order + base, s) for s in [(3, 5), (), (100, 70)]]
            for save in (np.savez, np.savez_compressed):
                save(a_npz, *arrays)
                copy("any", *(f"{a_npz}:arr_{i}" for i in range(3)), b_npz)
                assert zipfile.ZipFile(b_npz).testzip() is None
                with np.load(b_npz) as back:
                    assert back.files == ["m0", "m1", "m2"]
                    for i in range(3):
                        same(back[f"m{i}"], arrays[i], f"{save.__name__} member {i} of {order}{base}")
    # bf16 and f8 come out as raw bytes with the bits that came in.
    for dtype, types in [("u2", ["bf16"]), ("u1", ["f8e4m3fn", "f8e5m2"])]:
        for name in types:
            bits = sample(dtype, (5, 7))
            for a in (bits, bits.astype(">" + dtype), bits.view("V" + dtype[1])):
                np.save(a_npy, a)
                copy(name, a_npy, b_npy)
                back = np.load(b_npy)
                assert back.dtype == np.dtype("V" + dtype[1]), back.dtype
                same(back.view(dtype), bits, name)
    # What NumPy saves and no element type matches is refused, with the status of a typing error.
    for a in [np.zeros(2, "c8"), np.zeros(2, "M8[s]"), np.array(["x"]), np.zeros(2, "f4,i4"), np.zeros(2, "V3")]:
        np.save(a_npy, a)
        done = run("any", a_npy, b_npy)
        assert done.returncode == 2 and done.stderr.startswith("T0902"), (a.dtype, done)
        checked += 1
print(f"{checked} arrays agree with numpy {np.__version__}")
