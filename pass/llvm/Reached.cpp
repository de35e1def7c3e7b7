// What a nest assigns by way of the functions that it calls.  A variable is of interest if an iteration may read what another one has left in it, or
// if it is left behind unread; one that each iteration, or each call, assigns before it reads it means nothing afterwards (pass/clang/Shared.cpp
// judges what stands in the nest itself).  Flow-sensitive for scalars, from the functions of the module upwards.  What those of other modules do
// the run time finds out (runtime/trace/reach.c): functions and nests have tables of it, and of what they call and have assigned before.
#include "Reached.h"
#include "Function.h"
#include "Parallel.h"
#include "TraceCalls.h"
#include "pass/markers.h"
#include "runtime/trace/reach.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include <optional>

using namespace llvm;
using namespace dvmir;

namespace {
struct Effect {
  bool Written = false, Read = false;
  bool Exposed = false; // read, perhaps before it is assigned
  bool ByCall = false; // written by a function that is called
  bool Sure = false; // assigned whenever the function comes back
  std::optional<SmallPtrSet<const Value *, 4>> Before; // wherever it is exposed: global variables assigned, functions elsewhere called

  bool matters() const { return Written && (Exposed || !Read); }
  bool mayBeAssignedElsewhere() const {
    return Exposed && Before && any_of(*Before, [](const Value *V) { return isa<Function>(V); });
  }
  void expose(const SmallPtrSetImpl<const Value *> &Now, const Effect *Inner = nullptr) {
    auto Certain = [&](const Value *V) { return Now.contains(V) || (Inner && Inner->Before && Inner->Before->contains(V)); };
    auto Add = [&](const auto &From) {
      for (const Value *V : From)
        if (isa<Function, GlobalVariable>(V))
          Before->insert(V);
    };
    Exposed = true;
    if (Before) {
      Before->remove_if([&](const Value *V) { return !Certain(V); });
      return;
    }
    Before.emplace();
    Add(Now);
    if (Inner && Inner->Before)
      Add(*Inner->Before);
  }
  bool operator==(const Effect &E) const {
    return Written == E.Written && Read == E.Read && Exposed == E.Exposed && ByCall == E.ByCall && Sure == E.Sure &&
           (Before ? Before->size() : 0) == (E.Before ? E.Before->size() : 0);
  }
};
// By global variable, parameter, local variable, or function that is elsewhere and called ('Exposed').
using Effects = MapVector<const Value *, Effect>;
using Assigned = SmallPtrSet<const Value *, 8>; // functions elsewhere, too: that have been called

constexpr unsigned RoundsMax = 10, DepthMax = 12;

class Reach {
  Module &M;
  const DataLayout &DL;
  PointerType *Ptr;
  TargetLibraryInfoImpl Library;
  DenseMap<const Function *, Effects> Of;
  // Functions of one type that are called through a pointer, wherever they are: what they are together, under one name.
  DenseMap<const FunctionType *, Function *> Pointed;
  SmallSetVector<const Function *, 16> Taken; // whose addresses are taken here
  SmallPtrSet<const Value *, 16> Arrays; // variables with an array directive, pointers to arrays too

public:
  explicit Reach(Module &M)
      : M(M), DL(M.getDataLayout()), Ptr(PointerType::getUnqual(M.getContext())), Library(Triple(M.getTargetTriple())) {}
  void run();

private:
  void findPointed();
  Effects effectsOf(const FunctionType *Type);
  const Function *pointedBy(const CallBase &Call) const;
  SmallVector<const Function *, 4> calleesOf(const CallBase &Call) const;
  const Value *rootOf(const Value *P, bool &Whole, unsigned Depth = 0) const;
  bool readsItself(const Value *V, const Value *Root, unsigned Depth = 0) const;
  void takeCall(const CallBase &Call, Assigned &Now, Effects *To) const;
  void takeUnknown(const CallBase &Call, const Function &F, Assigned &Now, Effects *To) const;
  void take(const Instruction &I, Assigned &Now, Effects *To) const;
  Effects walk(ArrayRef<const BasicBlock *> Order, const BasicBlock *Entry) const;
  void summarize(ArrayRef<CallInst *> Nests);
  void findArrays(const CallInst *Mark);
  void replace(CallInst *Enter, const std::string &Text, SmallVectorImpl<Value *> &Args);
  bool addReached(CallInst *Enter, Effects &All, SmallPtrSetImpl<const Value *> &Named, std::string &New, SmallVectorImpl<Value *> &Out);
  void tell(CallInst *Enter);
  Constant *text(StringRef Text);
  Constant *names(const Effect &E);
  Constant *array(ArrayRef<Constant *> Rows);
  Constant *row(const Function *F, const Effects &All, const SmallPtrSetImpl<const Value *> &Named);
  void addTables();
};

// Blocks of the nest, in an order for data flow, the first one first.
SmallVector<const BasicBlock *, 16> blocksOf(const CallInst *Enter) {
  SmallVector<const BasicBlock *, 16> Order;
  auto *Br = dyn_cast<BranchInst>(Enter->getParent()->getTerminator());
  if (!Br || !Br->isConditional())
    return Order;
  // 'while (enter())' comes back to the mark; nothing else of the function does without it.
  SmallPtrSet<const BasicBlock *, 16> Seen;
  SmallVector<std::pair<const BasicBlock *, const_succ_iterator>, 16> Stack;
  Seen.insert(Enter->getParent());
  auto Push = [&](const BasicBlock *BB) {
    if (Seen.insert(BB).second)
      Stack.push_back({BB, succ_begin(BB)});
  };
  for (Push(Br->getSuccessor(0)); !Stack.empty();) {
    auto &[BB, Next] = Stack.back();
    if (Next == succ_end(BB)) {
      Order.push_back(BB);
      Stack.pop_back();
    } else {
      Push(*Next++);
    }
  }
  std::reverse(Order.begin(), Order.end());
  return Order;
}

// Bytes that are a value, and nothing else; 0: it holds addresses, or bytes between its members.
uint64_t valueBytes(const DataLayout &DL, Type *T) {
  if (T->isX86_FP80Ty())
    return 10;
  if (auto *A = dyn_cast<ArrayType>(T)) {
    uint64_t Element = valueBytes(DL, A->getElementType());
    return Element == DL.getTypeAllocSize(A->getElementType()) ? Element * A->getNumElements() : 0;
  }
  if (auto *S = dyn_cast<StructType>(T)) {
    uint64_t Sum = 0;
    for (Type *Member : S->elements()) {
      uint64_t Bytes = valueBytes(DL, Member);
      if (!Bytes)
        return 0;
      Sum += Bytes;
    }
    return Sum == DL.getTypeAllocSize(T) ? Sum : 0;
  }
  return T->isIntegerTy() || T->isFloatTy() || T->isDoubleTy() || T->isHalfTy() ? DL.getTypeStoreSize(T).getFixedValue() : 0;
}

// What a local variable is assigned, if it is once.
const Value *onlyValueOf(const AllocaInst &Slot) {
  const Value *Only = nullptr;
  for (const User *U : Slot.users())
    if (auto *Store = dyn_cast<StoreInst>(U); Store && Store->getPointerOperand() == &Slot) {
      if (Only)
        return nullptr;
      Only = Store->getValueOperand();
    }
  return Only;
}

bool isScalar(const Value *Root) {
  Type *T = nullptr;
  if (auto *G = dyn_cast<GlobalVariable>(Root))
    T = G->getValueType();
  else if (auto *A = dyn_cast<AllocaInst>(Root))
    T = A->getAllocatedType();
  return T && T->isSingleValueType();
}
} // namespace

