// What a command on another machine is told of the room it works on, beside what its operations answer: nothing of an
// agent's environment or arguments.
import type { Runtime } from '../../runtime.ts';

export function readRoomFacts(runtime: Runtime) {
  return {
    dir: runtime.room.dir,
    holder: runtime.holder(),
    problems: [...runtime.problems()],
    trouble: runtime.trouble(),
    formats: [...runtime.agents()].map(
      ([agent, { runner, preset }]) => [agent, runner === 'acp' ? runner : (preset ?? null)] as const,
    ),
  };
}

export type RoomFacts = ReturnType<typeof readRoomFacts>;
