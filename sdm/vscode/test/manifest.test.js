// The manifest: what the schema offers is what the adapter reads, and the documentation names.
const test = require('node:test');
const assert = require('node:assert');
const fs = require('fs');
const path = require('path');

const manifest = JSON.parse(fs.readFileSync(path.join(__dirname, '../package.json'), 'utf8'));
const [dbg] = manifest.contributes.debuggers;
const root = path.resolve(__dirname, '../../..');
const adapter = ['dap_start.c', 'dap_listen.c'].map(f => fs.readFileSync(path.join(root, 'sdm/dap', f), 'utf8')).join('');

test('every key of a configuration is read by the adapter, and documented', () => {
  const documented = fs.readFileSync(path.join(root, 'docs/debugging.md'), 'utf8');
  for (const request of ['launch', 'attach'])
    for (const key of Object.keys(dbg.configurationAttributes[request].properties)) {
      assert.ok(adapter.includes(`"${key}"`), `the adapter does not read '${key}'`);
      assert.ok(documented.includes('`' + key + '`'), `docs/debugging.md does not name '${key}'`);
    }
});

test('configurations that are offered fit the schema', () => {
  for (const c of [...dbg.initialConfigurations, ...dbg.configurationSnippets.map(s => s.body)]) {
    const { properties, required = [] } = dbg.configurationAttributes[c.request];
    for (const key of Object.keys(c))
      assert.ok(['name', 'type', 'request'].includes(key) || properties[key], key);
    for (const key of required)
      assert.ok(key in c, key);
  }
});

test('every command and view has its code', () => {
  const code = fs.readFileSync(path.join(__dirname, '../extension.js'), 'utf8');
  for (const c of manifest.contributes.commands)
    assert.ok(code.includes(`'${c.command}'`), c.command);
  for (const v of manifest.contributes.views.debug)
    assert.ok(code.includes(`'${v.id}'`), v.id);
});

test('checkpoints to choose from: one of several ranks once, others by their image', () => {
  const { checkpointChoices } = require('../trees');
  const rows = checkpointChoices([{ checkpoint: 1, ranks: '0', handle: '/a', time: 't' }, { checkpoint: 1, ranks: '1', handle: '/b', time: 't' },
                                  { ranks: '0', handle: '/old' }]);
  assert.deepStrictEqual(rows.map(r => r.arguments), [{ checkpoint: 1 }, { handle: '/old' }]);
  assert.strictEqual(rows[0].description, '{0}, {1}');
});
