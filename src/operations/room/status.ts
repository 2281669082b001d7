import { statusAnswer } from '../../tasks/shapes/room.ts';
import { operation } from '../operation.ts';

export const status = operation({
  summary: 'show who runs the room, and what goes on',
  about:
    "Says who runs the room, which turns run or ended since you last looked, what is asked for, held or waits for a retry, and which files can't be read.",
  needs: 'read',
  outsideTurns: true,
  http: { method: 'get', path: '/api/status' },
  cli: {
    examples: {
      'taskroom status': 'for a person',
      'taskroom status --json | jq .running': 'the turns that run now',
      'taskroom status > /dev/null || taskroom up': 'start the room when nobody runs it',
    },
    notes:
      'Exit code 0 when a daemon runs, 3 when none does. With --json, turns are listed under ended until a status without it, or the log of up, has shown them. A room that names a queue also has workers, places (the worker of each turn), unserved and queue.',
    exit: ['daemon', 3],
    shown: ({ ended, notices }) => [
      ...(ended.length === 0 ? [] : [{ name: 'markTold', input: { turns: ended.map(({ id }) => id) } }]),
      ...(notices.length === 0
        ? []
        : [{ name: 'markNoticesTold', input: { seqs: notices.map(({ seq }) => seq) } }]),
    ],
  },
  output: statusAnswer,
  run: async (on) => (await import('../../tasks/views/room-status.ts')).readStatus(on),
});
