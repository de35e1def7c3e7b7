// Objects of the stack once functions have been put inline: what nobody else can see, and what has a value before it is read, begins to
// live without a word.  Its words, if any are left, are those of a 'home', an object that has no other use, so that the optimiser may
// keep the object itself in registers.
//
//   __dvmrt_born(&x, 8);  __dvmrt_look_copy(&x, p, 8, ..);  x = *p;  __dvmrt_look(&x, ..);  y = x;  __dvmrt_assign(&x, 8);
// becomes
//   __dvmrt_look_copy(&home, p, 8, .., born);  __dvmrt_look(&home, ..);  y = *p;  __dvmrt_look(&home, 8, value);
#include "Doubt.h"
#include "runtime/abi.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Scalar/SROA.h"

using namespace llvm;
using namespace dvmir;

namespace {
enum class What { Begins, Given, Copied, Read, Copies }; // 'Copies': it is the source of a copy

// A call that names the object.
struct Mention {
  CallInst *Call;
  unsigned Operand;
  int64_t Offset;
  uint64_t Size;
  What Kind;
  bool Certain = false; // what is read there has been given a value since by no copy
};

constexpr uint64_t FollowedByByte = 64; // larger objects have a value or none, as a whole

struct Object {
  AllocaInst *Alloca;
  uint64_t Size;
  unsigned First = 0; // number of its first part
  SmallVector<Mention, 8> Mentions;
  SmallVector<IntrinsicInst *, 4> Lives;
  bool Given = true;

  bool byByte() const { return Size <= FollowedByByte; }
  unsigned parts() const { return byByte() ? unsigned(Size) : 1; }
  bool holds(int64_t Offset, uint64_t Bytes) const { return Offset >= 0 && Bytes <= Size && uint64_t(Offset) <= Size - Bytes; }
  // Numbers of the parts that are mentioned, and of the one behind them.
  std::pair<unsigned, unsigned> partsOf(const Mention &M) const {
    if (!byByte() || !M.Size || !holds(M.Offset, M.Size))
      return {First, First + parts()};
    return {First + unsigned(M.Offset), First + unsigned(M.Offset) + unsigned(M.Size)};
  }
};

class Homes {
  Function &F;
  Runtime RT;
  std::vector<Object> Objects;
  DenseMap<const Instruction *, SmallVector<std::pair<unsigned, unsigned>, 1>> At; // numbers of object and mention
  unsigned Parts = 0;
  struct State { // of each part
    BitVector Given, Certain;
    bool operator==(const State &O) const { return Given == O.Given && Certain == O.Certain; }
  };
  DenseMap<const BasicBlock *, State> Out;

  bool mention(Object &O, CallInst *Call, unsigned Operand, std::optional<int64_t> Offset);
  bool follow(Object &O);
  void collect();
  State before(const BasicBlock *BB);
  void pass(const BasicBlock *BB, State &Now, bool Judge);
  void solve();
  AllocaInst *home(Object &O);
  Value *at(IRBuilder<> &B, AllocaInst *Home, int64_t Offset) const;
  void rewrite(Object &O);

public:
  explicit Homes(Function &Fn) : F(Fn), RT(*Fn.getParent()) {}
  bool run();
};
} // namespace

// ---- Who knows it? -----------------------------------------------------------------------------------------------------------

static StringRef calleeName(const CallInst *Call) {
  const Function *Callee = Call->getCalledFunction();
  return Callee ? Callee->getName() : StringRef();
}

static uint64_t constantSize(const CallInst *Call, unsigned Operand) {
  auto *N = dyn_cast<ConstantInt>(Call->getArgOperand(Operand));
  return N ? N->getZExtValue() : 0;
}

