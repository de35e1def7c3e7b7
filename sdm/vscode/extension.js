// Debug type 'dvm': the adapter is `dvm debug --dap`; two views beside VS Code's own, and commands for sets of ranks.
const vscode = require('vscode');
const { stackTree, placeTree, checkpointChoices } = require('./trees');

class Adapters {
  createDebugAdapterDescriptor(session) {
    const path = vscode.workspace.getConfiguration('dvm', session.workspaceFolder).get('path') || 'dvm';
    return new vscode.DebugAdapterExecutable(path, ['debug', '--dap']);
  }
}

class Configurations {
  resolveDebugConfiguration(folder, config) {
    if (!config.type && !config.request) // F5 without a launch.json
      return { name: 'all ranks', type: 'dvm', request: 'launch', program: '${workspaceFolder}/a.out', ranks: 4, stopOnEntry: true };
    return config;
  }
  resolveDebugConfigurationWithSubstitutedVariables(folder, config) {
    if (typeof config.pid === 'string') // as pickProcess gives it
      config.pid = Number(config.pid);
    if (config.request === 'launch' && !config.program) {
      vscode.window.showErrorMessage("The configuration names no 'program'.");
      return undefined;
    }
    return config;
  }
}

// A view of the tree that a request of ours answers.
class View {
  constructor(request, make) {
    this.request = request;
    this.make = make;
    this.roots = [];
    this.changed = new vscode.EventEmitter();
    this.onDidChangeTreeData = this.changed.event;
  }
  async refresh(session) {
    try {
      this.roots = session && session.type === 'dvm' ? this.make(await session.customRequest(this.request, {})) : [];
    } catch {
      this.roots = []; // the session has ended, or nothing stands
    }
    this.changed.fire();
  }
  getChildren(node) {
    return node ? node.children : this.roots;
  }
  getTreeItem(node) {
    const item = new vscode.TreeItem(node.label, node.children.length ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.None);
    item.description = node.description;
    if (node.path && node.line)
      item.command = { command: 'vscode.open', title: 'Open', arguments: [vscode.Uri.file(node.path),
                       { selection: new vscode.Range(node.line - 1, 0, node.line - 1, 0), preserveFocus: true }] };
    return item;
  }
}

function current() {
  const session = vscode.debug.activeDebugSession;
  if (session && session.type === 'dvm')
    return session;
  vscode.window.showInformationMessage('No DVM debug session is active.');
  return undefined;
}

async function ask(title, act) {
  const session = current();
  const text = session && (title ? await vscode.window.showInputBox({ prompt: title }) : '');
  if (text === undefined || !session)
    return;
  try {
    await act(session, text);
  } catch (e) {
    vscode.window.showErrorMessage(e.message);
  }
}

function activate(context) {
  const places = new View('dvm/places', placeTree), stacks = new View('dvm/merge', stackTree);
  const output = vscode.window.createOutputChannel('DVM');
  const refresh = session => { places.refresh(session); stacks.refresh(session); };
  const show = text => { output.appendLine(text); output.show(true); };
  let timer;
  context.subscriptions.push(
    output,
    vscode.debug.registerDebugAdapterDescriptorFactory('dvm', new Adapters()),
    vscode.debug.registerDebugConfigurationProvider('dvm', new Configurations()),
    vscode.window.registerTreeDataProvider('dvm.places', places),
    vscode.window.registerTreeDataProvider('dvm.stacks', stacks),
    vscode.debug.registerDebugAdapterTrackerFactory('dvm', {
      createDebugAdapterTracker: session => ({
        onDidSendMessage: m => {
          if (m.type === 'event' && ['stopped', 'continued', 'exited', 'terminated'].includes(m.event)) {
            clearTimeout(timer); // many ranks, one look
            timer = setTimeout(() => refresh(session), 200);
          }
        },
      }),
    }),
    vscode.debug.onDidChangeActiveDebugSession(refresh),
    vscode.commands.registerCommand('dvm.refresh', () => refresh(vscode.debug.activeDebugSession)),
    vscode.commands.registerCommand('dvm.focus', () => ask('A set of ranks: 0-3,7  stopped  at(solve)  all!0', async (session, set) => {
      const found = await session.customRequest('dvm/focus', { set });
      vscode.window.showInformationMessage(`{${found.ranks}} ${found.count}`);
      refresh(session);
    })),
    vscode.commands.registerCommand('dvm.compare', () => ask('An expression', async (session, expression) => {
      const found = await session.customRequest('dvm/compare', { expression });
      show(`${expression}\n` + found.values.map(v => `  {${v.ranks}} ${v.value !== undefined ? v.value : `error: ${v.error}`}`).join('\n'));
    })),
    vscode.commands.registerCommand('dvm.checkpoint', () => ask('', async session => {
      const { saved } = await session.customRequest('dvm/checkpoint', {});
      show(saved.map(s => `{${s.ranks}} ${s.error ? `error: ${s.error}` : `saved as checkpoint ${s.checkpoint}: ${s.handle}`}`).join('\n'));
    })),
    vscode.commands.registerCommand('dvm.restart', () => ask('', async session => {
      const { images } = await session.customRequest('dvm/checkpoints', {});
      const chosen = await vscode.window.showQuickPick(checkpointChoices(images), { title: 'Continue from a checkpoint' });
      if (chosen)
        await session.customRequest('dvm/restart', chosen.arguments);
    })),
    vscode.commands.registerCommand('dvm.waits', () => ask('', async session => {
      show((await session.customRequest('evaluate', { expression: '`waits', context: 'repl' })).result);
    })),
  );
}

module.exports = { activate, deactivate() {} };
