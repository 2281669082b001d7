// A task and lists of tasks with an ETag. A change may name the text it was made on, so that nobody overwrites another unseen.
import { hash } from 'node:crypto';
import { isRoomError, RoomError } from '../../core/errors.ts';
import { hashText } from '../../core/task/read-task.ts';
import type { Changed } from '../../tasks/shapes/change.ts';
import type { ListInput, TaskDetail } from '../../tasks/shapes/task.ts';
import { HttpFault } from '../middleware/problem.ts';
import type { Answer, Exchange } from '../middleware/route.ts';

/** The hash of the file, which `If-Match` compares, and that of all that is shown: turns change too. */
function etagOf({ text }: Pick<TaskDetail, 'text'>, body: string): string {
  return `"${hashText(text)}-${hash('sha256', body, 'base64url').slice(0, 22)}"`;
}

export async function shownTask({ tasks, caller, headers }: Exchange, ref: string): Promise<Answer> {
  const answer = shown(await tasks.call('show', { ref }, caller.actor, true));
  return isKnown(headers, answer.headers.etag) ? { ...answer, status: 304 } : answer;
}

function shown(detail: TaskDetail) {
  const body = JSON.stringify(detail);
  return { body, headers: { etag: etagOf(detail, body), 'cache-control': 'no-cache' } };
}

/** Answers 304 without a look where nothing in the room changed. All callers see the same list. */
export async function taggedList(
  { room, headers }: Exchange,
  name: 'list' | 'listScopeTasks',
  input: ListInput,
): Promise<Answer> {
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

/** Whether `If-None-Match` names this one. */
function isKnown(headers: Headers, etag: string): boolean {
  const said = headers.get('if-none-match')?.split(',') ?? [];
  return said.some((each) => ['*', etag].includes(each.trim().replace(/^W\//, '')));
}

/** Makes a change only on the text that `If-Match` names, and answers with the task. */
export async function guarded(
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
