"""Reads a pair of report files of one run, NAME.sarif and NAME.jsonl, and says what is wrong with them.

usage: check.py FORMATS.md NAME FINDINGS [SOURCE-FOLDER]

The SARIF file must fit sarif.schema.json, and the classes of sarif_om, which were made from the standard's own schema.  The
JSON lines must have the fields of the table in docs/report-formats.md.  Both must tell the same."""
import json, os, re, sys, urllib.parse
import jsonschema, sarif_om

CLASSES = {
    'runs': sarif_om.Run, 'tool': sarif_om.Tool, 'driver': sarif_om.ToolComponent, 'rules': sarif_om.ReportingDescriptor,
    'shortDescription': sarif_om.MultiformatMessageString, 'help': sarif_om.MultiformatMessageString,
    'defaultConfiguration': sarif_om.ReportingConfiguration, 'results': sarif_om.Result, 'message': sarif_om.Message,
    'locations': sarif_om.Location, 'relatedLocations': sarif_om.Location, 'physicalLocation': sarif_om.PhysicalLocation,
    'artifactLocation': sarif_om.ArtifactLocation, 'region': sarif_om.Region, 'properties': dict,
    'fixes': sarif_om.Fix, 'description': sarif_om.Message, 'artifactChanges': sarif_om.ArtifactChange, 'replacements': sarif_om.Replacement,
    'deletedRegion': sarif_om.Region, 'insertedContent': sarif_om.ArtifactContent,
}
TYPES = {'string': str, 'number': (int, float), 'object': dict, 'array': list, 'boolean': bool}
COMPARISON = {'element', 'iteration', 'execution', 'record', 'rank', 'calls', 'value', 'reference', 'relative', 'ulps', 'greatestRelative', 'greatestElement'}
OPTIONAL = {'file', 'line', 'column', 'construct', 'clause', 'exact', 'edit', 'noEdit'} | COMPARISON


def build(cls, value):
    """An object of sarif_om; TypeError for a property that the standard does not know or one that is missing."""
    if isinstance(value, list):
        return [build(cls, v) for v in value]
    if cls is dict or not isinstance(value, dict):
        return value
    names = {a.metadata['schema_property_name']: a.name for a in cls.__attrs_attrs__}
    unknown = set(value) - set(names)
    if unknown:
        raise TypeError(f'{cls.__name__} has no {unknown}')
    return cls(**{names[k]: build(CLASSES.get(k, dict), v) for k, v in value.items()})


def table(path):
    """{field: type} of the JSON lines."""
    with open(path, encoding='utf-8') as f:
        rows = re.findall(r'^\| (`[^|]*`) \| ([a-z, ]+) \|', f.read().split('## SARIF')[0], re.M)
    return {name: kind for names, kinds in rows
            for name, kind in zip(re.findall(r'`(\w+)`', names), kinds.split(', '))}


def column_in_code_points(finding, folder):
    path = os.path.join(folder, finding['file'])
    with open(path, 'rb') as f:
        line = f.read().split(b'\n')[finding['line'] - 1]
    return len(line[:finding['column'] - 1].decode()) + 1


def check_lines(findings, fields):
    for f in findings:
        assert set(f) <= set(fields), f'fields that the table does not have: {set(f) - set(fields)}'
        assert set(fields) - OPTIONAL <= set(f), f'missing: {set(fields) - set(f)}'
        for name, value in f.items():
            assert isinstance(value, TYPES[fields[name]]), f'{name} is no {fields[name]}'
        assert all(isinstance(f[name], int) for name in ('line', 'column', 'count') if name in f), 'a count or place is no integer'
        assert f['severity'] in ('error', 'warning') and f['count'] > 0
        assert f['id'].startswith('dvm-trace-') or not COMPARISON & set(f), 'fields of comparisons in a finding of the checker'


