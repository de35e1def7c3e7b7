// The DAP adapter against a client that others wrote: the test client of Visual Studio Code's debug adapters.
// node dap-client.js DVM-DEBUG PROGRAM SOURCE LINE, with @vscode/debugadapter-testsupport in NODE_PATH.
const { DebugClient } = require('@vscode/debugadapter-testsupport');
const assert = require('assert');

const [debug, program, source, line] = process.argv.slice(2);

async function main() {
  const dc = new DebugClient(debug, '--dap', 'dvm');
  await dc.start();
  dc.defaultTimeout = 60000;
  const launch = { program, ranks: 3, launcher: 'local' };
  const stopped = new Set();
  const all = new Promise(done => dc.on('stopped', e => stopped.add(e.body.threadId).size === 3 && done()));
  await dc.hitBreakpoint(launch, { path: source, line: Number(line) });
  await all;
  const threads = (await dc.threadsRequest()).body.threads;
  assert.deepStrictEqual(threads.map(t => t.id), [1, 1001, 2001]);
  const frames = (await dc.stackTraceRequest({ threadId: 2001 })).body.stackFrames;
  assert.deepStrictEqual(frames.map(f => f.name), ['add', 'work', 'main']);
  const scopes = (await dc.scopesRequest({ frameId: frames[1].id })).body.scopes;
  const locals = (await dc.variablesRequest({ variablesReference: scopes[0].variablesReference })).body.variables;
  assert.strictEqual(locals.find(v => v.name === 'p').value, '{x = 2, y = 4}');
  const value = await dc.evaluateRequest({ expression: 'a + b', frameId: frames[0].id });
  assert.strictEqual(value.body.result, '2');
  await dc.setBreakpointsRequest({ source: { path: source }, breakpoints: [] });
  const end = dc.waitForEvent('terminated');
  await dc.continueRequest({ threadId: 1 });
  await end;
  await dc.stop();
  console.log('the client of Visual Studio Code is content');
}

main().catch(e => { console.error(e); process.exit(1); });
