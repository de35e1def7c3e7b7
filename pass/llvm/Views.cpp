#include "Views.h"
#include "runtime/abi.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace dvmir;

static constexpr uint64_t MaxElementSize = 16;

static bool isUse(const Access &A) {
  const Construct *K = A.In;
  return K && K->Begin && A.Text.Use && *A.Text.Use < K->Text.Uses.size() && !A.Var && !A.Text.Loose;
}

static View *viewOf(FunctionState &S, Access &A, unsigned Shift) {
  Construct *K = A.In;
  View *V = nullptr;
  for (auto &Known : K->Views)
    if (Known->Use == *A.Text.Use && Known->Shift == Shift)
      V = Known.get();
  if (!V) {
    K->Views.push_back(std::make_unique<View>());
    V = K->Views.back().get();
    V->Use = *A.Text.Use;
    V->Shift = Shift;
    V->ReadOnly = K->Text.Uses[V->Use].Access == 'r';
    V->Struct = S.slot(S.RT.Ptr, "dvm.view");
    V->Words = S.slot(S.RT.Ptr, "dvm.words");
    V->FirstRead = S.slot(S.RT.I32, "dvm.view.first_read");
    V->FirstWrite = S.slot(S.RT.I32, "dvm.view.first_write");
    V->Mask = S.slot(S.RT.I32, "dvm.view.mask");
  }
  while (V->Extents.size() < std::min<size_t>(A.Index.size(), DVMRT_NDIMS_MAX))
    V->Extents.push_back(S.slot(S.RT.I64, "dvm.extent"));
  return V;
}

View *dvmir::viewFor(FunctionState &S, Access &A) {
  if (!isUse(A) || A.Text.PartOfElement || !isPowerOf2_64(A.Text.Size) || A.Text.Size > MaxElementSize)
    return nullptr;
  return viewOf(S, A, Log2_64(A.Text.Size));
}

View *dvmir::partViewFor(FunctionState &S, Access &A) {
  if (!isUse(A) || !A.Text.PartOfElement)
    return nullptr;
  bool Fits = isPowerOf2_64(A.Text.Size) && A.Text.Size <= MaxElementSize;
  return viewOf(S, A, Fits ? DVMRT_PARTS + Log2_64(A.Text.Size) : unsigned(DVMRT_NO_WORDS));
}

// view = __dvmrt_view(construct, use, shift); extent[d] = view->words && d < view->ndims ? view->extent[d] : no limit;
void dvmir::loadViews(FunctionState &S, Construct &K, IRBuilderBase &B) {
  for (auto &V : K.Views) {
    Value *Struct = S.RT.call(B, "__dvmrt_view", {K.Site, B.getInt32(V->Use), B.getInt32(V->Shift)});
    auto Field = [&](size_t Offset, Type *T) { return S.RT.loadView(B, Struct, Offset, T); };
    Value *Words = Field(offsetof(dvmrt_view, words), S.RT.Ptr);
    S.store(B, Struct, V->Struct);
    S.store(B, Words, V->Words);
    S.store(B, Field(offsetof(dvmrt_view, first_read), S.RT.I32), V->FirstRead);
    S.store(B, Field(offsetof(dvmrt_view, first_write), S.RT.I32), V->FirstWrite);
    S.store(B, Field(offsetof(dvmrt_view, mask), S.RT.I32), V->Mask);
    Value *NumDims = Field(offsetof(dvmrt_view, ndims), S.RT.I32);
    for (unsigned Dim = 0; Dim < V->Extents.size(); ++Dim) {
      Value *Known = B.CreateICmpUGT(NumDims, B.getInt32(Dim));
      if (!(V->Shift & DVMRT_PARTS))
        Known = B.CreateAnd(B.CreateIsNotNull(Words), Known);
      Value *Extent = Field(offsetof(dvmrt_view, extent) + 8 * Dim, S.RT.I64);
      S.store(B, B.CreateSelect(Known, Extent, B.getInt64(INT64_MAX)), V->Extents[Dim]);
    }
  }
  for (auto [G, Known] : K.Data)
    S.store(B, S.RT.call(B, "__dvmrt_data", {K.Site, G, B.getInt64(S.RT.DL.getTypeAllocSize(G->getValueType()).getFixedValue())}), Known);
  for (AllocaInst *Settled : K.Settled)
    S.store(B, B.getInt32(0), Settled);
}
