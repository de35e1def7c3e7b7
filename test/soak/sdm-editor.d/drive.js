// The front end of Visual Studio Code, driven by its keys and looked at as a user does: sdm-editor starts it.  Every step waits for what is to be seen.
const puppeteer = require('puppeteer-core');
const [folder, port, shots] = process.argv.slice(2);
const LIMIT = 60000;
let page;

const text = selector => page.$$eval(selector, found => found.map(e => e.innerText).join('\n')).catch(() => '');
const shot = name => page.screenshot({ path: `${shots}/${name}.png` });
const pause = ms => new Promise(r => setTimeout(r, ms));

async function until(what, selector, fits) {
  const end = Date.now() + LIMIT;
  for (;;) {
    const now = (await text(selector)).replace(/\u00a0/g, ' ');
    if (fits.test(now))
      return now;
    if (Date.now() > end) {
      await shot('failed');
      throw new Error(`${what}: '${selector}' has '${now.slice(0, 1500)}'`);
    }
    await pause(100);
  }
}

async function keys(...chord) {
  for (const key of chord)
    await page.keyboard.down(key);
  for (const key of chord.reverse())
    await page.keyboard.up(key);
}

const isAsked = () => page.evaluate(() => document.activeElement.matches('.quick-input-box input'));

async function waitAsked() {
  for (let i = 0; i < 20 && !(await isAsked()); i++)
    await pause(100);
  return isAsked();
}

// Types into the box that 'ask' opens; it may close again when the editor goes elsewhere of itself.
async function fill(ask, before, words) {
  const value = () => page.$eval('.quick-input-box input', e => e.value).catch(() => '');
  for (const end = Date.now() + LIMIT; Date.now() < end;) {
    await ask();
    if (!(await waitAsked()))
      continue;
    await keys('Control', 'a');
    for (const c of before + words)
      if (await isAsked())
        await page.keyboard.type(c, { delay: 10 });
    if (await isAsked() && (await value()) === before + words)
      return;
  }
  await shot('failed');
  throw new Error(`no box takes '${words}'`);
}

async function choose(ask, before, words, fits) {
  await fill(ask, before, words);
  await until(`'${words}' is found`, '.quick-input-list .monaco-list-row.focused', fits);
  await page.keyboard.press('Enter');
}

const command = words => choose(() => keys('Control', 'Shift', 'p'), '>', words, new RegExp(words.slice(0, 20).replace(/[:]/g, '.*'), 'i'));

async function open(file, contains) {
  await choose(() => keys('Control', 'p'), '', file, new RegExp(file.replace('.', '\\.')));
  await until(`${file} is shown`, '.view-lines', contains);
}

const launch = name => choose(() => keys('Control', 'p'), 'debug ', name, new RegExp(name));

async function ended() {
  await keys('Shift', 'F5');
  await page.waitForFunction(() => !document.querySelector('.debug-top-stack-frame-line'), { timeout: LIMIT });
  await until('nobody stands any more', '.debug-call-stack', /^\s*$/);
}

const scenes = {
  async value() {
    await open('sum_ranks.c', /sum_block/);
    await keys('Control', 'g');
    await page.keyboard.type('21');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => [...document.querySelectorAll('.line-numbers.active-line-number')].some(e => e.textContent.trim() === '21'), { timeout: LIMIT });
    await page.keyboard.press('F9');
    await page.waitForSelector('.codicon-debug-breakpoint, .codicon-debug-breakpoint-unverified', { timeout: LIMIT });
    await launch('sum_ranks');
    await until('one stands at the breakpoint', '.debug-call-stack', /breakpoint[^]*main/i);
    await until('variables', '.debug-variables', /first =\s+\d/);
    await shot('value-1-stopped');
    let values;
    for (let tries = 0; !/\{0-1\} 333[^]*\{2\} 434/.test(values) && tries < 10; tries++) { // the others may still be on their way
      await command('DVM: Compare an expression');
      await until('asked for the expression', '.quick-input-widget', /Press .Enter/);
      await fill(() => {}, '', 'last - first');
      await page.keyboard.press('Enter');
      values = await until('the values', '.panel .view-lines', /last - first[^]*\{/);
    }
    await until('the ranks differ', '.panel .view-lines', /\{0-1\} 333[^]*\{2\} 434/);
    await shot('value-2-compared');
    await page.keyboard.press('F10');
    await until('one line further', '.debug-call-stack', /sum_ranks\.c\s*22/);
    await ended();
    return values;
  },
  async crash() {
    await launch('crash');
    const who = await until('the crash', '.debug-call-stack', /rank 2: SIGSEGV/i);
    await until('what it is', '.zone-widget.exception-widget-container, .exception-widget', /SIGSEGV|Segmentation fault/i);
    await until('the function that called nothing', '.debug-call-stack', /apply/);
    await shot('crash');
    await ended();
    return who;
  },
  async deadlock() {
    await launch('deadlock');
    await until('all run', '.debug-call-stack', /rank 2/i);
    await pause(3000); // until all are in their calls: nothing tells
    await page.keyboard.press('F6');
    await until('all stand', '.debug-call-stack', /paused|pause in/i);
    await command('DVM: Who waits for whom');
    const waits = await until('the cycle', '.panel .view-lines', /waits? for[^]*deadlock/i);
    await shot('deadlock');
    await ended();
    return waits;
  },
};

(async () => {
  const browser = await puppeteer.launch({ executablePath: process.env.CHROMIUM || '/usr/bin/chromium', headless: true,
    args: ['--no-sandbox', '--disable-gpu', '--window-size=1400,900'], defaultViewport: { width: 1400, height: 900 } });
  try {
    page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${port}/?folder=${folder}`, { timeout: LIMIT });
    await until('the folder is open', '.explorer-folders-view', /sum_ranks\.c/);
    for (const [name, scene] of Object.entries(scenes))
      console.log(`${name}: ${(await scene()).replace(/\s+/g, ' ').slice(0, 400)}`);
    console.log('all as expected');
  } catch (e) {
    console.error(String(e));
    process.exitCode = 1;
  } finally {
    await browser.close();
  }
})();
