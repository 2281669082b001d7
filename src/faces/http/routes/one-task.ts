// One task: shown, and changed. A change may name the text it was made on, so that two people never overwrite
// each other unseen.
import { hash } from 'node:crypto';
import * as z from 'zod';
import { isRoomError, RoomError } from '../../../core/errors.ts';
import { hashText } from '../../../core/task/read-task.ts';
import type { Changed, TaskDetail } from '../../../tasks/contract/operations.ts';
import { detailJson } from '../../shapes/json-shapes.ts';
import { shownText } from '../../shapes/shown-text.ts';
import { detailAnswer } from '../answers/task-answers.ts';
import { HttpFault } from '../gate/problem.ts';
import { type Answer, type Exchange, route } from '../gate/route.ts';
import { isKnown } from '../room/kept-answers.ts';

const onTask = z.strictObject({
  ref: z.string().meta({ description: 'id, unique prefix of an id, or file name' }),
});

export const ONE_TASK = [
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
];

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

/** Makes a change on the text alone that `If-Match` names, and answers with the task as it is then. */
export async function guarded(
  { tasks, headers }: Exchange,
  ref: string,
  asked: object,
  make: (only: object) => Promise<Changed>,
  guard: string,
): Promise<Answer> {
  const only = expectedHash(headers.get('if-match'));
  if ('description' in asked && only === undefined)
    throw new HttpFault(
      428,
      new RoomError('bad_input', 'a new text needs If-Match, so that no words of others are lost', {
        hint: "send the task's ETag, or * to overwrite whatever it says",
      }),
    );
  try {
    const changed = await make(typeof only === 'string' ? { [guard]: only } : {});
    if (headers.get('prefer') === 'return=minimal') return { body: changed };
    // By its id: another title is another file name.
    return shown(await tasks.show(changed.id));
  } catch (error) {
    if (typeof only !== 'string' || !isRoomError(error, 'conflict')) throw error;
    const current = await tasks.show(ref);
    throw new HttpFault(412, error, {
      more: { current: wholeTask(current), yours: asked },
      headers: { etag: shown(current).headers.etag },
    });
  }
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