static const Value *calledBy(const CallBase &Call) {
  const Value *Callee = Call.getCalledOperand()->stripPointerCasts();
  while (!markerName(Callee).empty())
    Callee = cast<CallInst>(Callee)->getArgOperand(0)->stripPointerCasts();
  return Callee;
}

// For more than being called, with a mark or without one.
static bool isTaken(const Value &F) {
  return any_of(F.uses(), [](const Use &U) {
    auto *Call = dyn_cast<CallBase>(U.getUser());
    if (Call && Call->isCallee(&U))
      return false;
    return !Call || markerName(Call).empty() || isTaken(*Call);
  });
}

// Null: the call says which function it is of.
const Function *Reach::pointedBy(const CallBase &Call) const {
  return Call.isInlineAsm() || isa<Function>(calledBy(Call)) ? nullptr : Pointed.lookup(Call.getFunctionType());
}

void Reach::findPointed() {
  SmallSetVector<FunctionType *, 8> Types;
  for (Function &F : M) {
    if (!F.isIntrinsic() && !F.getName().starts_with("__dvm") && !isOfLibrary(F) && isTaken(F) && Taken.insert(&F))
      Types.insert(F.getFunctionType());
    for (const Instruction &I : instructions(F))
      if (auto *Call = dyn_cast<CallBase>(&I); Call && !Call->isInlineAsm() && !isa<Function>(calledBy(*Call)))
        Types.insert(Call->getFunctionType());
  }
  for (FunctionType *T : Types) {
    std::string Name = DVMT_REACH_POINTED;
    raw_string_ostream(Name) << *T;
    Pointed[T] = Function::Create(T, GlobalValue::ExternalLinkage, Name, M);
  }
}

