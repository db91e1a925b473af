// SPDX-License-Identifier: Apache-2.0
// Judging, binding and running in one go.
#include "interp/host_arrays.h"
#include "semantics/diag/codes.h"
#include "semantics/judge.h"

namespace tilenest {

namespace {

// Saturates; a shape with a negative extent has none, and binding refuses it.
std::uint64_t elements(const std::vector<std::int64_t> &shape) {
  std::uint64_t n = 1;
  for (std::int64_t extent : shape) {
    if (extent <= 0) return 0;
    if (__builtin_mul_overflow(n, static_cast<std::uint64_t>(extent), &n)) return ~std::uint64_t{0};
  }
  return n;
}

} // namespace

Result<Executable> Executable::make(TileProgram program) {
  Diagnostics notes = judge(program);
  if (has_error(notes)) return notes;
  Executable e;
  e.program_ = std::make_shared<const TileProgram>(std::move(program));
  e.notes_ = std::move(notes);
  return e;
}

Result<BoundArrays> Executable::bind(const std::vector<HostBuffer> &arrays, const std::map<std::string, std::int64_t> &extents) const {
  Diagnostics errors;
  const TileProgram &p = *program_;
  if (arrays.size() != p.arguments.size()) {
    errors.emplace_back(
        Code::T0711, Site{},
        std::vector<std::pair<std::string, std::string>>{{"kernel", p.name},
                                                         {"expected", std::to_string(p.arguments.size())},
                                                         {"found", std::to_string(arrays.size())}});
    return errors;
  }
  std::vector<ArgumentShape> shapes;
  std::vector<Buffer> buffers;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const Object &object = p.objects[p.arguments[i]];
    if (arrays[i].elem != object.elem)
      errors.emplace_back(Code::T0901, p.site(object.site),
                                      std::vector<std::pair<std::string, std::string>>{
                                          {"file", object.name},
                                          {"found", std::string(to_string(arrays[i].elem))},
                                          {"expected", std::string(to_string(object.elem))}});
    if (!arrays[i].writable && object.access != ArgumentAccess::in)
      errors.emplace_back(
          Code::T0710, p.site(object.site),
          std::vector<std::pair<std::string, std::string>>{{"argument", object.name}});
    std::vector<std::int64_t> places = arrays[i].buffer.shape;
    if (is_packed(arrays[i].elem) && !places.empty()) places.back() += places.back() & 1; // rows of whole bytes
    const std::uint64_t needed = elements(places);
    if (arrays[i].held && needed > *arrays[i].held)
      errors.emplace_back(
          Code::T0712, p.site(object.site),
          std::vector<std::pair<std::string, std::string>>{{"argument", object.name},
                                                           {"expected", std::to_string(needed)},
                                                           {"found", std::to_string(*arrays[i].held)}});
    shapes.push_back({object.name, arrays[i].buffer.shape});
    buffers.push_back(arrays[i].buffer);
  }
  if (has_error(errors)) return errors;
  Result<BoundProgram> bound = tilenest::bind(program_, shapes, extents);
  if (!bound) return bound.errors();
  return BoundArrays{std::move(*bound), std::move(buffers)};
}

RunResult Executable::run(const std::vector<HostBuffer> &arrays, const RunOptions &options,
                          const std::map<std::string, std::int64_t> &extents) const {
  Result<BoundArrays> bound = bind(arrays, extents);
  if (bound) return tilenest::run(bound->program, std::move(bound->buffers), options);
  RunResult result;
  result.diagnostics = bound.errors();
  return result;
}

} // namespace tilenest
