// What the clang side has marked in one function, collected before anything changes, and the state of its lowering.
#ifndef DVM_LLVM_FUNCTION_H
#define DVM_LLVM_FUNCTION_H
#include "Runtime.h"
#include "SiteText.h"
#include "Variables.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/ValueHandle.h"
#include <memory>

namespace dvmir {

// Fields of __dvmrt_now that stay the same between two steps of the iteration.
enum Limit { LimitWrite, LimitFirstRead, LimitFirstWrite, LimitMask, LimitBase, LimitCount };

// An array as one nest sees it: copies of the fields of its dvmrt_view, in allocas.
struct View {
  unsigned Use, Shift; // as __dvmrt_view takes them
  bool ReadOnly; // the nest never writes it
  llvm::AllocaInst *Struct, *Words, *FirstRead, *FirstWrite, *Mask;
  llvm::SmallVector<llvm::AllocaInst *, 4> Extents;
};

struct Construct {
  unsigned Cid = 0;
  llvm::CallInst *Enter = nullptr;
  llvm::Constant *TextConstant = nullptr;
  DirectiveText Text;
  llvm::GlobalVariable *Site = nullptr;
  llvm::SmallVector<llvm::CallInst *, 1> Leaves, Rows, Iters;
  llvm::SmallSetVector<llvm::BasicBlock *, 16> Blocks; // of the statement, as they are before the lowering
  bool holds(const llvm::BasicBlock *BB) const { return Blocks.contains(const_cast<llvm::BasicBlock *>(BB)); }
  unsigned Depth = 0; // constructs of this function around it
  llvm::Instruction *Begin = nullptr; // end of a block between 'enter' and the statement: code for the entry goes here
  // Copies of the limits, made at the entry and at each iteration: the runtime changes them nowhere else while this
  // construct is the innermost, and a register is cheaper than thread-local memory.  i32 allocas.
  llvm::AllocaInst *Limits[LimitCount] = {};
  std::vector<std::unique_ptr<View>> Views;
  llvm::SmallVector<llvm::AllocaInst *, 8> Settled; // i32, one per access through a view, and those of Results
  llvm::MapVector<llvm::Value *, llvm::AllocaInst *> Results; // see resultSlot
  std::optional<bool> CallsOthers;                            // PlainCode::callsOthers
  bool OnlyReadsData = false; // of ordinary data it writes only its own variables, and it calls no function
  llvm::MapVector<llvm::GlobalVariable *, llvm::AllocaInst *> Data; // arrays that it reads: i32, has all of it a value?

  bool hasIterations() const { return Text.hasIterations(); }
};

struct Access {
  llvm::CallInst *Mark;
  AccessText Text;
  llvm::Constant *TextConstant;
  Construct *In = nullptr;  // innermost nest or task of this function around it
  Variable *Var = nullptr;  // with words of its own
  llvm::Value *Offset = nullptr; // bytes into Var, if it is an array
  llvm::SmallVector<llvm::WeakTrackingVH, 4> Index = {}; // one per subscript; null: not known
  llvm::SmallVector<llvm::WeakTrackingVH, 4> Extent = {}; // of variable-length arrays, likewise
  llvm::GlobalVariable *Site = nullptr; // FunctionState::site
  llvm::GlobalVariable *Table = nullptr; // a read in a nest, in its bounds, of this array
  bool Fixed = false; // .. which the nest does not write
  bool Sure = false;  // a read of what has certainly been assigned
  bool Asked = false; // a loop outside of constructs has asked for all of its turns, and this is for those that may not do without
  bool Again = false; // in a copy of a loop: the same access of the text
};

// Where the bits of an address are: at Bits + (address >> 3 & Mask).
struct DoubtMap {
  llvm::Value *Bits = nullptr, *Mask = nullptr;
};

class FunctionState {
public:
  FunctionState(llvm::Function &F, Runtime &RT);

