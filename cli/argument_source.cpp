// SPDX-License-Identifier: Apache-2.0
// Arrays for the arguments of a run.
#include "cli/argument_source.h"
#include "arrays/npz.h"
#include "cli/fill.h"
#include "semantics/diag/codes.h"
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

namespace tilenest::cli {

namespace {

void append(Diagnostics &to, Diagnostics from) {
  for (Diagnostic &d : from) to.push_back(std::move(d));
}

} // namespace

Result<std::vector<Argument>> read_arguments(const TileProgram &program, const RunArguments &options,
                                             Diagnostics &warnings) {
  std::vector<Argument> out;
  for (ObjectId id : program.arguments) out.push_back({id, std::nullopt, false});
  Diagnostics errors;
  std::vector<bool> named(out.size(), false);
  for (const Assignment &input : options.inputs) {
    std::size_t at = 0;
    while (at < out.size() && program.objects[out[at].object].name != input.name) ++at;
    if (at == out.size()) {
      std::string names;
      for (ObjectId id : program.arguments)
        names += (names.empty() ? "`" : ", `") + program.objects[id].name + "`";
      errors.emplace_back(Code::T1001, Site{},
                          std::vector<std::pair<std::string, std::string>>{{"argument", input.name}},
                          "the arguments of `" + program.name + "`: " + names);
      continue;
    }
    named[at] = true;
    const Object &object = program.objects[out[at].object];
    const bool written = object.access != ArgumentAccess::in;
    Result<Array> array =
        read_array(input.place, object.elem, written ? MapMode::copy_on_write : MapMode::read_only, &warnings);
    if (!array) {
      append(errors, array.errors());
      continue;
    }
    // The bytes of a 4-bit argument, until its extents are bound.
    if (is_packed(object.elem)) array = make_contiguous(*array, written);
    if (!array) {
      append(errors, array.errors());
      continue;
    }
    out[at].array = std::move(*array);
    out[at].defined = true;
  }
  const bool generated = options.random || options.fill;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Object &object = program.objects[out[i].object];
    if (named[i] || object.access == ArgumentAccess::out) continue;
    if (options.fill)
      append(errors, fill_ok(object.elem, *options.fill, object.name));
    else if (!generated && object.access == ArgumentAccess::in)
      errors.emplace_back(Code::T1102, program.site(object.site),
                          std::vector<std::pair<std::string, std::string>>{{"argument", object.name}},
                          "give it a file, `-i " + object.name +
                              "=X.npy`, or values to all that have none, `--random SEED` or `--fill VALUE`");
  }
  if (!errors.empty()) return errors;
  return out;
}

std::vector<ArgumentShape> given_shapes(const TileProgram &program, const std::vector<Argument> &arguments) {
  std::vector<ArgumentShape> out;
  for (const Argument &a : arguments)
    if (a.array)
      out.push_back({program.objects[a.object].name, a.array->shape, is_packed(program.objects[a.object].elem)});
  return out;
}

Diagnostics prepare_arguments(const BoundProgram &bound, const RunArguments &options,
                              std::vector<Argument> &arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    Argument &a = arguments[i];
    const Object &object = bound.program->objects[a.object];
    if (a.array && !is_packed(object.elem)) continue;
    std::vector<std::int64_t> shape;
    for (const Extent &e : object.shape) shape.push_back(bound.extent(e));
    if (a.array) {
      a.array = packed_array(object.elem, std::move(shape), std::move(*a.array));
      continue;
    }
    // Zeroed in any case: what a run never writes is the same every time. Only a run takes what is larger than the memory.
    const bool zeros = object.access == ArgumentAccess::out || (!options.random && fills_with_zeros(object.elem, options.fill.value_or("zeros")));
    bool to_file = false;
    for (const Assignment &o : options.outputs) to_file |= o.name == object.name;
    Result<Array> array = make_array(object.elem, std::move(shape), options.sparse && zeros && !to_file ? Fill::sparse_zeros : Fill::zeros);
    if (!array) return array.errors();
    a.array = std::move(*array);
    if (object.access == ArgumentAccess::out) continue;
    if (options.random) {
      fill_random(*a.array, *options.random, i);
      a.defined = true;
    } else if (options.fill) {
      Diagnostics errors = fill_with(*a.array, *options.fill, object.name);
      if (!errors.empty()) return errors;
      a.defined = true;
    }
  }
  return {};
}

