// Every request that the adapter says it can do, by a client that others wrote.
const test = require('node:test');
const assert = require('node:assert');
const path = require('path');
const { start, stopped, launch, line, sources, programs } = require('./helpers');
const { stackTree, placeTree, expand, count } = require('../trees');

const at = text => line('values.cc', text);
const source = { path: path.join(sources, 'values.cc') };

async function values(run, breakpoints = [{ line: at('all are there') }], more = {}) {
  const dc = await start();
  try {
    const begun = await launch(dc, 'sdm_values', 'values.cc', breakpoints, more);
    await run(dc, begun);
  } finally {
    await dc.stop();
  }
}

async function go(dc, ranks = 2) {
  const all = stopped(dc, ranks);
  await dc.configurationDoneRequest();
  return all;
}

async function frameOf(dc, threadId) {
  return (await dc.stackTraceRequest({ threadId })).body.stackFrames[0];
}

async function scope(dc, frame, name) {
  return (await dc.scopesRequest({ frameId: frame.id })).body.scopes.find(s => s.name === name).variablesReference;
}

async function parts(dc, variablesReference, page = {}) {
  const list = (await dc.variablesRequest({ variablesReference, ...page })).body.variables;
  return new Map(list.map(v => [v.name, v]));
}

test('variables, values, memory, machine code, sources', () => values(async (dc, { init }) => {
  for (const [name, is] of Object.entries(init))
    assert.ok(is, name);
  await dc.setExceptionBreakpointsRequest({ filters: init.exceptionBreakpointFilters.filter(f => f.default).map(f => f.filter) });
  await dc.setFunctionBreakpointsRequest({ breakpoints: [{ name: 'complain' }] });
  await go(dc);
  const threads = (await dc.threadsRequest()).body.threads;
  assert.deepStrictEqual(threads.map(t => t.id), [1, 1001]);
  const frame = await frameOf(dc, 1001);
  const locals = await parts(dc, await scope(dc, frame, 'Locals'));
  const d = await parts(dc, locals.get('d').variablesReference);
  assert.strictEqual((await parts(dc, d.get('<Base>').variablesReference)).get('id').value, '7');
  assert.deepStrictEqual([...(await parts(dc, locals.get('v').variablesReference)).values()].map(v => v.value), ['10', '20', '30']);
  const big = (await parts(dc, await scope(dc, frame, 'Globals of the file'))).get('big');
  const page = await parts(dc, big.variablesReference, { filter: 'indexed', start: 1000000, count: 1 });
  assert.strictEqual(page.get('[1000000]').value, '42');
  const set = await dc.setVariableRequest({ variablesReference: locals.get('d').variablesReference, name: 'low', value: '3' });
  assert.strictEqual(set.body.value, '3');
  assert.strictEqual((await dc.customRequest('setExpression', { expression: 'x', value: '8', frameId: frame.id })).body.value, '8');
  assert.strictEqual((await dc.evaluateRequest({ expression: 'x * 2', frameId: frame.id, context: 'watch' })).body.result, '16');
  const memoryReference = locals.get('x').memoryReference;
  const data = (await dc.customRequest('readMemory', { memoryReference, count: 4 })).body.data;
  assert.strictEqual(Buffer.from(data, 'base64').readInt32LE(), 8);
  await dc.customRequest('writeMemory', { memoryReference, data: Buffer.from([9, 0, 0, 0]).toString('base64') });
  assert.strictEqual((await dc.evaluateRequest({ expression: 'x', frameId: frame.id })).body.result, '9');
  const code = (await dc.customRequest('disassemble', { memoryReference: frame.instructionPointerReference, instructionOffset: -1, instructionCount: 3 })).body.instructions;
  assert.strictEqual(code.length, 3);
  assert.strictEqual(BigInt(code[1].address), BigInt(frame.instructionPointerReference.split(':')[1]));
  assert.ok((await dc.customRequest('modules')).body.modules.some(m => m.name === 'sdm_values'));
  assert.ok((await dc.customRequest('loadedSources')).body.sources.some(s => s.path === source.path));
  const lines = (await dc.customRequest('breakpointLocations', { source, line: at('static int fill'), endLine: at('static void complain') })).body.breakpoints;
  assert.ok(lines.some(b => b.line === at('// passed')));
  const targets = (await dc.customRequest('completions', { text: 'd.gr', column: 5, frameId: frame.id })).body.targets;
  assert.deepStrictEqual(targets.map(t => t.label), ['d.grid']);
  assert.strictEqual((await dc.evaluateRequest({ expression: '`p0 print x', context: 'repl' })).body.result, '{0} 5');
  const info = (await dc.customRequest('dataBreakpointInfo', { name: 'x' })).body;
  assert.ok(info.dataId);
  await dc.customRequest('setDataBreakpoints', { breakpoints: [] });
  await dc.customRequest('cancel', { requestId: 1 });
}));