  llvm::Function &F;
  Runtime &RT;
  llvm::MapVector<unsigned, std::unique_ptr<Construct>> Constructs;
  std::vector<Access> Accesses;
  std::vector<std::unique_ptr<Variable>> Variables;
  llvm::DenseMap<const llvm::Value *, Variable *> VariableOf; // by alloca
  llvm::SmallVector<llvm::CallInst *, 4> Directs, Binds, Indices, Sections;
  DoubtMap Doubt; // of accesses outside of loops: see askDoubt
  llvm::AllocaInst *Temporaries = nullptr; // see gatherTemporaries
  Construct Outside; // no construct: stands for code that is in none
  bool Volatile; // our variables too must live in memory: setjmp

  Construct *construct(unsigned Cid) const;
  // Innermost construct with iterations whose statement holds 'BB' (a block from before the lowering).
  Construct *around(const llvm::BasicBlock *BB) const;

  // The access's site, made when it is first asked for.
  llvm::GlobalVariable *site(Access &A);
  // An alloca of the entry block.
  llvm::AllocaInst *slot(llvm::Type *T, const llvm::Twine &Name);
  llvm::Value *load(llvm::IRBuilderBase &B, llvm::AllocaInst *Slot);
  void store(llvm::IRBuilderBase &B, llvm::Value *V, llvm::Value *Slot);
  // Where code of the entry block may begin: behind its allocas.
  llvm::Instruction *entryPoint() const;
  llvm::Value *frame(llvm::IRBuilderBase &B);
  // A limit for code inside 'In' (may be null: the thread's own).
  llvm::Value *limit(llvm::IRBuilderBase &B, const Construct *In, Limit L);
  llvm::Value *loadLimit(llvm::IRBuilderBase &B, Limit L);
  // Stores the subscripts of 'A' for the slow path; null if it has none.
  llvm::Value *subscripts(llvm::IRBuilderBase &B, const Access &A);
  // Does a mark say that the argument is a range; its site, or a null pointer.
  bool isRange(const llvm::Instruction *User, unsigned Operand) const;
  llvm::Constant *rangeSite(const llvm::Instruction *User, unsigned Operand) const;

private:
  void collect();
  void collectCall(llvm::CallInst *Call, llvm::StringRef Name);
  void collectConstruct(llvm::CallInst *Enter);
  void attachIndices();
  void takeRanges();
  llvm::SmallVector<llvm::CallInst *, 4> RangeMarks;
  llvm::DenseMap<std::pair<const llvm::Instruction *, unsigned>, llvm::GlobalVariable *> RangeSites;
  void findBlocks(Construct &K);

  llvm::AllocaInst *IndexSpace = nullptr;
};

// Text of the marker's string argument.
llvm::StringRef markerText(llvm::Value *Argument);
// Of 'enter', 'direct' and 'bind': the operand with the text; the values that '#' and '&' in it stand for.
llvm::Value *markerTextArgument(llvm::CallInst *Mark);
llvm::SmallVector<llvm::Value *, 8> markerArguments(llvm::CallInst *Mark);
// An integer or pointer as the 64 bits that the runtime gets.
llvm::Value *asWord64(Runtime &RT, llvm::IRBuilderBase &B, llvm::Value *V);
// Which marker 'V' is a call of: its name, or nothing.
llvm::StringRef markerName(const llvm::Value *V);

// Steps of the lowering; the others are in Variables.h (before) and Memory.h (before).
// A line more in the text of the construct's site.
void addToText(Runtime &RT, Construct &K, const llvm::Twine &Line);
// Nests that call others say so in their text.
void noteCalls(FunctionState &S);
// Of a distributed array whose outermost extent only the runtime knows: what is behind its end looks like ordinary data.
bool mayLeaveArray(const Access &A);
void lowerAccesses(FunctionState &S);
void lowerConstructs(FunctionState &S);
void lowerSections(FunctionState &S);

} // namespace dvmir
#endif
