// JSON Schemas of what people write by hand, made from the key lists that the readers share: what each key takes is said
// there in words, and here once for each of those words. Editors complete and check by them; the readers have the last word.

import { FIELDS, PREFERENCES, PUSHES } from '../../src/core/chore/chore.ts';
import { choreKeys } from '../../src/core/chore/read-chore.ts';
import {
  ACCESS_NAMES,
  MODEL_APIS,
  PERMISSION_NAMES,
  PRESET_NAMES,
  RUNNER_NAMES,
} from '../../src/core/config/agent-config.ts';
import { AGENT_KEYS, type ConfigKey, ROOM_KEYS } from '../../src/core/config/config-keys.ts';
import { INBOX_KINDS } from '../../src/core/config/inbox-kinds.ts';
import { type Kind, PRIORITIES } from '../../src/core/task/key-kinds.ts';
import { STATUS_WORDS, STATUSES } from '../../src/core/task/status.ts';
import { factsOf, KNOWN_KEYS } from '../../src/core/task/task-keys.ts';

export type Schema = Readonly<Record<string, unknown>>;

const text: Schema = { type: 'string' };
const line: Schema = { type: 'string', pattern: '\\S' };
const texts: Schema = { type: 'array', items: text };
const words: Schema = { anyOf: [{ type: 'array', items: { type: ['string', 'number'] } }, text] };
const command: Schema = { anyOf: [line, { type: 'array', items: text, minItems: 1 }] };
const agent: Schema = { type: 'string', pattern: '^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$' };
const flag: Schema = { enum: [true, false] };
const number: Schema = { type: 'integer', minimum: 0 };
/** The words to write, which editors offer; and those that mean the same, in any case. */
const inAnyCase = (names: readonly string[], also: readonly string[] = names): Schema => ({
  anyOf: [{ enum: [...names] }, { type: 'string', pattern: `^\\s*(${also.map(anyCase).join('|')})\\s*$` }],
});
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
const address: Schema = { type: 'string', pattern: '^https?://' };
const schedule: Schema = { anyOf: [line, { const: false }] };
const oneOf = (names: readonly string[]): Schema => ({ enum: [...names] });
const listOf = (names: readonly string[]): Schema => ({
  anyOf: [{ type: 'array', items: { enum: [...names] } }, text],
});
const amounts = (...names: string[]): Schema => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, { type: 'number', minimum: 0 }])),
  additionalProperties: false,
});
const budget = amounts('turns', 'minutes', 'tokens', 'cost');

/** By the words of `takes` in the key lists. */
const TAKES: Readonly<Record<string, Schema>> = {
  'agent id': agent,
  duration: {
    anyOf: [{ type: 'string', pattern: '^\\s*(0|\\d+(\\.\\d+)?\\s*[A-Za-z]+)\\s*$' }, { const: 0 }],
  },
  number,
  size: { anyOf: [number, { type: 'string', pattern: '^\\s*\\d' }] },
  'schedule or off': schedule,
  'IANA zone': line,
  'forget or cancel': oneOf(['forget', 'cancel']),
  'json, ntfy or slack': oneOf(['json', 'ntfy', 'slack']),
  'list of kinds': listOf(INBOX_KINDS),
  path: line,
  text: line,
  address,
  'text or list of texts': command,
  'list of texts': texts,
  'name of a variable': { type: 'string', pattern: '^[A-Za-z_][A-Za-z0-9_]*$' },
  budget,
  'map of names to files': { type: 'object', additionalProperties: text },
  'map of agents to lists': {
    type: 'object',
    additionalProperties: { type: ['string', 'array'], items: text },
  },
  'command, acp, model or runbook': oneOf(RUNNER_NAMES),
  'preset name': oneOf(PRESET_NAMES),
  'edit, run or all': oneOf(PERMISSION_NAMES),
  'full, readonly, readonly-shell or minimal': oneOf(ACCESS_NAMES),
  'mcp or commands': oneOf(['mcp', 'commands']),
  'map of kinds to allow, ask or deny': {
    type: 'object',
    additionalProperties: oneOf(['allow', 'ask', 'deny']),
  },
  'anthropic, openai or openai-compatible': oneOf(MODEL_APIS),
  'worktree, or map of repository and branch': {
    anyOf: [
      { const: 'worktree' },
      {
        type: 'object',
        properties: { repository: line, branch: { anyOf: [line, { type: 'null' }] } },
        required: ['repository'],
        additionalProperties: false,
      },
    ],
  },
  'map of input, output, cached': amounts('input', 'output', 'cached'),
  map: {
    type: 'object',
    additionalProperties: {
      anyOf: [
        text,
        { type: 'object', properties: { from: text }, required: ['from'], additionalProperties: false },
      ],
    },
  },
  'true or false': flag,
};

