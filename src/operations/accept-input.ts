// The one place where a caller's input is parsed: names of other tools are accepted for ours, and unknown ones are refused with the known.
import * as z from 'zod';
import { suggest, unknownWord } from '../core/document/suggest.ts';
import { RoomError, valueOr } from '../core/errors.ts';
import { bare, isWords } from '../core/shapes.ts';
import type { Operation } from './operation.ts';

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

/** @param names what the caller calls an input, if not by its name @throws RoomError `bad_input` */
export function acceptInput<Input extends z.ZodObject>(
  { input }: Pick<Operation<Input>, 'input'>,
  given: unknown,
  names: Names = {},
): z.output<Input> {
  const schema = input();
  return parsed(schema, inOurNames(schema, given ?? {}), names);
}

type Issue = z.core.$ZodIssue;
type Names = Readonly<Record<string, string>>;
type Fault = { message: string; hint?: string };

/** @throws RoomError `bad_input` with every fault, and what is known */
export function parsed<Schema extends z.ZodType>(schema: Schema, given: unknown, names: Names = {}) {
  const { success, data, error } = schema.safeParse(given);
  if (success) return data;
  const found = error.issues.flatMap(innermost).map((issue) => faultOf(issue, schema, given, names));
  const hint = found.find((fault) => fault.hint !== undefined)?.hint;
  const message = [...new Set(found.map((fault) => fault.message))].join('; ');
  throw new RoomError('bad_input', message, { hint });
}

/** The issues of a union's option with the fewest. */
function innermost(issue: Issue): Issue[] {
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return [issue];
  const nearest = issue.errors.reduce((best, each) => (each.length < best.length ? each : best));
  return nearest.flatMap((inside) => innermost({ ...inside, path: [...issue.path, ...inside.path] }));
}

function faultOf(issue: Issue, schema: z.ZodType, given: unknown, names: Names): Fault {
  const value = issue.path.reduce<unknown>((at, key) => Object(at)[key], given);
  const path = issue.path.map((key, at) => (at === 0 ? (names[String(key)] ?? key) : key));
  const where = path.length === 0 ? 'the input' : placed(path);
  switch (issue.code) {
    case 'custom':
      return { message: issue.message, ...issue.params };
    case 'invalid_value': {
      const what = path.findLast((part) => typeof part === 'string') ?? 'value';
      return unknownWord(String(what), value, issue.values.map(String));
    }
    case 'unrecognized_keys': {
      const odd = issue.keys.map((key) => JSON.stringify(key)).join(', ');
      if (path.length > 0 || !(schema instanceof z.ZodObject))
        return { message: `unknown key ${odd} of ${placed(path)}` };
      const known = Object.keys(schema.shape).map((key) => names[key] ?? key);
      const near = suggest(issue.keys[0]!, known);
      const hint = `${near === null ? '' : `did you mean ${near}? `}it takes ${known.join(', ') || 'nothing'}`;
      return { message: `unknown input ${odd}`, hint };
    }
    default: {
      const what = issue.message.replace(/^Invalid input: /, '');
      return { message: value === undefined ? `${where} is missing` : `${where}: ${what}` };
    }
  }
}

/** `steps[0].text` */
const placed = (path: readonly PropertyKey[]): string =>
  path
    .map((part, at) => (typeof part === 'number' ? `[${part}]` : `${at === 0 ? '' : '.'}${String(part)}`))
    .join('');

/** Replaces other names by ours and single words by lists, at every depth. */
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

/** Whether an object has the literals of this option of a union. */
const isMeant = ({ shape }: z.ZodObject, given: object) =>
  Object.entries(shape).every(
    ([key, member]) => !(member instanceof z.ZodLiteral) || member.value === Object(given)[key],
  );

function named(shape: z.ZodRawShape, given: object): Record<string, unknown> {
  const said: Record<string, unknown> = { ...given };
  // A new task in a list of changes may be an object of its own.
  if ('do' in shape && !('task' in shape) && isObject(said.task)) {
    Object.assign(said, said.task);
    delete said.task;
  }
  // `content` is the title of a todo, and the text where a title is given, too.
  const isTitled = ['title', 'name', 'subject'].some((each) => each in said);
  if (isTitled && 'content' in said && 'description' in shape && !('description' in said)) {
    said.description = said.content;
    delete said.content;
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

/** Some models write a list as JSON; others give one word, or words with commas between. */
function listIn(value: string, isOfWords: boolean): unknown {
  const read: unknown = valueOr(null, () => JSON.parse(value));
  if (Array.isArray(read)) return read;
  if (!isOfWords) return [value];
  return value.split(',').flatMap((word) => word.trim() || []);
}
