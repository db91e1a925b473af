// SPDX-License-Identifier: Apache-2.0
// The engine behind engine.h: compiles, links in memory (ORC), runs. The module's one export stands at the end.
#include "lower/cpu/engine.h"
#include "lower/cpu/cache.h"
#include "lower/cpu/emitter.h"
#include "lower/cpu/machine.h"
#include "lower/cpu/prepare.h"
#include "lower/print.h"
#include "semantics/diag/codes.h"
#include <dlfcn.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/Support/ErrorHandling.h>
#include <new>
#include <stdexcept>
#include <sys/stat.h>

namespace tilenest::cpu {

namespace {

Diagnostic linking_failed(const std::string &plan, llvm::Error error) {
  return {Code::B0001, {}, {{"what", "the code of `" + plan + "` is not linked: " + llvm::toString(std::move(error))}}};
}

// This build of the module: a generator that was changed makes other code of the same plan.
std::string build_of_module() {
  Dl_info where{};
  struct stat state {};
  if (dladdr(reinterpret_cast<const void *>(&build_of_module), &where) == 0 || stat(where.dli_fname, &state) != 0) return {};
  return std::to_string(state.st_size) + " " + std::to_string(state.st_mtim.tv_sec) + "." + std::to_string(state.st_mtim.tv_nsec);
}

// All that the object depends on.
std::string everything(const plan::Plan &plan, const Processor &processor, const CpuOptions &options) {
  static const std::string build = build_of_module();
  std::string out = "tilenest " TILENEST_VERSION " " + build + "\nLLVM " LLVM_VERSION_STRING "\n" + processor.name + "\n" +
                    processor.features + "\n" + std::to_string(processor.vector_bits) + " " +
                    std::to_string(options.opt_level) + "\n";
  return out + plan::print(plan);
}

struct Linked {
  std::unique_ptr<llvm::orc::LLJIT> jit;
  EntryPoint entry = nullptr;
};

Result<Linked> link(const std::string &plan, std::unique_ptr<llvm::MemoryBuffer> object) {
  auto jit = llvm::orc::LLJITBuilder().setPlatformSetUp(llvm::orc::setUpInactivePlatform).setLinkProcessSymbolsByDefault(false).create();
  if (!jit) return linking_failed(plan, jit.takeError());
  llvm::orc::JITDylib &library = (*jit)->getMainJITDylib();
  llvm::orc::SymbolMap symbols;
  for (const RuntimeSymbol &symbol : runtime_symbols())
    symbols[(*jit)->mangleAndIntern(symbol.name)] = {llvm::orc::ExecutorAddr::fromPtr(symbol.address),
                                                     llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
  if (llvm::Error error = library.define(llvm::orc::absoluteSymbols(std::move(symbols))))
    return linking_failed(plan, std::move(error));
  if (llvm::Error error = (*jit)->addObjectFile(std::move(object))) return linking_failed(plan, std::move(error));
  auto entry = (*jit)->lookup(entry_name);
  if (!entry) return linking_failed(plan, entry.takeError());
  return Linked{std::move(*jit), entry->toPtr<EntryPoint>()};
}

class Compiled final : public CompiledPlan {
public:
  Compiled(const plan::Plan &plan, Linked code, bool from_cache, Diagnostics notes)
      : plan_(plan), tables_(plan), code_(std::move(code)), from_cache_(from_cache), notes_(std::move(notes)) {}
  Result<plan::Outcome> run(const plan::Arguments &arguments, const RunOptions &options) const override {
    return run_code(plan_, tables_, code_.entry, arguments, options);
  }
  const Diagnostics &notes() const override { return notes_; }
  bool from_cache() const override { return from_cache_; }

private:
  plan::Plan plan_;
  Tables tables_;
  Linked code_;
  bool from_cache_;
  Diagnostics notes_;
};

// LLVM ends the process on what it calls fatal; an exception brings it back here. What it leaks then is lost.
struct Fatal : std::runtime_error {
  using std::runtime_error::runtime_error;
};
void on_fatal_error(void *, const char *reason, bool) { throw Fatal(reason); }
void on_no_memory(void *, const char *, bool) { throw std::bad_alloc(); }

// What is thrown while `f` runs, as a diagnostic.
template <class F> auto guarded(const plan::Plan &plan, F &&f) -> decltype(f()) {
  try {
    return f();
  } catch (const std::bad_alloc &) {
    return Diagnostic(Code::L0301, {}, {{"what", "code generation of `" + plan.name + "`"}});
  } catch (const std::exception &error) {
    return Diagnostic(Code::B0001, {}, {{"what", "code generation of `" + plan.name + "`: " + error.what()}});
  }
}

class Engine final : public CpuEngine {
public:
  Result<std::unique_ptr<CompiledPlan>> compile(const plan::Plan &plan, const CpuOptions &options) override {
    return guarded(plan, [&]() -> Result<std::unique_ptr<CompiledPlan>> {
      Result<Machine> machine = make_machine(options);
      if (!machine) return machine.errors();
      if (!machine->processor.runs_here)
        return Diagnostic(Code::N1502, {}, {{"what", "running code for `" + machine->processor.name + "`"}});
      const ObjectCache cache(options.cache_folder, options.cache_limit);
      const std::string key = options.no_cache ? "" : ObjectCache::key(everything(plan, machine->processor, options));
      if (!options.no_cache)
        if (std::optional<std::string> kept = cache.find(key))
          if (Result<Linked> code = link(plan.name, llvm::MemoryBuffer::getMemBufferCopy(*kept, plan.name)))
            return std::unique_ptr<CompiledPlan>(new Compiled(plan, std::move(*code), true, {}));
      Result<std::unique_ptr<llvm::MemoryBuffer>> object = made(plan, *machine, options, Output::object);
      if (!object) return object.errors();
      Diagnostics notes;
      if (!options.no_cache) {
        const std::string why = cache.keep(key, {(*object)->getBufferStart(), (*object)->getBufferSize()});
        static std::atomic<bool> said{false};
        if (!why.empty() && !said.exchange(true)) notes.emplace_back(Code::N1503, Site{}, std::vector<std::pair<std::string, std::string>>{{"why", why}});
      }
      Result<Linked> code = link(plan.name, std::move(*object));
      if (!code) return code.errors();
      return std::unique_ptr<CompiledPlan>(new Compiled(plan, std::move(*code), false, std::move(notes)));
    });
  }

  Result<std::string> emit_llvm(const plan::Plan &plan, const CpuOptions &options) override {
    return guarded(plan, [&]() -> Result<std::string> {
      Result<Machine> machine = make_machine(options);
      if (!machine) return machine.errors();
      llvm::LLVMContext context;
      Result<std::unique_ptr<llvm::Module>> module = emit_module(plan, *machine, context);
      if (!module) return module.errors();
      return text_of(**module);
    });
  }

  Result<std::string> emit_assembly(const plan::Plan &plan, const CpuOptions &options) override {
    return guarded(plan, [&]() -> Result<std::string> {
      Result<Machine> machine = make_machine(options);
      if (!machine) return machine.errors();
      Result<std::unique_ptr<llvm::MemoryBuffer>> text = made(plan, *machine, options, Output::assembly);
      if (!text) return text.errors();
      return (*text)->getBuffer().str();
    });
  }

private:
  static Result<std::unique_ptr<llvm::MemoryBuffer>> made(const plan::Plan &plan, Machine &machine,
                                                          const CpuOptions &options, Output output) {
    llvm::LLVMContext context;
    Result<std::unique_ptr<llvm::Module>> module = emit_module(plan, machine, context);
    if (!module) return module.errors();
    return generate(**module, machine, options.opt_level, output);
  }
};

} // namespace

} // namespace tilenest::cpu

extern "C" __attribute__((visibility("default"))) tilenest::cpu::CpuEngine *tilenest_cpu_engine(int interface_version) {
  using namespace tilenest::cpu;
  if (interface_version != engine_interface_version) return nullptr;
  static const bool ready = [] {
    llvm::install_fatal_error_handler(on_fatal_error);
    llvm::install_bad_alloc_error_handler(on_no_memory);
    return true;
  }();
  (void)ready;
  return new (std::nothrow) Engine;
}
