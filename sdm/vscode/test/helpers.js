// The adapter and the programs of the build tree, and a client of the kind that VS Code's own adapters are tested with.
const { DebugClient } = require('@vscode/debugadapter-testsupport');
const fs = require('fs');
const path = require('path');

const debug = process.env.DVM_DEBUG, programs = process.env.DVM_PROGRAMS;
if (!debug || !programs)
  throw new Error('DVM_DEBUG and DVM_PROGRAMS must name dvm-debug and the folder of the test programs');
const sources = path.resolve(__dirname, '../../../test/integration/sdm');

function line(file, text) {
  return fs.readFileSync(path.join(sources, file), 'utf8').split('\n').findIndex(l => l.includes(text)) + 1;
}

async function start() {
  const dc = new DebugClient(debug, '--dap', 'dvm');
  dc.defaultTimeout = 60000;
  await dc.start();
  return dc;
}

// All ranks have stopped: their events came.
function stopped(dc, ranks) {
  return new Promise(done => {
    const seen = new Map();
    const hear = e => {
      seen.set(e.body.threadId, e);
      if (seen.size === ranks) {
        dc.removeListener('stopped', hear);
        done([...seen.values()]);
      }
    };
    dc.on('stopped', hear);
  });
}

// Launches and lets it stop at 'breakpoints' of a source.
async function launch(dc, program, file, breakpoints, more) {
  const args = { program: path.join(programs, program), ranks: 2, launcher: 'local', ...more };
  const init = (await dc.initializeRequest({ adapterID: 'dvm', linesStartAt1: true, columnsStartAt1: true, pathFormat: 'path' })).body;
  const ready = dc.waitForEvent('initialized');
  await Promise.all([ready, dc.launchRequest(args)]);
  const set = await dc.setBreakpointsRequest({ source: { path: path.join(sources, file) }, breakpoints });
  return { init, set: set.body.breakpoints, args };
}

module.exports = { start, stopped, launch, line, sources, programs };