def edited(finding, folder):
    """{file: text} after the edit."""
    texts = {}
    for e in sorted(finding['edit'], key=lambda e: (e['line'], e['column']), reverse=True):
        if e['file'] not in texts:
            with open(os.path.join(folder, e['file']), 'rb') as f:
                texts[e['file']] = f.read()
        lines = texts[e['file']].split(b'\n')
        at = sum(len(l) + 1 for l in lines[:e['line'] - 1]) + e['column'] - 1
        assert at + e['length'] <= len(texts[e['file']]), 'an edit behind the end'
        texts[e['file']] = texts[e['file']][:at] + e['text'].encode() + texts[e['file']][at + e['length']:]
    return {name: text.decode() for name, text in texts.items()}


def fixed(fix, folder):
    """The same of a fix of SARIF, whose columns are code points."""
    texts = {}
    for change in fix['artifactChanges']:
        name = urllib.parse.unquote(change['artifactLocation']['uri']).removeprefix('file://')
        with open(os.path.join(folder, name), encoding='utf-8', newline='') as f:
            text = f.read()
        begins = [0]
        for line in text.split('\n'):
            begins.append(begins[-1] + len(line) + 1)
        for r in sorted(change['replacements'], key=lambda r: (r['deletedRegion']['startLine'], r['deletedRegion']['startColumn']), reverse=True):
            g = r['deletedRegion']
            first, last = (begins[g[w + 'Line'] - 1] + g[w + 'Column'] - 1 for w in ('start', 'end'))
            text = text[:first] + r['insertedContent']['text'] + text[last:]
        texts[name] = text
    return texts


def compare_edits(result, finding, folder):
    assert ('fixes' in result) == ('edit' in finding), 'a fix without an edit, or the other way round'
    if 'edit' in finding:
        assert finding['help'] and 'noEdit' not in finding
        assert edited(finding, folder) == fixed(result['fixes'][0], folder), 'edit and fix are not the same'


def compare(log, findings, folder):
    run = log['runs'][0]
    rules = run['tool']['driver']['rules']
    assert len(run['results']) == len(findings), f"{len(run['results'])} results, {len(findings)} lines"
    for r, f in zip(run['results'], findings):
        assert (r['ruleId'], r['level'], r['occurrenceCount']) == (f['id'], f['severity'], f['count'])
        compare_edits(r, f, folder)
        assert rules[r['ruleIndex']]['id'] == r['ruleId'], 'ruleIndex is another rule'
        assert r['message']['text'].split('\n')[0].replace('] (', '](') == f['message'].replace('] (', '](')
        ids = [l['id'] for l in r['relatedLocations']]
        assert len(set(ids)) == len(ids), 'ids of related locations are not unique'
        assert len(ids) + len(r['properties']['notes']) == len(f['notes']), 'notes are missing'
        for name in COMPARISON:
            assert r['properties'].get(name) == f.get(name), f"{name}: {r['properties'].get(name)}, not {f.get(name)}"
        place = r['locations'][0]['physicalLocation']
        uri = urllib.parse.unquote(place['artifactLocation']['uri'])
        assert uri.removeprefix('file://') == f['file'], f"{uri} is not {f['file']}"
        region = place['region']
        assert (region['startLine'], region['startColumn']) == (f['line'], column_in_code_points(f, folder))


def main():
    formats, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    folder = sys.argv[4] if len(sys.argv) > 4 else '.'
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'sarif.schema.json'), encoding='utf-8') as f:
        schema = json.load(f)
    with open(name + '.sarif', encoding='utf-8') as f:
        log = json.load(f)
    with open(name + '.jsonl', encoding='utf-8') as f:
        findings = [json.loads(line) for line in f]
    jsonschema.Draft7Validator.check_schema(schema)
    jsonschema.validate(log, schema)
    build(sarif_om.SarifLog, {('schema_uri' if k == '$schema' else k): v for k, v in log.items() if k != '$schema'})
    check_lines(findings, table(formats))
    compare(log, findings, folder)
    assert len(findings) == count, f'{len(findings)} findings, not {count}'


if __name__ == '__main__':
    main()
