// Hostile documents assembled from fragments, with the place of every key in the text.
import fc from 'fast-check';
import { text } from './document-values.ts';

export interface Entry {
  key: string;
  /** Offsets of the key's own text: whole lines in a block map, `key: value` in a flow map. */
  start: number;
  end: number;
  /** An alias elsewhere repeats it, or it carries a tag: an edit may be refused. */
  delicate: boolean;
  /** Stands below a value that keeps blank lines: blank lines that it leaves would join that value. */
  belowKept: boolean;
}

export interface Sample {
  text: string;
  entries: Entry[];
  form: 'block' | 'flow' | 'empty' | 'none';
  indent: string;
  eol: string;
}

const KEYS = [
  ...['id', 'status', 'статус', 'a b', '题', 'x-y', 'title', 'constructor', 'é😀', '__proto__', 'labels'],
  'q',
];
const QUOTED_KEYS = ['"id"', '"status"', "'статус'", '"a b"', '"\\u9898"', "'x-y'"];

// `$` stands for the key. Each is a whole entry of a block map.
const BLOCKS = [
  ...['$: todo\n', '$:\ttab # c\n', '$:\n', '$:   # comment only\n', '$: 007\n', '$: true   # c\n'],
  ...['$: "dq \\n \\"é\\" # no"  # c\n', "$: 'it''s: # no' # c\n"],
  ...['$: plain text with é 😀 and --- inside\n', '$: over\n    several\n\n    lines # c\n'],
  ...['$: "over\n    several\n\n    lines"   # c\n', '$:\n    # before\n    on the next line\n'],
  ...['$: | # c\n    literal\n\n    ## Heading\n    ---\n', '$: |+\n    kept\n\n\n'],
  ...['$: >-\n    folded\n     more\n', '$: |4\n      indented\n'],
  ...['$:\n  - a # one\n  # between\n  - "b" # two\n', "$:\n  - 'x, y'\n  -\n    z\n"],
  ...['$:\n  - a\n  - {b: c}\n', '$: [a, "b, c", # x\n    d]   # y\n', '$: [ ]\n'],
  ...['$: {m: 1, n: [2]} # c\n', '$:\n  m: 1 # c\n  n:\n    - 2\n', '$: &own anchored\n'],
  ...['? $\n: explicit # c\n', '? $\n', '? $ # c\n:\n    - a\n', '$ : space before the colon\n'],
];
const DELICATE = ['$: !!str 5\n', '$: &shared [a, b]\n', '$: !local thing\n'];
const ALIASES = ['$: *shared\n', '$: [*shared, 1]\n'];
const FLOWS = [
  ...['$: todo', '$:', '$: "x, y"', "$: 'z'", '$: [a, b]', '$: {m: 1}', '$', '$: 12 # c\n  ', '$: a\n  b'],
];
const BETWEEN = ['', '', '', '# a comment: with colon\n', '\n', '  # indented comment\n', '  \n'];
const BODIES = [
  ...['', 'text without newline', '\n## Task\n```\n## Outcome\n---\n```\n', '---\n'],
  ...['\n---\nid: not front matter\n---\n', '...\n', '```\nunclosed\n## Steps\n- [ ] x\n'],
  ...['tab\there é 😀 \u2028 \u00a0\n\n\n', '\r\rold mac\r', '<!-- status: done -->\nstatus: done\n'],
];

const body = fc.array(fc.constantFrom(...BODIES), { maxLength: 3 }).map((parts) => parts.join('\n'));

