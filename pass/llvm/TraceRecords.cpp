// Recording: sites, and how a raw record (runtime/trace/abi.h) is written inline.
#include "Recorder.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace dvmir;

ValueType dvmir::valueTypeOf(StringRef Text) {
  ValueType T;
  StringRef Y = siteLine(Text, DVMRT_TRACE_VALUE);
  if (!Y.empty() && !Y.drop_front().getAsInteger(10, T.Bytes))
    T.Kind = Y[0];
  return T;
}

Value *dvmir::traceRootOf(Value *P) {
  for (;;) {
    P = P->stripPointerCasts();
    if (auto *GEP = dyn_cast<GEPOperator>(P))
      P = GEP->getPointerOperand();
    else if (markerName(P) == DVMM_ACCESS)
      P = cast<CallInst>(P)->getArgOperand(0);
    else
      return P;
  }
}

// The site's text, with the function that it stands in.
Constant *Recorder::placedText(Constant *TextConstant, StringRef More) {
  std::string Text = (markerText(TextConstant) + (Now ? "\n@ " + Now->getName() : "") + More).str();
  Constant *&Placed = Texts[Text];
  if (!Placed) {
    Constant *Data = ConstantDataArray::getString(C, Text);
    auto *G = new GlobalVariable(M, Data->getType(), true, GlobalValue::PrivateLinkage, Data, "dvm.trace.text");
    G->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
    Placed = G;
  }
  return Placed;
}

GlobalVariable *Recorder::site(Constant *Text, unsigned Kind, unsigned Words, unsigned Bytes, unsigned Where, Constant *Base, uint64_t Size,
                               unsigned Args, StringRef More) {
  HasSites = true;
  Text = placedText(Text, More);
  auto *Null = ConstantPointerNull::get(RT.Ptr);
  auto Byte = [&](unsigned V) { return ConstantInt::get(RT.I8, V); };
  auto *Init =
      ConstantStruct::getAnon({Text, Base ? Base : Null, ConstantInt::get(RT.I64, Size), Byte(Kind), Byte(Words), Byte(Bytes), Byte(Where),
                               Byte(Args), Byte(DVMT_LEVEL_UNSET), Byte(0), Byte(0), Null, ConstantInt::get(RT.I64, 0)});
  auto *G = new GlobalVariable(M, Init->getType(), false, GlobalValue::PrivateLinkage, Init, "dvm.trace.site");
  G->setSection(SitesSection);
  G->setAlignment(Align(16));
  return G;
}

CallInst *Recorder::call(IRBuilderBase &B, StringRef Name, Type *Result, ArrayRef<Value *> Args) {
  SmallVector<Type *, 8> T;
  for (Value *A : Args)
    T.push_back(A->getType());
  FunctionCallee Callee = M.getOrInsertFunction(Name, FunctionType::get(Result, T, false));
  if (auto *F = dyn_cast<Function>(Callee.getCallee())) {
    F->addFnAttr(Attribute::NoUnwind);
    F->addFnAttr(Attribute::NonLazyBind);
  }
  return B.CreateCall(Callee, Args);
}

Value *Recorder::state(IRBuilderBase &B, size_t Offset) {
  auto *T = ArrayType::get(RT.I64, sizeof(dvmt_state) / 8);
  auto *State = cast<GlobalVariable>(M.getOrInsertGlobal("__dvmt_state", T, [&] {
    auto *G =
        new GlobalVariable(M, T, false, GlobalValue::ExternalLinkage, nullptr, "__dvmt_state", nullptr, GlobalValue::InitialExecTLSModel);
    G->setAlignment(Align(8));
    return G;
  }));
  return B.CreateConstInBoundsGEP1_64(RT.I8, B.CreateThreadLocalAddress(State), Offset);
}

// What is ours aliases nothing of the user's.
template <typename T> T *Recorder::own(T *I, StringRef Kind) {
  MDBuilder B(C);
  MDNode *Scalar = B.createTBAAScalarTypeNode(Kind, B.createTBAARoot("Simple C/C++ TBAA"));
  I->setMetadata(LLVMContext::MD_tbaa, B.createTBAAStructTagNode(Scalar, Scalar, 0));
  I->setMetadata(LLVMContext::MD_nosanitize, MDNode::get(C, {}));
  return I;
}

Value *Recorder::loadState(IRBuilderBase &B, size_t Offset, Type *T) {
  return own(B.CreateAlignedLoad(T, state(B, Offset), Align(4)), "dvm trace state");
}

void Recorder::storeWord(IRBuilderBase &B, Value *V, Value *Record, unsigned Word) {
  own(B.CreateAlignedStore(V, B.CreateConstInBoundsGEP1_64(RT.I8, Record, 8 * Word), Align(8)), "dvm trace record");
}

// The record's words behind the first; then the first, and on to the next record.
void Recorder::closeRecord(IRBuilderBase &B, Value *Record, GlobalVariable *Site, dvmt_tag Tag, unsigned Words, Instruction *At) {
  Value *First = B.CreateConstInBoundsGEP1_64(RT.I8, Site, Tag);
  storeWord(B, First, Record, 0);
  Value *Next = B.CreateConstInBoundsGEP1_64(RT.I8, Record, 8 * Words);
  own(B.CreateAlignedStore(Next, state(B, offsetof(dvmt_state, next)), Align(8)), "dvm trace state");
  Value *Full = B.CreateICmpUGE(Next, loadState(B, offsetof(dvmt_state, limit), RT.Ptr));
  IRBuilder<> Slow(SplitBlockAndInsertIfThen(Full, At, false, RT.Unlikely));
  Slow.SetCurrentDebugLocation(At->getDebugLoc());
  call(Slow, "__dvmt_full", RT.Void, {});
}

