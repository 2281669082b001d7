// The published JSON Schemas: made of the readers' own key lists, and never at odds with a file that the readers take.
// UPDATE_DOCS=1 writes schemas/ anew.
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { choreFile, readChore } from '../src/core/chore/chore.ts';
import { agentFile, parseAgentConfig } from '../src/core/config/agent-config.ts';
import { defaultRoomYaml, parseRoomConfig, ROOM, schemaAddress } from '../src/core/config/room-config.ts';
import { settingRows } from '../src/core/config/setting.ts';
import { budget, OWN_STATUS } from '../src/core/config/values.ts';
import type { Kind } from '../src/core/task/key-kinds.ts';
import { readTask } from '../src/core/task/read-task.ts';
import { PRIORITIES, STATUS_WORDS, STATUSES } from '../src/core/task/status.ts';
import { factsOf, KNOWN_KEYS } from '../src/core/task/task-keys.ts';

// JSON Schemas of what people write by hand, made of the readers' own declarations. Editors complete and check by them; the readers
// have the last word.
type Schema = Readonly<Record<string, unknown>>;

const text: Schema = { type: 'string' };
const words: Schema = { anyOf: [{ type: 'array', items: { type: ['string', 'number'] } }, text] };
const command: Schema = {
  anyOf: [
    { type: 'string', pattern: '\\S' },
    { type: 'array', items: text, minItems: 1 },
  ],
};
const flag: Schema = { enum: [true, false] };
/** The words to write, which editors offer; and those that mean the same, in any case. */
const inAnyCase = (names: readonly string[], also: readonly string[] = names): Schema => ({
  anyOf: [{ enum: [...names] }, { type: 'string', pattern: `^\\s*(${also.map(anyCase).join('|')})\\s*$` }],
});
const anyOf = ({ anyOf }: Schema, also: Schema): Schema => ({ anyOf: [...(anyOf as Schema[]), also] });
const anyCase = (word: string): string =>
  word.replace(/[a-z]/g, (letter) => `[${letter.toUpperCase()}${letter}]`);
const yesOrNo: Schema = {
  anyOf: [
    flag,
    {
      type: 'string',
      pattern: `^\\s*(${['true', 'yes', 'on', 'false', 'no', 'off'].map(anyCase).join('|')})\\s*$`,
    },
  ],
};
const written: Schema = { type: ['string', 'number', 'boolean'] };

/** Keys of a task that are more than a text, by what they hold. */
const OF_KIND: Partial<Record<Kind, Schema>> = {
  // A status of the room's own is any such word.
  status: anyOf(inAnyCase(STATUSES, STATUS_WORDS), { type: 'string', pattern: OWN_STATUS.source }),
  flag: yesOrNo,
  priority: inAnyCase(PRIORITIES),
  tasks: words,
  list: words,
  resources: { type: ['array', 'string'] },
  checks: command,
  budget: inFile(budget()),
  number: { type: 'number' },
};

const SCHEMAS: Readonly<Record<string, () => Schema>> = {
  'room.schema.json': () => ({ ...declared(ROOM), title: 'room.yaml of a taskroom room' }),
  'agent.schema.json': () => ({ ...declared(agentFile().byRunner), title: 'agent.json of a taskroom agent' }),
  'chore.schema.json': () => ({ ...declared(choreFile()), title: 'Front matter of a chore' }),
  // Other keys are kept, and an empty key is as good as none.
  'task.schema.json': () => ({
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Front matter of a task',
    type: 'object',
    properties: Object.fromEntries(
      KNOWN_KEYS.map((key) => [key, { anyOf: [OF_KIND[factsOf(key).kind] ?? written, { type: 'null' }] }]),
    ),
    additionalProperties: true,
  }),
};

function declared(schema: z.ZodType): Schema {
  return z.toJSONSchema(schema, {
    target: 'draft-7',
    io: 'input',
    reused: 'ref',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const { default: fallback } = z.globalRegistry.get(zodSchema) ?? {};
      if (fallback !== undefined) jsonSchema.default = fallback as NonNullable<typeof jsonSchema.default>;
    },
  }) as Schema;
}

/** As a part of another schema. */
function inFile(schema: z.ZodType): Schema {
  const { $schema: _, ...part } = z.toJSONSchema(schema, { target: 'draft-7', io: 'input' });
  return part;
}

const ROOT = join(import.meta.dirname, '..');
const ajv = new Ajv({ allErrors: true, allowUnionTypes: true, strict: true });
const validators = new Map<string, ValidateFunction>(
  Object.entries(SCHEMAS).map(([file, make]) => [file, ajv.compile(make() as object)]),
);

function faultsOf(file: string, value: unknown): string[] {
  const validate = validators.get(file)!;
  validate(value);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const frontMatter = (text: string) => parse(/^---\n([\s\S]*?)\n---/.exec(text)?.[1] ?? '') ?? {};
const fences = (doc: string, language: string) =>
  [...read(doc).matchAll(new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\`$`, 'gm'))].map((match) => match[1]!);

test.each(Object.entries(SCHEMAS))('schemas/%s is what the key lists say', (file, make) => {
  const text = `${JSON.stringify(make(), null, 2)}\n`;
  const path = join(ROOT, 'schemas', file);
  if (process.env.UPDATE_DOCS) {
    mkdirSync(join(ROOT, 'schemas'), { recursive: true });
    writeFileSync(path, text);
  } else expect(readFileSync(path, 'utf8')).toBe(text);
  expect(schemaAddress(file.split('.')[0] as 'room')).toMatch(new RegExp(`/schemas/${file}$`));
});

