// A turn of an agent that follows a script in the protocol, and what it heard.
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createAcpRunner } from '../../../src/agents/acp/acp.ts';
import { ACP_FORMAT } from '../../../src/agents/acp/output-reader.ts';
import { createOutputReader } from '../../../src/agents/command/output-reader.ts';
import type { TaskRunInput } from '../../../src/agents/runner.ts';
import type { AcpScript } from '../../fixtures/agents/acp-agent.ts';
import { AGENTS, type Drive, drive, prepareTurn, readIfThere, type TurnOptions } from '../prepared-turn.ts';

export function commandOf(script: AcpScript): string[] {
  return [process.execPath, join(AGENTS, 'acp-agent.ts'), JSON.stringify(script)];
}

export const answerBy = (author: string | null, text: string) => ({ author, role: null, at: null, text });

/** The answers to a question of its, as the context of the next turn has them. */
export function answered(question: string, ...answers: ReturnType<typeof answerBy>[]) {
  const asked = { author: 'agent:tester', at: '', text: question };
  return [{ key: 'q1', question: asked, answers, withdrawn: false }];
}

export function scriptTurn(script: AcpScript, options: TurnOptions = {}) {
  const agent = { runner: 'acp' as const, command: commandOf(script), ...options.agent };
  const rig = prepareTurn({ ...options, agent });
  return {
    rig,
    /** Runs it; a second run is another turn in the same folder. */
    run(more: Partial<TaskRunInput> = {}): Drive {
      for (const name of ['pid', 'exit', 'output.log']) rmSync(join(rig.dir, name), { force: true });
      return drive(createAcpRunner(), { ...rig.input, ...more });
    },
    /** What it was told of this kind so far, in order. */
    heard: (what: string): Record<string, unknown>[] =>
      readIfThere(join(rig.room, 'heard.jsonl'))
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line))
        .filter((entry) => entry.what === what)
        .map(({ params }) => params ?? {}),
    /** What a person reads of its output. */
    said(): object[] {
      const reader = createOutputReader(ACP_FORMAT, () => ({ now: 0, zone: 'UTC' }));
      const log = readFileSync(join(rig.dir, 'output.log'), 'utf8');
      return [...reader.read(log), ...reader.end()];
    },
  };
}
