// One turn of a language model: its conversation taken up, its tools, its answers, and the outcome. Outside the runtime only the
// commands it runs live, and they end with it.
import { resolve } from 'node:path';
import { APICallError, type ModelMessage, RetryError } from 'ai';
import { keyVariable } from '../../core/config/agent-env.ts';
import type { AgentTrouble } from '../../core/rules/turn.ts';
import { troubleOf, type WordClock, wordClock } from '../command/reading/trouble.ts';
import { troubleOutcome } from '../command/verdict.ts';
import { prepareLaunch } from '../process/launch.ts';
import { SHELL } from '../process/process-identity.ts';
import { failure, stoppedOutcome } from '../process/turn-outcome.ts';
import {
  type AgentTool,
  type Outcome,
  type RunInput,
  type RunnerEvent,
  resumedSession,
  StopTurn,
} from '../runner.ts';
import { runAnswers } from './answers.ts';
import { bounded, readConversation, writeConversation } from './conversation.ts';
import { fileTools } from './file-tools.ts';
import { loadModel } from './language-model.ts';
import { openTurnLog, type TurnLog } from './output-reader.ts';
import { createWorkplace, shellTool } from './workplace.ts';

export async function* runModelTurn(given: RunInput): AsyncGenerator<RunnerEvent, Outcome, void> {
  if (given.signal.aborted) return stoppedOutcome(given.signal);
  // The shell stands for every program: folder and environment are told to be missing before anything is asked.
  const launching = await prepareLaunch(given, [SHELL]);
  if (!launching.ok) return failure('not_started', launching.message);
  const halt = new AbortController();
  const input = { ...given, signal: AbortSignal.any([given.signal, halt.signal]) };
  const log = await openTurnLog(input.dir);
  const working = work(input, log).finally(() => log.close());
  working.catch(() => {});
  try {
    yield { type: 'started', pid: null };
    yield* log.events();
    return await working;
  } finally {
    // Abandoned: its commands end with it.
    halt.abort(new StopTurn('interrupted'));
    await working.catch(() => {});
  }
}

async function work(input: RunInput, log: TurnLog): Promise<Outcome> {
  const { agent, effects } = input;
  try {
    const outcome = await converse(input, log);
    await log.say({ type: 'end', failed: outcome.state !== 'completed' });
    return outcome;
  } catch (error) {
    if (input.signal.aborted) return stoppedOutcome(input.signal);
    const { code, syscall, message } = error as NodeJS.ErrnoException;
    if (typeof code === 'string' && syscall === 'write') return failure('exit', message);
    const trouble = modelTrouble(error, wordClock(effects));
    await log.say({ type: 'trouble', trouble });
    if (trouble.kind === 'context') log.tell({ type: 'session', id: null });
    const speaker = { program: `the model ${agent.model}`, signIn: signInOf(input) };
    return troubleOutcome(failure('exit', trouble.message), trouble, speaker, agent.id);
  }
}

function signInOf({ agent }: RunInput): string {
  const variable = keyVariable(agent);
  return variable === null
    ? `name the variable with its key in "api_key" of agents/${agent.id}/agent.json`
    : `set ${variable} where the runtime starts`;
}

async function converse(input: RunInput, log: TurnLog): Promise<Outcome> {
  const { agent, dir, turn } = input;
  const before = await resume(input, log);
  const keep = async (messages: readonly ModelMessage[]) => {
    const kept = bounded(messages);
    await writeConversation(dir, kept);
    return kept;
  };
  const messages: ModelMessage[] = [...before, { role: 'user', content: input.prompt }];
  await keep(messages);
  await log.say({ type: 'session', id: turn.id });
  log.tell({ type: 'session', id: turn.id });
  const cwd = resolve(input.room, agent.cwd ?? '.');
  return runAnswers({
    model: await loadModel(agent, input.effects),
    instructions: instructionsOf(cwd, agent.permissions !== 'edit'),
    tools: await toolsOf(input, cwd, log),
    ...{ input, messages, log, keep },
  });
}

async function resume(input: RunInput, log: TurnLog): Promise<ModelMessage[]> {
  const session = resumedSession(input);
  if (session === null) return [];
  const kept = await readConversation(input.dir, session);
  if (kept === null)
    await log.say({ type: 'line', text: `the conversation ${session} is gone: a new one begins` });
  return kept ?? [];
}

async function toolsOf(input: RunInput, cwd: string, log: TurnLog): Promise<AgentTool[]> {
  const { agent } = input;
  const own = fileTools(createWorkplace(cwd, input.room));
  const shell = shellTool(input, keyVariable(agent), () => void log.say({ type: 'alive' }).catch(() => {}));
  return [...((await input.tools?.()) ?? []), ...own, ...(agent.permissions === 'edit' ? [] : [shell])];
}

function instructionsOf(cwd: string, runs: boolean): string {
  const work = runs ? 'read and change its files and run commands in it' : 'read and change its files';
  return `You work without a person at hand. Your folder is ${cwd}: you can ${work}. Work by calling tools; what you say without a call ends your turn.`;
}

/** The trouble that any error of asking a model means. */
function modelTrouble(error: unknown, clock: WordClock): AgentTrouble {
  const cause: unknown = RetryError.isInstance(error) ? error.lastError : error;
  // Anything but an Error is what a server says in the middle of its answer.
  if (!APICallError.isInstance(cause))
    return troubleOf(cause instanceof Error ? cause.message : cause, {}, clock);
  const { statusCode: status, message, responseHeaders = {} } = cause;
  // A request that got no answer has no status: its words name the network.
  if (status === undefined) return { ...troubleOf(`${message}: connection failed`, {}, clock), message };
  return troubleOf(message, { status, until: limitEnd(responseHeaders, clock) }, clock);
}

function limitEnd(headers: Readonly<Record<string, string>>, { now }: WordClock): number | undefined {
  const reset = Number(headers['anthropic-ratelimit-unified-reset'] ?? Number.NaN);
  if (Number.isFinite(reset)) return reset;
  const after = headers['retry-after'] ?? '';
  const seconds = Number(after || Number.NaN);
  const at = Number.isNaN(seconds) ? Date.parse(after) : now + seconds * 1000;
  return Number.isNaN(at) ? undefined : at;
}
