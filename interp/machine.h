// SPDX-License-Identifier: Apache-2.0
// The machine: explicit frames, one per live instance, with lifted events remembered in the frame of their
// anchor. A frame can stop between any two instructions; which one goes on is decided in one place
// (Machine::run). The reference order is lexicographic, phase by phase (PAR-FREE).
#pragma once
#include "interp/admitted.h"
#include "interp/code.h"
#include "interp/grouping.h"
#include "interp/law_probe.h"
#include "interp/notes.h"
#include "interp/pending_updates.h"
#include "interp/run.h"
#include "interp/shadow.h"
#include "interp/storage.h"
#include <atomic>
#include <map>
#include <tuple>
#include <unordered_map>

namespace tilenest {

constexpr std::int64_t row_length = 1024; // instances that run together in a leaf nest

// The coordinate of the `linear`-th point of a domain, in lexicographic order.
inline void coordinates(const std::vector<std::int64_t> &shape, std::int64_t linear, std::int64_t *to) {
  for (std::size_t d = shape.size(); d-- > 0;) {
    to[d] = linear % shape[d];
    linear /= shape[d];
  }
}

// A reduce that follows a grouping of its contributions.
struct Realisation {
  Grouping grouping;
  std::size_t leaf = 0, at = 0;         // the chain under way, and its next contribution
  std::vector<Tile> seed;
  std::vector<std::vector<Tile>> parts; // partial results that wait to be merged
};

// RED-LAW: a reduce whose laws are tried. States are named by what they hold: the chain of the body over a sequence of
// contributions, from the identity or from the seed.
struct Probing {
  struct Chain {
    bool from_seed = false;
    std::vector<std::uint8_t> over; // positions in `points`
    friend bool operator<(const Chain &a, const Chain &b) { // shorter ones first
      return std::tuple(a.over.size(), a.from_seed, a.over) < std::tuple(b.over.size(), b.from_seed, b.over);
    }
  };
  struct State {
    std::vector<Tile> tiles; // by carry
    bool usable = true;      // no mark, nothing undecided
  };
  std::vector<std::int64_t> points; // of the domain
  std::vector<Tile> seed;
  std::map<Chain, State> states;
  std::vector<std::vector<std::uint8_t>> sequences; // of positions, shorter ones first
  std::vector<Chain> todo;          // in an order in which the chain without its last contribution comes before
  std::size_t at = 0;
  std::uint64_t work_end = 0;       // chains behind this are left out
};

struct ContractFolds; // enclosing_contract.cpp

// Where a frame stands in one body.
struct Cursor {
  const Body *body = nullptr;
  const Instr *owner = nullptr; // the region operation whose body this is; null for the routine's body
  std::size_t pc = 0;
  std::int64_t round = 0;       // position in a loop's domain, round of a while
  bool remember = false;        // a lifted region: its results go to the anchor's frame
  // A while of a row of instances: which of them go on, one byte each, and what is carried as it came into the round.
  BlockRef going;
  std::vector<Tile> carried;
  std::shared_ptr<Realisation> realisation;
  Strand contributions = 0; // a watched reduce: the strand of its point 0
  std::vector<std::size_t> opened; // ADM-SET: the merges of a tree reduce whose states it opened
  std::uint64_t first_choice = 0;  // and the number of the first choice of its grouping
  std::shared_ptr<Probing> probing;
  std::shared_ptr<ContractFolds> contract_folds; // ADM-SET: the contributions to states of known contracts
};

// Cells, or elements of an ancestor's tile, that a lifted event touched: for each further instance that reaches it, it
// touches them again.
struct LoggedTouch {
  const Instr *instr;
  ViewId view;
  const CellRange *range; // none: elements of a tile
  std::int64_t cell, count;
  TileUse::Level level;
};

// ANC-SHARE: what an event lifted to a frame gave.
struct Remembered {
  std::vector<Tile> results;
  std::vector<LoggedTouch> touched;
  Strand first = 0;               // the strand that reached it first
  AccessState epoch = 0;          // the states of then
  std::vector<std::uint64_t> seen; // the forks at which others that touched again part from it
};

enum class FrameState : std::uint8_t { running, at_sync, done };

struct Activation;

struct Frame {
  const Routine *routine = nullptr;
  Frame *parent = nullptr;
  Activation *activation = nullptr; // the dynamic parallel that this is an instance of
  FrameState state = FrameState::running;
  std::uint32_t lanes = 1;
  std::int64_t instance = 0;        // position in the domain, of lane 0
  Strand strand = 0;                // of instance `instance`; watched parallels
  std::vector<std::int64_t> lane_at; // of a row of instances with gaps: their positions
  std::int64_t meetings = 0;        // syncs met
  const Instr *sync_at = nullptr;   // the sync that it waits at
  std::vector<Tile> slots;
  std::vector<Cursor> cursors;
  std::vector<ObjectStorage> memories;
  // ANC-SHARE: results of events lifted to this frame, by operation and temporal path below it.
  std::map<std::vector<std::int64_t>, Remembered> lifted;
  // The notes of lifted operations that are cheap to repeat and so are not remembered: one per event.
  std::map<std::vector<std::int64_t>, Note> lifted_notes;
  std::size_t kept_bytes = 0; // of what `lifted` holds to save time only
};

// How a carried variable is put together at the exit of a parallel (UPD-JOIN).
struct Join {
  Tile tile;
  BlockRef writers; // by element the id + 1 of the operation of an instance that wrote it, 0 for none
  bool any = false;
};

// One dynamic execution of a `parallel`.
struct Activation {
  Frame *parent = nullptr;
  const Instr *instr = nullptr;
  const DomainPlan *plan = nullptr;
  std::int64_t next = 0;      // position of the next instance to look at
  std::vector<std::int64_t> order; // with a chooser: the active positions as they are taken, `next` counts these
  std::int64_t end = 0;       // behind the last one
  bool part = false;          // a range of the instances, on a thread of its own (team.cpp)
  Tile predicate;
  std::vector<Tile> incoming; // definitions of the carried variables
  std::vector<Frame *> live;  // with sync: all instances
  std::size_t turn = 0;
  bool diverged = false;      // reported: what follows from it is not
  std::uint32_t id = 0, phase = 0; // watched: the activation, how many syncs are behind it
  Strand strands = 0;         // watched: the strand of position 0 in this phase
  std::vector<Join> joins;
  std::vector<TileTouches> touches; // per carried variable; checked
  std::map<std::vector<std::int64_t>, std::int64_t> mapped; // CTX-MAP: paths seen, for injectivity
};

// OUT-CONT: one report per cause: the same code at the same operations.
struct Cause {
  Code code;
  OpId made, used;
  friend auto operator<=>(const Cause &, const Cause &) = default;
};

struct Machine {
  const BoundProgram &bound;
  const TileProgram &p;
  const Routines &code;
  TilePool &pool;
  RunOptions options;
  NoteTable notes;
  std::vector<ObjectStorage> arguments;  // by ObjectId (memories' entries unused)
  std::vector<ViewAddress> views;        // by ViewId
  std::map<Cause, std::size_t> causes;   // position in `diagnostics`
  Diagnostics diagnostics;
  std::atomic<bool> stop{false};         // relaxed: a worker is told to give up, and needs no more than to see it soon
  std::uint64_t on_threads = 0;          // parallels that ran on several threads
  std::size_t notes_made = 0;            // by make_note
  std::size_t kept_bytes = 0;            // of remembered results that could be had again
  std::unique_ptr<Shadow> shadow;        // PAR-NI: none where nothing is watched
  std::unique_ptr<PendingUpdates> updates; // ATOM: with a chooser or sets

