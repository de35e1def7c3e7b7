// Recording: what statements assign to whole arrays and sections, element by element behind the statement.
#include "Recorder.h"

using namespace llvm;
using namespace dvmir;

// struct dvmt_part of elements that are one value each; their distance is what the section says.
static GlobalVariable *partOf(Module &M, const Runtime &RT, GlobalVariable *Site, ValueType T) {
  auto Number = [&](uint64_t N) { return ConstantInt::get(RT.I32, N); };
  auto *Repeats = ConstantAggregateZero::get(ArrayType::get(RT.I32, 6));
  Constant *Part =
      ConstantStruct::getAnon({Site, Number(T.Bytes), Number(0), Number(0), Number(0), Number(0), Repeats, Number(uint64_t(T.Kind))});
  auto *G = new GlobalVariable(M, Part->getType(), true, GlobalValue::PrivateLinkage, Part, "dvm.trace.part");
  G->setAlignment(Align(8));
  return G;
}

void Recorder::lowerSection(FunctionState &S, CallInst *Mark) {
  auto *Text = cast<Constant>(Mark->getArgOperand(1));
  Value *Base = Mark->getArgOperand(0);
  if (GlobalVariable *Site = givenSite(Base, Text, false, "")) {
    IRBuilder<> B(whereRecorded(Mark));
    B.SetCurrentDebugLocation(Mark->getDebugLoc());
    Arguments Dims(drop_begin(Mark->args(), 4));
    call(B, "__dvmt_section", RT.Void,
         {partOf(M, RT, Site, valueTypeOf(markerText(Text))), Base, traceRootOf(Base), B.getInt32(unsigned(Dims.size() / 2)),
          argumentArray(S, B, Dims)});
  }
  Mark->eraseFromParent();
}
