// The one place where what a caller gave becomes an input: words of others are taken for ours, and what is not known is refused
// with what is.
import * as z from 'zod';
import { suggest } from '../core/document/suggest.ts';
import { RoomError } from '../core/errors.ts';
import type { Operation } from './operation.ts';

/** Names that callers were trained on or wrote before, for one of ours: the first of a row that an input has is meant. */
const OTHER_NAMES: readonly (readonly string[])[] = [
  ['title', 'name', 'subject', 'content'],
  ['name', 'title', 'subject', 'id', 'ref'],
  ['body', 'description', 'text', 'notes'],
  ['ref', 'id', 'task', 'task_id', 'taskId'],
  ['task', 'ref', 'id', 'task_id', 'taskId'],
  ['job', 'id'],
  ['index', 'step', 'step_index', 'stepIndex'],
  ['kind', 'type'],
  ['question', 'text'],
  ['created_by', 'createdBy'],
  ['owner', 'agent'],
  ['blocked_by', 'blockedBy'],
  ['active_form', 'activeForm'],
];

/**
 * @param given as it came
 * @throws RoomError `bad_input` that names what is off and what is known
 */
export function acceptInput<Input extends z.ZodObject>(
  { name, input }: Pick<Operation<Input>, 'name' | 'input'>,
  given: unknown,
): z.output<Input> {
  const schema = input();
  const parsed = schema.safeParse(inOurNames(schema, given ?? {}));
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  const odd = issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys' && issue.path.length === 0 ? issue.keys : [],
  );
  const known = Object.keys(schema.shape);
  const near = odd.length === 0 ? null : suggest(odd[0]!, known);
  const hint = `${near === null ? '' : `did you mean ${near}? `}it takes ${known.join(', ') || 'nothing'}`;
  throw new RoomError(
    'bad_input',
    `${name}: ${z.prettifyError(parsed.error)}`,
    odd.length === 0 ? {} : { hint },
  );
}

/** The same with other names for ours, and lists where one word was given. */
export function inOurNames({ shape }: z.ZodObject, given: unknown): unknown {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return given;
  const said: Record<string, unknown> = { ...given };
  for (const [ours, ...others] of OTHER_NAMES) {
    if (!(ours! in shape) || ours! in said) continue;
    const other = others.find((each) => each in said && !(each in shape));
    if (other === undefined) continue;
    said[ours!] = said[other];
    delete said[other];
  }
  for (const kind of ['url', 'file']) {
    if (!('kind' in shape) || kind in shape || typeof said[kind] !== 'string' || 'value' in said) continue;
    Object.assign(said, { kind, value: said[kind] });
    delete said[kind];
  }
  for (const [key, value] of Object.entries(said))
    if (typeof value === 'string' && isList(shape[key])) said[key] = listIn(value);
  return said;
}

function isList(schema: unknown): boolean {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodExactOptional) return isList(schema.unwrap());
  return schema instanceof z.ZodArray;
}

/** Some models write a list as its JSON; others give the one word of it. */
function listIn(value: string): unknown {
  try {
    const read: unknown = JSON.parse(value);
    if (Array.isArray(read)) return read;
  } catch {
    // No JSON: it is the word itself.
  }
  return [value];
}