  Machine(const BoundProgram &bound, const Routines &code, TilePool &pool, const RunOptions &options);
  void run();
  // Runs the instances [begin, end) of a concurrent parallel to their ends; false if it had to stop.
  bool run_range(const Activation &of, Frame &root, std::int64_t begin, std::int64_t end);

  // --- operands and results ---
  const Tile &get(Frame &f, Ref r) const {
    Frame *g = &f;
    for (std::uint16_t i = r.up; i > 0; --i) g = g->parent;
    return g->slots[r.slot];
  }
  // The operand, moved out of its slot if this is its last use.
  Tile take(Frame &f, Ref r) {
    if (r.last) return std::move(f.slots[r.slot]);
    return get(f, r);
  }
  void set(Frame &f, const Instr &in, Tile tile, std::size_t i = 0) { f.slots[in.results[i]] = std::move(tile); }
  BlockRef block(std::size_t bytes) { return BlockRef(pool.take(bytes)); }
  // A block of `n` zero bytes.
  BlockRef zeros(std::size_t n) {
    BlockRef b = block(n);
    std::memset(b.as<>(), 0, n);
    return b;
  }
  BlockRef private_copy(const BlockRef &from, std::size_t bytes);
  // The set gets storage per element that it alone holds.
  void make_elements(WrittenSet &w, std::size_t n);
  // ANC-SHARE: a parallel of this frame has ended, and with it the events that its instances shared.
  void forget_lifted(Frame &f);
  // The storage behind a view, seen from a frame.
  ObjectStorage &storage(Frame &f, ViewId view);

