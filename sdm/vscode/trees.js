// What the views show, out of what the adapter answers.  Nothing of VS Code in here.

// A node of dvm/merge: {name, ranks, children}.
function stackNode(node) {
  return { label: node.name, description: `{${node.ranks}} ${count(node.ranks)}`, children: (node.children || []).map(stackNode) };
}

function stackTree(answer) {
  return answer && answer.tree ? (answer.tree.children || []).map(stackNode) : [];
}

// A row of dvm/places: {ranks, count, state, func, file, path, line, why}, with the ranks below it.
function placeNode(place) {
  const where = place.func ? `${place.func}${place.file ? ` at ${place.file}:${place.line}` : ''}` : '';
  return {
    label: `{${place.ranks}} ${place.count}`,
    description: [place.state, place.why, where].filter(Boolean).join(' '),
    path: place.path, line: place.line,
    children: place.count > 1 ? expand(place.ranks, 256).map(r => ({ label: `rank ${r}`, description: '', rank: r, path: place.path, line: place.line, children: [] })) : [],
  };
}

function placeTree(answer) {
  return ((answer && answer.places) || []).map(placeNode);
}

// "0-3,7,10-30/2": at most 'most' of its numbers.
function expand(text, most) {
  const found = [];
  for (const part of text.split(',').filter(Boolean)) {
    const [span, step] = part.split('/');
    const [low, high] = span.split('-').map(Number);
    for (let r = low; r <= (high === undefined ? low : high) && found.length < most; r += Number(step || 1)) found.push(r);
  }
  return found;
}

function count(text) {
  let n = 0;
  for (const part of text.split(',').filter(Boolean)) {
    const [span, step] = part.split('/');
    const [low, high] = span.split('-').map(Number);
    n += high === undefined ? 1 : Math.floor((high - low) / Number(step || 1)) + 1;
  }
  return n;
}

// Rows of dvm/checkpoints for a list to choose from: a checkpoint of several ranks once, an image that has no number by its handle.
function checkpointChoices(images) {
  const rows = new Map();
  for (const i of images || []) {
    const key = i.checkpoint ? `${i.checkpoint}` : i.handle, row = rows.get(key);
    if (row)
      row.description += `, {${i.ranks}}`;
    else
      rows.set(key, { label: i.checkpoint ? `checkpoint ${i.checkpoint}  ${i.time}` : i.handle, description: `{${i.ranks}}`,
                      detail: i.checkpoint ? i.handle : undefined,
                      arguments: i.checkpoint ? { checkpoint: i.checkpoint } : { handle: i.handle } });
  }
  return [...rows.values()];
}

module.exports = { stackTree, placeTree, checkpointChoices, expand, count };
