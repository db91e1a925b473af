// SPDX-License-Identifier: Apache-2.0
// Objects on disk, by key: one file each, written beside its place and renamed, with a checksum in front. Several
// processes may use one folder at a time. A damaged entry counts as none.
#pragma once
#include "semantics/diag/diagnostic.h"
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tilenest::cpu {

class ObjectCache {
public:
  // "" : `$XDG_CACHE_HOME/tilenest`, else `$HOME/.cache/tilenest`.
  ObjectCache(std::string folder, std::uint64_t limit_bytes);

  // Names an entry: a hash of everything that the object depends on.
  static std::string key(std::string_view everything);
  // Counts as a use of the entry.
  std::optional<std::string> find(const std::string &key) const;
  // Keeps the object and deletes the least recently used entries beyond the limit. What prevents it, or "".
  std::string keep(const std::string &key, std::string_view object) const;

private:
  std::string path(const std::string &key) const { return folder_ + "/" + key + ".o"; }
  std::string open_folder() const; // makes it; why it is not usable, or ""
  void shrink() const;
  std::string folder_;
  std::uint64_t limit_;
};

} // namespace tilenest::cpu
