// The agents of a room as the API shows them: nothing of their environment or arguments, which may hold secrets.

import { spentJson } from '../../../core/rules/budget.ts';
import { isoOrNull } from '../../../core/time/iso-time.ts';
import type { HttpRoom } from '../room/http-room.ts';

/** Every agent, with the tasks that wait for it. */
export function agentsJson({ runtime, api }: Pick<HttpRoom, 'runtime' | 'api'>) {
  const { defaultAgent } = runtime.config();
  const waiting = api.waitingAgents();
  const spentOf = api.spentToday();
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
      preset: agent.preset,
      model: agent.model,
      limit: agent.limit,
      budget: agent.budget,
      fallback: agent.fallback,
      today: spentJson(spentOf(id)),
    };
  });
}
