// What the parts of the runners' conformance suite share: turns of the runner under test that do a line of shell as their
// work, and the proof that no process outlives its turn.
import { afterEach, expect, test } from 'vitest';
import type { Runner, TaskRunInput } from '../../src/agents/runner.ts';
import {
  drive,
  livingProcesses,
  type PreparedTurn,
  prepareTurn,
  type TurnOptions,
} from '../agents/prepared-turn.ts';

/** Where a turn's program finds itself. */
export interface Places {
  /** Of `AGENT_ROOM`. */
  room: string;
  /** The turn's folder. */
  dir: string;
  path: string;
  cwd: string;
}

/** What differs where a turn runs on another machine than its room. */
export interface Elsewhere {
  placesOf(rig: PreparedTurn): Places;
  /** What its `taskroom` says to `--version`. */
  version: string;
  /** Secrets of that machine that no program of a turn inherits. */
  withheld: readonly string[];
}

export interface RunnerSetup {
  create(): Runner;
  /** What makes this runner run a line of POSIX sh as the agent's work. */
  options(line: string): TurnOptions;
  /** Whether the program gets the prompt on its standard input. */
  promptOnStdin: boolean;
  /** Whether the agent's own messages stand in its output, beside what the line prints. */
  talks: boolean;
  /** Whether the turn ends as the line does, by its code and its signal. */
  endsWithLine: boolean;
  /** Whether all that the line prints stands in output.log. */
  keepsOutput: boolean;
  /** What the line printed so far, where that stands elsewhere. */
  printed?(rig: PreparedTurn): string;
  /** Absent where programs run beside the room. */
  elsewhere?: Elsewhere;
}

export type Bench = ReturnType<typeof createBench>;

export const linuxOnly = test.skipIf(process.platform !== 'linux');

export function createBench(name: string, setup: RunnerSetup) {
  const rigs: PreparedTurn[] = [];
  afterEach(() => {
    const left = rigs.splice(0).flatMap((rig) => livingProcesses(rig.input.turn.id));
    expect(left, 'processes that outlived their turn').toEqual([]);
  });
  return {
    name,
    setup,
    rigFor(line: string, more: TurnOptions = {}) {
      const made = setup.options(line);
      const rig = prepareTurn({ ...made, ...more, agent: { ...made.agent, ...more.agent } });
      rigs.push(rig);
      return rig;
    },
    placesOf: (rig: PreparedTurn) =>
      setup.elsewhere?.placesOf(rig) ?? {
        ...{ room: rig.room, dir: rig.dir, path: rig.input.reach.dir, cwd: rig.room },
      },
    /** What the line printed so far, maybe among other things. */
    printed: (rig: PreparedTurn) => setup.printed?.(rig) ?? rig.log(),
    run: (rig: PreparedTurn, more: Partial<TaskRunInput> = {}) =>
      drive(setup.create(), { ...rig.input, ...more }),
  };
}
