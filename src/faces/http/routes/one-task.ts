// One task: shown, made, changed and deleted. A change may name the text it was made on, so that two people never overwrite
// each other unseen.
import { hash } from 'node:crypto';
import * as z from 'zod';
import { isRoomError, RoomError } from '../../../core/errors.ts';
import { hashText } from '../../../core/task/read-task.ts';
import { DELETED, STATUSES } from '../../../core/task/status.ts';
import { PRIORITIES } from '../../../core/task/task.ts';
import type { Changed, NewTask, TaskDetail } from '../../../tasks/contract/operations.ts';
import { changedAnswer, removedAnswer } from '../../../tasks/shapes/changed.ts';
import { detailJson } from '../../shapes/json-shapes.ts';
import { shownText } from '../../shapes/shown-text.ts';
import { detailAnswer } from '../answers/task-answers.ts';
import { HttpFault } from '../gate/problem.ts';
import { type Answer, type Exchange, route } from '../gate/route.ts';
import { isKnown } from '../room/kept-answers.ts';
import { onTask } from './task-verb.ts';

const line = z.string();

const newTaskFields = z.strictObject({
  title: line.optional(),
  name: line.optional().meta({ description: 'of the file; made of the title when absent' }),
  body: z.string().optional().meta({ description: 'goes under Task' }),
  status: z.enum(STATUSES).optional(),
  owner: line.optional(),
  priority: z.enum(PRIORITIES).optional(),
  labels: z.array(line).optional(),
  blocked_by: z.array(line).optional(),
  parent: line.optional(),
  sprint: line.optional(),
  artifact: line.optional(),
  scope: line.optional(),
  sort: z.number().optional(),
});

const isNamed = ({ title, name }: { title?: string | undefined; name?: string | undefined }) =>
  title !== undefined || name !== undefined;
const UNNAMED = 'a title or a name is needed';

const newTask = newTaskFields.refine(isNamed, UNNAMED).meta({ id: 'NewTask' });
/** One whose scope is said by the address. */
export const newScopeTask = newTaskFields
  .omit({ scope: true })
  .refine(isNamed, UNNAMED)
  .meta({ id: 'NewScopeTask' });

const keyValue = z.union([z.string(), z.number(), z.boolean(), z.array(z.string()), z.null()]);

const taskChange = z
  .strictObject({
    body: z.string().optional().meta({ description: 'what stands under Task; needs If-Match' }),
    title: line.nullable().optional(),
    status: z
      .enum([...STATUSES, DELETED])
      .optional()
      .meta({ description: 'deleted moves its file to the attic' }),
    owner: line.nullable().optional(),
    priority: z.enum(PRIORITIES).nullable().optional(),
    labels: z.array(line).nullable().optional(),
    blocked_by: z.array(line).nullable().optional(),
    parent: line.nullable().optional(),
    sprint: line.nullable().optional(),
    due: line.nullable().optional(),
    artifact: line.nullable().optional(),
    scope: line.nullable().optional(),
    sort: z.number().nullable().optional(),
    active_form: line.nullable().optional(),
    keys: z
      .record(z.string(), keyValue)
      .optional()
      .meta({ description: 'any other keys of the front matter' }),
  })
  .meta({ id: 'TaskChange', description: 'What is not named stays; null takes a key away.' });

type TaskChange = z.infer<typeof taskChange>;

const IF_MATCH = 'changes the task only while its file says what this ETag stands for; 412 shows both sides';

export const ONE_TASK = [
  route({
    method: 'post',
    path: '/api/tasks',
    id: 'createTask',
    about: 'Makes a task.',
    group: 'tasks',
    needs: 'change',
    body: newTask,
    answers: { 201: { about: 'It is made.', schema: changedAnswer() } },
    run: (on, { body }) => makeTask(on, body),
  }),
  route({
    method: 'get',
    path: '/api/tasks/:ref',
    id: 'showTask',
    about:
      'One task with its text, steps, comments and last turns. Its ETag is for If-Match, which heeds its file alone, and If-None-Match.',
    group: 'tasks',
    needs: 'look',
    params: onTask,
    task: ({ params }) => params.ref,
    headers: { 'if-none-match': 'answers 304 while the task is shown as it was' },
    answers: {
      200: { about: 'The task.', schema: detailAnswer },
      304: { about: 'It is shown as it was when that ETag was given.' },
    },
    run: (on, { params }) => show(on, params.ref),
  }),
  route({
    method: 'patch',
    path: '/api/tasks/:ref',
    id: 'changeTask',
    about: 'Changes keys of the front matter, and what stands under Task.',
    group: 'tasks',
    needs: 'change',
    params: onTask,
    body: taskChange,
    task: ({ params }) => params.ref,
    headers: { 'if-match': IF_MATCH },
    answers: {
      200: { about: 'The task as it is now.', schema: detailAnswer },
      412: { about: 'It says something else by now: `current` is the task, `yours` what was asked for.' },
      428: { about: 'A new body needs If-Match.' },
    },
    run: (on, { params, body }) => change(on, params.ref, body),
  }),
  route({
    method: 'delete',
    path: '/api/tasks/:ref',
    id: 'deleteTask',
    about: "Moves the task's file to the attic.",
    group: 'tasks',
    needs: 'change',
    params: onTask,
    task: ({ params }) => params.ref,
    answers: { 200: { about: 'Where it lies now.', schema: removedAnswer() } },
    run: async ({ tasks, caller }, { params }) => ({
      body: await tasks.remove(params.ref, caller.actor),
    }),
  }),
];

