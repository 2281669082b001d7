// docs/cli.md says what the program does: its help blocks are the program's own, its exit codes and JSON fields are
// all there. UPDATE_DOCS=1 writes the help blocks anew.
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { COMMANDS } from '../../src/cli/command-table.ts';
import { EXIT_CODE_MEANINGS } from '../../src/cli/exit-codes.ts';
import { mainHelp } from '../../src/cli/main-help.ts';
import { helpOf } from '../../src/cli/parse-command.ts';
import { chore } from './chore-views.ts';
import { turn, view } from './task-views.ts';

const FILE = path.join(import.meta.dirname, '../../docs/cli.md');
const MARK = '<!-- from here on: the help of each command, written by test/cli/docs.test.ts -->';

async function helpBlocks(): Promise<string> {
  const blocks = [`## taskroom\n\n\`\`\`text\n${mainHelp(true).trimEnd()}\n\`\`\``];
  for (const entry of COMMANDS) {
    const { command } = await entry.load();
    blocks.push(`## taskroom ${entry.name}\n\n\`\`\`text\n${helpOf(entry.name, command).trimEnd()}\n\`\`\``);
  }
  return `${blocks.join('\n\n')}\n`;
}

test('the help in the docs is the help of the program', async () => {
  const text = readFileSync(FILE, 'utf8');
  const at = text.indexOf(MARK);
  expect(at).toBeGreaterThan(0);
  const blocks = await helpBlocks();
  const wanted = `${text.slice(0, at)}${MARK}\n\n${blocks}`;
  if (process.env.UPDATE_DOCS) writeFileSync(FILE, wanted);
  else expect(text).toBe(wanted);
});

/** Command lines of a page: `taskroom …` in its fences and code spans, each with the words after the command. */
function commandLines(text: string): { line: string; name: string; rest: string }[] {
  const fences = [...text.matchAll(/^ *```\w*\n([\s\S]*?)^ *```/gm)].flatMap(([, body]) =>
    body!.replace(/ #.*$/gm, '').split('\n'),
  );
  const spans = [...text.replace(/^ *```[\s\S]*?^ *```/gm, '').matchAll(/`([^`\n]+)`/g)].map(
    ([, span]) => span!,
  );
  return [...fences, ...spans].flatMap((line) =>
    [...line.matchAll(/(?:^|[\s$&(])taskroom ([a-z][a-z-]*)([^#|&;]*)/g)].map(([, name, rest]) => ({
      ...{ line, name: name!, rest: rest! },
    })),
  );
}

test('every command that a guide shows is one of the program, with options that it has', async () => {
  const helps = new Map([['help', '--all']]);
  for (const { name, load } of COMMANDS) helps.set(name, helpOf(name, (await load()).command));
  const root = path.join(FILE, '../..');
  const pages = [...globSync('docs/**/*.md', { cwd: root, exclude: ['docs/decisions/**'] }), 'README.md'];
  const lines = pages.flatMap((page) => {
    const text = readFileSync(path.join(root, page), 'utf8').split(MARK)[0]!;
    return commandLines(text).map((each) => ({ ...each, page }));
  });
  const wrong = lines.filter(({ name, rest }) => {
    const help = helps.get(name);
    const options = rest.match(/(?<![\w-])--[a-z][a-z-]*/g) ?? [];
    return (
      help === undefined ||
      options.some(
        (option) => !new RegExp(`${option}(?![a-z-])`).test(help) && !mainHelp(true).includes(option),
      )
    );
  });
  expect(lines.length).toBeGreaterThan(150);
  expect(wrong).toEqual([]);
});

test('a command or option that a guide invents is found', () => {
  const text =
    'Type `taskroom lst` or\n\n```sh\ntaskroom list --al   # taskroom no\ntaskroom up && taskroom open\n```\n';
  expect(commandLines(text).map(({ name, rest }) => name + rest.trimEnd())).toEqual([
    'list --al',
    'up',
    'open',
    'lst',
  ]);
});

test('the help of the program names every command with what it does', () => {
  const help = mainHelp(true);
  for (const { name, summary } of COMMANDS) {
    const line = help.split('\n').find((each) => each.startsWith(`  ${name} `));
    expect(line, name).toMatch(new RegExp(`${summary.replace(/[.*+?()|[\]\\]/g, '\\$&')}$`));
  }
});

test('what stays on the machine of its room is told in the docs with its reason', async () => {
  const page = readFileSync(path.join(FILE, '../http.md'), 'utf8');
  const modules = await Promise.all(COMMANDS.map(async ({ name, load }) => [name, await load()] as const));
  const rows = modules.flatMap(([name, { command }]) =>
    command.hereOnly === undefined ? [] : [`| \`${name}\` | ${command.hereOnly} |`],
  );
  expect(page).toContain(`| stays on the room's machine | why |\n|---|---|\n${rows.join('\n')}\n\n`);
});

test('every command has an about, and two or three examples that name it, or one of each action', async () => {
  for (const { name, load } of COMMANDS) {
    const { command } = await load();
    expect(command.examples.length, name).toBeGreaterThanOrEqual(2);
    const [{ name: first = '', about = '' } = {}] = command.arguments;
    const actions = first === 'action' ? about.split(/, | or /).length : 0;
    expect(command.examples.length, name).toBeLessThanOrEqual(Math.max(3, actions));
    for (const [line] of command.examples) expect(line).toContain(`taskroom ${name}`);
    expect(command.about, name).toMatch(/\.$/);
  }
});

test('every exit code and every JSON field of tasks, turns and chores is explained', () => {
  const text = readFileSync(FILE, 'utf8');
  const prose = text.slice(0, text.indexOf(MARK));
  for (const [code] of EXIT_CODE_MEANINGS) expect(prose).toMatch(new RegExp(`^\\| ${code} \\|`, 'm'));
  const shapes = [view('x'), turn(), chore()];
  for (const key of shapes.flatMap((shape) => Object.keys(shape))) {
    expect(prose, key).toContain(`\`${key}\``);
  }
});
