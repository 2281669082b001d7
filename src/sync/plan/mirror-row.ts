// Mirror rows of the ledger as planning reads and makes them: the base in a row, the hash of what the tracker said, and
// which task mirrors which issue.
import type { TaskId } from '../../core/ids.ts';
import type { RemoteTask } from '../../providers/provider.ts';
import type { Ledger } from '../../store/ledger/ledger.ts';
import type { MirrorRow } from '../../store/ledger/mirrors/mirrors.ts';
import { hashOf } from './keys.ts';
import type { Base } from './plan-data.ts';

export function baseOf(row: Pick<MirrorRow, 'base'>): Base | null {
  return row.base === null ? null : (JSON.parse(row.base) as Base);
}

export function packBase(base: Base): string {
  return JSON.stringify(base);
}

/** Hash of all the tracker said of an issue: the same again is nothing new. */
export function remoteHashOf(remote: RemoteTask): string {
  return hashOf(JSON.stringify(remote));
}

/** A link that has yet to be dealt with: both sides are to be compared. */
export function newRow(
  link: Pick<MirrorRow, 'task' | 'provider' | 'uid' | 'ref' | 'url' | 'chore' | 'path'>,
  now: number,
): MirrorRow {
  return {
    ...link,
    state: 'pending',
    message: null,
    cause: null,
    localHash: null,
    remoteHash: null,
    remoteUpdatedAt: 0,
    syncedAt: Math.trunc(now),
    dueAt: null,
    tries: 0,
    base: null,
  };
}

/** Remote refs ⇄ task ids of every mirror of a provider. */
export function linksOf(ledger: Ledger, provider: string) {
  return {
    taskOf: (ref: string): TaskId | null => ledger.mirrors.byRef(provider, ref)?.task ?? null,
    refOf(word: string): string | null {
      const name = word.trim().replace(/^task:(local:)?/, '');
      const task = ledger.tasks.get(name) ?? ledger.tasks.byName(name)[0] ?? null;
      const row = ledger.mirrors.byTask(task?.id ?? name);
      return row?.provider === provider ? row.ref : null;
    },
  };
}
