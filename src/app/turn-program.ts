// The program by which agents report: one file for all turns, in the package. No agent may write there, and nothing that a turn
// can write is a program of anybody.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TurnMcpServer, TurnReach } from '../agents/runner.ts';
import { BRIDGE_FILES } from '../remote/wire.ts';

// This file lies one folder below src, as a chunk lies one below dist: `bin/` is beside both.
const here = (name: string): string => fileURLToPath(new URL(`../bin/${name}`, import.meta.url));

/** Absolute path of the `taskroom` of turns; it stands alone in its folder. */
export function turnProgram(): string {
  return here('turn-path/taskroom');
}

/** @param dir the bridge's folder */
export function turnReach(dir: string): TurnReach {
  return { dir, spool: join(dir, BRIDGE_FILES.requests), program: turnProgram() };
}

/** Programs start their servers with few variables: its words name the bridge. */
export function turnMcp(dir: string): TurnMcpServer {
  const entry = here(import.meta.url.endsWith('.ts') ? 'bin-turn.ts' : 'bin-turn.cjs');
  return { command: process.execPath, args: [entry, '--bridge', dir, 'mcp'], env: {} };
}
