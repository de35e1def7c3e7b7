"""Looks at a page of 'dvm compare --html' in headless Chromium.

usage: look.py PAGE TITLE

A script that is added to a copy of the page moves the slider through all its places, with and without 'everything up to then', and
writes into the document what colour the middle of each cell has.  That must be what the page's data says."""
import html, json, os, re, subprocess, sys, tempfile

LOOK = r"""<script>
'use strict';
(() => {
  const byId = id => document.getElementById(id), slider = byId('time'), box = byId('all');
  const maps = JSON.parse(byId('data').textContent).maps;
  const pixelsOf = canvas => {
    const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d', {willReadFrequently: true});
    copy.drawImage(canvas, 0, 0);
    return copy.getImageData(0, 0, canvas.width, canvas.height).data;
  };
  const coloured = (canvas, map) => {
    const rows = Math.ceil(map.rows / map.cellRows), columns = Math.ceil(map.columns / map.cellColumns);
    const pixels = pixelsOf(canvas), found = [];
    for (let i = 0; i < rows; i++)
      for (let j = 0; j < columns; j++) {
        const x = Math.floor((j + 0.5) * canvas.width / columns), y = Math.floor((i + 0.5) * canvas.height / rows);
        const p = 4 * (y * canvas.width + x), rgb = [pixels[p], pixels[p + 1], pixels[p + 2]];
        if (Math.max(...rgb) - Math.min(...rgb) > 8) found.push([i, j, rgb.join(' ')]);
      }
    return found;
  };
  /* Cells with a dark line at their left or upper edge. */
  const lined = (canvas, map) => {
    const rows = Math.ceil(map.rows / map.cellRows), columns = Math.ceil(map.columns / map.cellColumns), found = [];
    const width = canvas.width / columns, height = canvas.height / rows, pixels = pixelsOf(canvas);
    const dark = (x, y) => Math.max(...pixels.slice(4 * (Math.floor(y) * canvas.width + x), 4 * (Math.floor(y) * canvas.width + x) + 3)) < 80;
    for (let i = 0; i < rows; i++)
      for (let j = 0; j < columns; j++) {
        if (dark(j * width, (i + 0.5) * height)) found.push([i, j, 'left']);
        if (dark((j + 0.5) * width, i * height)) found.push([i, j, 'above']);
      }
    return found;
  };
  /* What the page says with the pointer at a cell. */
  const hover = (canvas, map, i, j) => {
    const box = canvas.getBoundingClientRect(), columns = Math.ceil(map.columns / map.cellColumns), rows = Math.ceil(map.rows / map.cellRows);
    canvas.dispatchEvent(new MouseEvent('mousemove', {clientX: box.x + 1 + (j + 0.5) * (box.width - 2) / columns,
                                                      clientY: box.y + 1 + (i + 0.5) * (box.height - 2) / rows}));
    return [i, j, byId('said').textContent];
  };
  const canvases = [...document.querySelectorAll('#maps canvas')], seen = [];
  const see = () => seen.push({time: Number(slider.value), all: box.checked, now: byId('now').textContent,
                               maps: canvases.map((canvas, k) => coloured(canvas, maps[k]))});
  see();
  for (const all of [true, false]) {
    box.checked = all;
    box.dispatchEvent(new Event('change'));
    for (let t = 0; t <= Number(slider.max); t++) {
      slider.value = t;
      slider.dispatchEvent(new Event('input'));
      see();
    }
  }
  if (canvases.length) canvases[0].dispatchEvent(new MouseEvent('mousemove', {clientX: canvases[0].getBoundingClientRect().x + 2,
                                                                              clientY: canvases[0].getBoundingClientRect().y + 2}));
  const saidOf = (canvas, m) => {
    const rows = Math.ceil(m.rows / m.cellRows), columns = Math.ceil(m.columns / m.cellColumns);
    return [[0, 0], [0, columns - 1], [rows - 1, 0], [rows - 1, columns - 1]].map(([i, j]) => hover(canvas, m, i, j));
  };
  const said = byId('said').textContent, hovered = canvases.map((canvas, k) => saidOf(canvas, maps[k]));
  const shape = canvas => { const r = canvas.getBoundingClientRect(); return [r.width, r.height]; };
  const pre = document.createElement('pre');
  pre.id = 'seen';
  pre.textContent = JSON.stringify({seen, shapes: canvases.map(shape), title: byId('title').textContent, said, hovered,
                                    borders: canvases.map((canvas, k) => lined(canvas, maps[k])), legend: byId('legend').textContent,
                                    articles: [...document.querySelectorAll('article')].map(a => a.innerText), closing: byId('closing').textContent,
                                    wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
                                    unnamed: [...document.querySelectorAll('canvas, svg')].filter(e => !e.getAttribute('aria-label')).length,
                                    plots: document.querySelectorAll('svg polyline').length,
                                    captions: [...document.querySelectorAll('figcaption')].map(c => c.textContent)});
  document.body.append(pre);
  console.log('the page was looked at');
})();
</script>"""


def browse(page):
    """The document after its scripts have run, and what they said on the console."""
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


def cells_at(frames, time, all_until):
    """{(row, column): exponent}; of frames above each other the last shows."""
    cells = {}
    for frame, values in frames:
        if frame == time or (frame < time and all_until):
            cells.update({(values[i], values[i + 1]): values[i + 2] for i in range(0, len(values), 3)})
    return cells


