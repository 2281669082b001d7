// Makes the program of an agent ready to start: what it is told beforehand, and what its session is to have.
import { findGitDirs, putFiles, readIfThere } from '../command/prepare-preset.ts';
import { type Launch, prepareLaunch } from '../process/launch.ts';
import type { RunInput, TurnMcpServer } from '../runner.ts';
import type { AcpProgram, SessionWords } from './programs.ts';

export interface SessionSetup {
  /** Null where the program has it already, or the agent none. */
  mcp: TurnMcpServer | null;
  words: SessionWords;
  /** Id of the mode that the agent is put into; null for its own choice. */
  mode: string | null;
}

type Preparing = { ok: true; launch: Launch; session: SessionSetup } | { ok: false; message: string };

export async function prepareProgram(input: RunInput, program: AcpProgram): Promise<Preparing> {
  const launching = await prepareLaunch(input, program.argv);
  if (!launching.ok) return launching;
  const { cwd, env, args, program: file } = launching.launch;
  const mcp = input.mcp ?? null;
  const told = program.prepare({
    ...{ agent: input.agent, dir: input.dir, spool: input.reach.spool, mcp, env },
    gitDirs: findGitDirs(cwd),
    readText: readIfThere,
  });
  try {
    await putFiles(told);
  } catch (error) {
    // A full disk, or a folder that is gone.
    return { ok: false, message: `could not start: ${(error as Error).message}` };
  }
  return {
    ok: true,
    launch: { program: file, cwd, args: [...args, ...(told.args ?? [])], env: { ...env, ...told.env } },
    session: { mcp: told.hasMcp ? null : mcp, words: told.session ?? {}, mode: told.mode ?? null },
  };
}
