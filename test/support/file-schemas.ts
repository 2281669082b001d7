// JSON Schemas of what people write by hand, made of the readers' own declarations. Editors complete and check by them; the readers
// have the last word.
import * as z from 'zod';
import { choreFile } from '../../src/core/chore/chore.ts';
import { agentFile } from '../../src/core/config/agent-config.ts';
import { ROOM } from '../../src/core/config/room-config.ts';
import { budget, OWN_STATUS } from '../../src/core/config/values.ts';
import type { Kind } from '../../src/core/task/key-kinds.ts';
import { PRIORITIES, STATUS_WORDS, STATUSES } from '../../src/core/task/status.ts';
import { factsOf, KNOWN_KEYS } from '../../src/core/task/task-keys.ts';

export type Schema = Readonly<Record<string, unknown>>;

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

export const SCHEMAS: Readonly<Record<string, () => Schema>> = {
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