Result<Launch> prepare_launch(const Program &program, const RunArguments &options, Diagnostics &warnings) {
  Result<std::vector<Argument>> arguments = read_arguments(*program, options, warnings);
  if (!arguments) return arguments.errors();
  Result<BoundProgram> bound = tilenest::bind(program, given_shapes(*program, *arguments), options.shape);
  if (!bound) return bound.errors();
  Diagnostics failed = prepare_arguments(*bound, options, *arguments);
  if (!failed.empty()) return failed;
  return Launch{std::move(*arguments), std::move(*bound)};
}

namespace {

void append_word(std::string &line, const std::string &text) {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,%@";
  line += ' ';
  if (!text.empty() && text.find_first_not_of(plain) == std::string::npos) return void(line += text);
  line += '\'';
  for (const char c : text) line += c == '\'' ? std::string("'\\''") : std::string(1, c);
  line += '\'';
}

// What is read from a pipe is gone when the command runs again.
bool can_be_read_again(const RunArguments &o) {
  std::error_code error;
  return o.file != "-" && std::filesystem::is_regular_file(o.file, error);
}

// Every option that decides which reports a run has: all but those of what is shown and of threads. `-o` decides only
// of elements that were never written.
std::string replay_line(const RunArguments &o, bool with_outputs) {
  std::string out = "tilenest run";
  const auto option = [&](const char *name, const std::string &value) {
    append_word(out, name);
    append_word(out, value);
  };
  const bool like_an_option = o.file[0] == '-';
  if (!like_an_option) append_word(out, o.file);
  if (!o.kernel.empty()) option("--kernel", o.kernel);
  for (const Assignment &i : o.inputs) option("-i", i.name + "=" + i.place);
  std::string shape;
  for (const auto &[name, extent] : o.shape) shape += (shape.empty() ? "" : ",") + name + "=" + std::to_string(extent);
  if (!shape.empty()) option("--shape", shape);
  if (o.random) option("--random", std::to_string(*o.random));
  if (o.fill) option("--fill", *o.fill);
  if (with_outputs)
    for (const Assignment &a : o.outputs) option("-o", a.name + "=" + a.place);
  if (o.while_limit) option("--while-limit", std::to_string(*o.while_limit));
  if (o.unchecked) append_word(out, "--unchecked");
  if (o.first) append_word(out, "--first");
  if (o.engine == "interp") {
    option("--replay", o.schedule.empty() ? "reference" : o.schedule);
  } else {
    option("--engine", o.engine);
    if (o.strict) append_word(out, "--strict");
    if (o.vector_bits) option("--vector", std::to_string(o.vector_bits));
  }
  if (like_an_option) option("--", o.file);
  return out;
}

} // namespace

void say_how_to_replay(Diagnostics &diagnostics, const RunArguments &o) {
  if (!can_be_read_again(o)) return;
  const bool unwritten =
      std::any_of(diagnostics.begin(), diagnostics.end(), [](const Diagnostic &d) { return d.code == Code::U1101; });
  const std::string line = replay_line(o, unwritten);
  for (Diagnostic &d : diagnostics)
    if (const char c = d.info().code[0]; c == 'U' || c == 'A') d.replay = line;
}

Json Launch::parameters() const {
  Json out = Json::object();
  for (std::size_t i = 0; i < bound.params.size(); ++i) out[bound.program->params[ParamId(i)].name] = bound.params[i];
  return out;
}

std::vector<Buffer> Launch::buffers() const {
  std::vector<Buffer> out;
  for (const Argument &a : arguments)
    out.push_back({a.array->data, a.array->shape, a.array->strides, a.defined, a.array->sparse});
  return out;
}

} // namespace tilenest::cli
