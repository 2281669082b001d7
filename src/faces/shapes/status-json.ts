// What `status --json` prints.

import { formatProblem } from '../../core/errors.ts';
import { spentJson } from '../../core/rules/budget.ts';
import { isoOrNull } from '../../core/time/iso-time.ts';
import type { NamedTask } from '../../tasks/contract/operations.ts';
import { queueTrouble, type RoomStatus } from './room-status.ts';

/** How a room stands. */
export function statusJson(status: RoomStatus) {
  const { daemon } = status;
  const named = ({ id, name, path }: NamedTask) => ({ id, name, path });
  const next = status.retries[0];
  return {
    room: status.room,
    daemon: daemon && { ...daemon, since: isoOrNull(daemon.since) },
    running: status.running,
    ended: status.untold,
    notices: status.notices,
    waiting: status.waiting.map(({ agent, until, why, text, takenBy, tasks }) => ({
      ...{ agent, until: isoOrNull(until), why, text },
      ...{ taken_by: takenBy, tasks },
    })),
    today: spentJson(status.today),
    pending: status.pending.map(named),
    held: status.held.map(named),
    stuck: status.stuck.map((task) => ({ ...named(task), why_not: task.whyNot })),
    next_retry: next ? { ...named(next), at: isoOrNull(next.retryAt) } : null,
    trouble: status.trouble,
    ...(status.elsewhere.places === null ? {} : { ...status.elsewhere, queue: queueOf(status.trouble) }),
    inbox: status.inbox,
    invalid: status.invalid,
    problems: status.problems.map((problem) => ({ ...problem, text: formatProblem(problem) })),
  };
}

function queueOf(troubles: RoomStatus['trouble']) {
  const trouble = queueTrouble(troubles);
  return { answers: trouble === null, trouble };
}
