// What is missing on this machine to run the room's agents.
import type { Problem } from '../core/errors.ts';
import { createRunners } from '../runners/registry.ts';
import type { TaskRoom } from '../tasks/task-room.ts';

export async function checkAgents({ agents, effects }: TaskRoom): Promise<Problem[]> {
  const runners = createRunners();
  const checks = [...agents().values()].map(
    (agent) => runners.get(agent.runner)?.check(agent, effects) ?? [],
  );
  return (await Promise.all(checks)).flat();
}
