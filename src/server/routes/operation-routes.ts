// The routes of the operations. A task and lists of tasks have an ETag: a change may name the text it was made on, so that nobody overwrites
// another unseen.
import { hash } from 'node:crypto';
import { isRoomError, RoomError } from '../../core/errors.ts';
import { hashText } from '../../core/task/read-task.ts';
import { acceptInput } from '../../operations/accept-input.ts';
import { ALL } from '../../operations/all.ts';
import type { HttpPlace, Operation } from '../../operations/operation.ts';
import { type FieldRow, fieldsOf } from '../../operations/row.ts';
import { inSteps } from '../../remote/remote-client.ts';
import type { Changed } from '../../tasks/shapes/change.ts';
import { type ListInput, type TaskDetail, taskDetail } from '../../tasks/shapes/task.ts';
import { taskOfTurn } from '../middleware/caller.ts';
import { HttpFault } from '../middleware/problem.ts';
import type { Answer, Exchange, Input, Route, RouteNeeds } from '../middleware/route.ts';

const NEEDS: Readonly<Record<Exclude<Operation['needs'], 'runtime'>, RouteNeeds>> = {
  ...{ read: 'look', write: 'change', comment: 'change', create: 'change', person: 'person' },
};

const IF_MATCH = 'changes the task only while its file says what this ETag stands for; 412 shows both sides';
const PREFER = 'with return=minimal the answer is what came of the change, in the place of the task';

const GUARDED_ANSWERS = {
  200: { about: 'The task as it is now.', schema: taskDetail() },
  412: { about: 'It has changed since: `current` is the task, `yours` what was asked for.' },
  428: { about: 'A new text needs If-Match.' },
};

/** Operations that clients poll. */
const TAGGED: ReadonlySet<string> = new Set(['show', 'list', 'listScopeTasks']);
const IF_NONE_MATCH = 'answers 304 while nothing changed';

export const OPERATION_ROUTES: readonly Route[] = ALL.flatMap((operation) => {
  const { needs, http } = operation;
  if (needs === 'runtime' || http === null) return [];
  return [http.path, http.also ?? []].flat().map((path) => routeOf(operation, http, path, NEEDS[needs]));
});

function routeOf(operation: Operation, http: HttpPlace, path: string, needs: RouteNeeds): Route {
  const { name, summary, about, input, output } = operation;
  const { method, status = 200, location, guard } = http;
  const schema = input();
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, key]) => key!);
  const mask = Object.fromEntries(inPath.map((key) => [key, true])) as Record<never, never>;
  const rest = schema.omit(mask);
  const hasRest = Object.keys(rest.shape).length > 0;
  const place = method === 'get' || method === 'delete' ? 'query' : 'body';
  const fields = fieldsOf(schema);
  const isTagged = TAGGED.has(name);
  return {
    ...{ method, path: path.replaceAll(/\{(\w+)\}/g, ':$1'), needs, isRaw: true },
    id: path === http.path ? name : `${name}In`,
    about: [`${summary[0]!.toUpperCase()}${summary.slice(1)}.`, about].filter(Boolean).join(' '),
    group: path.split('/')[2]!,
    ...(inPath.length > 0 && { params: schema.pick(mask).required() }),
    ...((hasRest || place === 'body') && { [place]: rest }),
    ...ownTask(Object.keys(schema.shape)),
    ...(guard !== undefined && { headers: { 'if-match': IF_MATCH, prefer: PREFER } }),
    ...(isTagged && { headers: { 'if-none-match': IF_NONE_MATCH } }),
    answers: {
      ...(guard === undefined
        ? { [status]: { about: 'What came of it.', schema: output() } }
        : GUARDED_ANSWERS),
      ...(isTagged && { 304: { about: 'It is as it was when that ETag was given.' } }),
    },
    async run(on: Exchange, given: RequestInput) {
      const { tasks, caller, signal, room } = on;
      assertSaidOnce(given);
      const said = { ...http.given, ...given.body, ...inQuery({ ...given.query, ...given.params }, fields) };
      const input = acceptInput(operation, said) as object;
      if (name === 'show') return shownTask(on, (input as { ref: string }).ref);
      if (isTagged) return taggedList(on, name as 'list', input);
      const gone = AbortSignal.any([signal, room.closing]);
      const ask = (asked: object) =>
        tasks.call(name as never, asked as never, caller.actor, true, { signal: gone });
      if (guard !== undefined) {
        const { ref, ...asked } = input as { ref: string };
        return guarded(on, ref, asked, (only) => ask({ ...input, ...only }), guard);
      }
      const body = await inSteps(input, ask, gone);
      if (location === undefined) return { status, body };
      return { status, body, headers: { location: filled(location, body as object) } };
    },
  } as Route;
}

type RequestInput = Input<object, object, object | undefined>;

