import { agentAnswer } from '../../tasks/shapes/task.ts';
import { operation, z } from '../operation.ts';

export const listAgents = operation({
  summary: 'list the agents of the room',
  about: 'Nothing of their environment or arguments.',
  needs: 'read',
  outsideTurns: true,
  http: { method: 'get', path: '/api/agents' },
  output: () => ({ agents: z.array(agentAnswer()) }),
  run: async (on) => ({ agents: (await import('../../tasks/views/agents.ts')).agentsOf(on) }),
});