const blockSample = fc
  .record({
    keys: fc.uniqueArray(fc.nat(KEYS.length - 1), { minLength: 1, maxLength: 6 }),
    picks: fc.array(fc.nat(1000), { minLength: 6, maxLength: 6 }),
    between: fc.array(fc.constantFrom(...BETWEEN), { minLength: 7, maxLength: 7 }),
    quoted: fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }),
    indent: fc.constantFrom('', '', '  '),
  })
  .map(({ keys, picks, between, quoted, indent }) => {
    let yaml = between[6]!;
    let shared = -1;
    let belowKept = false;
    const parts = keys.map((keyIndex, i) => {
      const options = shared < 0 ? [...BLOCKS, ...DELICATE] : [...BLOCKS, ...ALIASES];
      const block = options[picks[i]! % options.length]!;
      if (block.includes('&shared')) shared = i;
      const written = (quoted[i] && QUOTED_KEYS[keyIndex]) || KEYS[keyIndex]!;
      const start = yaml.length;
      yaml += block.replace('$', () => written).replace(/^(?=.)/gm, indent);
      const part = {
        key: KEYS[keyIndex]!,
        start,
        end: yaml.length,
        delicate: DELICATE.includes(block),
        belowKept,
      };
      belowKept = block.includes('|+');
      yaml += between[i]!;
      return part;
    });
    return { yaml, parts, form: 'block' as const, indent };
  });

const flowSample = fc
  .record({
    keys: fc.uniqueArray(fc.nat(KEYS.length - 1), { maxLength: 5 }),
    picks: fc.array(fc.constantFrom(...FLOWS), { minLength: 5, maxLength: 5 }),
    comma: fc.boolean(),
    space: fc.constantFrom('', ' ', '\n  '),
  })
  .map(({ keys, picks, comma, space }) => {
    let yaml = `{${space}`;
    const parts = keys.map((keyIndex, i) => {
      if (i > 0) yaml += `, ${space}`;
      const start = yaml.length;
      yaml += picks[i]!.replace('$', () => KEYS[keyIndex]!);
      return { key: KEYS[keyIndex]!, start, end: yaml.length, delicate: false, belowKept: false };
    });
    yaml += `${comma && keys.length > 0 ? ' ,' : ''}${space}} # end\n`;
    return { yaml, parts, form: 'flow' as const, indent: '' };
  });

const emptySample = fc.constantFrom('', '# only a comment\n', '\n\n').map((yaml) => {
  return { yaml, parts: [], form: 'empty' as const, indent: '' };
});

const frame = fc.record({
  bom: fc.boolean(),
  crlf: fc.boolean(),
  open: fc.constantFrom('', '', ' ', '\t '),
  close: fc.constantFrom('\n', '\n', '  \n', ''),
  body,
});

/** Documents that parse, with the spans of their keys. */
export const sample: fc.Arbitrary<Sample> = fc
  .tuple(fc.oneof({ weight: 6, arbitrary: blockSample }, flowSample, emptySample), frame)
  .map(([{ yaml, parts, form, indent }, { bom, crlf, open, close, body }]) => {
    const eol = crlf ? '\r\n' : '\n';
    const lines = (text: string) => (crlf ? text.replaceAll('\n', '\r\n') : text);
    const head = lines(`${bom ? '\uFEFF' : ''}---${open}\n`);
    const text = head + lines(`${yaml}---${close}`) + (close === '' ? '' : body);
    const shift = (at: number) => head.length + lines(yaml.slice(0, at)).length;
    const entries = parts.map((part) => ({ ...part, start: shift(part.start), end: shift(part.end) }));
    return { text, entries, form, indent, eol };
  });

/** Documents without front matter. */
export const bare: fc.Arbitrary<Sample> = fc
  .record({ bom: fc.boolean(), crlf: fc.boolean(), body })
  .map((doc) => {
    const plain = doc.body.startsWith('---') ? `\n${doc.body}` : doc.body;
    const text = (doc.bom ? '\uFEFF' : '') + (doc.crlf ? plain.replace(/\r?\n/g, '\r\n') : plain);
    return { text, entries: [], form: 'none', indent: '', eol: /^[^\n]*\r\n/.test(text) ? '\r\n' : '\n' };
  });

/** A key that no sample has, or one that some have. */
export const anyKey: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...KEYS),
  text.filter((key) => key !== '' && key.length < 100),
);
