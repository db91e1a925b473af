// SPDX-License-Identifier: Apache-2.0
// Array files for kernels in C++: `read_npy` and `write_npy` (arrays/npy.h), and an Array as an argument of a run.
#pragma once
#include "arrays/npy.h"
#include "interp/host_arrays.h"

namespace tilenest {

// The array itself, whatever its strides; it must outlive the run. One on a read-only mapping, which is what
// `read_npy(path)` gives, can only be read (T0710 where the kernel writes it); one of
// `read_npy(path, type, MapMode::copy_on_write)` can be written, without changing the file.
inline HostBuffer array(const Array &of) {
  HostBuffer out;
  out.elem = of.type;
  out.writable = !of.read_only;
  out.buffer.data = of.data;
  out.buffer.shape = of.shape;
  out.buffer.strides = of.strides;
  return out;
}

} // namespace tilenest