// What one of the functions of the type does whose addresses are taken here; those of other modules have rows of their own.
Effects Reach::effectsOf(const FunctionType *Type) {
  Effects All;
  for (const Function *F : Taken) {
    if (F->getFunctionType() != Type)
      continue;
    if (F->isDeclaration())
      All[F].expose(Assigned());
    for (const auto &[Key, E] : Of.lookup(F)) {
      Effect &To = All[Key];
      To.Written |= E.Written;
      To.Read |= E.Read;
      To.ByCall |= E.ByCall;
      if (E.Exposed)
        To.expose(Assigned(), &E);
    }
  }
  return All;
}

SmallVector<const Function *, 4> Reach::calleesOf(const CallBase &Call) const {
  SmallVector<const Function *, 4> Found;
  const Value *Callee = calledBy(Call);
  if (auto *F = dyn_cast<Function>(Callee)) {
    Found.push_back(F);
    return Found;
  }
  for (const Function *F : Taken)
    if (!F->isDeclaration() && F->getFunctionType() == Call.getFunctionType())
      Found.push_back(F);
  return Found;
}

// The variable that an address is computed from, or null; 'Whole': it is the address of all of it, or of what a parameter points to.
const Value *Reach::rootOf(const Value *P, bool &Whole, unsigned Depth) const {
  for (Whole = true; Depth < DepthMax; ++Depth) {
    P = P->stripPointerCasts();
    if (auto *GEP = dyn_cast<GEPOperator>(P)) {
      Whole = false;
      P = GEP->getPointerOperand();
    } else if (!markerName(P).empty()) {
      P = cast<CallInst>(P)->getArgOperand(0);
    } else if (auto *Load = dyn_cast<LoadInst>(P)) {
      bool Pointer;
      const Value *From = rootOf(Load->getPointerOperand(), Pointer, Depth + 1);
      if (From && (Arrays.contains(From) || (Pointer && isa<GlobalVariable>(From)))) {
        Whole = false;
        return From; // of a pointer that may be to an array: what it leads to
      }
      auto *Slot = dyn_cast_or_null<AllocaInst>(Pointer ? From : nullptr);
      const Value *Only = Slot ? onlyValueOf(*Slot) : nullptr;
      if (!Only)
        return nullptr;
      bool Inner;
      const Value *Root = rootOf(Only, Inner, Depth + 1);
      Whole &= Inner;
      return Root;
    } else {
      return isa<Argument, AllocaInst>(P) || (isa<GlobalVariable>(P) && !cast<GlobalVariable>(P)->isConstant()) ? P : nullptr;
    }
  }
  return nullptr;
}

