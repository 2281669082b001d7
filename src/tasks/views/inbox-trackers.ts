// What of mirrors needs the person: two texts to compare, a gate to open, what a tracker refuses, what was left standing.

import { isoOrNull } from '../../core/time/iso-time.ts';
import type { MirrorInNeed } from '../../store/ledger/mirrors/mirrors.ts';
import { type ConflictRow, conflictsIn } from '../../store/ledger/mirrors/outbox.ts';
import type { LeftSubtask } from '../../store/ledger/tasks/links.ts';
import type { InboxItem } from '../shapes/turn.ts';
import type { TaskRoom } from '../task-room.ts';

export function trackerItems({ ledger }: TaskRoom): InboxItem[] {
  const conflicts = conflictsIn(ledger).open();
  const isTold = new Set<string>(conflicts.map(({ task }) => task));
  const mirrors = ledger.mirrors
    .inNeed()
    .flatMap((mirror) =>
      mirror.state === 'conflict' && isTold.has(mirror.task) ? [] : (mirrorItem(mirror) ?? []),
    );
  const left = ledger.leftSubtasks
    .list()
    .map((one) => leftItem(ledger.tasks.get(one.task)?.name ?? one.task, one));
  return [...conflicts.flatMap((one) => conflictItem(ledger, one) ?? []), ...mirrors, ...left];
}

function conflictItem(
  ledger: TaskRoom['ledger'],
  { id, task, field, lostSide, lost, stands, at }: ConflictRow,
): InboxItem | null {
  const memory = ledger.tasks.get(task);
  // Its file is gone, or over and put away: nothing is left to write to.
  if (memory === null || memory.path === null) return null;
  const what = `both sides changed the ${field.replaceAll('_', ' ')}`;
  const text = `${ledger.mirrors.issueOf(task) ?? 'its issue'}: ${what}: ${quoted(stands)} stands, ${quoted(lost)} lost`;
  return {
    ...{ kind: 'conflict', key: `conflict:${task}:${id}`, task, name: memory.name, text, at: isoOrNull(at) },
    settle: `taskroom settle ${task}`,
    conflict: { id: String(id), field, lost_side: lostSide, standing: stands, lost },
  };
}

const SHOWN = 60;

function quoted(text: string): string {
  const line = text.trim().replace(/\s+/g, ' ');
  return JSON.stringify(line.length > SHOWN ? `${line.slice(0, SHOWN - 1)}…` : line);
}

function mirrorItem({ task, name, provider, ref, state, message, syncedAt }: MirrorInNeed): InboxItem | null {
  const about = { task, name, at: isoOrNull(syncedAt) };
  const issue = `${provider}:${ref}`;
  const why = message ?? state;
  switch (state) {
    case 'conflict': {
      const text = `${issue}: ${why}; compare, and save the task as it should be`;
      return {
        kind: 'conflict',
        key: `conflict:${task}:${why}`,
        text,
        settle: `taskroom edit ${task}`,
        ...about,
      };
    }
    case 'untrusted': {
      const settle = `taskroom show ${task}, then taskroom resume ${task}`;
      return { kind: 'trust', key: `trust:${task}`, text: `${issue} ${why}`, settle, ...about };
    }
    case 'detached':
      return {
        ...{ kind: 'tracker', key: `detached:${task}`, text: `${issue}: ${why}`, ...about },
        settle: `taskroom unlink ${task} makes it a local task`,
      };
    case 'error':
      return {
        ...{ kind: 'tracker', key: `refused:${task}`, text: `${issue} does not take it: ${why}`, ...about },
        settle: 'mend it there, or take the field out of push:, then taskroom sync',
      };
    default:
      return null;
  }
}

function leftItem(name: string, { task, parent, reason, at }: LeftSubtask): InboxItem {
  const why = reason === 'mirrored' ? 'its issue is not ours to close' : 'its file could not be read';
  return {
    kind: 'tracker',
    key: `left:${task}:${at}`,
    task,
    name,
    text: `its parent ${parent} was canceled, and ${why}`,
    settle: `taskroom cancel ${task}, or taskroom resume ${task} to let it go on`,
    at: isoOrNull(at),
  };
}