test('steps, by line and by instruction; pause, restart, terminate', () => values(async dc => {
  await go(dc);
  for (const [request, args] of [['next', { granularity: 'instruction' }], ['stepIn', {}], ['stepOut', {}], ['next', {}]]) {
    const all = stopped(dc, 2);
    await dc.customRequest(request, { threadId: 1, ...args });
    await all;
  }
  const frame = await frameOf(dc, 1);
  await dc.customRequest('setInstructionBreakpoints', { breakpoints: [{ instructionReference: frame.instructionPointerReference }] });
  await dc.customRequest('setInstructionBreakpoints', { breakpoints: [] });
  const again = stopped(dc, 2);
  await dc.customRequest('restart', {});
  await again;
  const end = dc.waitForEvent('terminated');
  await dc.customRequest('terminate');
  await end;
}));

test('exceptions of C++', () => values(async dc => {
  await dc.setExceptionBreakpointsRequest({ filters: ['throw'] });
  const [stop] = await go(dc);
  assert.strictEqual(stop.body.reason, 'exception');
  assert.strictEqual((await dc.customRequest('exceptionInfo', { threadId: 1 })).body.exceptionId, 'throw');
}, [], { args: ['throw'] }));

test('log points', () => values(async dc => {
  const lines = [];
  dc.on('output', e => lines.push(e.body.output));
  await go(dc);
  assert.ok(lines.some(l => l.includes('] i is 2\n')), lines.join(''));
}, [{ line: at('// passed'), logMessage: 'i is {i}' }, { line: at('return 0;') }]));

test('pause and continue a running program', async () => {
  const dc = await start();
  try {
    await launch(dc, 'sdm_ring', 'ring.c', [], { args: ['hang', '0'], ranks: 1 });
    await dc.configurationDoneRequest();
    await dc.assertOutput('stdout', '[0] hello from everybody');
    const all = stopped(dc, 1);
    await dc.pauseRequest({ threadId: 1 });
    assert.strictEqual((await all)[0].body.reason, 'pause');
    await dc.evaluateRequest({ expression: '-exec set var gate = 0', context: 'repl' });
    const end = dc.waitForEvent('terminated');
    await dc.continueRequest({ threadId: 1 });
    await end;
  } finally {
    await dc.stop();
  }
});

test('the views show what the adapter answers', async () => {
  const dc = await start();
  try {
    await launch(dc, 'sdm_ring', 'ring.c', [{ line: line('ring.c', 'int sum') }], { ranks: 3 });
    await go(dc, 3);
    const stacks = stackTree((await dc.customRequest('dvm/merge', {})).body);
    assert.deepStrictEqual(stacks.map(n => [n.label.split(' ')[0], n.description]), [['main', '{0-2} 3']]);
    assert.ok(stacks[0].children[0].children[0].label.startsWith('add ring.c:'));
    const [place] = placeTree((await dc.customRequest('dvm/places', {})).body);
    assert.strictEqual(place.label, '{0-2} 3');
    assert.strictEqual(place.description, `stopped add at ring.c:${line('ring.c', 'int sum')}`);
    assert.deepStrictEqual(place.children.map(c => c.rank), [0, 1, 2]);
    assert.strictEqual((await dc.customRequest('dvm/focus', { set: '0-1' })).body.ranks, '0-1');
    assert.ok((await dc.customRequest('dvm/compare', { expression: 'b' })).body.values.length >= 1);
  } finally {
    await dc.stop();
  }
});

test('sets of ranks', () => {
  assert.deepStrictEqual(expand('0-2,7,10-14/2', 100), [0, 1, 2, 7, 10, 12, 14]);
  assert.deepStrictEqual(expand('0-999', 2), [0, 1]);
  assert.strictEqual(count('0-2,7,10-14/2'), 7);
});

test('attach to a process', async () => {
  const child = require('child_process').spawn(path.join(programs, 'sdm_ring'), ['hang', '0'], { stdio: ['ignore', 'ignore', 'pipe'] });
  await new Promise(done => child.stderr.on('data', done)); // it has come to its loop
  const dc = await start();
  try {
    await dc.initializeRequest({ adapterID: 'dvm' });
    const all = stopped(dc, 1);
    await Promise.all([dc.waitForEvent('initialized'), dc.attachRequest({ pid: child.pid })]);
    await dc.configurationDoneRequest();
    await all;
    const ended = new Promise(done => child.once('exit', done));
    await dc.disconnectRequest({ terminateDebuggee: true });
    await ended; // the adapter has ended too: nothing is left to stop
  } finally {
    child.kill('SIGKILL');
  }
});