// 'a[i] += x', 'a[i] = a[i] + x'.
bool Reach::readsItself(const Value *V, const Value *Root, unsigned Depth) const {
  auto *I = dyn_cast<Instruction>(V);
  bool Whole;
  if (!I || Depth > DepthMax)
    return false;
  if (auto *Load = dyn_cast<LoadInst>(I))
    return rootOf(Load->getPointerOperand(), Whole) == Root;
  if (!isa<BinaryOperator, CastInst, UnaryOperator, SelectInst, CmpInst, IntrinsicInst>(I))
    return false;
  return any_of(I->operands(), [&](const Use &U) { return readsItself(U, Root, Depth + 1); });
}

// A function that is not here.  The library's assigns what it is given before it reads it, or only reads it.
void Reach::takeUnknown(const CallBase &Call, const Function &F, Assigned &Now, Effects *To) const {
  LibFunc Ignored;
  bool Known = F.isIntrinsic() || Library.getLibFunc(F.getName(), Ignored) || isOfLibrary(F);
  for (const Use &Given : Call.args()) {
    bool Whole;
    const Value *Root = Given->getType()->isPointerTy() ? rootOf(Given, Whole) : nullptr;
    if (!Root)
      continue;
    if (To && !Known) {
      Effect &E = (*To)[Root];
      E.Written = E.ByCall = E.Read = true;
      if (!Now.contains(Root))
        E.expose(Now);
    }
    Now.insert(Root);
  }
  if (To && !Known)
    (*To)[&F].expose(Now);
  if (!Known && &F != pointedBy(Call)) // which of them it is, nobody knows
    Now.insert(&F);
}

void Reach::takeCall(const CallBase &Call, Assigned &Now, Effects *To) const {
  auto Callees = calleesOf(Call);
  Assigned Sure;
  for (const Function *F : Callees) {
    auto Summary = Of.find(F);
    if (Summary == Of.end())
      continue;
    for (const auto &[Key, Effect] : Summary->second) {
      bool Whole = true;
      const Value *Root = Key;
      if (auto *Parameter = dyn_cast<Argument>(Key))
        Root = Parameter->getArgNo() < Call.arg_size() ? rootOf(Call.getArgOperand(Parameter->getArgNo()), Whole) : nullptr;
      if (!Root || isa<AllocaInst>(Key))
        continue;
      if (To) {
        auto &E = (*To)[Root];
        E.Written |= Effect.Written;
        E.ByCall |= Effect.Written;
        E.Read |= Effect.Read;
        if (Effect.Exposed && (isa<Function>(Root) || !Now.contains(Root)))
          E.expose(Now, &Effect);
      }
      if (Effect.Sure && Whole)
        Sure.insert(Root);
    }
  }
  if (Callees.size() == 1)
    Now.insert(Sure.begin(), Sure.end());
  const Function *Somewhere = pointedBy(Call);
  if (Callees.size() == 1 && Callees[0]->isDeclaration())
    takeUnknown(Call, *Callees[0], Now, To);
  else if (Somewhere && Callees.empty())
    takeUnknown(Call, *Somewhere, Now, To);
  else if (Somewhere && To)
    (*To)[Somewhere].expose(Now);
}

void Reach::take(const Instruction &I, Assigned &Now, Effects *To) const {
  bool Whole;
  auto Read = [&](const Value *P) {
    const Value *Root = rootOf(P, Whole);
    if (!To || !Root)
      return;
    (*To)[Root].Read = true;
    if (Whole && (isScalar(Root) || isa<Argument>(Root)) && !Now.contains(Root))
      (*To)[Root].expose(Now);
  };
  auto Write = [&](const Value *P, const Value *V) {
    const Value *Root = rootOf(P, Whole);
    if (!Root)
      return;
    if (To) {
      (*To)[Root].Written = true;
      if (V && !Whole && !Now.contains(Root) && readsItself(V, Root))
        (*To)[Root].expose(Now);
    }
    if (Whole && (isScalar(Root) || isa<Argument>(Root)))
      Now.insert(Root);
  };
  if (auto *Load = dyn_cast<LoadInst>(&I)) {
    Read(Load->getPointerOperand());
  } else if (auto *Store = dyn_cast<StoreInst>(&I)) {
    Write(Store->getPointerOperand(), Store->getValueOperand());
  } else if (auto *Atomic = dyn_cast<AtomicRMWInst>(&I)) {
    Read(Atomic->getPointerOperand());
    Write(Atomic->getPointerOperand(), nullptr);
  } else if (auto *Fill = dyn_cast<MemIntrinsic>(&I)) {
    if (auto *Copy = dyn_cast<MemTransferInst>(Fill))
      Read(Copy->getSource());
    Write(Fill->getDest(), nullptr);
  } else if (auto *Call = dyn_cast<CallBase>(&I); Call && !isa<IntrinsicInst>(Call) && markerName(Call).empty()) {
    takeCall(*Call, Now, To);
  }
}

