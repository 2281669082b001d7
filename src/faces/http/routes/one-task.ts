// One task: shown, and changed. A change may name the text it was made on, so that two people never overwrite
// each other unseen.
import { hash } from 'node:crypto';
import { isRoomError, RoomError } from '../../../core/errors.ts';
import { hashText } from '../../../core/task/read-task.ts';
import type { Changed } from '../../../tasks/shapes/changed.ts';
import type { TaskDetail } from '../../../tasks/shapes/task.ts';
import { HttpFault } from '../gate/problem.ts';
import type { Answer, Exchange } from '../gate/route.ts';
import { isKnown } from '../room/kept-answers.ts';

/** Answered with an ETag: 304 while that is what it was. */
export interface Tagged<Asked = never> {
  headers: Readonly<Record<string, string>>;
  run(on: Exchange, input: Asked): Promise<Answer>;
}

/** Of the file, which `If-Match` heeds alone, and of all that is shown of the task: its turns and what it waits for change too. */
function etagOf({ text }: Pick<TaskDetail, 'text'>, body: string): string {
  return `"${hashText(text)}-${hash('sha256', body, 'base64url').slice(0, 22)}"`;
}

/** One that nothing touched since it was shown is shown as it was: programs look at one task after the other, again and again. */
export const SHOWN: Tagged<{ ref: string }> = {
  headers: { 'if-none-match': 'answers 304 while the task is shown as it was' },
  async run({ room, tasks, caller, headers }, { ref }) {
    const look = async () => shown(await tasks.call('show', { ref }, caller.actor, true));
    // What a name or a part of an id means may be another file at any time.
    const answer = room.api.stampOfTask(ref) === '' ? await look() : shownAs(await keptTask(room, ref, look));
    return isKnown(headers, answer.headers.etag) ? { ...answer, status: 304 } : answer;
  },
};

function keptTask(room: Exchange['room'], ref: string, look: () => Promise<ReturnType<typeof shown>>) {
  const version = () => `${room.version()} ${room.api.stampOfTask(ref)}`;
  return room.kept.get(`task ${ref}`, version, async () => {
    const { body, headers } = await look();
    return { text: body, etag: headers.etag };
  });
}

function shownAs<Body>({ body, etag }: { body: Body; etag: string }) {
  return { body, headers: { etag, 'cache-control': 'no-cache' } };
}

function shown(detail: TaskDetail) {
  const body = JSON.stringify(detail);
  return shownAs({ body, etag: etagOf(detail, body) });
}

/** Makes a change on the text alone that `If-Match` names, and answers with the task as it is then. */
export async function guarded(
  { tasks, caller, headers }: Exchange,
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
    return shown(await tasks.call('show', { ref: changed.id }, caller.actor));
  } catch (error) {
    if (typeof only !== 'string' || !isRoomError(error, 'conflict')) throw error;
    const current = await tasks.call('show', { ref }, caller.actor);
    throw new HttpFault(412, error, {
      more: { current, yours: asked },
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
