// The agents of a room as the API shows them: nothing of their environment or arguments, which may hold secrets.
import type { Runtime } from '../../../runtime.ts';
import { isoOrNull } from '../../shapes/iso-time.ts';

/** Every agent, with the tasks that wait for it. */
export async function agentsJson(runtime: Runtime) {
  const { defaultAgent } = runtime.config();
  const { waiting } = await runtime.tasks.overview();
  return [...runtime.agents()].map(([id, agent]) => {
    const wait = waiting.find((each) => each.agent === id);
    return {
      id,
      name: agent.name ?? id,
      runner: agent.runner,
      access: agent.access,
      is_default: id === defaultAgent,
      waits_until: isoOrNull(wait?.until ?? null),
      taken_by: wait?.takenBy ?? null,
    };
  });
}