// What the blocks do to variables; Sure where they end by returning.
Effects Reach::walk(ArrayRef<const BasicBlock *> Order, const BasicBlock *Entry) const {
  DenseMap<const BasicBlock *, Assigned> After;
  SmallPtrSet<const BasicBlock *, 16> Mine(Order.begin(), Order.end());
  auto Before = [&](const BasicBlock *BB) {
    Assigned Now;
    bool First = true;
    for (const BasicBlock *P : predecessors(BB)) {
      auto Known = After.find(P);
      if (BB == Entry || !Mine.contains(P))
        return Assigned();
      if (Known == After.end())
        continue;
      if (First)
        Now = Known->second;
      else
        Now.remove_if([&](const Value *V) { return !Known->second.contains(V); });
      First = false;
    }
    return Now;
  };
  for (bool Changes = true; Changes;) {
    Changes = false;
    for (const BasicBlock *BB : Order) {
      Assigned Now = Before(BB);
      for (const Instruction &I : *BB)
        take(I, Now, nullptr);
      auto [Known, New] = After.try_emplace(BB, Now);
      if (!New && Known->second.size() != Now.size())
        Known->second = Now, Changes = true;
      Changes |= New;
    }
  }
  Effects To;
  bool Returns = false;
  Assigned AtReturns;
  for (const BasicBlock *BB : Order) {
    Assigned Now = Before(BB);
    for (const Instruction &I : *BB)
      take(I, Now, &To);
    if (!isa<ReturnInst>(BB->getTerminator()))
      continue;
    if (Returns)
      AtReturns.remove_if([&](const Value *V) { return !Now.contains(V); });
    else
      AtReturns = Now;
    Returns = true;
  }
  for (const Value *V : AtReturns)
    if (To.contains(V))
      To[V].Sure = true;
  return To;
}

// Functions that nests reach, or other modules may call, until nothing changes.
void Reach::summarize(ArrayRef<CallInst *> Nests) {
  SmallVector<const Function *, 32> All;
  SmallPtrSet<const Function *, 32> Known;
  auto Add = [&](const BasicBlock *BB) {
    for (const Instruction &I : *BB)
      if (auto *Call = dyn_cast<CallBase>(&I); Call && markerName(Call).empty())
        for (const Function *F : calleesOf(*Call))
          if (!F->isDeclaration() && !isOfLibrary(*F) && Known.insert(F).second)
            All.push_back(F);
  };
  for (const CallInst *Enter : Nests)
    for (const BasicBlock *BB : blocksOf(Enter))
      Add(BB);
  for (const Function &F : M)
    if (!F.isDeclarationForLinker() && (!F.hasLocalLinkage() || Taken.contains(&F)) && !isOfLibrary(F) && Known.insert(&F).second)
      All.push_back(&F);
  for (size_t N = 0; N < All.size(); ++N)
    for (const BasicBlock &BB : *All[N])
      Add(&BB);
  bool Changes = true;
  for (unsigned Round = 0; Changes && Round < RoundsMax; ++Round) {
    Changes = false;
    for (const Function *F : reverse(All)) {
      ReversePostOrderTraversal<const Function *> Blocks(F);
      SmallVector<const BasicBlock *, 16> Order(Blocks.begin(), Blocks.end());
      Effects New = walk(Order, &F->getEntryBlock());
      New.remove_if([](const auto &Row) { return isa<AllocaInst>(Row.first); });
      Effects &Old = Of[F];
      bool Same =
          Old.size() == New.size() && all_of(New, [&](const auto &Row) { return Old.contains(Row.first) && Old[Row.first] == Row.second; });
      if (!Same)
        Old = std::move(New), Changes = true;
    }
  }
}