test('that of tasks has every key that its reader knows, and no other', () => {
  expect(Object.keys(SCHEMAS['task.schema.json']!().properties as object)).toEqual([...KNOWN_KEYS]);
});

test.each([
  ['docs/config.md', '## room.yaml', ROOM],
  ['docs/config.md', '## agents/', agentFile().all],
  ['docs/chores.md', '', choreFile()],
] as const)('%s %s lists exactly the settings, with their defaults', (path, heading, file) => {
  const doc = read(path);
  const start = doc.indexOf('| `', doc.indexOf(heading));
  const end = doc.indexOf('\n\n', start);
  const table = settingRows(file)
    .map(({ key, takes, fallback, about }) => {
      const written =
        typeof fallback === 'string'
          ? fallback
          : JSON.stringify(fallback)?.replaceAll('"', '').replaceAll(',', ', ');
      return `| \`${key}\` | ${takes} | ${fallback === undefined ? '–' : `\`${written}\``} | ${about} |`;
    })
    .join('\n');
  if (process.env.UPDATE_DOCS) writeFileSync(join(ROOT, path), doc.slice(0, start) + table + doc.slice(end));
  else expect(doc.slice(start, end)).toBe(table);
});

describe('what the readers take, the schemas take', () => {
  test('the example room', () => {
    expect(faultsOf('room.schema.json', parse(read('agent-room-example/room.yaml')) ?? {})).toEqual([]);
    for (const path of globSync('agent-room-example/agents/*/agent.json', { cwd: ROOT }))
      expect(faultsOf('agent.schema.json', JSON.parse(read(path))), path).toEqual([]);
    for (const path of globSync('agent-room-example/chores/*.md', { cwd: ROOT })) {
      expect(readChore(path, read(path)), path).toMatchObject({ ok: true });
      expect(faultsOf('chore.schema.json', frontMatter(read(path))), path).toEqual([]);
    }
    for (const path of globSync('agent-room-example/tasks/*.md', { cwd: ROOT })) {
      if (!readTask(path, read(path), null).ok) continue;
      expect(faultsOf('task.schema.json', frontMatter(read(path))), path).toEqual([]);
    }
  });

  test('what init writes, and every example of the docs', () => {
    expect(defaultRoomYaml()).toContain(`# yaml-language-server: $schema=${schemaAddress('room')}\n`);
    expect(faultsOf('room.schema.json', parse(defaultRoomYaml()))).toEqual([]);
    let seen = 0;
    for (const text of fences('docs/config.md', 'yaml')) {
      if (!parseRoomConfig(text, 'room.yaml').ok) continue;
      seen += 1;
      expect(faultsOf('room.schema.json', parse(text)), text).toEqual([]);
    }
    for (const doc of globSync('docs/**/*.md', { cwd: ROOT }))
      for (const text of fences(doc, 'json')) {
        if (!parseAgentConfig(text, 'agent.json', 'a').ok) continue;
        seen += 1;
        expect(faultsOf('agent.schema.json', JSON.parse(text)), text).toEqual([]);
      }
    for (const text of fences('docs/chores.md', 'markdown')) {
      if (!readChore('chores/a.md', text).ok) continue;
      seen += 1;
      expect(faultsOf('chore.schema.json', frontMatter(text)), text).toEqual([]);
    }
    expect(seen).toBeGreaterThan(8);
  });

  test.each([
    ['room.schema.json', { settle: 0, heartbeat: false, max_output_bytes: 4096, timeout: '90m' }],
    ['room.schema.json', { limits: null, notify: { command: 'notify-send hi' }, providers: {} }],
    [
      'agent.schema.json',
      { runner: 'command', command: 'x', env: { A: 'b', C: { from: 'D' } }, timeout: null },
    ],
    [
      'chore.schema.json',
      { schedule: false, paused: 'yes', mirror: { provider: 'jira', source: 'A', push: 'status' } },
    ],
    ['task.schema.json', { status: ' In Progress', paused: 'ON', priority: 'High' }],
    ['task.schema.json', { id: 'abc', sprint: 12, labels: 'a, b', 'a key of mine': { deep: [1] } }],
  ])('%s: %j', (file, value) => expect(faultsOf(file, value)).toEqual([]));
});

test.each([
  ['room.schema.json', { setle: '1s' }],
  ['room.schema.json', { settle: 5 }],
  ['room.schema.json', { limits: { tasks: 1 } }],
  ['room.schema.json', { on_delete: 'cancle' }],
  ['room.schema.json', { hooks: { github: 'a secret itself!' } }],
  ['agent.schema.json', { command: 'x' }],
  ['agent.schema.json', { runner: 'comand' }],
  ['agent.schema.json', { runner: 'command', workspace: 'branch' }],
  ['chore.schema.json', { mirror: { source: ['a'] } }],
  ['chore.schema.json', { mirror: { prefer: 'mine' } }],
  ['task.schema.json', { status: 'finished, nearly' }],
  ['task.schema.json', { priority: 1 }],
])('%s marks %j, as the reader does', (file, value) => {
  expect(faultsOf(file, value)).not.toEqual([]);
  const text = JSON.stringify(value);
  const ok = {
    'room.schema.json': () => parseRoomConfig(text, 'room.yaml').ok,
    'agent.schema.json': () => parseAgentConfig(text, 'agent.json', 'a').ok,
    'chore.schema.json': () => readChore('chores/a.md', `---\n${text}\n---\n\nwords\n`).ok,
    'task.schema.json': () => readTask('tasks/a.md', `---\n${text}\n---\n`, () => ({ statuses: {} })).ok,
  }[file]!();
  expect(ok).toBe(false);
});
