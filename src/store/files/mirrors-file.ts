// task_mirrors.json (T10): which task mirrors which issue, for people, git and a room that lost its ledger. Written
// from the ledger when an entry changed; entries of mirrors the ledger does not know (yet) stay as they are.
import { readFileSync, statSync } from 'node:fs';
import * as z from 'zod';
import { hasCode, RoomError, valueOr } from '../../core/errors.ts';
import { compareNames } from '../../core/task/names.ts';
import type { Effects } from '../../effects.ts';
import type { MirrorListing } from '../ledger/mirrors/mirrors.ts';
import { asIo, type Room } from '../room.ts';
import { replaceFile } from '../write/replace-file.ts';
import { hashBytes } from '../write/stable-read.ts';
import { moveToTrash } from './trash.ts';

const ENTRY = z.looseObject({
  provider: z.string(),
  remote_ref: z.string(),
  local_task_id: z.string(),
  path: z.string().nullable(),
  remote_updated_at: z.string().nullable(),
  last_synced_at: z.string().nullable(),
  url: z.string().nullable().optional(),
  state: z.string().optional(),
});

/** One entry; times are ISO text. `state` is there only when the mirror is not in sync. */
export type MirrorEntry = z.infer<typeof ENTRY>;

const NAME = 'task_mirrors.json';

/** None when there is no file. Throws RoomError `invalid_file` when it can't be read as what it is, `io`. */
export function readMirrorsFile(room: Room): MirrorEntry[] {
  const text = readText(room);
  if (text === null) return [];
  const entries = parse(text);
  if (entries !== null) return entries;
  const hint = 'mend it, or delete it: the next sync writes it anew';
  throw new RoomError('invalid_file', `${NAME} can't be read as a list of mirrors`, hint);
}

/** Brings the file up to date with the ledger. To be called inside a ledger transaction, so that two processes don't write it at once.
 * @param dropped tasks whose mirror was taken away on purpose
 * @returns where the file was put aside when it could not be read, else null
 * @throws RoomError `io` */
export function writeMirrorsFile(
  room: Room,
  effects: Effects,
  mirrors: readonly MirrorListing[],
  dropped: ReadonlySet<string> = new Set(),
): string | null {
  const path = room.at(NAME);
  const before = readText(room);
  const found = before === null ? [] : parse(before);
  const aside = found === null ? moveToTrash(room, path, `${NAME} as it was found`, effects) : null;
  const issues = new Set(mirrors.map(({ provider, ref }) => `${provider} ${ref}`));
  const tasks = new Set<string>([...mirrors.map(({ task }) => task), ...dropped]);
  const kept = (found ?? []).filter(
    ({ local_task_id, provider, remote_ref }) =>
      !tasks.has(local_task_id) && !issues.has(`${provider} ${remote_ref}`),
  );
  const entries = [...kept, ...mirrors.map(toEntry)].sort(
    (a, b) =>
      compareNames(a.provider, b.provider) ||
      compareNames(a.remote_ref, b.remote_ref) ||
      compareNames(a.local_task_id, b.local_task_id),
  );
  const text = `${JSON.stringify(entries, null, 2)}\n`;
  if (text === before || (before === null && entries.length === 0)) return aside;
  const isThere = before !== null && found !== null;
  const expected = isThere ? { hash: hashBytes(Buffer.from(before)), ino: statSync(path).ino } : null;
  // Saved by a person at this very moment: theirs stands, and the next sync takes it in.
  replaceFile(path, Buffer.from(text), expected, effects);
  return aside;
}

function readText(room: Room): string | null {
  try {
    return readFileSync(room.at(NAME), 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw asIo(error, NAME, 'read');
  }
}

const parse = (text: string): MirrorEntry[] | null =>
  valueOr(null, () => z.array(ENTRY).safeParse(JSON.parse(text)).data ?? null);

const toEntry = ({ provider, ref, task, path, url, state, ...at }: MirrorListing): MirrorEntry => ({
  ...{ provider, remote_ref: ref, local_task_id: task, path },
  remote_updated_at: toIso(at.remoteUpdatedAt),
  last_synced_at: toIso(at.syncedAt),
  url,
  ...(state !== 'in_sync' && { state }),
});

const toIso = (atMs: number): string | null => (atMs > 0 ? new Date(atMs).toISOString() : null);
