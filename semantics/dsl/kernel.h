// SPDX-License-Identifier: Apache-2.0
// tile_kernel("name", lambda): holds the lambda and does not run it until .capture(shapes...), which runs it
// once and gives the program or everything that was refused.
#pragma once
#include "semantics/dsl/control.h"
#include "semantics/dsl/functions.h"

namespace tilenest {

// The shape of one argument: names are open parameters, numbers close them.
template <int R> struct TensorShape { std::vector<std::variant<std::string, std::int64_t>> axes; };
template <class... A>
requires((std::convertible_to<A, std::string> ||
          std::integral<A>)&&...) TensorShape<sizeof...(A)> tensor_shape(A... axes) {
  TensorShape<sizeof...(A)> s;
  auto axis = [&](const auto &a) {
    if constexpr (std::integral<std::decay_t<decltype(a)>>)
      s.axes.push_back(static_cast<std::int64_t>(a));
    else
      s.axes.emplace_back(std::in_place_type<std::string>, a);
  };
  (axis(axes), ...);
  return s;
}
// A shape with the name that the argument has in reports, in text and on the command line.
template <int R> struct NamedShape {
  std::string name;
  TensorShape<R> shape;
};
template <int R> NamedShape<R> arg(std::string name, TensorShape<R> shape) {
  return {std::move(name), std::move(shape)};
}

namespace dsl {
template <class F> struct ParametersOf : ParametersOf<decltype(&F::operator())> {};
template <class R, class C, class... P> struct ParametersOf<R (C::*)(P...) const> {
  using type = std::tuple<std::decay_t<P>...>;
};
template <class R, class C, class... P> struct ParametersOf<R (C::*)(P...)> {
  using type = std::tuple<std::decay_t<P>...>;
};
template <class R, class... P> struct ParametersOf<R (*)(P...)> {
  using type = std::tuple<std::decay_t<P>...>;
};
template <class F>
concept PlainCallable = requires {
  typename ParametersOf<F>::type;
};
template <class P> struct IsView : std::false_type {};
template <class E, int R> struct IsView<TensorView<E, R>> : std::true_type {};

template <int R> NamedShape<R> named(TensorShape<R> s, std::size_t i) {
  return {"arg" + std::to_string(i), std::move(s)};
}
template <int R> NamedShape<R> named(NamedShape<R> s, std::size_t) { return s; }

ViewIdentity argument(Capture &capture, const std::string &name, ScalarType type,
                      const std::vector<std::variant<std::string, std::int64_t>> &axes,
                      ArgumentAccess access);
Result<TileProgram> nested_capture(const std::string &kernel, std::source_location where);
} // namespace dsl

template <class F> class TileKernel {
public:
  TileKernel(std::string name, F body, std::source_location where)
      : name_(std::move(name)), body_(std::move(body)), where_(where) {}

  // One shape per parameter: tensor_shape("M", 32), or arg("A", tensor_shape("M", 32)).
  template <class... Shapes> Result<TileProgram> capture(const Shapes &...shapes) const {
    using Parameters = typename dsl::ParametersOf<F>::type;
    static_assert(sizeof...(Shapes) == std::tuple_size_v<Parameters>,
                  "capture needs one tensor_shape for each parameter of the kernel");
    if (Capture::current()) return dsl::nested_capture(name_, where_);
    Capture capture(name_);
    Capture::at(where_);
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      // Braces: the arguments are declared from left to right.
      std::tuple<std::tuple_element_t<I, Parameters>...> views{
          declare<std::tuple_element_t<I, Parameters>>(capture, dsl::named(shapes, I))...};
      F body = body_;
      std::apply(body, std::move(views));
    }
    (std::index_sequence_for<Shapes...>{});
    return capture.finish();
  }

private:
  template <class View, int R> static View declare(Capture &capture, const NamedShape<R> &shape) {
    static_assert(dsl::IsView<View>::value, "the parameters of a kernel are TensorView<T, R>");
    static_assert(View::rank == R, "a tensor_shape has another rank than its parameter");
    return View(dsl::argument(capture, shape.name, element_type<typename View::element>, shape.shape.axes,
                              View::access));
  }

  std::string name_;
  F body_;
  std::source_location where_;
};

template <class F>
TileKernel<F> tile_kernel(std::string name, F body,
                          std::source_location where = std::source_location::current()) {
  static_assert(dsl::PlainCallable<F>,
                "a kernel names the types of its parameters: [](TensorView<const f32, 2> A, ...) {}");
  return {std::move(name), std::move(body), where};
}

} // namespace tilenest
