"""Reads what 'dvm trace export --npz' has written.

    import dvm_trace
    t = dvm_trace.load('trace.npz')
    t.variables                 # names: 'A' what is written, 'A@read' what is read, 's@result' results of reductions, 'p@pointer' pointers
                                # (whether they lead to something), 'probes.last' a member of each element, 'A@bytes' parts of elements
    a = t['A']                  # .value, .element (number in the array), .record, .site: arrays of one length
    a.index                     # subscripts: one array for each dimension
    a.after()                   # the array as it was when the trace ended (NaN or 0 where nothing was written)
    a.place(0)                  # where the first value was written: {'file': .., 'line': .., 'function': ..}
"""
import json
import zipfile

import numpy


class Values:
    """Values of one variable, in the order of the run."""

    def __init__(self, columns, name, about, sites):
        self.name, self.kind, self.type, self.shape = name, about['kind'], about['type'], tuple(about['shape'])
        self.value, self.element, self.record, self.site = (columns[f'{name}.{part}'] for part in ('value', 'element', 'record', 'site'))
        self._sites = sites

    def __len__(self):
        return len(self.value)

    @property
    def index(self):
        """Subscripts; the extent of a pointer's first dimension is not known and does not matter."""
        if len(self.shape) < 2:
            return (self.element,)
        rest = numpy.unravel_index(self.element % int(numpy.prod(self.shape[1:])), self.shape[1:])
        return (self.element // int(numpy.prod(self.shape[1:])), *rest)

    def after(self, record=None):
        """The array behind a record; None: at the end."""
        n = len(self) if record is None else int(numpy.searchsorted(self.record, record, 'right'))
        met = int(self.element.max(initial=-1)) + 1
        size = max(met, int(numpy.prod(self.shape))) if self.shape and all(self.shape) else met
        whole = numpy.full(size, numpy.nan if self.value.dtype.kind in 'fc' else 0, self.value.dtype)
        whole[self.element[:n]] = self.value[:n]  # of several values of an element the last stays
        return whole.reshape(self.shape) if size == int(numpy.prod(self.shape)) and self.shape else whole

    def place(self, n):
        return self._sites[int(self.site[n])]


class Trace:
    def __init__(self, path):
        self._columns = numpy.load(path)
        with zipfile.ZipFile(path) as archive:
            self._about = json.loads(archive.read('trace.json'))
        self.variables = list(self._about['variables'])

    def __getitem__(self, name):
        return Values(self._columns, name, self._about['variables'][name], self._about['sites'])


def load(path):
    return Trace(path)
