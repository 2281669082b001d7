// What of mirrors needs the person: two texts to compare, a gate to open, what a tracker refuses, what was left standing.

import type { MirrorInNeed } from '../../store/ledger/mirrors/mirrors.ts';
import type { LeftSubtask } from '../../store/ledger/tasks/left-subtasks.ts';
import type { InboxItem } from '../contract/question-shapes.ts';
import type { TaskRoom } from '../task-room.ts';

export function trackerItems({ ledger }: TaskRoom): InboxItem[] {
  const mirrors = ledger.mirrors.inNeed().flatMap((mirror) => mirrorItem(mirror) ?? []);
  const left = ledger.leftSubtasks
    .list()
    .map((one) => leftItem(ledger.tasks.get(one.task)?.name ?? one.task, one));
  return [...mirrors, ...left];
}

function mirrorItem({ task, name, provider, ref, state, message, syncedAt }: MirrorInNeed): InboxItem | null {
  const about = { task, name, at: syncedAt };
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
    at,
  };
}