void Reach::findArrays(const CallInst *Mark) {
  auto *Call = const_cast<CallInst *>(Mark);
  DirectiveText D = DirectiveText::parse(markerText(markerTextArgument(Call)));
  auto Args = markerArguments(Call);
  bool Whole;
  for (unsigned I = 0; I < Args.size() && I < D.Args.size(); ++I)
    if (D.Args[I].Pointer &&
        (D.Args[I].Line == DVMRT_DIRECTIVE_ARRAY || D.Args[I].Line == DVMRT_DIRECTIVE_POINTER || D.Args[I].Line == DVMRT_DIRECTIVE_USE))
      if (const Value *Root = rootOf(Args[I], Whole))
        Arrays.insert(Root);
}

// "dot.count": that of the function.
static StringRef nameOf(const GlobalVariable &G) {
  auto [Function, Name] = G.getName().split('.');
  return G.hasLocalLinkage() && !Name.empty() ? Name.take_until([](char C) { return C == '.'; }) : G.getName();
}

// Whether the line tells of a variable that a call is given, and what the construct does to it does not matter.
static bool isIdle(StringRef Line, const Value *Root, Effects &All) {
  return Line.ends_with(" given") && (!Root || !All.contains(Root) || !All[Root].matters());
}

// The mark with another text and other arguments, in its place.
void Reach::replace(CallInst *Enter, const std::string &Text, SmallVectorImpl<Value *> &Args) {
  IRBuilder<> B(Enter);
  Constant *Data = ConstantDataArray::getString(M.getContext(), Text);
  auto *Holder = new GlobalVariable(M, Data->getType(), true, GlobalValue::PrivateLinkage, Data, "dvm.text");
  Args.insert(Args.begin(), Holder);
  CallInst *Mark = B.CreateCall(Enter->getFunctionType(), Enter->getCalledOperand(), Args);
  Mark->setDebugLoc(Enter->getDebugLoc());
  Enter->replaceAllUsesWith(Mark);
  Enter->eraseFromParent();
}

// What the construct reaches by calls alone: lines and arguments of its mark.  False: nothing.
bool Reach::addReached(CallInst *Enter, Effects &All, SmallPtrSetImpl<const Value *> &Named, std::string &New,
                       SmallVectorImpl<Value *> &Out) {
  bool Changed = false;
  IRBuilder<> B(Enter);
  for (const auto &[Key, E] : All) {
    auto *G = dyn_cast<GlobalVariable>(Key);
    if (!G || !E.ByCall || Named.contains(G) || G->isThreadLocal())
      continue;
    auto &V = const_cast<GlobalVariable &>(*G);
    uint64_t Bytes = valueBytes(DL, V.getValueType());
    if (!Arrays.contains(G) && E.mayBeAssignedElsewhere())
      continue;
    if (Arrays.contains(G)) {
      New += ("\n" + Twine(char(DVMRT_DIRECTIVE_USE)) + " " + nameOf(V) + " & w").str();
      Out.push_back(V.getValueType()->isPointerTy() ? static_cast<Value *>(B.CreateLoad(V.getValueType(), &V)) : &V);
    } else if (Bytes && E.matters()) {
      New += ("\n" + Twine(char(DVMRT_DIRECTIVE_SHARED)) + " " + nameOf(V) + " & " + Twine(Bytes)).str();
      Out.push_back(&V);
    } else {
      continue;
    }
    Named.insert(G);
    Changed = true;
  }
  if (any_of(All, [](const auto &Row) { return isa<Function>(Row.first); })) {
    auto *Table = row(nullptr, All, Named);
    New += ("\n" + Twine(char(DVMRT_DIRECTIVE_REACHED)) + " &").str();
    Out.push_back(new GlobalVariable(M, Table->getType(), true, GlobalValue::PrivateLinkage, Table, "dvm.reached"));
    Changed = true;
  }
  return Changed;
}

