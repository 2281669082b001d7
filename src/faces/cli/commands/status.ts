// taskroom status
import { formatProblem } from '../../../core/errors.ts';
import type { CommandModule } from '../command.ts';
import { NO_DAEMON, OK } from '../exit-codes.ts';
import { turnJson } from '../json-shapes.ts';
import { type RoomStatus, readStatus } from '../room-status.ts';
import { isoOrNull } from '../time-text.ts';

export const command: CommandModule = {
  about:
    "Says who runs the room, which turns run, what is asked for, held or waits for a retry, and which files can't be read.",
  arguments: [],
  options: [],
  examples: [
    ['taskroom status', 'for a person'],
    ['taskroom status --json | jq .running', 'the turns that run now'],
    ['taskroom status > /dev/null || taskroom up', 'start the room when nobody runs it'],
  ],
  notes: 'Exit code 0 when a daemon runs, 3 when none does.',
  async run({ json, terminal, paint, effects, openRoom }) {
    const status = await readStatus(await openRoom({ readOnly: true }));
    if (json) terminal.write(`${JSON.stringify(toJson(status))}\n`);
    else {
      const { renderStatus } = await import('../status-lines.ts');
      terminal.write(renderStatus(status, effects.now(), paint, terminal.columns()));
    }
    return status.daemon === null ? NO_DAEMON : OK;
  },
};

function toJson(status: RoomStatus) {
  const { daemon } = status;
  const named = ({ id, name, path }: RoomStatus['tasks'][number]) => ({ id, name, path });
  const next = status.retries[0];
  return {
    room: status.room,
    daemon: daemon && { ...daemon, since: isoOrNull(daemon.since) },
    running: status.running.map(turnJson),
    pending: status.pending.map(named),
    held: status.held.map(named),
    next_retry: next ? { ...named(next), at: isoOrNull(next.retryAt) } : null,
    invalid: status.invalid,
    problems: status.problems.map((problem) => ({ ...problem, text: formatProblem(problem) })),
  };
}
