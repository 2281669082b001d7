// What of the inbox is about other sides: fields in conflict, mirrors, and pull requests.

import { quoteWord } from '../../core/errors.ts';
import { awaitsReview } from '../../core/remote-pulls.ts';
import { isoOrNull } from '../../core/time/durations.ts';
import { issueOfTask } from '../references.ts';
import type { InboxItem } from '../shapes/turn.ts';
import type { TaskRoom } from '../task-room.ts';

export type Found = Pick<InboxItem, 'kind' | 'key' | 'text' | 'settle'> & Partial<InboxItem>;

export const upstreamItems = (deps: TaskRoom): Found[] => [
  ...conflictItems(deps),
  ...mirrorItems(deps),
  ...pullItems(deps),
];

function conflictItems({ ledger }: TaskRoom): Found[] {
  return ledger.conflicts
    .open()
    .flatMap(({ id, task, field, lostSide: lost_side, lost, stands: standing, at }): Found[] => {
      const memory = ledger.tasks.get(task);
      // Its file is gone, or archived: nothing is left to write to.
      if (memory === null || memory.path === null) return [];
      const issue = issueOfTask(ledger, task) ?? 'its issue';
      const what = `both sides changed the ${field.replaceAll('_', ' ')}`;
      const text = `${issue}: ${what}: ${excerpt(standing)} stands, ${excerpt(lost)} lost`;
      const about = { task, name: memory.name, at: isoOrNull(at) };
      const conflict = { id: String(id), field, lost_side, standing, lost };
      const settle = `taskroom mirror settle ${task} --conflict ${id} --keep`;
      return [{ kind: 'conflict', key: `conflict:${task}:${id}`, text, settle, ...about, conflict }];
    });
}

const SHOWN = 60;

function excerpt(text: string): string {
  const line = text.trim().replace(/\s+/g, ' ');
  return JSON.stringify(line.length > SHOWN ? `${line.slice(0, SHOWN - 1)}…` : line);
}

/** What of mirrors needs the person beside conflicting fields, and subtasks that outlived their canceled parent. */
function mirrorItems({ ledger }: TaskRoom): Found[] {
  const hasConflict = new Set<string>(ledger.conflicts.open().map(({ task }) => task));
  const mirrors = ledger.mirrors.inNeed().flatMap((mirror): Found[] => {
    const { task, name, provider, ref, chore, state, message, syncedAt } = mirror;
    const issue = `${provider}:${ref}`;
    const edit = `taskroom edit ${task} && taskroom sync ${quoteWord(chore)}`;
    const why = message ?? state;
    const item = (kind: Found['kind'], key: string, text: string, settle: string): Found[] => [
      { kind, key: `${key}:${task}`, text, settle, task, name, at: isoOrNull(syncedAt) },
    ];
    switch (state) {
      case 'conflict': {
        if (hasConflict.has(task)) return [];
        const text = `${issue}: ${why}; compare, and save the task as it should be`;
        const [found] = item('conflict', 'conflict', text, edit);
        return [{ ...found!, key: `conflict:${task}:${why}` }];
      }
      case 'untrusted': {
        const text = `${issue} ${why}; read it before it runs`;
        return item('trust', 'trust', text, `taskroom resume ${task}`);
      }
      case 'detached': {
        const text = `${issue}: ${why}; without the mirror it is a local task`;
        return item('tracker', 'detached', text, `taskroom mirror unlink ${task}`);
      }
      case 'error': {
        const text = `${issue} does not take it: ${why}; take it back, or let it be taken there`;
        return item('tracker', 'refused', text, edit);
      }
      default:
        return [];
    }
  });
  const left = ledger.unresolvedChildren.list().map(({ task, parent, reason, at }): Found => {
    const why = reason === 'mirrored' ? 'its issue is not ours to close' : 'its file could not be read';
    const name = ledger.tasks.get(task)?.name ?? task;
    const text = `its parent ${parent} was canceled, and ${why}; taskroom resume ${task} lets it go on`;
    const settle = `taskroom cancel ${task}`;
    return { kind: 'tracker', key: `left:${task}:${at}`, task, name, text, settle, at: isoOrNull(at) };
  });
  return [...mirrors, ...left];
}

/** Pull requests that nobody reviewed though nothing stands in their way, and those that can't be looked at. */
function pullItems({ ledger }: TaskRoom): Found[] {
  return ledger.pulls.open().flatMap(({ task, seen }): Found[] => {
    const { ref, url, commit, trouble } = seen;
    const about = { task, name: ledger.tasks.get(task)?.name ?? null, at: seen.seen_at };
    if (trouble !== null) {
      const text = `${ref} can't be looked at: ${trouble}`;
      return [
        {
          ...about,
          kind: 'tracker',
          key: `pull:${task}:${ref}:${trouble}`,
          text,
          settle: `taskroom pr ${task}`,
        },
      ];
    }
    if (!awaitsReview(seen)) return [];
    const text = `${ref} waits for your review: ${url}; its changes: taskroom diff ${task}`;
    const settle = `taskroom pr ${task} --merge`;
    return [{ ...about, kind: 'review', key: `review:${task}:${commit}`, text, settle }];
  });
}