bool Homes::mention(Object &O, CallInst *Call, unsigned Operand, std::optional<int64_t> Offset) {
  StringRef Name = calleeName(Call);
  if (!Offset)
    return false;
  const uint64_t Size = constantSize(Call, Name == "__dvmrt_look_copy" ? 2 : 1);
  auto Add = [&](What Kind) {
    O.Mentions.push_back({Call, Operand, *Offset, Size, Kind});
    return true;
  };
  if (Name == "__dvmrt_look_copy") {
    if (Operand == 1)
      return isLooked(Size) && Add(What::Copies);
    return isLooked(Size) && !*Offset && Size == O.Size && Call->getArgOperand(1)->stripInBoundsOffsets() != O.Alloca && Add(What::Copied);
  }
  const bool Whole = !*Offset && Size == O.Size, Known = Whole || (O.byByte() && Size && O.holds(*Offset, Size));
  if (lookCall(Call)) {
    const uint64_t Flags = lookNumber(Call, LookFlags);
    if (Flags & DVMRT_BORN)
      return Whole && Add(What::Begins);
    return Add(Flags == DVMRT_WRITE && Known ? What::Given : What::Read);
  }
  if (Name == "__dvmrt_born" || Name == "__dvmrt_live")
    return Whole && Add(What::Begins);
  return (Name == "__dvmrt_assign" || Name == "__dvmrt_fill") && Known && Add(What::Given);
}

bool Homes::follow(Object &O) {
  SmallVector<std::pair<Value *, std::optional<int64_t>>, 8> Work{{O.Alloca, 0}};
  while (!Work.empty()) {
    auto [P, Offset] = Work.pop_back_val();
    for (Use &U : P->uses()) {
      auto *I = cast<Instruction>(U.getUser());
      auto *Life = dyn_cast<IntrinsicInst>(I);
      auto *Call = dyn_cast<CallInst>(I);
      if (auto *GEP = dyn_cast<GetElementPtrInst>(I)) {
        APInt Way(RT.DL.getIndexSizeInBits(0), 0);
        const bool Known = Offset && GEP->accumulateConstantOffset(RT.DL, Way);
        Work.push_back({I, Known ? std::optional(*Offset + Way.getSExtValue()) : std::nullopt});
      } else if (Life && Life->isLifetimeStartOrEnd()) {
        O.Lives.push_back(Life);
      } else if (isa<LoadInst>(I) || (isa<StoreInst>(I) && U.getOperandNo() == StoreInst::getPointerOperandIndex()) ||
                 isa<MemIntrinsic>(I)) {
        continue;
      } else if (!Call || !mention(O, Call, U.getOperandNo(), Offset)) {
        return false;
      }
    }
  }
  return any_of(O.Mentions, [](const Mention &M) { return M.Kind == What::Begins; });
}

void Homes::collect() {
  for (Instruction &I : F.getEntryBlock()) {
    auto *A = dyn_cast<AllocaInst>(&I);
    auto Size = A && A->isStaticAlloca() ? A->getAllocationSize(RT.DL) : std::nullopt;
    if (!Size || Size->isScalable())
      continue;
    Object O{A, Size->getFixedValue(), Parts, {}, {}};
    if (!follow(O))
      continue;
    Parts += O.parts();
    Objects.push_back(std::move(O));
  }
  for (unsigned N = 0; N < Objects.size(); ++N)
    for (unsigned M = 0; M < Objects[N].Mentions.size(); ++M)
      At[Objects[N].Mentions[M].Call].push_back({N, M});
}

// ---- Has it a value whenever it is read? -----------------------------------------------------------------------------------------

// Of blocks not yet known the best is assumed; the solution only gets worse.
Homes::State Homes::before(const BasicBlock *BB) {
  const bool Inside = BB != &F.getEntryBlock();
  State In{BitVector(Parts, Inside), BitVector(Parts, Inside)};
  for (const BasicBlock *P : predecessors(BB))
    if (auto Known = Out.find(P); Known != Out.end()) {
      In.Given &= Known->second.Given;
      In.Certain &= Known->second.Certain;
    }
  return In;
}

static void put(BitVector &Bits, unsigned Low, unsigned High, bool Value) {
  if (Value)
    Bits.set(Low, High);
  else
    Bits.reset(Low, High);
}

void Homes::pass(const BasicBlock *BB, State &Now, bool Judge) {
  for (const Instruction &I : *BB) {
    auto Found = isa<CallInst>(I) ? At.find(&I) : At.end();
    if (Found == At.end())
      continue;
    for (auto [N, M] : Found->second) {
      Mention &Here = Objects[N].Mentions[M];
      const auto [Low, High] = Objects[N].partsOf(Here);
      if (Here.Kind == What::Read || Here.Kind == What::Copies) {
        if (Judge)
          Objects[N].Given &= Now.Given.find_first_unset_in(Low, High) < 0;
        if (Judge)
          Here.Certain = Now.Certain.find_first_unset_in(Low, High) < 0;
        continue;
      }
      put(Now.Given, Low, High, Here.Kind != What::Begins);
      put(Now.Certain, Low, High, Here.Kind == What::Given);
    }
  }
}

