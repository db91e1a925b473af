// SPDX-License-Identifier: Apache-2.0
// Runs a fuzz target without libFuzzer: mutates corpus files deterministically. Input n of a seed depends on
// the seed, n and the corpus only, so that a failing run is repeated by its number. No coverage feedback.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size);
// Of the sanitizers' runtime, where there is one.
extern "C" __attribute__((weak)) void __sanitizer_set_death_callback(void (*)());

namespace {
constexpr std::size_t size_limit = 1 << 16;

const char usage[] =
    "usage: %s [--runs N] [--seconds N] [--seed S] [--start N] [--dump FILE] FILE|FOLDER...\n"
    "Runs the files as they are, then inputs number START to START + N - 1 made from them.\n"
    "--seconds stops earlier; --dump writes the last input that is run.\n"
    "One failing input again: --seed S --start NUMBER --runs 1 --dump FILE, and the same files.\n";

// SplitMix64.
struct Random {
  std::uint64_t state;
  std::uint64_t next() {
    std::uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }
  std::size_t below(std::size_t n) { return n == 0 ? 0 : next() % n; }
};

using Bytes = std::string;

void mutate(Bytes &bytes, const std::vector<Bytes> &corpus, Random &random) {
  static constexpr std::uint64_t numbers[] = {0,
                                              1,
                                              2,
                                              7,
                                              8,
                                              16,
                                              63,
                                              64,
                                              127,
                                              128,
                                              255,
                                              256,
                                              1023,
                                              1024,
                                              32767,
                                              32768,
                                              65535,
                                              65536,
                                              0x7fffffff,
                                              0x80000000,
                                              0xffffffff,
                                              0x100000000,
                                              0x7fffffffffffffff,
                                              0x8000000000000000,
                                              ~0ull};
  static constexpr std::string_view texts[] = {"0",
                                               "-1",
                                               "9223372036854775807",
                                               "18446744073709551616",
                                               "(",
                                               ")",
                                               "[",
                                               "]",
                                               "{",
                                               "}",
                                               ",",
                                               ":",
                                               "'",
                                               "\"",
                                               "\n",
                                               " ",
                                               "\\",
                                               "//"};
  const std::size_t at = random.below(bytes.size() + 1);
  const std::size_t left = bytes.size() - at;
  const std::size_t length = std::min(left, std::size_t{1} << random.below(9));
  switch (random.below(11)) {
  case 0:
    if (left > 0) bytes[at] = static_cast<char>(bytes[at] ^ (1 << random.below(8)));
    break;
  case 1:
    if (left > 0) bytes[at] = static_cast<char>(random.next());
    break;
  case 2:
    if (left > 0) bytes[at] = static_cast<char>(bytes[at] + (random.below(2) == 0 ? 1 : -1));
    break;
  case 3: bytes.insert(at, 1, static_cast<char>(random.next())); break;
  case 4: bytes.erase(at, length); break;
  case 5: bytes.insert(at, bytes.substr(random.below(bytes.size()), length)); break;
  case 6: bytes.resize(at); break;
  case 7: { // a number of 1 to 8 bytes, little-endian
    const std::uint64_t value = numbers[random.below(std::size(numbers))];
    const std::size_t width = std::min(left, std::size_t{1} << random.below(4));
    std::memcpy(bytes.data() + at, &value, width);
    break;
  }
  case 8: bytes.insert(at, texts[random.below(std::size(texts))]); break;
  case 9: { // a piece of another file, put in or over
    const Bytes &other = corpus[random.below(corpus.size())];
    const std::size_t from = random.below(other.size() + 1);
    const Bytes piece = other.substr(from, std::size_t{1} << random.below(9));
    if (random.below(2) == 0)
      bytes.insert(at, piece);
    else
      bytes.replace(at, piece.size(), piece);
    break;
  }
  case 10: { // a digit
    const std::size_t digit = bytes.find_first_of("0123456789", at);
    if (digit != Bytes::npos) bytes[digit] = static_cast<char>('0' + random.below(10));
    break;
  }
  }
  if (bytes.size() > size_limit) bytes.resize(size_limit);
}

Bytes made_input(std::uint64_t seed, std::uint64_t n, const std::vector<Bytes> &corpus) {
  Random random{seed * 0x2545f4914f6cdd1d + n};
  random.next();
  Bytes bytes = corpus[random.below(corpus.size())];
  for (std::size_t steps = 1 + random.below(6); steps > 0; --steps) mutate(bytes, corpus, random);
  return bytes;
}

char place[4096]; // what is being run, for a crash
void print_place() {
  const ssize_t written = write(STDERR_FILENO, place, std::strlen(place));
  (void)written;
}
void on_signal(int number) {
  print_place();
  std::signal(number, SIG_DFL);
  std::raise(number);
}

// An exact heap copy: a read behind the end is one that a sanitizer sees.
void run(const Bytes &bytes) {
  const std::vector<std::uint8_t> exact(bytes.begin(), bytes.end());
  LLVMFuzzerTestOneInput(exact.data(), exact.size());
}

bool read_file(const std::filesystem::path &path, std::vector<std::pair<std::string, Bytes>> &files) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return false;
  files.emplace_back(path.string(), Bytes(std::istreambuf_iterator<char>(in), {}));
  return true;
}
} // namespace

