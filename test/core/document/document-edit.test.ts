import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { removeKey, setKey, setKeys, type Value } from '../../../src/core/document/document.ts';
import { textEditOf, withTextEdit } from '../../../src/core/document/edits.ts';
import { isRoomError, type RoomError } from '../../../src/core/errors.ts';
import { forAll } from '../../support/for-all.ts';

const BODY = '\n## Task\nstatus: not this\n';
const file = (yaml: string) => `---\n${yaml}---\n${BODY}`;

function errorOf(run: () => unknown): RoomError {
  try {
    run();
  } catch (error) {
    if (isRoomError(error)) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

// yaml before, key, value (undefined removes), yaml after
const EDITS: [string, string, string, Value | undefined, string][] = [
  ['keeps a trailing comment', 's: todo          # by hand\n', 's', 'done', 's: done          # by hand\n'],
  ['keeps space before the colon', '"s" : todo\n', 's', 'done', '"s" : done\n'],
  ['keeps double quotes', 's: "todo"\n', 's', 'done "x"', 's: "done \\"x\\""\n'],
  ['keeps single quotes', "s: 'todo'\n", 's', "it's", "s: 'it''s'\n"],
  ['gives up single quotes for a line end', "s: 'todo'\n", 's', 'a\nb', 's: "a\\nb"\n'],
  ['writes booleans without the old quotes', 's: "x"\n', 's', true, 's: true\n'],
  ['fills an empty value', 's:\nt: 1\n', 's', 'x', 's: x\nt: 1\n'],
  ['fills an empty value before a comment', 's:   # c\nt: 1\n', 's', 'x', 's: x   # c\nt: 1\n'],
  ['replaces a literal block', 's: |- # c\n  x\n\n  y\n\n\nt: 1\n', 's', 'z', 's: z # c\n\n\nt: 1\n'],
  ['replaces a folded block', 's: >\n  x\n  y\nt: 1\n', 's', 'z', 's: z\nt: 1\n'],
  ['replaces a kept block', 's: |+\n  x\n\n# c\nt: 1\n', 's', 'z', 's: z\n\n# c\nt: 1\n'],
  ['replaces a plain value of many lines', 's: a\n  b\n\n  c # d\nt: 1\n', 's', 'z', 's: z # d\nt: 1\n'],
  ['replaces a quoted value of many lines', 's: "a\n  b"   # d\n', 's', 'z', 's: "z"   # d\n'],
  ['replaces a value on the next line', 's:\n  # why\n  a\n', 's', 'z', 's:\n  # why\n  z\n'],
  ['replaces a nested map', 's: # c\n  a: 1\n  b:\n    - 2 # d\nt: 1\n', 's', 'z', 's: z # c\nt: 1\n'],
  ['replaces an alias', 'a: &x 1\ns: *x\n', 's', 'z', 'a: &x 1\ns: z\n'],
  ['keeps an anchor nothing refers to', 's: &x 1\n', 's', 'z', 's: &x z\n'],
  ['keeps a tag that fits', 's: !!str 5\n', 's', 'z', 's: !!str z\n'],
  ['edits an explicit key', '? s\n: a # c\nt: 1\n', 's', 'z', '? s\n: z # c\nt: 1\n'],
  ['edits an explicit key without a value', '? s\nt: 1\n', 's', 'z', '? s\n: z\nt: 1\n'],
  ['edits a flow map', '{s: a, t: 1} # c\n', 's', 'x, y', '{s: "x, y", t: 1} # c\n'],
  ['edits a flow map as JSON', '{"s":1,"t":{}}\n', 's', 2, '{"s":2,"t":{}}\n'],
  ['edits a flow key without a value', '{s, t: 1}\n', 's', 'x', '{s: x, t: 1}\n'],
  ['tells a number from a string', 's: 5\n', 's', '5', 's: "5"\n'],
  ['adds a key at the end', 's: a\n# last\n', 'k', 'x', 's: a\n# last\nk: x\n'],
  ['adds a key with the indent of the map', '  s: a\n', 'k', 1.5, '  s: a\n  k: 1.5\n'],
  ['adds a key to a flow map', '{s: a}\n', 'k', ['x'], '{s: a, k: [x]}\n'],
  ['adds a key before a flow comma', '{s: a ,\n}\n', 'k', false, '{s: a, k: false ,\n}\n'],
  ['adds a key to nothing', '', 'k', 'x', 'k: x\n'],
  ['adds a key to an empty flow map', '{}\n', 'k', 'x', '{k: x}\n'],
  ['adds a key below comments', '# c\n\n', 'k', 'x', '# c\n\nk: x\n'],
  ['adds a key that needs quotes', 's: a\n', 'yes', 'no', 's: a\n"yes": "no"\n'],
  ['adds __proto__ as a key like others', 's: a\n', '__proto__', 'x', 's: a\n__proto__: x\n'],
  ['removes a line and its comment', 's: a # c\nt: 1\n', 's', undefined, 't: 1\n'],
  ['removes a block', 's:\n  - a\n  - b\n  # c\nt: 1\n', 's', undefined, '  # c\nt: 1\n'],
  ['removes the only key', 's: a\n', 's', undefined, ''],
  ['removes an explicit key', '?\n  s\n:\n  v\nt: 1\n', 's', undefined, 't: 1\n'],
  ['removes the first of a flow map', '{s: a, t: 1}\n', 's', undefined, '{t: 1}\n'],
  ['removes the last of a flow map', '{t: 1, s: a}\n', 's', undefined, '{t: 1}\n'],
  ['removes the only key of a flow map', '{ s: a, }\n', 's', undefined, '{  }\n'],
  ['removes nothing that is not there', 's: a\n', 'x', undefined, 's: a\n'],
  [
    'appends to a block list',
    'l:\n  - a # 1\nt: 1\n',
    'l',
    ['a', 'b: c'],
    'l:\n  - a # 1\n  - "b: c"\nt: 1\n',
  ],
  ['puts before a block list', 'l:\n- "a" # 1\n', 'l', ['z', 'a'], 'l:\n- z\n- "a" # 1\n'],
  ['takes from a block list', 'l:\n  - a # 1\n  # 2\n  - b # 3\n', 'l', ['b'], 'l:\n  # 2\n  - b # 3\n'],
  [
    'changes in a block list',
    "l:\n  - a # 1\n  - 'b' # 2\n",
    'l',
    ['a', 'x'],
    "l:\n  - a # 1\n  - 'x' # 2\n",
  ],
  ['empties a block list', 'l:\n  - a # 1\n  - b\nt: 1\n', 'l', [], 'l: []\nt: 1\n'],
  ['appends to a flow list', 'l: [a, "b"] # c\n', 'l', ['a', 'b', 'yes'], 'l: [a, "b", "yes"] # c\n'],
  ['takes from a flow list', 'l: [a, "b", c]\n', 'l', ['a', 'c'], 'l: [a, c]\n'],
  ['appends to a long flow list', 'l: [\n  a, # 1\n]\n', 'l', ['a', 'b'], 'l: [\n  a, b, # 1\n]\n'],
  ['writes a list of other things anew', 'l:\n  - [a]\n  - b\n', 'l', ['b'], 'l: [b]\n'],
  ['takes a map from a block list', 'l:\n  - {a: 1}\n  - b # why\n', 'l', ['b'], 'l:\n  - b # why\n'],
  [
    'takes a map over several lines from a block list',
    'l:\n  - b\n  - url: https://x.y\n    label: X # why\n  - c\n',
    'l',
    ['b', 'c'],
    'l:\n  - b\n  - c\n',
  ],
  [
    'adds a map to a block list',
    'l:\n  - url: a\n    label: "A"\nm: 1\n',
    'l',
    [{ url: 'a', label: 'A' }, { file: 'b, c' }],
    'l:\n  - url: a\n    label: "A"\n  - {file: "b, c"}\nm: 1\n',
  ],
  ['adds a map to a flow list', 'l: [a] # why\n', 'l', ['a', { url: 'b' }], 'l: [a, {url: b}] # why\n'],
  [
    'writes a list with a map',
    'm: 1\n',
    'l',
    ['a', { url: 'b', label: 'c' }],
    'm: 1\nl: [a, {url: b, label: c}]\n',
  ],
];

describe('edits', () => {
  test.each(EDITS)('%s', (_, before, key, value, after) => {
    const old = file(before);
    const now = value === undefined ? removeKey(old, key) : setKey(old, key, value);
    expect(now).toBe(file(after));
  });

  test.each(EDITS)('with CRLF: %s', (_, before, key, value, after) => {
    const crlf = (yaml: string) => `\uFEFF${file(yaml).replaceAll('\n', '\r\n')}`;
    const now = value === undefined ? removeKey(crlf(before), key) : setKey(crlf(before), key, value);
    expect(now).toBe(crlf(after));
  });

  test.each<[string, Value]>([
    ['s: todo # c\n', 'todo'],
    ["s: 'todo'\n", 'todo'],
    ['s: "to\\x64o"\n', 'todo'],
    ['s: |-\n  todo\n', 'todo'],
    ['s: 0x10\n', 16],
    ['s: yes\n', true],
    ['s: Off # c\n', false],
    ['s:\n  - a\n  - "b"\n', ['a', 'b']],
    ['s: [ ]\n', []],
  ])('writes nothing when the value is there already: %s', (yaml, value) => {
    expect(setKey(file(yaml), 's', value)).toBe(file(yaml));
  });

  test('sets several keys at once, and none when one can not be set', () => {
    const text = file('s: a\nx: &x 1\ny: *x\n');
    expect(setKeys(text, { k: ['q'], s: 'b' })).toBe(file('s: b\nx: &x 1\ny: *x\nk: [q]\n'));
    expect(errorOf(() => setKeys(text, { s: 'b', x: 2 })).code).toBe('conflict');
  });
});

describe('edits that are refused', () => {
  test.each<[string, string, Value | undefined, RegExp]>([
    ['s: &x 1\nt: *x\n', 's', 2, /"s".*anchor &x, which "t" refers to/],
    ['s: &x 1\nt: [*x]\n', 's', undefined, /anchor &x, which "t" refers to/],
    ['s: {a: &x 1}\nt: {b: *x}\n', 's', 'y', /anchor &x, which "t" refers to/],
    ['&x s: 1\nt: *x\n', 's', undefined, /anchor &x, which "t" refers to/],
    ['s: !!int 5\n', 's', 'x', /tag !!int/],
    ['s: !!str 5\n', 's', 6, /tag !!str/],
  ])('%j', (yaml, key, value, message) => {
    const edit = () => (value === undefined ? removeKey(file(yaml), key) : setKey(file(yaml), key, value));
    const error = errorOf(edit);
    expect(error.code).toBe('conflict');
    expect(error.message).toMatch(message);
    expect(error.hint).toMatch(/by hand/);
  });

  test('what no file can hold', () => {
    expect(errorOf(() => setKey('', 's', Number.NaN)).code).toBe('bad_input');
    expect(errorOf(() => setKey('', '', 'x')).code).toBe('bad_input');
    expect(errorOf(() => setKey('', 'k'.repeat(1001), 'x')).code).toBe('bad_input');
  });
});

test.each([
  ['one two three', 'one 2 three', { start: 4, end: 7, text: '2' }],
  ['aaa', 'aa', { start: 2, end: 3, text: '' }],
  ['aa', 'aaa', { start: 2, end: 2, text: 'a' }],
  ['same', 'same', { start: 4, end: 4, text: '' }],
  ['', 'all', { start: 0, end: 0, text: 'all' }],
  ['🙂', '🙃', { start: 1, end: 2, text: '🙃'.slice(1) }],
])('%j to %j is one place', (before, after, edit) => {
  expect(textEditOf(before, after)).toEqual(edit);
  expect(withTextEdit(before, edit)).toBe(after);
});

test('whatever the texts, the edit turns one into the other, through JSON too', () => {
  const text = fc.string({ unit: 'binary', maxLength: 40 });
  forAll(100, text, text, text, text, (head, before, after, tail) => {
    const [from, to] = [head + before + tail, head + after + tail];
    const edit = JSON.parse(JSON.stringify(textEditOf(from, to)));
    expect(withTextEdit(from, edit)).toBe(to);
    expect(edit.text.length).toBeLessThanOrEqual(after.length);
  });
});

test.each([
  { start: 2, end: 1, text: '' },
  { start: 0, end: 4, text: '' },
])('%j is no place of a text of three', (edit) => expect(withTextEdit('abc', edit)).toBeNull());