function ownTask(keys: readonly string[]): Pick<Route, 'task'> {
  const key = ['ref', 'task', 'turn'].find((each) => keys.includes(each));
  if (key === undefined) return {};
  return {
    task(given: RequestInput, room) {
      const said = { ...given.body, ...given.query, ...given.params } as Record<string, string | undefined>;
      const named = said[key] ?? null;
      return key === 'turn' && named !== null ? taskOfTurn(room, named) : named;
    },
  };
}

/** @throws RoomError `bad_input` for an input that the path gives already */
function assertSaidOnce({ params, body = {}, query }: Input<object, object, object | undefined>): void {
  const twice = Object.keys(params ?? {}).find((key) => key in { ...body, ...query });
  if (twice !== undefined) throw new RoomError('bad_input', `${twice}: the address says it already`);
}

function filled(address: string, by: object): string {
  const of = by as Readonly<Record<string, unknown>>;
  return address.replace(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(String(of[key])));
}

/** Words of an address as flags and numbers; any other word stays, and is refused. */
function inQuery(query: object, fields: readonly FieldRow[]): Record<string, unknown> {
  const meant = (key: string, value: unknown) => {
    const kind = fields.find(({ name }) => name === key)?.kind;
    if (typeof value !== 'string') return value;
    if (kind === 'flag') return { true: true, false: false }[value] ?? value;
    return kind === 'number' && value.trim() !== '' && Number.isFinite(Number(value)) ? Number(value) : value;
  };
  return Object.fromEntries(Object.entries(query).map(([key, value]) => [key, meant(key, value)]));
}

async function shownTask({ tasks, caller, headers }: Exchange, ref: string): Promise<Answer> {
  const answer = shown(await tasks.call('show', { ref }, caller.actor, true));
  return isKnown(headers, answer.headers.etag) ? { ...answer, status: 304 } : answer;
}

function shown(detail: TaskDetail) {
  const body = JSON.stringify(detail);
  // The hash of the file, which `If-Match` compares, and that of all that is shown: turns change too.
  const etag = `"${hashText(detail.text)}-${hash('sha256', body, 'base64url').slice(0, 22)}"`;
  return { body, headers: { etag, 'cache-control': 'no-cache' } };
}

/** Answers 304 without a look where nothing in the room changed. All callers see the same list. */
async function taggedList(on: Exchange, name: 'list' | 'listScopeTasks', input: ListInput): Promise<Answer> {
  const { room, headers } = on;
  const { tasks, caller } = room.runtime;
  const question = `${name} ${JSON.stringify(input)}`;
  const version = room.version();
  const said = (etag: string) => ({ etag, 'cache-control': 'no-cache' });
  const before = room.listTags.get(question);
  if (before?.version === version && isKnown(headers, before.etag))
    return { status: 304, body: null, headers: said(before.etag) };
  const body = JSON.stringify(await tasks.call(name, input as never, caller, true));
  const etag = `"${hashText(body)}"`;
  if (room.listTags.size >= MOST_TAGS) room.listTags.clear();
  room.listTags.set(question, { version, etag });
  return { body, status: isKnown(headers, etag) ? 304 : 200, headers: said(etag) };
}

const MOST_TAGS = 1_000;

function isKnown(headers: Headers, etag: string): boolean {
  const said = headers.get('if-none-match')?.split(',') ?? [];
  return said.some((each) => ['*', etag].includes(each.trim().replace(/^W\//, '')));
}

/** Makes a change only on the text that `If-Match` names, and answers with the task. */
async function guarded(
  { tasks, caller, headers }: Exchange,
  ref: string,
  asked: object,
  make: (only: object) => Promise<Changed>,
  guard: string,
): Promise<Answer> {
  const only = expectedHash(headers.get('if-match'));
  if ('description' in asked && only === undefined)
    throw new HttpFault(428, 'bad_input', 'a new text needs If-Match, so that no words of others are lost', {
      hint: "send the task's ETag, or * to overwrite whatever it says",
    });
  try {
    const changed = await make(typeof only === 'string' ? { [guard]: only } : {});
    if (headers.get('prefer') === 'return=minimal') return { body: changed };
    // By its id: another title is another file name.
    return shown(await tasks.call('show', { ref: changed.id }, caller.actor));
  } catch (error) {
    if (typeof only !== 'string' || !isRoomError(error, 'conflict')) throw error;
    const current = await tasks.call('show', { ref }, caller.actor);
    const { code, message, hint } = error;
    throw new HttpFault(412, code, message, {
      ...{ cause: error, more: { current, yours: asked }, headers: { etag: shown(current).headers.etag } },
      ...(hint !== undefined && { hint }),
    });
  }
}

/** The hash that `If-Match` names; null for `*`, undefined without it. @throws RoomError `bad_input` */
function expectedHash(header: string | null): string | null | undefined {
  if (header === null) return undefined;
  if (header.trim() === '*') return null;
  const [, fileHash] = /^"([0-9a-f]{32})(?:-[\w-]{22})?"$/.exec(header.trim()) ?? [];
  if (fileHash !== undefined) return fileHash;
  throw new RoomError('bad_input', 'If-Match is no ETag of a task', 'send the one it was shown with');
}