def columns_of(m):
    return -(-m['columns'] // m['cellColumns'])


def owner_of(m, i, j):
    return m['owners'][i * columns_of(m) + j] if m['owners'] else -1


def check_owners(maps, look):
    """Borders where the parts of two ranks meet, and who has the cell under the pointer."""
    for m, borders, hovered in zip(maps, look['borders'], look['hovered']):
        rows = -(-m['rows'] // m['cellRows'])
        expected = {(i, j, 'left') for i in range(rows) for j in range(1, columns_of(m)) if owner_of(m, i, j) != owner_of(m, i, j - 1)}
        expected |= {(i, j, 'above') for i in range(1, rows) for j in range(columns_of(m)) if owner_of(m, i, j) != owner_of(m, i - 1, j)}
        assert {tuple(b) for b in borders} == (expected if m['owners'] else set()), f"borders of {m['variable']}"
        for i, j, said in hovered:
            rank = owner_of(m, i, j)
            assert said.endswith(f'; rank {rank} has it') if rank >= 0 else 'has it' not in said, said
    assert ('parts of ranks' in look['legend']) == any(m['owners'] for m in maps), look['legend']


def now_of(maps, time, all_until, shown):
    """What stands behind the slider."""
    sums = list(dict.fromkeys(m['variable'] for m in maps if sum_at(m, time, all_until)))
    told = [f"the sum{'s' * (len(sums) > 1)} of {', '.join(sums)} differ{'s' * (len(sums) == 1)}"] if sums else []
    if any(m['frames'] for m in maps):
        told.append(f'{shown} cells differ')
    return ', '.join(told) or 'no sum differs'


def sum_at(m, time, all_until):
    return any(f == time or (f < time and all_until) for f in m['sums'])


def check(data, look, title):
    maps, colours = data['maps'], {}
    assert look['title'] == title, look['title']
    check_owners(maps, look)
    assert look['wide'] <= 0, f"{look['wide']} pixels wider than a phone"
    assert look['unnamed'] == 0, 'a picture without a text'
    assert look['closing'] == data['closing'] and 'dvm: compared ' in data['closing'], look['closing']
    assert len(look['articles']) == len(data['findings'])
    for shown, f in zip(look['articles'], data['findings']):
        assert f['message'] in shown and f['id'] in shown and f['place'] in shown and (not f['source'] or f['source'].strip() in shown), shown
        assert not f['iteration'] or f"iteration ({f['iteration']})" in shown, shown
    assert bool(look['plots']) == any(len(m['norms']) > 1 for m in maps), 'plots of what grows'
    assert len(look['captions']) == len(look['shapes']) == len(maps), look['captions']
    for m, caption in zip(maps, look['captions']):
        told = ': sums of all elements differ; --bisect tells which' if m['sums'] else ''
        assert caption == f"{m['variable']}, {m['construct']} {m['place']}" + told, caption
    assert all(width > 90 and height > 5 for width, height in look['shapes']), look['shapes']
    for at in look['seen']:
        for m, found in zip(maps, at['maps']):
            expected = cells_at(m['frames'], at['time'], at['all'])
            if sum_at(m, at['time'], at['all']):  # the colour of sums, behind all cells
                expected = {(i, j): expected.get((i, j), 'sum') for i in range(-(-m['rows'] // m['cellRows'])) for j in range(columns_of(m))}
            assert {(i, j) for i, j, _ in found} == set(expected), f"{m['variable']} at {at['time']}: {found[:4]}"
            for i, j, rgb in found:
                assert colours.setdefault(expected[i, j], rgb) == rgb, f'{rgb} is another colour for 1e{expected[i, j]}'
        shown = sum(len(cells_at(m['frames'], at['time'], at['all'])) for m in maps)
        assert not maps or at['now'].endswith(': ' + now_of(maps, at['time'], at['all'], shown)), at['now']
    assert len(set(colours.values())) == len(colours), f'two sizes have one colour: {colours}'
    if maps:
        first = min(f for m in maps for f in [*(f[0] for f in m['frames']), *m['sums']])
        assert look['seen'][0]['time'] == first and any(look['seen'][0]['maps']), 'the page does not open at the first difference'
        moments = {f for m in maps for f in [*(f[0] for f in m['frames']), *m['sums']]}
        if len(moments) > 1:
            assert len({json.dumps(at['maps']) for at in look['seen']}) > 1, 'the slider changes nothing'
        assert look['said'].startswith(maps[0]['variable'] + ('[0]' if maps[0]['extents'] else '')), look['said']


def main():
    with open(sys.argv[1], encoding='utf-8') as f:
        page = f.read()
    data = json.loads(re.search(r'<script id="data"[^>]*>(.*?)</script>', page, re.S)[1])
    document, said = browse(page)
    assert len(said) == 1 and 'the page was looked at' in said[0], f'on the console: {said}'
    look = json.loads(html.unescape(re.search(r'<pre id="seen">(.*?)</pre>', document, re.S)[1]))
    check(data, look, sys.argv[2])
    print(len(data['maps']), 'maps,', len(look['seen']), 'moments')


if __name__ == '__main__':
    main()
