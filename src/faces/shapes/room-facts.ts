// What a command on another machine is told of the room it works on, beside what its operations answer: nothing of an
// agent's environment or arguments.
import { outputFormatOf } from '../../core/config/output-format.ts';
import type { Runtime } from '../../runtime.ts';

export function readRoomFacts(runtime: Runtime) {
  return {
    dir: runtime.room.dir,
    holder: runtime.holder(),
    problems: [...runtime.problems()],
    trouble: runtime.trouble(),
    formats: [...runtime.agents()].map(([agent, config]) => [agent, outputFormatOf(config)] as const),
  };
}

export type RoomFacts = ReturnType<typeof readRoomFacts>;
