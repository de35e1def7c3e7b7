// Recording: in functions with many accesses the records of a block go to the runtime together.  Each access stores what only the run knows in an
// array; the rest is in a table.  A call for each would keep the register allocator busy for longer than everything else.
#include "Recorder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace dvmir;

namespace {
class Putter {
  enum { Most = 16 /* records that are lost where the program is killed within a block */ };
  Function &F;
  Module &M;
  const Runtime &RT;
  AllocaInst *Array = nullptr;
  SmallVector<CallInst *, Most> Waiting;

  AllocaInst *array() {
    if (!Array)
      Array =
          new AllocaInst(ArrayType::get(RT.I64, 3 * Most), M.getDataLayout().getAllocaAddrSpace(), "dvm.puts", F.getEntryBlock().begin());
    return Array;
  }
  void send();

public:
  Putter(Function &Body, const Runtime &Types) : F(Body), M(*Body.getParent()), RT(Types) {}
  void run();
};
} // namespace

static bool isPut(const Instruction &I) {
  const auto *Call = dyn_cast<CallInst>(&I);
  const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  return Callee && (Callee->getName() == "__dvmt_put" || Callee->getName() == "__dvmt_put_offset");
}

// Whether others may see, or make, records before what follows is executed.
static bool mustHaveAll(const Instruction &I) {
  if (I.isTerminator())
    return true;
  if (isa<DbgInfoIntrinsic, MemIntrinsic>(I) ||
      (isa<IntrinsicInst>(I) && (cast<IntrinsicInst>(I).isLifetimeStartOrEnd() || !I.mayHaveSideEffects())))
    return false;
  return isa<CallBase>(I);
}

// struct dvmt_put, and the words that it does not have.
void Putter::send() {
  if (Waiting.size() < 2)
    return Waiting.clear();
  SmallVector<Constant *, Most> Rows;
  unsigned Words = 0;
  auto Keep = [&](IRBuilder<> &B, Value *V) {
    B.CreateStore(V, B.CreateConstInBoundsGEP2_64(array()->getAllocatedType(), array(), 0, Words++));
  };
  for (CallInst *Put : Waiting) {
    IRBuilder<> B(Put);
    Constant *Places[2] = {B.getInt64(0), B.getInt64(0)};
    unsigned Given = Put->arg_size() == 4 ? DVMT_PUT_OFFSET : 0;
    for (unsigned N = 0; N + 2 < Put->arg_size(); ++N) {
      Value *Where = Put->getArgOperand(1 + N);
      if (auto *Known = dyn_cast<Constant>(Where)) {
        Places[N] = Known;
        continue;
      }
      Keep(B, Where);
      Given |= N ? DVMT_PUT_OFFSET_GIVEN : DVMT_PUT_WHERE_GIVEN;
    }
    Keep(B, Put->getArgOperand(Put->arg_size() - 1));
    Rows.push_back(ConstantStruct::getAnon({cast<Constant>(Put->getArgOperand(0)), Places[0], Places[1], B.getInt64(Given)}));
  }
  Constant *Table = ConstantArray::get(ArrayType::get(Rows[0]->getType(), Rows.size()), Rows);
  auto *G = new GlobalVariable(M, Table->getType(), true, GlobalValue::PrivateLinkage, Table, "dvm.trace.puts");
  IRBuilder<> B(Waiting.back());
  FunctionCallee Callee = M.getOrInsertFunction("__dvmt_puts", B.getVoidTy(), RT.Ptr, B.getInt64Ty(), RT.Ptr);
  B.CreateCall(Callee, {G, B.getInt64(Rows.size()), array()});
  for (CallInst *Put : Waiting)
    Put->eraseFromParent();
  Waiting.clear();
}

void Putter::run() {
  for (BasicBlock &BB : F) {
    for (Instruction &I : make_early_inc_range(BB)) {
      if (isPut(I))
        Waiting.push_back(cast<CallInst>(&I));
      if (Waiting.size() == Most || (!isPut(I) && mustHaveAll(I)))
        send();
    }
  }
}

void Recorder::putTogether(Function &F) { Putter(F, RT).run(); }
