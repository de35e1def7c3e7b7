// Recording: sequential loops, directives, and values that no marked access moves.
#include "Recorder.h"
#include "pass/markers.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace dvmir;

static StringRef directKind(CallInst *Mark) { return siteLine(markerText(markerTextArgument(Mark)), DVMRT_ANY_KIND); }

void Recorder::lowerDirects(FunctionState &S) {
  DenseMap<unsigned, GlobalVariable *> Loops;
  auto Number = [](StringRef Kind) {
    unsigned N = 0;
    Kind.split(' ').second.getAsInteger(10, N);
    return N;
  };
  SmallVector<CallInst *, 8> Marks(S.Directs.begin(), S.Directs.end());
  Marks.append(S.Binds.begin(), S.Binds.end());
  for (CallInst *Mark : Marks)
    if (directKind(Mark).starts_with("loop ")) {
      auto *Text = cast<Constant>(markerTextArgument(Mark));
      bool Named = siteLine(markerText(Text), DVMRT_DIRECTIVE_NAMES).starts_with("1");
      Loops[Number(directKind(Mark))] = site(Text, DVMT_SITE_LOOP, Named);
    }
  for (CallInst *Mark : Marks) {
    StringRef Kind = directKind(Mark);
    if (Kind == "w init" || Kind == "r init")
      lowerInit(Mark, Kind[0] == 'r' ? DVMT_TAG_READ : DVMT_TAG_WRITE);
    else if (Kind == "unrecorded" && Besides.count(Mark))
      ;
    else if (Kind == "unrecorded")
      lowerUnrecorded(Mark);
    else if (Kind.starts_with("loop"))
      lowerLoopMark(S, Mark, Kind, Loops.lookup(Number(Kind)));
    else
      lowerDirect(S, Mark);
    if (!Mark->getType()->isVoidTy())
      Mark->replaceAllUsesWith(Mark->getArgOperand(0));
    Mark->eraseFromParent();
  }
}

void Recorder::lowerLoopMark(FunctionState &S, CallInst *Mark, StringRef Kind, GlobalVariable *Site) {
  if (!Site)
    return;
  if (Kind.starts_with("loop_iter ")) {
    IRBuilder<> B(Mark);
    SmallVector<Value *, 1> Vector;
    for (Value *V : markerArguments(Mark))
      Vector.push_back(asWord64(RT, B, V));
    return emitIteration(S, Site, Mark, Vector);
  }
  IRBuilder<> B(guarded(Mark, DVMT_ON_SHAPE));
  B.SetCurrentDebugLocation(Mark->getDebugLoc());
  call(B, Kind.starts_with("loop_end ") ? "__dvmt_loop_end" : "__dvmt_loop", RT.Void, {Site, S.frame(B)});
}

// Code without marks begins here.
void Recorder::lowerUnrecorded(CallInst *Mark) {
  GlobalVariable *Site = site(cast<Constant>(markerTextArgument(Mark)), DVMT_SITE_ACCESS, 0);
  IRBuilder<> B(guarded(Mark, DVMT_ON_WRITE));
  B.SetCurrentDebugLocation(Mark->getDebugLoc());
  call(B, "__dvmt_unrecorded", RT.Void, {Site});
}

// Numbers of a line.
static SmallVector<uint64_t, 8> numbersOf(StringRef Line) {
  SmallVector<uint64_t, 8> Numbers;
  uint64_t N;
  while (!Line.empty() && !Line.consumeInteger(10, N)) {
    Numbers.push_back(N);
    Line = Line.ltrim();
  }
  return Numbers;
}

// A member of a few bits, as the integer of its type.
Value *Recorder::bitField(IRBuilder<> &B, Value *Address, ValueType T, uint64_t Bit, uint64_t Width) {
  Value *V = B.CreateAlignedLoad(B.getIntNTy((Bit + Width + 7) / 8 * 8), Address, Align(1));
  V = B.CreateTrunc(B.CreateLShr(V, Bit), B.getIntNTy(Width));
  return B.CreateIntCast(V, B.getIntNTy(T.Bytes * 8), T.Kind == 'i');
}

// What gives the variable its first value, which the mark records.
static StoreInst *storeBefore(CallInst *Mark) {
  const Value *Variable = traceRootOf(Mark->getArgOperand(1));
  for (Instruction *I = Mark->getPrevNode(); I && isa<AllocaInst>(Variable); I = I->getPrevNode())
    if (auto *Store = dyn_cast<StoreInst>(I); Store && Store->getPointerOperand() == Variable)
      return Store;
  return nullptr;
}

// A value that no marked access moves is there: the part of the whole at the argument that the lines r and b tell.
//   if (flags & ON_WRITE) for (i = 0; i < count; i++) for ..  record(*(T *)(p + offset + i * stride ..));
void Recorder::lowerInit(CallInst *Mark, dvmt_tag Tag) {
  auto *Text = cast<Constant>(markerTextArgument(Mark));
  ValueType T = valueTypeOf(markerText(Text));
  if (!T.known())
    return;
  Origin Of;
  if (StoreInst *Store = Tag == DVMT_TAG_WRITE ? storeBefore(Mark) : nullptr)
    traceOrigin(Store->getValueOperand(), Of);
  Place P = placeOf(Mark->getArgOperand(1), Text, T, Of.Nature.empty() ? "" : "\n~ " + Of.Nature);
  SmallVector<uint64_t, 8> Repeat = numbersOf(siteLine(markerText(Text), DVMRT_TRACE_REPEAT)),
                           Bits = numbersOf(siteLine(markerText(Text), DVMRT_TRACE_BITS));
  Instruction *At = Mark;
  if (Repeat.size() > 1)
    At = guarded(Mark, Tag == DVMT_TAG_READ ? DVMT_ON_READ : DVMT_ON_WRITE);
  Value *Offset = ConstantInt::get(RT.I64, Repeat.empty() ? 0 : Repeat[0]);
  for (unsigned N = 1; N + 1 < Repeat.size(); N += 2) {
    auto [Body, Index] = SplitBlockAndInsertSimpleForLoop(ConstantInt::get(RT.I64, Repeat[N]), At);
    IRBuilder<> In(Body);
    Offset = In.CreateAdd(Offset, In.CreateMul(Index, ConstantInt::get(RT.I64, Repeat[N + 1])));
    At = Body;
  }
  IRBuilder<> B(At);
  if (!Repeat.empty())
    P.Address = B.CreateGEP(RT.I8, P.Address, Offset);
  SmallVector<Value *, 2> Parts;
  if (Bits.size() == 2)
    Parts.push_back(bitField(B, P.Address, T, Bits[0], Bits[1]));
  for (unsigned N = 0; Bits.empty() && N < (T.Kind == 'c' ? 2u : 1u); ++N)
    Parts.push_back(B.CreateAlignedLoad(partType(T), B.CreateConstInBoundsGEP1_64(RT.I8, P.Address, N * T.Bytes / 2), Align(1)));
  recordValue(At, P, Tag, T, Parts);
}

void Recorder::lowerDirect(FunctionState &S, CallInst *Mark) {
  IRBuilder<> B(Mark);
  Arguments Args = markerArguments(Mark);
  GlobalVariable *Site = site(cast<Constant>(markerTextArgument(Mark)), DVMT_SITE_DIRECT, 0, 0, 0, nullptr, 0, Args.size());
  call(B, "__dvmt_direct", RT.Void, {Site, argumentArray(S, B, Args)});
}
