// SPDX-License-Identifier: Apache-2.0
// The engines of this library as backends.
#include "conformance/suite/backend.h"
#include "conformance/engines/engine.h"
#include "interp/chooser.h"
#include "lower/lower.h"

namespace tilenest::conformance {

namespace {

constexpr std::int64_t longest_while = 1'000'000; // rounds: no case has as many

// Instances in another order, the rest as the reference has it.
class OrdersAlone : public SeededChooser {
public:
  using SeededChooser::SeededChooser;
  std::uint64_t choose(Freedom freedom, std::uint64_t ways) override { return freedom == Freedom::order ? SeededChooser::choose(freedom, ways) : 0; }
};

class EngineBackend : public Backend {
public:
  EngineBackend(std::unique_ptr<Engine> engine, const BackendOptions &options) : engine_(std::move(engine)), options_(options) {}
  std::string name() const override { return engine_->name(); }
  std::string kind() const override { return engine_->name(); }
  bool is_reference() const override { return engine_->name() == "interp"; }
  const TargetProfile *target() const override { return is_reference() || options_.strict ? nullptr : &cpu_profile(); }

  Attempt run(const Case &, const BoundProgram &bound, const Arrays &arrays, std::uint64_t order) const override {
    if (is_reference()) {
      OrdersAlone chooser(order);
      RunOptions options;
      options.threads = options_.threads;
      options.while_limit = longest_while;
      if (order > 0) options.chooser = &chooser;
      return {tilenest::run(bound, arrays.buffers(), options).diagnostics, {}};
    }
    EngineOptions options;
    options.strict = options_.strict;
    options.threads = order == 0 ? options_.threads : 1 + order % 4;
    options.no_cache = true;
    options.order = order;
    return {engine_->run(bound, arrays.buffers(), options), {}};
  }

private:
  std::unique_ptr<Engine> engine_;
  BackendOptions options_;
};

} // namespace

std::unique_ptr<Backend> find_backend(const std::string &name, const BackendOptions &options) {
  constexpr std::string_view command = "exec:";
  if (name.starts_with(command) && name.size() > command.size()) return command_backend(name.substr(command.size()), options);
  std::unique_ptr<Engine> engine = find_engine(name);
  if (!engine) return nullptr;
  return std::make_unique<EngineBackend>(std::move(engine), options);
}

} // namespace tilenest::conformance