// if (state.flags & Needed) ..  Returns the end of the new block.
Instruction *Recorder::guarded(Instruction *At, uint32_t Needed) {
  IRBuilder<> B(At);
  Value *Flags = loadState(B, offsetof(dvmt_state, flags), RT.I32);
  return SplitBlockAndInsertIfThen(B.CreateIsNotNull(B.CreateAnd(Flags, Needed)), At, false);
}

Value *Recorder::asWord(IRBuilderBase &B, Value *V) {
  Type *T = V->getType();
  if (T->isPointerTy())
    return B.CreatePtrToInt(V, RT.I64);
  if (T->isIntegerTy())
    return B.CreateZExtOrTrunc(V, RT.I64);
  unsigned Bits = T->getPrimitiveSizeInBits();
  return B.CreateZExt(B.CreateBitCast(V, B.getIntNTy(Bits)), RT.I64);
}

// A value of no more than 8 bytes, in one part or (complex) two.
Value *Recorder::oneWord(IRBuilderBase &B, ArrayRef<Value *> Parts, ValueType T) {
  Value *V = asWord(B, Parts[0]);
  return Parts.size() == 2 ? B.CreateOr(V, B.CreateShl(asWord(B, Parts[1]), T.Bytes * 4)) : V;
}

// Stores the value, which came or goes in one part or (complex) two; true if it could.
void Recorder::storeValue(IRBuilderBase &B, ArrayRef<Value *> Parts, ValueType T, Value *Record, unsigned Word) {
  unsigned PartBytes = T.Bytes / Parts.size();
  if (T.Bytes <= 8)
    return storeWord(B, oneWord(B, Parts, T), Record, Word);
  for (unsigned W = 0; W < T.words(); ++W)
    storeWord(B, B.getInt64(0), Record, Word + W);
  for (unsigned N = 0; N < Parts.size(); ++N)
    own(B.CreateAlignedStore(Parts[N], B.CreateConstInBoundsGEP1_64(RT.I8, Record, 8 * Word + N * PartBytes), Align(8)),
        "dvm trace record");
}

// The record by a call that asks whether it is wanted: in functions with so many accesses that the optimiser would take minutes for
// them inline.
void Recorder::callPut(Instruction *At, const Place &P, dvmt_tag Tag, ValueType T, ArrayRef<Value *> Parts) {
  IRBuilder<> B(At);
  Value *Address = B.CreatePtrToInt(P.Address, RT.I64);
  SmallVector<Value *, 4> Args{B.CreateConstInBoundsGEP1_64(RT.I8, P.Site, Tag)};
  if (P.Where & DVMT_WHERE_ADDRESS)
    Args.push_back(Address);
  if (!(P.Where & DVMT_WHERE_ADDRESS) || (P.Where & DVMT_WHERE_POINTER))
    Args.push_back(P.Address == P.Root ? B.getInt64(0) : B.CreateSub(Address, B.CreatePtrToInt(P.Root, RT.I64)));
  Args.push_back(oneWord(B, Parts, T));
  call(B, Args.size() == 4 ? "__dvmt_put_offset" : "__dvmt_put", RT.Void, Args);
}

// A read or write of the value before 'At'.
void Recorder::recordValue(Instruction *At, const Place &P, dvmt_tag Tag, ValueType T, ArrayRef<Value *> Parts) {
  if (Large && T.Bytes <= 8)
    return callPut(At, P, Tag, T, Parts);
  Instruction *End = guarded(At, Tag == DVMT_TAG_READ ? DVMT_ON_READ : DVMT_ON_WRITE);
  IRBuilder<> B(End);
  B.SetCurrentDebugLocation(At->getDebugLoc());
  Value *Address = B.CreatePtrToInt(P.Address, RT.I64);
  Value *Record = loadState(B, offsetof(dvmt_state, next), RT.Ptr);
  unsigned Word = 1;
  if (P.Where & DVMT_WHERE_ADDRESS)
    storeWord(B, Address, Record, Word++);
  if (!(P.Where & DVMT_WHERE_ADDRESS) || (P.Where & DVMT_WHERE_POINTER))
    storeWord(B, B.CreateSub(Address, B.CreatePtrToInt(P.Root, RT.I64)), Record, Word++);
  storeValue(B, Parts, T, Record, Word);
  closeRecord(B, Record, P.Site, Tag, Word + T.words(), End);
}

Type *Recorder::partType(ValueType T) {
  unsigned Bytes = T.Kind == 'c' ? T.Bytes / 2 : T.Bytes;
  if (T.Kind == 'q')
    return Type::getFP128Ty(C);
  if (T.Kind == 'f' || T.Kind == 'c')
    return Bytes == 4    ? Type::getFloatTy(C)
           : Bytes == 8  ? Type::getDoubleTy(C)
           : Bytes == 16 ? Type::getX86_FP80Ty(C)
                         : Type::getIntNTy(C, Bytes * 8);
  return Type::getIntNTy(C, Bytes * 8);
}