export async function makeTask({ tasks, caller }: Exchange, said: z.infer<typeof newTask>): Promise<Answer> {
  const made = await tasks.create(taskOf(said), caller.actor);
  const location = `/api/tasks/${encodeURIComponent(made.id)}`;
  return { status: 201, body: made, headers: { location } };
}

function taskOf({ title, name, blocked_by, ...rest }: z.infer<typeof newTask>): NewTask {
  const said = { ...rest, title, blockedBy: blocked_by };
  const given = Object.entries(said).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(given), name: name ?? nameOfTitle(title ?? '') } as NewTask;
}

/** A name that a file can have; what else is wrong with it, making the task says. */
function nameOfTitle(title: string): string {
  const name = title
    .replaceAll(/[/\\:*?"<>|\p{Cc}]+/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return [...name.replace(/^\.+/, '')].slice(0, 80).join('').trim();
}

/** Of the file, which `If-Match` heeds alone, and of all that is shown of the task: its turns and what it waits for change too. */
function etagOf({ text }: Pick<TaskDetail, 'text'>, body: string): string {
  return `"${hashText(text)}-${hash('sha256', body, 'base64url').slice(0, 22)}"`;
}

/** One that nothing touched since it was shown is shown as it was: programs look at one task after the other, again and again. */
async function show({ room, tasks, headers }: Exchange, ref: string): Promise<Answer> {
  // What a name or a part of an id means may be another file at any time.
  const answer =
    room.api.stampOfTask(ref) === '' ? shown(await tasks.show(ref)) : await keptTask(room, tasks, ref);
  return isKnown(headers, answer.headers.etag) ? { ...answer, status: 304 } : answer;
}

async function keptTask(room: Exchange['room'], tasks: Exchange['tasks'], ref: string) {
  const { body, etag } = await room.kept.get(
    `task ${ref}`,
    () => `${room.version()} ${room.api.stampOfTask(ref)}`,
    async () => {
      const made = shown(await tasks.show(ref));
      return { text: made.body, etag: made.headers.etag };
    },
  );
  return { body, headers: { etag, 'cache-control': 'no-cache' } };
}

/** As `show --json`, with its text in parts. */
function wholeTask(detail: TaskDetail) {
  return { ...detailJson(detail), ...shownText(detail.body) };
}

function shown(detail: TaskDetail) {
  const body = JSON.stringify(wholeTask(detail));
  return { body, headers: { etag: etagOf(detail, body), 'cache-control': 'no-cache' } };
}

async function change(on: Exchange, ref: string, asked: TaskChange): Promise<Answer> {
  const { tasks, caller, headers } = on;
  const { body, keys = {}, ...known } = asked;
  const values = { ...keys, ...known };
  const only = expectedHash(headers.get('if-match'));
  if (body !== undefined && only === undefined)
    throw new HttpFault(
      428,
      new RoomError('bad_input', 'a new body needs If-Match, so that no words of others are lost', {
        hint: "send the task's ETag, or * to overwrite whatever it says",
      }),
    );
  const guard = typeof only === 'string' ? only : undefined;
  if (body === undefined && Object.keys(values).length === 0)
    throw new RoomError('bad_input', 'nothing to change', { hint: 'name one or more keys' });
  let changed: Changed;
  try {
    const options = guard === undefined ? {} : { only: guard };
    if (Object.keys(values).length === 0)
      changed = await tasks.call('describe', { ref, text: body!, ...options }, caller.actor);
    // Keys and body in one write: all of it, or nothing.
    else
      changed = await tasks.set(ref, asTexts(values), caller.actor, {
        ...options,
        ...(body === undefined ? {} : { text: body }),
      });
  } catch (error) {
    if (guard === undefined || !isRoomError(error, 'conflict')) throw error;
    const current = await tasks.show(ref);
    throw new HttpFault(412, error, {
      more: { current: wholeTask(current), yours: asked },
      headers: { etag: shown(current).headers.etag },
    });
  }
  // By its id: another title is another file name.
  return shown(await tasks.show(changed.id));
}

/** The hash that `If-Match` names; null for `*`, undefined without it. @throws RoomError `bad_input` */
function expectedHash(header: string | null): string | null | undefined {
  if (header === null) return undefined;
  if (header.trim() === '*') return null;
  const [, fileHash] = /^"([0-9a-f]{32})(?:-[\w-]{22})?"$/.exec(header.trim()) ?? [];
  if (fileHash !== undefined) return fileHash;
  throw new RoomError('bad_input', 'If-Match is no ETag of a task', {
    hint: 'send the one it was shown with',
  });
}

/** As `set` takes them: one line each, nothing for a key that goes. */
function asTexts(values: Readonly<Record<string, unknown>>): Record<string, string> {
  const said = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(said.map(([key, value]) => [key, asText(key, value)]));
}

function asText(key: string, value: unknown): string {
  if (!Array.isArray(value)) return value === null ? '' : String(value);
  const odd = value.find((item: string) => item.includes(','));
  if (odd === undefined) return value.join(',');
  throw new RoomError('bad_input', `${key}: ${JSON.stringify(odd)} has a comma, which no item can have`);
}
