// The one place where what a caller gave becomes an input: words of others are taken for ours, and what is not known is refused
// with what is.
import * as z from 'zod';
import { suggest, unknownWord } from '../core/document/suggest.ts';
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
 * @param names what the caller calls an input, where that is not its name
 * @throws RoomError `bad_input` that names what is off and what is known
 */
export function acceptInput<Input extends z.ZodObject>(
  { input }: Pick<Operation<Input>, 'input'>,
  given: unknown,
  names: Names = {},
): z.output<Input> {
  const schema = input();
  return parsed(schema, inOurNames(schema, given ?? {}), names);
}

/** @throws RoomError `bad_input` that names what is off and what is known */
export function parsed<Schema extends z.ZodType>(
  schema: Schema,
  given: unknown,
  names: Names = {},
): z.output<Schema> {
  const { success, data, error } = schema.safeParse(given);
  if (success) return data;
  throw refusalOf(error, schema, given, names);
}

type Issue = z.core.$ZodIssue;
type Names = Readonly<Record<string, string>>;

/** What is off in an input, a phrase each, and what is known in its place. */
function refusalOf({ issues }: z.ZodError, schema: z.ZodType, given: unknown, names: Names = {}): RoomError {
  const found = issues.flatMap(innermost).map((issue) => faultOf(issue, schema, given, names));
  const hint = found.find((fault) => fault.hint !== undefined)?.hint;
  const message = [...new Set(found.map((fault) => fault.message))].join('; ');
  return new RoomError('bad_input', message, hint === undefined ? {} : { hint });
}

/** Of a choice what is off with the form that is nearest to it. */
function innermost(issue: Issue): Issue[] {
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return [issue];
  const nearest = issue.errors.reduce((best, each) => (each.length < best.length ? each : best));
  return nearest.flatMap((inside) => innermost({ ...inside, path: [...issue.path, ...inside.path] }));
}

interface Fault {
  message: string;
  hint?: string;
}

function faultOf(issue: Issue, schema: z.ZodType, given: unknown, names: Names): Fault {
  const value = issue.path.reduce<unknown>((at, key) => Object(at)[key], given);
  const path = issue.path.map((key, at) => (at === 0 ? (names[String(key)] ?? key) : key));
  const where = path.length === 0 ? 'the input' : placed(path);
  switch (issue.code) {
    case 'custom':
      return { message: issue.message, ...issue.params };
    case 'invalid_value':
      return unknownWord(
        String(path.findLast((part) => typeof part === 'string') ?? 'value'),
        value,
        issue.values.map(String),
      );
    case 'unrecognized_keys': {
      const odd = issue.keys.map((key) => JSON.stringify(key)).join(', ');
      if (path.length > 0 || !(schema instanceof z.ZodObject))
        return { message: `unknown key ${odd} of ${placed(path)}` };
      const known = Object.keys(schema.shape).map((key) => names[key] ?? key);
      const near = suggest(issue.keys[0]!, known);
      const takes = `it takes ${known.join(', ') || 'nothing'}`;
      return {
        message: `unknown input ${odd}`,
        hint: near === null ? takes : `did you mean ${near}? ${takes}`,
      };
    }
    default: {
      const what = issue.message.replace(/^Invalid input: /, '');
      return { message: value === undefined ? `${where} is missing` : `${where}: ${what}` };
    }
  }
}

/** `steps[0].text` */
function placed(path: readonly PropertyKey[]): string {
  return path
    .map((part, at) => (typeof part === 'number' ? `[${part}]` : `${at === 0 ? '' : '.'}${String(part)}`))
    .join('');
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
  // `content` is the title of a todo, and the text of what has a title beside it.
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