void Homes::solve() {
  ReversePostOrderTraversal<Function *> Order(&F);
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (BasicBlock *BB : Order) {
      State Now = before(BB);
      pass(BB, Now, false);
      auto [Old, New] = Out.try_emplace(BB, Now);
      Changed |= New || !(Old->second == Now);
      Old->second = std::move(Now);
    }
  }
  for (BasicBlock *BB : Order) {
    State Now = before(BB);
    pass(BB, Now, true);
  }
}

// ---- What is left to tell ----------------------------------------------------------------------------------------------------------

AllocaInst *Homes::home(Object &O) {
  auto *Home = new AllocaInst(O.Alloca->getAllocatedType(), O.Alloca->getAddressSpace(), O.Alloca->getArraySize(), O.Alloca->getAlign(),
                              "dvm.home", O.Alloca->getIterator());
  Home->setMetadata("dvm.home", MDNode::get(F.getContext(), {}));
  for (IntrinsicInst *Life : O.Lives) {
    auto *Own = cast<IntrinsicInst>(Life->clone());
    Own->setArgOperand(1, Home);
    Own->insertBefore(Life);
  }
  return Home;
}

Value *Homes::at(IRBuilder<> &B, AllocaInst *Home, int64_t Offset) const {
  return Offset ? B.CreateConstInBoundsGEP1_64(RT.I8, Home, uint64_t(Offset)) : static_cast<Value *>(Home);
}

void Homes::rewrite(Object &O) {
  bool Copied = false, Stays = false, Others = false;
  for (const Mention &M : O.Mentions) {
    Copied |= M.Kind == What::Copied;
    Stays |= M.Kind == What::Copies || (M.Kind == What::Read && !M.Certain);
    Others |= M.Kind == What::Given && lookCall(M.Call) && !isa<ConstantPointerNull>(M.Call->getArgOperand(LookSite));
  }
  Stays |= Copied;
  AllocaInst *Home = Stays ? home(O) : nullptr;
  for (Mention &M : O.Mentions) {
    IRBuilder<> B(M.Call);
    const bool Drop = !Stays || (M.Kind == What::Read && M.Certain) || (M.Kind == What::Begins && Copied && !Others);
    if (!Drop && M.Kind == What::Begins)
      emitBirth(RT, B, Home, O.Size);
    else if (!Drop && M.Kind == What::Given && !lookCall(M.Call))
      emitLook(RT, B, at(B, Home, M.Offset), M.Size, ConstantPointerNull::get(RT.Ptr), DVMRT_WRITE, {});
    else if (!Drop) {
      M.Call->setArgOperand(M.Operand, at(B, Home, M.Offset));
      if (M.Kind == What::Copied)
        M.Call->setArgOperand(5, B.getInt32(1));
      continue;
    }
    M.Call->eraseFromParent();
  }
}

bool Homes::run() {
  collect();
  if (Objects.empty())
    return false;
  solve();
  bool Changed = false;
  for (Object &O : Objects)
    if (O.Given) {
      rewrite(O);
      Changed = true;
    }
  return Changed;
}

// In functions with parallel loops the iterations have words of their own; longjmp goes ways that no edge shows.
static bool isSimple(const Function &F) {
  bool Births = false;
  for (const Instruction &I : instructions(F)) {
    auto *Call = dyn_cast<CallBase>(&I);
    const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    if ((Call && Call->hasFnAttr(Attribute::ReturnsTwice)) || (Callee && Callee->getName() == "__dvmrt_enter"))
      return false;
    Births |= Callee && (Callee->getName() == "__dvmrt_born" || Callee->getName() == "__dvmrt_live" ||
                         (lookCall(&I) && (lookNumber(cast<CallInst>(Call), LookFlags) & DVMRT_BORN)));
  }
  return Births;
}

PreservedAnalyses HomePass::run(Function &F, FunctionAnalysisManager &AM) {
  if (!isSimple(F) || !Homes(F).run())
    return PreservedAnalyses::all();
  PreservedAnalyses Kept = PreservedAnalyses::none();
  Kept.preserveSet<CFGAnalyses>();
  AM.invalidate(F, Kept);
  SROAPass(SROAOptions::PreserveCFG).run(F, AM);
  return Kept;
}
