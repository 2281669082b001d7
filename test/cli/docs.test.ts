// docs/cli.md says what the program does: its help blocks are the program's own, its tables of JSON fields those that are
// declared, its exit codes all there. UPDATE_DOCS=1 writes blocks and tables anew.
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { toJSONSchema, type ZodObject } from 'zod';
import type { JSONSchema } from 'zod/v4/core';
import { COMMANDS } from '../../src/cli/command-table.ts';
import { EXIT_CODE_MEANINGS } from '../../src/cli/exit-codes.ts';
import { mainHelp } from '../../src/cli/main-help.ts';
import { helpOf } from '../../src/cli/parse-command.ts';
import { choreList, mirrorShape, syncReport } from '../../src/core/chore-shapes.ts';
import { changedAnswer } from '../../src/tasks/shapes/change.ts';
import { statusAnswer } from '../../src/tasks/shapes/room.ts';
import { taskDetail, taskRow } from '../../src/tasks/shapes/task.ts';
import { turnAnswer } from '../../src/tasks/shapes/turn.ts';

const FILE = path.join(import.meta.dirname, '../../docs/cli.md');
const MARK = '<!-- from here on: the help of each command, written by test/cli/docs.test.ts -->';
const FIELDS = '<!-- fields: written by test/cli/docs.test.ts -->\n';

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
    const examples = Object.keys(command.examples);
    expect(examples.length, name).toBeGreaterThanOrEqual(2);
    const [{ name: first = '', about = '' } = {}] = command.arguments;
    const actions = first === 'action' ? about.split(/, | or /).length : 0;
    expect(examples.length, name).toBeLessThanOrEqual(Math.max(3, actions));
    for (const line of examples) expect(line).toContain(`taskroom ${name}`);
    expect(command.about, name).toMatch(/\.$/);
  }
});

test('every exit code is explained', () => {
  const text = readFileSync(FILE, 'utf8');
  for (const [code] of EXIT_CODE_MEANINGS) expect(text).toMatch(new RegExp(`^\\| ${code} \\|`, 'm'));
});

type Shape = JSONSchema.BaseSchema;

const nameOf = (reference: string) => reference.replace(/^.*\//, '');

/** What a member of an answer holds, in words. */
function kindOf(shape: Shape): string {
  if (shape.anyOf !== undefined) return shape.anyOf.map((each) => kindOf(each as Shape)).join(' or ');
  if (shape.$ref !== undefined) return `\`${nameOf(shape.$ref)}\``;
  if (shape.const !== undefined) return String(shape.const);
  if (shape.enum !== undefined) return shape.enum.map((word) => `\`${word}\``).join(', ');
  if (shape.type === 'array') return `list of ${kindOf(shape.items as Shape)}`;
  if (shape.format === 'date-time') return 'time';
  const members = Object.keys(shape.properties ?? {});
  if (members.length > 0) return `\`{${members.join(',')}}\``;
  if (Array.isArray(shape.type)) return shape.type.map((type) => kindOf({ type })).join(' or ');
  const names = { string: 'text', boolean: 'true or false', integer: 'whole number', object: 'map' };
  return names[shape.type as keyof typeof names] ?? String(shape.type ?? 'anything');
}

/** Rows of a table: the members of a shape, less those that another has. */
function fieldRows(shape: ZodObject, less?: ZodObject): string {
  const { $defs = {}, ...whole } = toJSONSchema(shape, { io: 'output', unrepresentable: 'any' }) as Shape;
  const { properties = {} } = whole.$ref === undefined ? whole : $defs[nameOf(whole.$ref)]!;
  const rows = Object.entries(properties as Record<string, Shape>).flatMap(([name, member]) => {
    if (less !== undefined && name in less.shape) return [];
    return [`| \`${name}\` | ${kindOf(member)} | ${member.description ?? ''} |\n`];
  });
  return `| field | holds | what it says |\n|---|---|---|\n${rows.join('')}`;
}

test('the fields of the JSON that commands print are those that are declared', () => {
  const tables: [of: string, shape: ZodObject, less?: ZodObject][] = [
    ['A **task**, as in `tasks` of `list`; keys of its front matter as the file says them', taskRow()],
    ['`show` has these too', taskDetail(), taskRow()],
    ['A **change**: `new`, `set`, `done`, `comment` and whatever else changes a task', changedAnswer()],
    ['`status`', statusAnswer()],
    ['A **turn**, a [job](jobs.md) too', turnAnswer()],
    ['A **chore**', choreList().shape.chores.element],
    ['A **mirror**', mirrorShape()],
    ['A **report** of `sync`', syncReport()],
  ];
  const text = readFileSync(FILE, 'utf8');
  const start = text.indexOf(FIELDS) + FIELDS.length;
  const made = tables.map(([of, shape, less]) => `${of}:\n\n${fieldRows(shape, less)}\n`).join('');
  const wanted = `${text.slice(0, start)}\n${made}${text.slice(text.indexOf('<!-- /fields -->'))}`;
  if (process.env.UPDATE_DOCS) writeFileSync(FILE, wanted);
  else expect(text).toBe(wanted);
});
