// SPDX-License-Identifier: Apache-2.0
// Map: the one type for layouts, parallel maps, temporal orders and re-indexings: integer tuples to integer
// tuples. Kinds today: strided and index expression; the grammar of MAP-GRAMMAR grows here.
#pragma once
#include "semantics/space/extent.h"
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tilenest {

// An integer expression over the inputs of a map and the extent parameters.
struct IndexNode {
  enum class Kind : std::uint8_t { input, extent, add, sub, mul, floordiv, mod, min, max, bit_xor };
  Kind kind = Kind::extent;
  int input = 0;                                 // for `input`
  Extent extent;                                 // for `extent`: a constant or a parameter expression
  std::shared_ptr<const IndexNode> left, right;  // for the binary kinds
};
using IndexExpr = std::shared_ptr<const IndexNode>;
IndexExpr index_input(int i);
IndexExpr index_extent(Extent e);
IndexExpr index_binary(IndexNode::Kind kind, IndexExpr a, IndexExpr b);
bool same_index_expr(const IndexExpr &a, const IndexExpr &b);

class Map {
public:
  enum class Kind : std::uint8_t { strided, index_expr };

  // One output: offset + sum of stride_i * input_i.
  static Map strided(std::vector<Extent> strides, Extent offset = 0);
  // One output per expression.
  static Map expressions(int inputs, std::vector<IndexExpr> outputs);
  // The strided map of a row-major (last input fastest) array of this shape; empty when a stride is not
  // quasi-affine (a product of two open parameters), in which case binding computes it.
  static std::optional<Map> row_major(std::span<const Extent> shape);

  Kind kind() const { return kind_; }
  int inputs() const { return inputs_; }
  int outputs() const { return kind_ == Kind::strided ? 1 : static_cast<int>(outputs_.size()); }
  const std::vector<Extent> &strides() const { return strides_; }
  const Extent &offset() const { return offset_; }
  const std::vector<IndexExpr> &output_expressions() const { return outputs_; }

  // One output at `in` as 64-bit integers compute it (NUM-INT): `wrapped` where the exact value differs, `undefined` where
  // it divides by zero.
  struct Value {
    std::int64_t value = 0;
    bool wrapped = false, undefined = false;
  };
  Value evaluate(int output, std::span<const std::int64_t> in, const Extent::Lookup &lookup) const;
  // All of them, or nothing on an unbound parameter, overflow or a division by zero.
  std::optional<std::vector<std::int64_t>> evaluate(std::span<const std::int64_t> in,
                                                    const Extent::Lookup &lookup) const;
  friend bool operator==(const Map &a, const Map &b);

private:
  Kind kind_ = Kind::strided;
  int inputs_ = 0;
  std::vector<Extent> strides_;
  Extent offset_;
  std::vector<IndexExpr> outputs_;
};

std::string to_string(const IndexExpr &e, const std::function<std::string(int)> &input_name,
                      const std::function<std::string(ParamId)> &param_name);

} // namespace tilenest
