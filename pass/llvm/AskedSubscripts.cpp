#include "AskedSubscripts.h"
#include "NestTexts.h"
#include "runtime/abi.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace dvmir;

Linear AskedSubscripts::any(int64_t Extent, unsigned Number) {
  auto [At, New] = AnyOf.try_emplace({Extent, Number}, Forms.rank() + Forms.Inners.size());
  Linear Value;
  if (New) {
    Value.Add = Extent - 1;
    Forms.Inners.push_back({nullptr, nullptr, {}, Value, 1});
    Value.Add = 0;
  }
  Value.Coef.resize(At->second + 1);
  Value.Coef[At->second] = 1;
  return Value;
}

// Before 'At': if (ix[d] >= extent[d]) { now.iv = index variables; __dvmrt_bounds(p, site, ix, d, extent[d], flags); }
BasicBlock *AskedSubscripts::ask(Access &A, CallInst *At, ArrayRef<unsigned> Dims, ArrayRef<Value *> Index) {
  Runtime &RT = S.RT;
  IRBuilder<> B(At);
  Value *Any = B.getFalse(), *Dim = B.getInt32(0), *Extent = B.getInt64(0);
  for (unsigned D : reverse(Dims)) {
    Value *Limit = B.getInt64(*A.Text.Extents[D]), *Outside = B.CreateICmpUGE(Index[D], Limit);
    Any = B.CreateOr(Any, Outside);
    Dim = B.CreateSelect(Outside, B.getInt32(D), Dim);
    Extent = B.CreateSelect(Outside, Limit, Extent);
  }
  Instruction *Then = SplitBlockAndInsertIfThen(Any, At, false, MDBuilder(RT.C).createUnlikelyBranchWeights());
  IRBuilder<> Slow(Then);
  for (unsigned D = 0; D < Forms.rank(); ++D) {
    Value *V = Slow.CreateLoad(Slow.getIntNTy(8 * std::abs(Forms.IndexBytes[D])), Forms.IndexAddresses[D]);
    RT.storeNow(Slow, offsetof(dvmrt_now, iv) + 8 * D, Slow.CreateIntCast(V, RT.I64, Forms.IndexBytes[D] < 0));
  }
  Value *P = A.Var ? ConstantPointerNull::get(RT.Ptr) : At->getArgOperand(0), *Flags = Slow.getInt32(A.Text.touchFlags());
  if (A.Mark->hasMetadata(LedMark)) { // what a pointer leads to may be in another row
    RT.call(Slow, "__dvmrt_touch", {P, Slow.getInt64(A.Text.Size), S.site(A), ConstantPointerNull::get(RT.Ptr), Flags});
    return At->getParent();
  }
  auto *T = ArrayType::get(RT.I64, Index.size());
  AllocaInst *Subscripts = S.slot(T, "dvm.outside");
  for (auto [D, V] : enumerate(Index))
    Slow.CreateStore(V, Slow.CreateConstInBoundsGEP2_64(T, Subscripts, 0, D));
  RT.call(Slow, "__dvmrt_bounds", {P, S.site(A), Subscripts, Dim, Extent, Flags});
  return At->getParent();
}

void AskedSubscripts::keepIn(ValueToValueMapTy &Map, SmallVectorImpl<BasicBlock *> &Cloned) {
  for (auto &[A, Dims] : Asked) {
    SmallVector<Value *, 4> Index;
    for (Value *V : A->Index)
      Index.push_back(Map.count(V) ? static_cast<Value *>(Map[V]) : V);
    Cloned.push_back(ask(*A, cast<CallInst>(Map[A->Mark]), Dims, Index));
  }
}
