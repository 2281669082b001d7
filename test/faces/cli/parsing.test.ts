// The quick parse and the full one: where the first answers, the second answers the same.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type CommandModule, createOptions, type Parsed } from '../../../src/faces/cli/command.ts';
import { COMMANDS } from '../../../src/faces/cli/command-table.ts';
import { HelpAsked, parseCommand } from '../../../src/faces/cli/parse/parse-command.ts';
import { parseQuick } from '../../../src/faces/cli/parse/parse-quick.ts';

const numRuns = Number(process.env.FC_RUNS ?? 150);

const modules: [string, CommandModule][] = [];
for (const entry of COMMANDS) modules.push([entry.name, (await entry.load()).command]);

const plain = (parsed: Parsed) => ({
  words: parsed.words,
  values: Object.fromEntries([...parsed.values].sort()),
});

test.each(modules)('%s: both parsers agree', (name, module) => {
  const options = [...module.options.map((option) => option.flags), '--room <dir>', '--json', '--no-color'];
  const tokens = options.flatMap((flags) => flags.match(/--[a-z-]+/g) ?? []);
  const plainToken = fc.constantFrom('a', '-', '7', 'x=y', '', 'two words');
  const long = fc.constantFrom(...tokens);
  const odd = fc.oneof(
    fc.constantFrom('- item one', '--', '-f', '-1', '---', '--no-such', '--no-json', '--no-room'),
    fc.constantFrom('--constructor', '--__proto__', '--toString=x'),
    long.chain((name) => fc.constantFrom(`${name}=`, `${name}=x`, `${name}=-x`, `${name}=a=b`)),
  );
  const token = fc.oneof(
    { arbitrary: plainToken, weight: 3 },
    { arbitrary: long, weight: 2 },
    { arbitrary: odd, weight: 1 },
  );
  let agreed = 0;
  fc.assert(
    fc.property(fc.array(token, { maxLength: 6 }), (argv) => {
      const quick = parseQuick(module, argv);
      if (quick === null) return;
      agreed += 1;
      const full = parseCommand(name, module, argv);
      expect(full).not.toBeInstanceOf(HelpAsked);
      expect(plain(full as Parsed)).toEqual(plain(quick));
    }),
    { numRuns },
  );
  expect(agreed).toBeGreaterThan(0);
});

const note = modules.find(([name]) => name === 'comment')![1];
const step = modules.find(([name]) => name === 'step')![1];
const list = modules.find(([name]) => name === 'list')![1];

test('a text that begins with a dash is a text', () => {
  expect((parseCommand('comment', note, ['x', '- first\n- second']) as Parsed).words).toEqual([
    'x',
    '- first\n- second',
  ]);
  expect((parseCommand('comment', note, ['x', '--', '-b']) as Parsed).words).toEqual(['x', '-b']);
  const { values } = parseCommand('step', step, ['x', '--add', '- one two', '--add=--three four']) as Parsed;
  expect(values.get('add')).toEqual(['- one two', '--three four']);
});

test.each([
  [list, 'list', ['--stauts', 'x'], /unknown option '--stauts'/, /did you mean --status\?/],
  [list, 'list', ['--status'], /argument missing/, /list --help/],
  [list, 'list', ['extra'], /too many arguments/, /quotes/],
  [note, 'comment', ['x', '-b'], /unknown option '-b'/, /after --/],
])('a mistake is bad input with a hint: %#', (module, name, argv, message, hint) => {
  const refused = () => parseCommand(name, module, argv);
  expect(refused).toThrow(
    expect.objectContaining({
      code: 'bad_input',
      message: expect.stringMatching(message),
      hint: expect.stringMatching(hint),
    }),
  );
});

test('options are read by type', () => {
  const options = createOptions(
    new Map<string, true | string | string[]>([
      ['all', true],
      ['limit', '12'],
      ['wait', '-1'],
      ['label', ['a, b', 'c', '']],
    ]),
  );
  expect(options.flag('all')).toBe(true);
  expect(options.flag('limit')).toBe(false);
  expect(options.whole('limit', 1)).toBe(12);
  expect(options.whole('none', 1)).toBeNull();
  expect(() => options.whole('limit', 13)).toThrow(/--limit is "12"/);
  expect(() => options.whole('wait', 0)).toThrow(expect.objectContaining({ code: 'bad_input' }));
  expect(options.texts('label')).toEqual(['a', 'b', 'c']);
  expect(options.all('label')).toEqual(['a, b', 'c', '']);
});
