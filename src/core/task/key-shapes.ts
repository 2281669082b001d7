// The shapes of keys, for what declares what it takes and answers: made of the kind of each key.
import * as z from 'zod';
import type { Kind } from './key-kinds.ts';
import { PRIORITIES, STATUSES } from './status.ts';
import { factsOf, type TASK_KEYS, type TaskKey } from './task-keys.ts';

const text = () => z.string();
const texts = () => z.array(z.string());
const bound = () => z.number().nullable();

/** In JSON. */
const VALUES = {
  ...{ line: () => text().nullable(), date: () => text().nullable(), agent: () => text().nullable() },
  ...{ task: () => text().nullable(), tasks: texts, list: texts, id: () => text().nullable() },
  ...{ requester: text, status: () => z.enum(STATUSES), flag: () => z.boolean() },
  ...{ priority: () => z.enum(PRIORITIES).nullable(), number: () => z.number().nullable() },
  resources: () =>
    z.array(z.strictObject({ kind: z.enum(['url', 'file']), value: text(), label: text().nullable() })),
  ...{ remote: () => text().nullable(), checks: texts },
  budget: () =>
    z.strictObject({ turns: bound(), minutes: bound(), tokens: bound(), cost: bound() }).nullable(),
} satisfies Record<Kind, () => z.ZodType>;

type Shapes<K extends TaskKey> = { [Key in K]: ReturnType<(typeof VALUES)[(typeof TASK_KEYS)[Key]['kind']]> };

export const keyShapes = <K extends TaskKey>(keys: readonly K[]): Shapes<K> =>
  Object.fromEntries(keys.map((key) => [key, VALUES[factsOf(key).kind]()])) as unknown as Shapes<K>;
