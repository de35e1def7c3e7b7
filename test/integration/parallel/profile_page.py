"""Looks at a page of 'dvm profile --html' in headless Chromium: what it shows must be what its data, and the profile's JSON, say.

usage: profile_page.py PAGE JSON"""
import html, json, os, re, subprocess, sys, tempfile

LOOK = r"""<script>
'use strict';
(() => {
  const byId = id => document.getElementById(id);
  const seen = () => [...document.querySelectorAll('article')].map(a => ({
    title: a.querySelector('h3').innerText, text: a.innerText,
    bars: [...a.querySelectorAll('rect')].map(r => [Number(r.getAttribute('y')), r.getBBox().width, getComputedStyle(r).fill, r.textContent])}));
  const few = seen();
  byId('all').click();
  const all = seen();
  const pre = document.createElement('pre');
  pre.id = 'seen';
  pre.textContent = JSON.stringify({few, all, title: byId('title').textContent, program: byId('program').innerText,
    table: [...byId('intervals').rows].map(r => [...r.cells].map(c => c.innerText)),
    unnamed: [...document.querySelectorAll('svg')].filter(e => !e.getAttribute('aria-label')).length,
    wide: document.documentElement.scrollWidth - document.documentElement.clientWidth});
  document.body.append(pre);
  console.log('the page was looked at');
})();
</script>"""


def browse(page):
    with tempfile.TemporaryDirectory() as home:
        path = os.path.join(home, 'page.html')
        with open(path, 'w', encoding='utf-8') as f:
            f.write(page.replace('</body>', LOOK + '</body>'))
        done = subprocess.run(
            ['chromium', '--headless', '--window-size=500,900', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run',
             '--disable-background-networking', '--user-data-dir=' + os.path.join(home, 'profile'), '--enable-logging=stderr',
             '--virtual-time-budget=10000', '--dump-dom', 'file://' + path],
            env={**os.environ, 'HOME': home}, capture_output=True, text=True, timeout=100, check=True)
    return done.stdout, re.findall(r'CONSOLE.*?\] (".*)', done.stderr)


def check(data, look):
    whole = data['intervals'][0]['execution_s'] * data['size']
    assert look['unnamed'] == 0, 'a picture without a text'
    assert look['wide'] <= 0, f"{look['wide']} pixels wider than a phone"
    assert look['title'].startswith(f"{data['size']} rank"), look['title']
    for why in data['why']:
        assert why in look['program'], why
    assert len(look['table'][0]) == len(data['intervals']) + 1
    rows = {r[0]: r[1:] for r in look['table']}
    assert rows['efficiency'] == [f"{v['efficiency']:.3f}" for v in data['intervals']], rows['efficiency']
    assert rows['executions'] == [str(v['executions']) for v in data['intervals']]
    assert len(look['all']) == len(data['directives'])
    assert len(look['few']) == sum(d['time_s'] >= 0.01 * whole for d in data['directives'])
    for d, shown in zip(data['directives'], look['all']):
        assert ('line' not in d) or f"{d['file']}:{d['line']}" in shown['title'], shown['title']
        for why in d['why']:
            assert why in shown['text'], (why, shown['text'])
        for x in d['exchanges']:
            if x['messages']:
                assert f"{round(x['messages'])} messages" in shown['text'], shown['text']
        check_bars(d, shown['bars'])


def check_bars(d, bars):
    lanes = sorted({y for y, *_ in bars})
    step = -(-len(d['ranks']) // 64)
    assert len(lanes) == -(-len(d['ranks']) // step), lanes
    if len(d['ranks']) > 64:
        return
    longest = max(map(sum, d['ranks']))
    widths = {y: [w for at, w, *_ in bars if at == y] for y in lanes}
    full = max(map(sum, widths.values()))
    for y, times in zip(lanes, d['ranks']):
        for width, t in zip(widths[y], times):
            assert longest <= 0 or abs(width / full - t / longest) < 0.01, (d['kind'], width, t)
    assert len({fill for _, _, fill, _ in bars}) == 5, 'parts have one colour'


def main():
    with open(sys.argv[1], encoding='utf-8') as f:
        page = f.read()
    with open(sys.argv[2], encoding='utf-8') as f:
        told = json.load(f)
    data = json.loads(re.search(r'<script id="data"[^>]*>(.*?)</script>', page, re.S)[1])
    assert data == told, 'the page and the JSON of one folder differ'
    document, said = browse(page)
    assert len(said) == 1 and 'the page was looked at' in said[0], f'on the console: {said}'
    check(data, json.loads(html.unescape(re.search(r'<pre id="seen">(.*?)</pre>', document, re.S)[1])))
    print(len(data['directives']), 'directives')


if __name__ == '__main__':
    main()
