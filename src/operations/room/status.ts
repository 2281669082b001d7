import { statusAnswer } from '../../tasks/shapes/room.ts';
import { operation } from '../operation.ts';

// Its command stands in faces/cli/commands: what it showed a person is told from then on, and its exit code says whether a daemon runs.
export const status = operation({
  name: 'status',
  summary: 'who runs the room, and what goes on',
  about: 'How the room stands: its daemon, its turns, what waits, and what can not be read.',
  needs: 'read',
  outsideTurns: true,
  http: { method: 'get', path: '/api/status' },
  output: statusAnswer,
  run: async (on) => (await import('../../tasks/room-status.ts')).readStatus(on),
});
