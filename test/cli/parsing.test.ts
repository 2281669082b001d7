// Command lines: what was given comes back, and a mistake is told with what was most likely meant.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CommandModule, Parsed } from '../../src/cli/command.ts';
import { COMMANDS } from '../../src/cli/command-table.ts';
import { parseCommand } from '../../src/cli/parse-command.ts';
import { forAll } from '../support/for-all.ts';

const modules: [string, CommandModule][] = [];
for (const entry of COMMANDS) modules.push([entry.name, (await entry.load()).command]);

const longOf = (flags: string): string => /--[a-z-]+/.exec(flags)![0];

test.each(modules)('%s: words and options come back as they were given', (name, module) => {
  const { arguments: specs, options } = module;
  const word = fc.string({ minLength: 1 }).filter((text) => !text.startsWith('-') && !text.includes('\0'));
  const words = fc.tuple(...specs.map(() => word));
  const given = fc.tuple(
    ...options.map(([flags]) => fc.option(fc.tuple(fc.constant(flags), word), { nil: null })),
  );
  forAll(60, words, given, (before, chosen) => {
    const asked = chosen.filter((pair) => pair !== null);
    const argv = asked.flatMap(([flags, value]) =>
      flags.includes('<') ? [longOf(flags), value] : [longOf(flags)],
    );
    const parsed = parseCommand(name, module, [...argv, ...before]) as Parsed;
    expect(parsed.words).toEqual(before);
    expect([...parsed.values.keys()].sort()).toEqual(asked.map(([flags]) => longOf(flags).slice(2)).sort());
    for (const [flags, value] of asked)
      if (flags.includes('<')) expect([parsed.values.get(longOf(flags).slice(2))].flat()).toEqual([value]);
  });
});

const note = modules.find(([name]) => name === 'comment')![1];
const step = modules.find(([name]) => name === 'step')![1];
const inbox = modules.find(([name]) => name === 'inbox')![1];
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
  [inbox, 'inbox', ['extra'], /too many arguments/, /quotes/],
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