int main(int count, char **words) {
  std::uint64_t runs = 10000, seconds = ~0ull, seed = 1, start = 0;
  std::string dump;
  std::vector<std::pair<std::string, Bytes>> files;
  for (int i = 1; i < count; ++i) {
    const std::string_view word = words[i];
    std::uint64_t *number = word == "--runs"      ? &runs
                            : word == "--seconds" ? &seconds
                            : word == "--seed"    ? &seed
                            : word == "--start"   ? &start
                                                  : nullptr;
    if (number != nullptr || word == "--dump") {
      const std::string_view value = i + 1 < count ? words[++i] : "";
      if (number == nullptr)
        dump = value;
      else if (const char *end = value.data() + value.size();
               value.empty() || std::from_chars(value.data(), end, *number).ptr != end)
        return std::fprintf(stderr, usage, words[0]), 64;
    } else if (word.starts_with("-")) {
      return std::fprintf(stderr, usage, words[0]), 64;
    } else if (std::error_code failed; std::filesystem::is_directory(word, failed)) {
      for (const auto &entry : std::filesystem::recursive_directory_iterator(word, failed))
        if (entry.is_regular_file()) read_file(entry.path(), files);
    } else if (!read_file(word, files)) {
      return std::fprintf(stderr, "%s: cannot read %s\n", words[0], words[i]), 64;
    }
  }
  std::sort(files.begin(), files.end()); // folders have no order
  std::vector<Bytes> corpus;
  for (const auto &[name, bytes] : files) corpus.push_back(bytes);
  if (corpus.empty()) corpus.emplace_back();

  if (__sanitizer_set_death_callback != nullptr)
    __sanitizer_set_death_callback(print_place);
  else
    for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) std::signal(number, on_signal);
  std::signal(SIGABRT, on_signal);
  for (const auto &[name, bytes] : files) {
    std::snprintf(place, sizeof place, "while running the file %s\n", name.c_str());
    run(bytes);
  }
  const auto until =
      std::chrono::steady_clock::now() + std::chrono::seconds(std::min<std::uint64_t>(seconds, 1u << 30));
  std::uint64_t n = start;
  for (; n - start < runs && (n % 64 != 0 || std::chrono::steady_clock::now() < until); ++n) {
    std::snprintf(place, sizeof place,
                  "while running input number %llu of seed %llu: --seed %llu --start %llu --runs 1\n",
                  static_cast<unsigned long long>(n), static_cast<unsigned long long>(seed),
                  static_cast<unsigned long long>(seed), static_cast<unsigned long long>(n));
    const Bytes bytes = made_input(seed, n, corpus);
    if (!dump.empty()) std::ofstream(dump, std::ios::binary) << bytes;
    run(bytes);
  }
  std::printf("%zu files and %llu made inputs ran, seed %llu\n", files.size(),
              static_cast<unsigned long long>(n - start), static_cast<unsigned long long>(seed));
  return 0;
}