  // --- interference (interference.cpp) ---
  // Shadow state for the arguments that are watched. They are in their places.
  void place_shadow();
  Strand strand(const Frame &f, std::uint32_t lane = 0) const;
  // The operation touches `count` cells from this one on, of the view's storage, in the lane's instance.
  void touch(Frame &f, const Instr &in, std::uint32_t lane, ViewId view, const CellRange &range, std::int64_t cell, std::int64_t count);
  // One element of one cell per lane, side by side, from this lane on.
  void touch_lanes(Frame &f, const Instr &in, std::uint32_t lane, ViewId view, const CellRange &range, std::int64_t cell, std::int64_t lanes);
  // Two elements of one store at one place.
  void report_repeated(Frame &f, const Instr &in, std::uint32_t lane, ViewId view, const CellRange &range, std::int64_t cell);
  void begin_phase(Activation &a); // of a watched parallel
  // UPD-JOIN: an operation reads these elements of operand `use.operand`, which is `t`.
  void read_tile(Frame &f, const Instr &in, const TileUse &use, const Tile &t, std::int64_t first, std::int64_t count);
  // An operation reads or writes these elements of the variable that the parallel at this level carries.
  void touch_tile(Frame &f, OpId op, const TileUse::Level &level, bool write, std::int64_t first, std::int64_t count);

  // --- admitted results (enclosing.cpp) ---
  // A block of enclosures for `n` elements.
  BlockRef spread_block(std::size_t n) { return block(n * sizeof(Enclosure)); }
  // ADM-CHECK: an operand that decides what happens is no point.
  void decide(const Instr &in, const Tile &t, std::int64_t count);
  void open_folds(Frame &f, Cursor &c);
  void end_contribution(Frame &f, const Cursor &c);
  void close_folds(Frame &f, const Cursor &c);
  // --- the same for states of contracts whose contributions have a known form (enclosing_contract.cpp) ---
  // Why there is no enclosure; empty: its contributions are noted from here on.
  std::string open_contract(Frame &f, Cursor &c, std::size_t merge);
  void add_to_contracts(Frame &f, const Cursor &c);
  void close_contracts(Frame &f, const Cursor &c);

