// `taskroom status`: shows how the room stands: its daemon, its turns, what waits.
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
    'Exit code 0 when a daemon runs, 3 when none does. With --json, turns are listed under ended until a status without it, or the log of up, has shown them. A room that names a queue also has workers, places (the worker of each turn), unserved and queue.',
  async run({ json, terminal, paint, effects, openRoom }) {
    const runtime = await openRoom({ readOnly: true });
    const { tasks, caller } = runtime;
    const status = await tasks.call('status', {}, caller, true);
    if (json) terminal.write(`${JSON.stringify(status)}\n`);
    else {
      const { renderStatus } = await import('../../lines/status-lines.ts');
      terminal.write(renderStatus(status, effects.now(), paint, terminal.columns()));
      const { ended, notices } = status;
      if (ended.length > 0) await tasks.call('markTold', { turns: ended.map(({ id }) => id) }, caller, true);
      if (notices.length > 0)
        await tasks.call('markNoticesTold', { seqs: notices.map(({ seq }) => seq) }, caller);
    }
    return status.daemon === null ? NO_DAEMON : OK;
  },
};