void Reach::tell(CallInst *Enter) {
  StringRef Text = markerText(markerTextArgument(Enter));
  DirectiveText D = DirectiveText::parse(Text);
  SmallVector<Value *, 8> Args = markerArguments(Enter), Out;
  auto Order = blocksOf(Enter);
  if (D.Kind != "parallel" || !D.Mapped || Order.empty() || Args.size() != D.Args.size())
    return;
  Effects All = walk(Order, Order.front());
  SmallPtrSet<const Value *, 16> Named;
  SmallVector<bool, 8> Dropped(Args.size());
  std::string New;
  bool Whole, Changed = false;
  for (unsigned I = 0; I < Args.size(); ++I)
    if (const Value *Root = D.Args[I].Pointer ? rootOf(Args[I], Whole) : nullptr)
      Named.insert(Root);
  for (unsigned Shared = 0; !Text.empty();) {
    auto [Line, After] = Text.split('\n');
    Text = After;
    if (Line.starts_with("s ")) {
      auto *Arg = find_if(D.Args, [&](const DirectiveArg &A) { return A.Line == DVMRT_DIRECTIVE_SHARED && A.Count == Shared; });
      const size_t At = Arg - D.Args.begin();
      Dropped[At] = isIdle(Line, rootOf(Args[At], Whole), All);
      Changed |= Line.consume_back(" given");
      ++Shared;
      if (Dropped[At])
        continue;
    }
    New += (New.empty() ? "" : "\n") + Line.str();
  }
  for (unsigned I = 0; I < Args.size(); ++I)
    if (!Dropped[I])
      Out.push_back(Args[I]);
  Changed |= addReached(Enter, All, Named, New, Out);
  if (!Changed)
    return;
  replace(Enter, New, Out);
}

// ---- Tables ----

static Constant *pointerTo(Module &M, Constant *Init) {
  auto *G = new GlobalVariable(M, Init->getType(), true, GlobalValue::PrivateLinkage, Init, "dvm.reach");
  G->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
  return G;
}

Constant *Reach::text(StringRef Text) { return pointerTo(M, ConstantDataArray::getString(M.getContext(), Text)); }

// In the order of their names, so that the output does not depend on addresses.
static SmallVector<const Value *, 8> certain(const Effect &E, bool Functions) {
  SmallVector<const Value *, 8> Found;
  if (E.Before)
    copy_if(*E.Before, std::back_inserter(Found), [&](const Value *V) { return isa<Function>(V) == Functions; });
  sort(Found, [](const Value *A, const Value *B) { return A->getName() < B->getName(); });
  return Found;
}

Constant *Reach::names(const Effect &E) {
  std::string All;
  for (const Value *V : certain(E, true))
    All += (V->getName() + StringRef("", 1)).str();
  return All.empty() ? ConstantPointerNull::get(Ptr) : text(All);
}

Constant *Reach::array(ArrayRef<Constant *> Rows) {
  return Rows.empty() ? static_cast<Constant *>(ConstantPointerNull::get(Ptr))
                      : pointerTo(M, ConstantArray::get(ArrayType::get(Rows[0]->getType(), Rows.size()), Rows));
}

