// SPDX-License-Identifier: Apache-2.0
// Every f32 through the elementary functions, against an oracle that shares nothing with them: the f64
// function of glibc's libmvec (elsewhere, libm) where a rounding test with eight times its documented error
// of 4 ulps decides, MPFR at 160 bits elsewhere and wherever the two differ; random pairs for pow. Work goes
// by segments, each a JSON line of the log, so that a run can be resumed.
//   elementary_sweep LOG [--threads N] [FUNCTION...]     the segments that LOG lacks, of all functions by
//   default elementary_sweep LOG --report                        the log as a table
#include "semantics/numerics/elementary.h"
#include "semantics/numerics/row_kernels.h"
#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iostream>
#include <map>
#include <mpfr.h>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace tilenest;

namespace {

constexpr int segments = 64;
constexpr std::uint64_t inputs_per_segment = std::uint64_t{1} << 26;
constexpr std::uint64_t pairs_per_segment = std::uint64_t{1} << 22;
constexpr std::size_t row = 4096;
constexpr std::size_t kept = 4; // hardest inputs and mistakes of plain f64 that a segment's line names

// n is a multiple of 4; the values may be overwritten operands.
using Oracle = void (*)(std::size_t n, double *out, const double *x, const double *y);
struct Function {
  Primitive primitive;
  Oracle f64;
  double (*libm)(double, double);
  int (*mpfr)(mpfr_t, const mpfr_t, const mpfr_t);
};
template <double (*f)(double, double)>
void by_libm(std::size_t n, double *out, const double *x, const double *y) {
  for (std::size_t i = 0; i < n; ++i) out[i] = f(x[i], y[i]);
}
double rsqrt(double x, double) { return 1 / std::sqrt(x); }
double pow(double x, double y) { return std::pow(x, y); }
#define UNARY_LIBM(name)                                                                                     \
  double name(double x, double) { return std::name(x); }

#ifdef __AVX2__ // bench/CMakeLists.txt asks for it on x86-64 with glibc
using Four = double __attribute__((vector_size(32)));
template <Four (*f)(Four)> void by_libmvec(std::size_t n, double *out, const double *x, const double *) {
  for (std::size_t i = 0; i < n; i += 4) {
    Four v;
    std::memcpy(&v, x + i, sizeof v);
    v = f(v);
    std::memcpy(out + i, &v, sizeof v);
  }
}
#define UNARY(name)                                                                                          \
  extern "C" Four _ZGVdN4v_##name(Four);                                                                     \
  UNARY_LIBM(name)
#define ORACLE(name) &by_libmvec<&_ZGVdN4v_##name>
#else
#define UNARY(name) UNARY_LIBM(name)
#define ORACLE(name) &by_libm<&name>
#endif
#define UNARIES(X)                                                                                           \
  X(exp) X(exp2) X(expm1) X(log) X(log2) X(log1p) X(sin) X(cos) X(tan) X(tanh) X(sinh) X(cosh) X(erf)
UNARIES(UNARY)

#define ROW(name)                                                                                            \
  {Primitive::name, ORACLE(name), &name,                                                                     \
   [](mpfr_t r, const mpfr_t x, const mpfr_t) { return mpfr_##name(r, x, MPFR_RNDN); }},
const Function functions[] = {
    UNARIES(ROW){Primitive::rsqrt, &by_libm<&rsqrt>, &rsqrt,
                 [](mpfr_t r, const mpfr_t x, const mpfr_t) { return mpfr_rec_sqrt(r, x, MPFR_RNDN); }},
    {Primitive::pow, &by_libm<&pow>, &pow,
     [](mpfr_t r, const mpfr_t x, const mpfr_t y) { return mpfr_pow(r, x, y, MPFR_RNDN); }},
};

bool same(float a, float b) { return std::memcmp(&a, &b, sizeof a) == 0 || (std::isnan(a) && std::isnan(b)); }

// The correctly rounded value from MPFR, and how near, in units of the last place of f32, the exact one comes
// to a tie. A value that rounds at 160 bits to a tie without being one would need a tie within 2^-136 ulp.
class Exact {
public:
  Exact() { mpfr_inits2(160, x_, y_, r_, distance_, static_cast<mpfr_ptr>(nullptr)); }
  ~Exact() { mpfr_clears(x_, y_, r_, distance_, static_cast<mpfr_ptr>(nullptr)); }
  Exact(const Exact &) = delete;
  Exact &operator=(const Exact &) = delete;
  float of(const Function &f, float x, float y) {
    mpfr_set_flt(x_, x, MPFR_RNDN);
    mpfr_set_flt(y_, y, MPFR_RNDN);
    f.mpfr(r_, x_, y_);
    return mpfr_get_flt(r_, MPFR_RNDN);
  }
  double distance_to_tie(float rounded) {
    if (!std::isfinite(rounded) || mpfr_regular_p(r_) == 0) return 1;
    int exponent = 0;
    std::frexp(rounded, &exponent);
    const int unit = std::max(exponent - 24, -149);
    mpfr_sub(distance_, r_, (mpfr_set_flt(x_, rounded, MPFR_RNDN), x_), MPFR_RNDN);
    mpfr_abs(distance_, distance_, MPFR_RNDN);
    mpfr_mul_2si(distance_, distance_, -unit, MPFR_RNDN);
    mpfr_sub_d(distance_, distance_, 0.5, MPFR_RNDN);
    return std::fabs(mpfr_get_d(distance_, MPFR_RNDN));
  }

private:
  mpfr_t x_, y_, r_, distance_;
};

struct Hard {
  double distance; // to a tie, in ulps
  float x, y;
  bool operator<(const Hard &other) const { return distance < other.distance; }
};
struct Tally {
  std::uint64_t inputs = 0, mismatches = 0, exact_path = 0, plain_wrong = 0;
  std::vector<Hard> hardest, plain_mistakes, mistakes;
  void keep(std::vector<Hard> &list, Hard hard) {
    if (list.size() == kept && !(hard < list.back())) return;
    list.insert(std::upper_bound(list.begin(), list.end(), hard), hard);
    if (list.size() > kept) list.pop_back();
  }
};

// Pairs that reach every magnitude of the result: x any f32, y such that x^y stays within f32's range; and
// every fourth a small integer or half of one, where ties and exact results are.
void random_pair(std::uint64_t &state, float &x, float &y) {
  const auto next = [&] {
    std::uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  };
  const std::uint64_t bits = next(), pick = next();
  const auto u = static_cast<std::uint32_t>(bits);
  std::memcpy(&x, &u, sizeof x);
  if (pick % 8 == 1) x = static_cast<float>(static_cast<std::int32_t>(bits % 16384) - 4096) / 16;
  if (pick % 8 == 2)
    x = 1 + std::ldexp(static_cast<float>(static_cast<std::int32_t>(bits % 65536) - 32768), -22);
  if (pick % 4 == 0) {
    y = static_cast<float>(static_cast<std::int32_t>(pick >> 8 & 31) - 15) / 2;
  } else {
    const double target = static_cast<double>(pick >> 11) * 0x1p-53 * 290 - 155; // the exponent of the result
    y = static_cast<float>(target / std::log2(std::fabs(static_cast<double>(x))));
    if (pick % 4 == 1) y = std::nearbyint(y);
  }
}

Tally check_segment(const Function &f, int segment) {
  const bool is_pow = f.primitive == Primitive::pow;
  const std::uint64_t count = is_pow ? pairs_per_segment : inputs_per_segment;
  const RowKernel kernel = find_row_kernel(f.primitive, ScalarType::f32, ScalarType::f32);
  std::vector<float> x(row), y(row), got(row);
  std::vector<double> wide_x(row), wide_y(row), value(row);
  std::vector<std::uint8_t> open(row);
  const RowOperand operands[] = {{x.data(), 1}, {y.data(), 1}};
  const std::uint64_t before = mpfr_evaluations();
  std::uint64_t state = static_cast<std::uint64_t>(segment) << 40;
  Exact exact;
  Tally tally;
  for (std::uint64_t first = 0; first < count; first += row) {
    for (std::size_t i = 0; i < row; ++i) {
      if (is_pow) {
        random_pair(state, x[i], y[i]);
      } else {
        const auto bits = static_cast<std::uint32_t>(static_cast<std::uint64_t>(segment) * count + first + i);
        std::memcpy(&x[i], &bits, sizeof bits);
      }
    }
    kernel(row, got.data(), operands, {});
    for (std::size_t i = 0; i < row; ++i) {
      wide_x[i] = static_cast<double>(x[i]);
      wide_y[i] = static_cast<double>(y[i]);
    }
    f.f64(row, value.data(), wide_x.data(), wide_y.data());
    constexpr double margin = 0x1p-47;
    unsigned any = 0;
    for (std::size_t i = 0; i < row; ++i) { // both ends of the interval round to what the kernel gave
      const double v = value[i];
      const float low = static_cast<float>(v - v * margin), high = static_cast<float>(v + v * margin);
      const bool agree = (std::bit_cast<std::uint32_t>(low) == std::bit_cast<std::uint32_t>(got[i])) &
                         (std::bit_cast<std::uint32_t>(high) == std::bit_cast<std::uint32_t>(got[i]));
      const bool no_number = (v != v) & (got[i] != got[i]);
      open[i] = !(agree | no_number);
      any |= open[i];
    }
    if (any != 0)
      for (std::size_t i = 0; i < row; ++i) {
        if (open[i] == 0) continue;
        if (std::isinf(value[i]) && same(got[i], static_cast<float>(value[i]))) continue; // inf - inf above
        const float expected = exact.of(f, x[i], y[i]);
        const Hard hard{exact.distance_to_tie(expected), x[i], y[i]};
        tally.keep(tally.hardest, hard);
        if (!same(static_cast<float>(f.libm(wide_x[i], wide_y[i])), expected)) {
          ++tally.plain_wrong;
          tally.keep(tally.plain_mistakes, hard);
        }
        if (!same(got[i], expected)) {
          ++tally.mismatches;
          tally.keep(tally.mistakes, hard);
        }
      }
    tally.inputs += row;
  }
  tally.exact_path = mpfr_evaluations() - before;
  return tally;
}

std::string hexadecimal(float x) {
  char text[32];
  std::snprintf(text, sizeof text, "%a", static_cast<double>(x));
  return text;
}
nlohmann::json named(const std::vector<Hard> &list, bool pairs) {
  nlohmann::json names = nlohmann::json::array();
  for (const Hard &hard : list) {
    nlohmann::json name = {{"x", hexadecimal(hard.x)}, {"ulps_from_a_tie", hard.distance}};
    if (pairs) name["y"] = hexadecimal(hard.y);
    names.push_back(name);
  }
  return names;
}

// What a log holds, per function.
struct Summary {
  std::set<int> done;
  std::uint64_t inputs = 0, mismatches = 0, exact_path = 0, plain_wrong = 0;
  double seconds = 0, hardest = 1;
  std::string hardest_input;
};
std::map<std::string, Summary> read_log(const char *path) {
  std::map<std::string, Summary> summaries;
  std::ifstream log(path);
  for (std::string line; std::getline(log, line);) {
    const nlohmann::json entry = nlohmann::json::parse(line, nullptr, false);
    if (entry.is_discarded()) continue; // the line that an interrupted run was writing
    Summary &s = summaries[entry["function"].get<std::string>()];
    if (!s.done.insert(entry["segment"].get<int>()).second) continue;
    s.inputs += entry["inputs"].get<std::uint64_t>();
    s.mismatches += entry["mismatches"].get<std::uint64_t>();
    s.exact_path += entry["by_mpfr"].get<std::uint64_t>();
    s.plain_wrong += entry["plain_f64_wrong"].get<std::uint64_t>();
    s.seconds += entry["seconds"].get<double>();
    for (const auto &hard : entry["hardest"])
      if (hard["ulps_from_a_tie"].get<double>() < s.hardest) {
        s.hardest = hard["ulps_from_a_tie"].get<double>();
        s.hardest_input =
            hard["x"].get<std::string>() + (hard.contains("y") ? ", " + hard["y"].get<std::string>() : "");
      }
  }
  return summaries;
}

double thread_seconds() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

int report(const char *path) {
  std::printf("| Function | Inputs | Wrong | By MPFR | f64 libm rounded once is wrong at | Hardest input "
              "(ulps from a tie) | CPU seconds |\n"
              "|---|---|---|---|---|---|---|\n");
  for (const auto &[name, s] : read_log(path))
    std::printf("| %s | %llu | %llu | %llu | %llu | %s (%.2g) | %.0f |\n", name.c_str(),
                static_cast<unsigned long long>(s.inputs), static_cast<unsigned long long>(s.mismatches),
                static_cast<unsigned long long>(s.exact_path), static_cast<unsigned long long>(s.plain_wrong),
                s.hardest_input.c_str(), s.hardest, s.seconds);
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: elementary_sweep LOG [--report] [--threads N] [FUNCTION...]\n");
    return 64;
  }
  const char *path = argv[1];
  unsigned thread_count = 2;
  std::set<std::string> chosen;
  for (int i = 2; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--report") return report(path);
    if (argument == "--threads" && i + 1 < argc)
      thread_count = static_cast<unsigned>(std::max(1, std::atoi(argv[++i])));
    else
      chosen.insert(argument);
  }
  struct Job {
    const Function *function;
    int segment;
  };
  std::vector<Job> jobs;
  const auto done = read_log(path);
  for (const Function &f : functions) {
    const std::string name{to_string(f.primitive)};
    if (!chosen.empty() && chosen.count(name) == 0) continue;
    for (int s = 0; s < segments; ++s)
      if (const auto found = done.find(name); found == done.end() || found->second.done.count(s) == 0)
        jobs.push_back({&f, s});
  }
  std::ofstream log(path, std::ios::app);
  std::mutex writing;
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> wrong = false;
  const bool terminal = isatty(STDERR_FILENO) != 0;
  const auto work = [&] {
    for (std::size_t at; (at = next++) < jobs.size();) {
      const Job job = jobs[at];
      const bool pairs = job.function->primitive == Primitive::pow;
      const double start = thread_seconds();
      const Tally tally = check_segment(*job.function, job.segment);
      const double seconds = thread_seconds() - start;
      if (tally.mismatches != 0) wrong = true;
      const nlohmann::json line = {{"function", std::string(to_string(job.function->primitive))},
                                   {"segment", job.segment},
                                   {"inputs", tally.inputs},
                                   {"mismatches", tally.mismatches},
                                   {"by_mpfr", tally.exact_path},
                                   {"plain_f64_wrong", tally.plain_wrong},
                                   {"seconds", seconds},
                                   {"hardest", named(tally.hardest, pairs)},
                                   {"plain_f64_mistakes", named(tally.plain_mistakes, pairs)},
                                   {"mistakes", named(tally.mistakes, pairs)}};
      const std::lock_guard lock(writing);
      log << line.dump() << std::endl;
      if (terminal) std::fprintf(stderr, "\r%zu of %zu segments ", at + 1, jobs.size());
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < thread_count; ++i) threads.emplace_back(work);
  for (std::thread &thread : threads) thread.join();
  if (terminal) std::fprintf(stderr, "\n");
  return wrong ? 1 : 0;
}
