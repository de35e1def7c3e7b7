#include "ArrayPages.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;
using namespace dvmir;

static constexpr uint64_t PageSize = 4096; // of the table of words (abi.h)

namespace {
// What goes without bytes in the file, and what has them.
struct Kind {
  const char *Section, *End;
  SmallVector<GlobalVariable *, 8> Arrays;
};
} // namespace

// Sections of the user's, and those that large models choose by size, stay.  AddressSanitizer puts its own zones around.
static bool maySeparate(const Module &M) {
  const auto Model = M.getCodeModel();
  return Triple(M.getTargetTriple()).isOSBinFormatELF() && (!Model || *Model == CodeModel::Small || *Model == CodeModel::Kernel) &&
         none_of(M, [](const Function &F) { return F.hasFnAttribute(Attribute::SanitizeAddress); });
}

static bool isToSeparate(const GlobalVariable &G) {
  return G.hasInitializer() && G.getValueType()->isArrayTy() && !G.hasSection() && !G.hasComdat() && !G.isThreadLocal() &&
         !G.isConstant() && !G.hasCommonLinkage() && !G.hasAvailableExternallyLinkage();
}

// In the order of the module, in which they are written.
static void separate(Module &M, const Kind &K) {
  if (K.Arrays.empty())
    return;
  for (GlobalVariable *G : K.Arrays)
    G->setSection(K.Section);
  GlobalVariable &First = *K.Arrays.front();
  First.setAlignment(std::max(First.getAlign().valueOrOne(), Align(PageSize)));
  Type *Page = ArrayType::get(Type::getInt8Ty(M.getContext()), PageSize);
  auto *End = new GlobalVariable(M, Page, /*isConstant=*/false, GlobalValue::PrivateLinkage, Constant::getNullValue(Page), K.End);
  End->setSection(K.Section);
  End->setAlignment(Align(1));
  appendToCompilerUsed(M, End);
}

void dvmir::separateArrays(Module &M, const DistributedArrays &Arrays) {
  if (!maySeparate(M))
    return;
  Kind Zero{".bss.dvm", "dvm.bss.end", {}}, Given{".data.dvm", "dvm.data.end", {}};
  for (GlobalVariable &G : M.globals())
    if (Arrays.contains(&G) && isToSeparate(G))
      (G.getInitializer()->isNullValue() ? Zero : Given).Arrays.push_back(&G);
  separate(M, Zero);
  separate(M, Given);
}
