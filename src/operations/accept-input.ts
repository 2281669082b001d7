// The one place where what a caller gave becomes an input: words of others are taken for ours, and what is not known is refused
// with what is.
import * as z from 'zod';
import { suggest } from '../core/document/suggest.ts';
import { RoomError } from '../core/errors.ts';
import { bare, isWords } from '../core/shapes.ts';
import type { Operation } from './operation.ts';

/** Names that callers were trained on or wrote before, for one of ours: the first of a row that an input has is meant. */
const OTHER_NAMES: readonly (readonly string[])[] = [
  ['title', 'name', 'subject', 'content'],
  ['name', 'title', 'subject', 'id', 'ref'],
  ['body', 'description', 'text', 'notes'],
  ['description', 'body', 'text', 'notes'],
  ['text', 'description', 'body'],
  ['ref', 'id', 'task', 'task_id', 'taskId'],
  ['task', 'ref', 'id', 'task_id', 'taskId'],
  ['job', 'id'],
  ['turn', 'ref', 'id'],
  ['id', 'ref', 'task', 'task_id', 'taskId'],
  ['taskId', 'ref', 'id', 'task', 'task_id'],
  ['index', 'step', 'step_index', 'stepIndex'],
  ['kind', 'type'],
  ['question', 'text'],
  ['created_by', 'createdBy'],
  ['owner', 'agent'],
  ['blocked_by', 'blockedBy'],
  ['active_form', 'activeForm'],
  ['parent', 'parent_id', 'parentId'],
  ['sprint', 'sprint_id', 'sprintId'],
  ['artifact', 'artifact_id', 'artifactId'],
  ['sort', 'sort_order', 'sortOrder'],
  ['without_checks', 'withoutChecks'],
  ['keys', 'changes'],
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
  const named = inOurNames(schema, given ?? {});
  const parsed = schema.safeParse(named);
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  const [only] = issues;
  if (issues.length === 1 && only!.code === 'invalid_value') throw unknownWord(only!, named);
  const odd = issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys' && issue.path.length === 0 ? issue.keys : [],
  );
  throw new RoomError('bad_input', `${name}: ${z.prettifyError(parsed.error)}`, hintFor(issues, odd, schema));
}

/** A word that is none of those that are known. */
function unknownWord({ path, values }: z.core.$ZodIssueInvalidValue, named: unknown): RoomError {
  const word = path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown>)[key], named);
  const key = String(path.findLast((part) => typeof part === 'string') ?? 'value');
  const near = typeof word === 'string' ? suggest(word, values.map(String)) : null;
  return new RoomError('bad_input', `unknown ${key} ${JSON.stringify(word)}`, {
    hint: `${near === null ? '' : `did you mean ${near}? `}known: ${values.join(', ')}`,
  });
}

function hintFor(issues: readonly z.core.$ZodIssue[], odd: readonly string[], { shape }: z.ZodObject) {
  const said = issues.find((issue) => issue.code === 'custom' && typeof issue.params?.hint === 'string');
  if (odd.length === 0)
    return said?.code === 'custom' ? { hint: (said.params as { hint: string }).hint } : {};
  const known = Object.keys(shape);
  const near = suggest(odd[0]!, known);
  return {
    hint: `${near === null ? '' : `did you mean ${near}? `}it takes ${known.join(', ') || 'nothing'}`,
  };
}

/** The same with other names for ours, and lists where one word was given; in what is within, too. */
export function inOurNames(schema: unknown, given: unknown): unknown {
  const kind = bare(schema);
  if (kind instanceof z.ZodArray) {
    const list = typeof given === 'string' ? listIn(given, isWords(kind)) : given;
    return Array.isArray(list) ? list.map((each) => inOurNames(kind.element, each)) : list;
  }
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return given;
  if (kind instanceof z.ZodUnion) {
    const fits = kind.options.find((each) => each instanceof z.ZodObject && isMeant(each, given));
    return fits === undefined ? given : inOurNames(fits, given);
  }
  if (!(kind instanceof z.ZodObject)) return given;
  const said = named(kind.shape, given);
  for (const [key, value] of Object.entries(said))
    if (key in kind.shape) said[key] = inOurNames(kind.shape[key], value);
  return said;
}

/** Of several forms of an object that which its first member is a word of. */
function isMeant({ shape }: z.ZodObject, given: object): boolean {
  return Object.entries(shape).every(
    ([key, member]) =>
      !(member instanceof z.ZodLiteral) || member.value === (given as Record<string, unknown>)[key],
  );
}

function named(shape: z.ZodRawShape, given: object): Record<string, unknown> {
  const said: Record<string, unknown> = { ...given };
  // A new task of several changes was an object of its own.
  if ('do' in shape && !('task' in shape) && isObject(said.task)) {
    Object.assign(said, said.task);
    delete said.task;
  }
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
  return said;
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Some models write a list as its JSON; others give the one word of it, or words with commas between. */
function listIn(value: string, isOfWords: boolean): unknown {
  try {
    const read: unknown = JSON.parse(value);
    if (Array.isArray(read)) return read;
  } catch {
    // No JSON: it is the word itself.
  }
  if (!isOfWords) return [value];
  return value.split(',').flatMap((word) => word.trim() || []);
}
