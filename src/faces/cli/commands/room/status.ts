// `taskroom status`: shows how the room stands: its daemon, its turns, what waits.
import { formatProblem } from '../../../../core/errors.ts';
import type { NamedTask } from '../../../../tasks/contract/operations.ts';
import { isoOrNull } from '../../../shapes/iso-time.ts';
import { noticeJson, spentJson, turnJson } from '../../../shapes/json-shapes.ts';
import { type RoomStatus, readStatus } from '../../../shapes/room-status.ts';
import type { CommandModule } from '../../command.ts';
import { NO_DAEMON, OK } from '../../exit-codes.ts';

export const command: CommandModule = {
  about:
    "Says who runs the room, which turns run or ended since you last looked, what is asked for, held or waits for a retry, and which files can't be read.",
  arguments: [],
  options: [],
  examples: [
    ['taskroom status', 'for a person'],
    ['taskroom status --json | jq .running', 'the turns that run now'],
    ['taskroom status > /dev/null || taskroom up', 'start the room when nobody runs it'],
  ],
  notes:
    'Exit code 0 when a daemon runs, 3 when none does. With --json, turns are listed under ended until a status without it, or the log of up, has shown them.',
  async run({ json, terminal, paint, effects, openRoom }) {
    const runtime = await openRoom({ readOnly: true });
    const status = await readStatus(runtime);
    if (json) terminal.write(`${JSON.stringify(toJson(status))}\n`);
    else {
      const { renderStatus } = await import('../../lines/status-lines.ts');
      terminal.write(renderStatus(status, effects.now(), paint, terminal.columns()));
      if (status.untold.length > 0) await runtime.tasks.markTold(status.untold.map(({ id }) => id));
      if (status.notices.length > 0)
        await runtime.tasks.markNoticesTold(status.notices.map(({ seq }) => seq));
    }
    return status.daemon === null ? NO_DAEMON : OK;
  },
};

function toJson(status: RoomStatus) {
  const { daemon } = status;
  const named = ({ id, name, path }: NamedTask) => ({ id, name, path });
  const next = status.retries[0];
  return {
    room: status.room,
    daemon: daemon && { ...daemon, since: isoOrNull(daemon.since) },
    running: status.running.map(turnJson),
    ended: status.untold.map(turnJson),
    notices: status.notices.map(noticeJson),
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
    inbox: status.inbox,
    invalid: status.invalid,
    problems: status.problems.map((problem) => ({ ...problem, text: formatProblem(problem) })),
  };
}
