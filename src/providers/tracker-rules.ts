// What providers do alike: which of the wanted changes are left to write, what texts a tracker takes, how names compare and
// where a token may be sent.
import type * as z from 'zod';
import { RoomError, valueOr } from '../core/errors.ts';
import type { Cursor, ListChange, Profile, RemoteChange, RemoteTask } from './provider.ts';

interface Meanings extends Pick<Profile, 'normalise' | 'classOf'> {
  /** Titles that are equal after it are one; as they are when it is absent. */
  title?(text: string): string;
}

/**
 * What of `change` the issue does not say already. Lists are added to and taken from: others' items stay, and nothing of them
 * conflicts.
 * @throws RoomError `conflict` when somebody else changed a field meanwhile: it is neither as wanted nor as expected
 */
export function changesLeft(
  change: RemoteChange,
  present: RemoteTask,
  expected: RemoteTask,
  { normalise, classOf, title = String }: Meanings,
): RemoteChange {
  const left: RemoteChange = {};
  const look = <K extends 'title' | 'body' | 'status' | 'priority' | 'due' | 'parent'>(
    field: K,
    meaning: (value: RemoteTask[K]) => string = String,
  ): void => {
    const wanted = change[field] as RemoteTask[K] | undefined;
    const now = meaning(present[field]);
    if (wanted === undefined || meaning(wanted) === now) return;
    if (now !== meaning(expected[field]))
      throw new RoomError('conflict', `${field} of ${present.ref} changed upstream meanwhile`);
    Object.assign(left, { [field]: wanted });
  };
  look('title', title);
  look('body', normalise);
  look('status', classOf);
  look('priority');
  look('due');
  look('parent');
  for (const list of ['labels', 'assignees', 'blockedBy'] as const) {
    const items = change[list] && listLeft(change[list], namesIn(present, list));
    if (items && items.add.length + items.remove.length > 0) left[list] = items;
  }
  return left;
}

function namesIn(task: RemoteTask, list: 'labels' | 'assignees' | 'blockedBy'): readonly string[] {
  return list === 'blockedBy' ? task.blockedBy.map(({ ref }) => ref) : task[list];
}

function listLeft({ add, remove }: ListChange, there: readonly string[]) {
  const has = (names: readonly string[], name: string) => names.some((one) => isSameName(one, name));
  return {
    add: [...new Set(add)].filter((name) => !has(there, name)),
    remove: there.filter((name) => has(remove, name)),
  };
}

export function isSameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** @throws RoomError `bad_input` for a text that the tracker would refuse */
export function assertTexts(
  tracker: string,
  limits: Profile['limits'],
  texts: { title?: string; body?: string; comment?: string },
): void {
  for (const what of ['title', 'body', 'comment'] as const) {
    const length = texts[what]?.length ?? 0;
    if (length <= limits[what]) continue;
    throw new RoomError(
      'bad_input',
      `the ${what} has ${length} characters, ${tracker} takes ${limits[what]}`,
    );
  }
}

/** Whether what is sent there can be read by nobody else: https, or this machine. */
export function isSecureAddress({ protocol, hostname }: URL): boolean {
  return (
    protocol === 'https:' || (protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname))
  );
}

/** A member of the contract: `run` with what the call is made with, which its last argument, the signal, decides. */
export function underSignal<Api>(at: (signal: AbortSignal) => Api) {
  return <Args extends unknown[], Answer>(run: (api: Api, ...args: Args) => Answer) =>
    (...call: [...Args, AbortSignal]) =>
      run(at(call.at(-1) as AbortSignal), ...(call.slice(0, -1) as Args));
}

/** What a cursor holds; null without one, and for one that is not of this shape: then everything is listed. */
export function parseCursor<T>(cursor: Cursor | null, shape: z.ZodType<T>): T | null {
  return valueOr(null, () => shape.parse(JSON.parse(cursor ?? 'null')));
}
