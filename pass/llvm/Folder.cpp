#include "Folder.h"
#include "runtime/trace/folder.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

void dvmir::tellFolder(Module &M) {
  for (const DICompileUnit *Unit : M.debug_compile_units()) {
    if (Unit->getDirectory().empty())
      continue;
    std::string Text = (DVMT_FOLDER_MARK + Unit->getFilename() + DVMT_FOLDER_MARK + Unit->getDirectory()).str();
    Constant *Data = ConstantDataArray::getString(M.getContext(), Text);
    auto *G = new GlobalVariable(M, Data->getType(), true, GlobalValue::PrivateLinkage, Data, "dvm.folder");
    G->setSection(DVMT_FOLDER_SECTION);
    appendToUsed(M, G);
  }
}