/** Chores have no words for what a key takes: it is said here for each. */
const CHORE: Readonly<Record<string, Schema>> = {
  schedule,
  paused: yesOrNo,
  owner: agent,
  'mirror.provider': { type: 'string', pattern: '^[a-z][a-z0-9_-]{0,31}$' },
  'mirror.source': line,
  'mirror.filter.labels': words,
  'mirror.filter.assignee': line,
  'mirror.filter.state': oneOf(['open', 'closed', 'all']),
  'mirror.push': listOf(PUSHES),
  'mirror.prefer': oneOf(PREFERENCES),
  'mirror.trust.roles': words,
  'mirror.trust.logins': words,
  'mirror.trust.edits': oneOf(['trusted', 'none']),
  'mirror.mentions': yesOrNo,
  'mirror.owner': agent,
  'mirror.checks': command,
  'mirror.publish': oneOf(['pull_request']),
  'mirror.fields': listOf(FIELDS),
  'mirror.url': address,
  'mirror.options': { type: 'object' },
};

const written: Schema = { type: ['string', 'number', 'boolean'] };

/** Keys of a task that are more than a text, by what they hold. */
const OF_KIND: Partial<Record<Kind, Schema>> = {
  status: inAnyCase(STATUSES, STATUS_WORDS),
  flag: yesOrNo,
  priority: inAnyCase(PRIORITIES),
  tasks: words,
  list: words,
  resources: { type: ['array', 'string'] },
  checks: command,
  budget,
  number: { type: 'number' },
};

export const SCHEMAS: Readonly<Record<string, () => Schema>> = {
  'room.schema.json': () => configSchema('room.yaml of a taskroom room', ROOM_KEYS),
  'agent.schema.json': () => ({
    ...configSchema('agent.json of a taskroom agent', AGENT_KEYS),
    required: ['runner'],
  }),
  'chore.schema.json': () => rooted('Front matter of a chore', entriesOf(choreKeys(), CHORE), false),
  'task.schema.json': () =>
    rooted(
      'Front matter of a task',
      KNOWN_KEYS.map((key) => [key, OF_KIND[factsOf(key).kind] ?? written] as const),
      true,
    ),
};

function configSchema(title: string, keys: readonly ConfigKey[]): Schema {
  const entries = keys.map(({ key, takes, about }) => {
    const schema = TAKES[takes];
    if (schema === undefined) throw new Error(`no schema says what ${JSON.stringify(takes)} is, for ${key}`);
    return [key, schema, about] as const;
  });
  return rooted(title, entries, false);
}

function entriesOf(keys: readonly string[], schemas: Readonly<Record<string, Schema>>) {
  return keys.map((key) => {
    const schema = schemas[key];
    if (schema === undefined) throw new Error(`no schema says what ${key} takes`);
    return [key, schema] as const;
  });
}

type Entry = readonly [key: string, schema: Schema, about?: string];

/** Dotted keys become maps in maps; an empty key is as good as none everywhere. @param open other keys are kept */
function rooted(title: string, entries: readonly Entry[], open: boolean): Schema {
  return { $schema: 'http://json-schema.org/draft-07/schema#', title, ...mapOf(entries, open) };
}

function mapOf(entries: readonly Entry[], open: boolean): Schema {
  const groups = Map.groupBy(entries, ([key]) => key.split('.')[0]!);
  const properties = [...groups].map(([name, members]) => {
    const [[key, schema, about]] = members as [Entry];
    if (key === name)
      return [name, { ...(about ? { description: about } : {}), ...orEmpty(schema) }] as const;
    const below = members.map(
      ([path, ...rest]) => [path.slice(name.length + 1), ...rest] as unknown as Entry,
    );
    return [name, { ...orEmpty(mapOf(below, open)) }] as const;
  });
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    additionalProperties: open,
  };
}

function orEmpty(schema: Schema): Schema {
  return { anyOf: [schema, { type: 'null' }] };
}