// struct dvmt_reach; null: of a nest.
Constant *Reach::row(const Function *F, const Effects &All, const SmallPtrSetImpl<const Value *> &Named) {
  SmallVector<Constant *, 16> Variables, Calls;
  auto Number = [&](uint64_t N) { return ConstantInt::get(Type::getInt64Ty(M.getContext()), N); };
  Constant *Null = ConstantPointerNull::get(Ptr);
  for (const auto &[Key, E] : All) {
    if (isa<Function>(Key)) {
      SmallVector<Constant *, 8> Before;
      for (const Value *V : certain(E, false))
        Before.push_back(const_cast<GlobalVariable *>(cast<GlobalVariable>(V)));
      if (!Before.empty())
        Before.push_back(Null);
      Calls.push_back(ConstantStruct::getAnon({text(Key->getName()), names(E), array(Before), Number(E.Sure)}));
      continue;
    }
    auto *G = const_cast<GlobalVariable *>(dyn_cast<GlobalVariable>(Key));
    if (!G || G->isThreadLocal() || (!E.Written && !E.Read))
      continue;
    uint64_t Flags = (E.Written ? DVMT_REACH_WRITTEN : 0) | (E.Read ? DVMT_REACH_READ : 0) | (E.Exposed ? DVMT_REACH_EXPOSED : 0) |
                     (E.Sure ? DVMT_REACH_SURE : 0) | (G->getValueType()->isPointerTy() ? DVMT_REACH_POINTER : 0) |
                     (Named.contains(G) ? DVMT_REACH_NAMED : 0) | (!F && E.ByCall ? DVMT_REACH_CALLED : 0);
    Variables.push_back(ConstantStruct::getAnon(
        {G, text(nameOf(*G)), E.Exposed ? names(E) : Null, Number(valueBytes(DL, G->getValueType())), Number(Flags)}));
  }
  if (F && Variables.empty() && Calls.empty())
    return nullptr;
  return ConstantStruct::getAnon({F ? text(F->getName()) : Null, text(M.getSourceFileName()), array(Variables), array(Calls),
                                  Number(Variables.size()), Number(Calls.size())});
}

// Of the functions that others may call.
void Reach::addTables() {
  SmallVector<Constant *, 32> Rows;
  for (const Function &F : M)
    if (auto Known = Of.find(&F); Known != Of.end() && !F.hasLocalLinkage())
      if (Constant *Row = row(&F, Known->second, SmallPtrSet<const Value *, 1>()))
        Rows.push_back(Row);
  for (const Function &F : M)
    if (Pointed.lookup(F.getFunctionType()) == &F)
      if (Constant *Row = row(&F, effectsOf(F.getFunctionType()), SmallPtrSet<const Value *, 1>()))
        Rows.push_back(Row);
  if (Rows.empty())
    return;
  LLVMContext &C = M.getContext();
  IRBuilder<> B(C);
  const bool Ranks = runsParallel(M);
  Constant *Table = array(Rows);
  auto Make = [&](StringRef Name, FunctionCallee Callee, ArrayRef<Value *> Args) {
    auto *F = Function::Create(FunctionType::get(B.getVoidTy(), false), GlobalValue::InternalLinkage, Name, M);
    F->addFnAttr(Attribute::NoUnwind);
    B.SetInsertPoint(BasicBlock::Create(C, "", F));
    B.CreateCall(Callee, Args);
    B.CreateRetVoid();
    return F;
  };
  FunctionCallee Add = M.getOrInsertFunction(Ranks ? "__dvmp_reach" : "__dvmt_reach", B.getVoidTy(), Ptr, B.getInt64Ty());
  FunctionCallee Gone = M.getOrInsertFunction(Ranks ? "__dvmp_reach_gone" : "__dvmt_reach_gone", B.getVoidTy(), Ptr);
  appendToGlobalCtors(M, Make("dvmt.reach_ctor", Add, {Table, B.getInt64(Rows.size())}), 1);
  appendToGlobalDtors(M, Make("dvmt.reach_dtor", Gone, {Table}), 1);
}

void Reach::run() {
  SmallVector<CallInst *, 16> Nests;
  for (Function &F : M)
    for (Instruction &I : instructions(F)) {
      StringRef Name = markerName(&I);
      if (Name == DVMM_DIRECT || Name == DVMM_BIND || Name == DVMM_ENTER) // a nest has those that are defined elsewhere
        findArrays(cast<CallInst>(&I));
      if (Name == DVMM_ENTER)
        Nests.push_back(cast<CallInst>(&I));
    }
  findPointed();
  summarize(Nests);
  for (CallInst *Enter : Nests)
    tell(Enter);
  addTables();
  for (const auto &[Type, Stand] : Pointed)
    Stand->eraseFromParent();
}

void dvmir::tellReached(Module &M) { Reach(M).run(); }