  // --- reports (report.cpp) ---
  // "nest(gm=3, gn=0), step(kt=2)": the instance and the temporal point, of one lane.
  std::string where(const Frame &f, std::uint32_t lane) const;
  // "nest(gm=3, gn=0)": a point of a level's or a loop's domain.
  std::string point_text(const std::string &name, const Space &domain, const std::int64_t *at) const;
  // `where` of an instance that need not live any more.
  std::string instance_text(const Activation &a, std::int64_t instance) const;
  // Whether the next note keeps its instance and detail: those after the first 65536 keep their place alone.
  bool names_notes() const { return notes_made < (std::size_t{1} << 16); }
  // A new note at this operation.
  Note make_note(Frame &f, const Instr &in, std::uint32_t lane, NoteKind kind, std::int64_t element,
                 std::string detail = {}, int width = 0);
  // Counts a cause or reports it; `fill` makes the diagnostic the first time.
  // rule: OUT-CONT
  template <class Fill> void cause(Code code, OpId made, OpId used, Fill &&fill) {
    if (stop) return; // the operation that was under way may go on to find more
    auto [at, fresh] = causes.try_emplace(Cause{code, made, used}, diagnostics.size());
    if (!fresh) {
      ++diagnostics[at->second].count;
      return;
    }
    diagnostics.push_back(fill());
    if (options.first_only || causes.size() >= options.cause_limit) stop = true;
    if (stop && !options.first_only)
      diagnostics.back().note("the run stopped here, at the limit of " + std::to_string(options.cause_limit) + " causes");
  }
  // VAL-MARK: a mark has reached `what` at this operation.
  void observe(Frame &f, const Instr &in, std::uint32_t lane, Note note, const std::string &what);
  // The same for a note that may be a wrapped integer, which is no mark.
  void observe_mark(Frame &f, const Instr &in, std::uint32_t lane, Note note, const std::string &what) {
    if (notes.is_mark(note)) observe(f, in, lane, note, what);
  }
  // NUM-WRAP: an integer whose 64-bit arithmetic wrapped: as a coordinate it is out of bounds.
  bool wrapped_wide(Note n) const { return notes.is_wrap(n) && notes[notes.origin(n)].width == 64; }
  // Observes the notes of all active elements of an operand that is used whole.
  void observe_tile(Frame &f, const Instr &in, const Tile &t, std::int64_t count, const std::string &what);
  // The element `linear` of a tile of this shape: "[3, 0]".
  static std::string element_text(const std::vector<std::int64_t> &shape, std::int64_t linear);

private:
  Frame *new_frame(const Routine &routine, Frame *parent, Activation *activation);
  void make_frame(const Routine &routine); // an idle one
  // The first of the causes that came together in a note.
  void observe_cause(Frame &f, const Instr &in, std::uint32_t lane, Note note, const std::string &what);
  bool run_on_threads(Activation &a);      // all instances, or none
  void release(Frame *frame);
  Frame *step(Frame &f);             // runs until the frame ends, waits or descends; the frame that goes on
  Frame *end_of_body(Frame &f);
  bool begin_region(Frame &f, const Instr &in);
  void enter_loop_round(Frame &f, Cursor &c);
  // Whether the point is active; its coordinates go to the loop's arguments.
  bool enter_point(Frame &f, const Cursor &c, std::int64_t point);
  // --- groupings of a reduce (realise.cpp) ---
  void begin_realisation(Frame &f, std::size_t cursor);
  void next_contribution(Frame &f, std::size_t cursor);
  void begin_chain(Frame &f, const Instr &in, Realisation &r);
  void merge_parts(Frame &f, const Instr &in, Realisation &r);
  void run_pure(Frame &f, const Instr &in, const Body &body);
  // --- laws of contracts (law_probe.cpp, law_trials.cpp) ---
  bool begin_probing(Frame &f, std::size_t cursor);
  void end_of_chain(Frame &f, std::size_t cursor);
  void next_chain(Frame &f, std::size_t cursor);
  Probing::State identity_state(Frame &f, const Instr &in, const std::vector<Tile> &seed);
  void try_laws(Frame &f, const Instr &in, Probing &r);
  friend class LawTrials;
  void count_work(const Instr &in); // of a run for laws
  Frame *descend(Frame &f, const Instr &in);
  void begin_activation(Activation &a, Frame &f, const Instr &in);
  void find_active(Activation &a);
  void choose_order(Activation &a);
  // --- turns before each access (interleave.cpp) ---
  void run_interleaved();
  void advance(Frame &f);
  void fork_interleaved(Frame &f, const Instr &in);
  void end_interleaved(Frame &f);
  void meet_interleaved(Activation &a);
  Frame *next_instance(Activation &a);
  Frame *instance_ended(Frame &f);
  Frame *after_phase(Activation &a);
  void report_divergence(Activation &a, const Frame &met, const Frame &other);
  void join(Activation &a, Frame &f);
  void read_tiles(Frame &f, const Instr &in);
  void interfere_on_tile(const Activation &a, std::int64_t instance, std::size_t carry, std::int64_t element, OpId op, bool write,
                         const TileTouches::Other &other);
  Frame *finish_parallel(Activation &a);
  bool check_map(Activation &a, Frame &f);
  bool going_on(Frame &f, Cursor &c, const Instr &in, Ref r);
  void keep_ended(Frame &f, Cursor &c);
  bool condition(Frame &f, const Instr &in, Ref r, const std::string &what);
  // ANC-SHARE: the frame `up` levels above, and the key of this operation's event there.
  std::vector<std::int64_t> lift_key(const Frame &f, const Instr &in, std::uint16_t up, Frame *&anchor) const;
  bool recall(Frame &f, const Instr &in);
  void touch_again(Frame &f, Remembered &event);
  void touch_with(Frame &f, const Instr &in, std::uint32_t lane, ViewId view, const CellRange &range, std::int64_t cell, std::int64_t count, Strand strand);
  void touch_states(Frame &f, const Instr &in, std::uint32_t lane, ViewId view, const CellRange &range, AccessState *cells, std::int64_t cell, std::int64_t width, std::int64_t count, Strand strand);
  void interfere(Frame &f, const Instr &in, std::uint32_t lane, ViewId view, const CellRange &range, std::int64_t cell, const Touch &earlier, std::int64_t cells);
  std::string strand_text(Strand s) const;
  std::string cell_text(ViewId view, const CellRange &range, std::int64_t cell) const;
  void order_strands(Frame &around);
  void remember(Frame &f, const Instr &in);

  bool probing_ = false; // chains of a reduce run again and again: nothing is remembered across them
  std::vector<std::unique_ptr<LazyArray<AccessState>>> argument_cells_;
  std::vector<std::vector<LoggedTouch>> logs_; // of the lifted events under way, the outermost first
  std::vector<std::unique_ptr<Frame>> frames_;
  IdVector<LevelId, std::vector<Frame *>> idle_;
  std::vector<std::unique_ptr<Activation>> activations_;
  std::vector<Frame *> ready_; // interleaved: frames that can go on
};

// Checks of one instruction's operands before an elementwise or index kernel runs on lanes.
inline std::uint32_t joined_lanes(std::initializer_list<const Tile *> tiles) {
  std::uint32_t lanes = 1;
  for (const Tile *t : tiles) lanes = t->lanes > lanes ? t->lanes : lanes;
  return lanes;
}

} // namespace tilenest
