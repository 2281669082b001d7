// A tool of a model's own: its input is checked before it runs, and whatever goes wrong with files is an answer. A model reads the answer and
// tries something else; nothing it asks for can end its turn. Where the file tools may reach: the model's folder, links followed, and
// never what the room keeps for itself. And the shell: one command after another, bounded in time and output.
import { join, relative, resolve } from 'node:path';
import * as z from 'zod';
import type { CheckResult } from '../../core/rules/checks.ts';
import { runShellCommand } from '../process/run-check.ts';
import { PROGRAMS_DIR } from '../process/terminate.ts';
import type { AgentTool, RunInput } from '../runner.ts';
import { isWithin, liesIn, realTarget } from '../workspace/contained-path.ts';

/** A path that a tool can't use, with why: for the model to read. */
export class Unreachable extends Error {}

export const text = (about: string) => z.string('is a text').meta({ description: about });
export const number = (about: string) => z.number('is a number').meta({ description: about });

export function tool<Shape extends z.ZodRawShape>(
  name: string,
  description: string,
  shape: Shape,
  run: (input: z.infer<z.ZodObject<Shape>>) => Promise<string>,
): AgentTool {
  const schema = z.strictObject(shape);
  const { $schema: _, ...inputSchema } = z.toJSONSchema(schema);
  const refusal = (why: string) => ({ text: `${name}: ${why}`, isError: true });
  return {
    ...{ name, description, inputSchema },
    async run(given) {
      const parsed = schema.safeParse(given);
      if (!parsed.success) return refusal(faultOf(parsed.error, Object.keys(shape)));
      try {
        return { text: await run(parsed.data as z.infer<z.ZodObject<Shape>>) };
      } catch (error) {
        const { code, message } = error as NodeJS.ErrnoException;
        if (!(error instanceof Unreachable) && typeof code !== 'string') throw error;
        return refusal(message);
      }
    },
  };
}

function faultOf({ issues }: z.ZodError, known: readonly string[]): string {
  const odd = issues.find((issue) => issue.code === 'unrecognized_keys')?.keys[0];
  if (odd !== undefined) return `there is no ${JSON.stringify(odd)}; known: ${known.join(', ')}`;
  const [{ path, message }] = issues as [z.core.$ZodIssue];
  return path.length === 0 ? 'its input is an object' : `${path.join('.')} ${message}`;
}

/** Folders of a room that only people, the runtime and its tools write. */
const ROOMS_OWN = ['tasks', 'archive', 'chores', 'agents', 'providers'];

export type Workplace = ReturnType<typeof createWorkplace>;

/** @param room absolute path of the room */
export function createWorkplace(cwd: string, room: string) {
  const root = realTarget(cwd) ?? cwd;
  // A worktree of a task lies in the room's own folder by default.
  const isApart = liesIn(room, root) && !liesIn(root, room);

  function toRead(path: string): string {
    if (path.includes('\0')) throw new Unreachable('a path holds no NUL');
    const target = realTarget(resolve(cwd, path));
    if (target === null || !isWithin(root, target))
      throw new Unreachable(`${JSON.stringify(path)} does not lie in ${cwd}, or leads out of it`);
    if (!isApart && liesIn(join(room, '.taskroom'), target))
      throw new Unreachable(`${JSON.stringify(path)} is the runtime's own`);
    return target;
  }

  function isRooms(target: string): boolean {
    if (ROOMS_OWN.some((name) => liesIn(join(room, name), target))) return true;
    return !isApart && liesIn(room, target) && !liesIn(join(room, 'artifacts'), target);
  }

  return {
    /** Where a path really leads; the model gives it absolute or from the folder. @throws Unreachable */
    toRead,
    /** The same for what is to be written or deleted. @throws Unreachable */
    toWrite(path: string) {
      const target = toRead(path);
      if (target === root) throw new Unreachable('this is the folder itself');
      if (isRooms(target))
        throw new Unreachable(`${JSON.stringify(path)} belongs to the room: use its tools to change tasks`);
      return target;
    },
    name: (target: string) => relative(root, target) || '.',
  };
}

const DEFAULT_S = 300;
const LONGEST_S = 3_600;
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;
const SHOWN = { lines: 400, chars: 16_000 };
const ALIVE_EVERY_MS = 30_000; // A command that works is no silence of the agent's.

/** @param secret name of the variable with the model's key, which no command gets to see; null for none
 * @param onAlive called now and then while a command runs */
export function shellTool(input: RunInput, secret: string | null, onAlive: () => void): AgentTool {
  const { effects, dir, agent } = input;
  let count = 0;
  const withheld = new Set([...effects.withheld, ...(secret === null ? [] : [secret])]);
  // What the agent's file hands over by name would bring the key back.
  const env = Object.fromEntries(
    Object.entries(agent.env).filter(([, value]) => typeof value === 'string' || value.from !== secret),
  );
  const shape = {
    command: text('For /bin/sh, in your folder'),
    seconds: number(`Longest time; ${DEFAULT_S} when left out, ${LONGEST_S} at most`).optional(),
  };
  const about =
    'Runs a shell command and answers with the end of what it printed. Nothing it starts outlives it.';
  return tool('run_command', about, shape, async ({ command, seconds = DEFAULT_S }) => {
    count += 1;
    let told = effects.monotonicMs();
    const run = {
      ...{ ...input, agent: { ...agent, env }, effects: { ...effects, withheld } },
      commandDir: join(dir, PROGRAMS_DIR, String(count)),
      timeoutMs: Math.min(Math.max(1, seconds), LONGEST_S) * 1000,
      ...{ maxOutputBytes: MAX_OUTPUT_BYTES, shown: SHOWN },
      alive() {
        if (effects.monotonicMs() - told < ALIVE_EVERY_MS) return;
        told = effects.monotonicMs();
        onAlive();
      },
    };
    const { ended, exitCode, output } = await runShellCommand(run, command);
    const how = ended === 'exit' && exitCode !== null ? `exit code ${exitCode}` : ENDS[ended];
    return `${how}\n${output === '' ? 'It printed nothing.' : output}`;
  });
}

const ENDS: Readonly<Record<CheckResult['ended'], string>> = {
  ok: 'exit code 0',
  exit: 'ended without an exit code',
  timed_out: 'stopped: it took too long',
  output_limit: 'stopped: it printed too much',
  stopped: 'stopped',
  unstarted: 'could not start',
};
