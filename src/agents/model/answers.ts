// A model's answers one after another, each with the calls it makes, until it makes none. Between two answers all is on disk, the
// use is told, and the budgets are checked.
import type { LanguageModel, LanguageModelUsage, ModelMessage, ToolSet } from 'ai';
import { jsonSchema, streamText, tool } from 'ai';
import type { ModelPrices } from '../../core/config/agent-config.ts';
import type { TurnUsage } from '../../core/rules/turn.ts';
import { fieldsOf, inputLine, oneLine } from '../command/reading/fields.ts';
import { failure } from '../process/output-log.ts';
import type { AgentTool, LeftOver, Outcome, RunInput } from '../runner.ts';
import { outcomeFor, whileAtWork } from '../runner.ts';
import type { TurnLog } from './output-reader.ts';

export interface AnswersInput {
  input: RunInput;
  model: LanguageModel;
  instructions: string;
  messages: ModelMessage[];
  tools: readonly AgentTool[];
  log: TurnLog;
  /** The conversation within its bounds, put on disk. */
  keep(messages: readonly ModelMessage[]): Promise<ModelMessage[]>;
}

/** Rejects with what the server, or the network, says. Settles only when no call it made is under way any more. */
export async function runAnswers(given: AnswersInput): Promise<Outcome> {
  const calls = new Set<Promise<unknown>>();
  try {
    return await answerAll(given, toolSet(given, calls));
  } finally {
    // An aborted stream does not wait for its calls.
    await Promise.allSettled(calls);
  }
}

async function answerAll(given: AnswersInput, tools: ToolSet): Promise<Outcome> {
  const { log, input, keep } = given;
  const { maxSteps, id } = input.agent;
  let messages = await keep(given.messages);
  let used: TurnUsage = { inputTokens: 0, outputTokens: 0, costUsd: null };
  const hear = () =>
    input.hear?.(async (text) => {
      messages = await keep([...messages, { role: 'user', content: whileAtWork(text) }]);
      await log.say({ type: 'line', text: `told: ${oneLine(text)}` });
    });
  await hear();
  for (let step = 0; step < maxSteps; step += 1) {
    const tightest = tightestBudget(given, messages);
    if (tightest !== null && tightest.room < LEAST_ANSWER) return budgetOutcome(tightest);
    const room = tightest !== null && tightest.room < LONG_ANSWER ? tightest.room : null;
    const answer = await oneAnswer(given, messages, tools, room);
    const { inputTokens, outputTokens, costUsd } = answer.usage;
    used = {
      inputTokens: used.inputTokens + inputTokens,
      outputTokens: used.outputTokens + outputTokens,
      costUsd: costUsd === null ? used.costUsd : (used.costUsd ?? 0) + costUsd,
    };
    await log.say({ type: 'usage', usage: used });
    log.tell({ type: 'usage', usage: used });
    messages = await keep([...messages, ...answer.messages]);
    if ((await hear()) || answer.calls > 0) continue;
    if (answer.reason !== 'stop')
      return failure('exit', WHY[answer.reason] ?? `its answer ended: ${answer.reason}`);
    return outcomeFor('ok');
  }
  const setting = `"max_steps" in agents/${id}/agent.json`;
  return failure('exit', `it was not through after ${maxSteps} answers (${setting})`);
}

const WHY: Readonly<Record<string, string>> = {
  length: 'its answer grew longer than it may',
  'content-filter': 'its answer was withheld by its provider',
};

/** @param maxTokens of output; null for no bound */
async function oneAnswer(
  { model, instructions, input: { signal, agent }, log }: AnswersInput,
  messages: ModelMessage[],
  tools: ToolSet,
  maxTokens: number | null,
) {
  const result = streamText({
    ...{ model, instructions, messages, tools, abortSignal: signal },
    // The room retries failed turns as well, later.
    maxRetries: 1,
    toolCallConcurrency: 1,
    ...(maxTokens === null ? {} : { maxOutputTokens: maxTokens }),
    providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } },
    // The stream yields errors too; by default they would also be printed to the runtime's own output.
    onError: () => {},
  });
  let calls = 0;
  for await (const part of result.stream) {
    signal.throwIfAborted();
    if (part.type === 'text-delta') await log.say({ type: 'text', text: part.text, partial: true });
    else if (part.type === 'tool-call') {
      calls += 1;
      await log.say({ type: 'tool', name: part.toolName, input: inputLine(part.input) });
    } else if (part.type === 'tool-result') await log.say(resultOf(part.output));
    else if (part.type === 'tool-error') {
      const text = String((part.error as Error)?.message ?? part.error);
      await log.say({ type: 'result', text, failed: true });
    } else if (part.type === 'reasoning-start') await log.say({ type: 'alive' });
    else if (part.type === 'error') throw part.error;
  }
  signal.throwIfAborted();
  const [usage, reason] = [await result.usage, await result.finishReason];
  return { usage: usageOf(usage, agent.prices), messages: await result.responseMessages, calls, reason };
}

const MILLION = 1_000_000;

/** What one answer used; its cost as the server itself says it (OpenRouter does), else by the prices of the agent's file. */
function usageOf(usage: LanguageModelUsage, prices: ModelPrices | null): TurnUsage {
  const { inputTokens = 0, outputTokens = 0, inputTokenDetails, raw } = usage;
  const { cost } = fieldsOf(raw);
  const cached = Math.min(inputTokenDetails.cacheReadTokens ?? 0, inputTokens);
  const byPrices =
    prices &&
    ((inputTokens - cached) * prices.input + cached * prices.cached + outputTokens * prices.output) / MILLION;
  return { inputTokens, outputTokens, costUsd: typeof cost === 'number' && cost >= 0 ? cost : byPrices };
}

/** @param calls has those under way */
function toolSet({ tools, input: { signal } }: AnswersInput, calls: Set<Promise<unknown>>): ToolSet {
  const carryOut = async (run: AgentTool['run'], given: unknown) => {
    signal.throwIfAborted();
    const call = run(given);
    calls.add(call);
    return call.finally(() => calls.delete(call));
  };
  return Object.fromEntries(
    tools.map(({ name, description, inputSchema, run }) => [
      name,
      tool({
        description,
        inputSchema: jsonSchema(inputSchema),
        execute: (given: unknown) => carryOut(run, given),
        toModelOutput: ({ output }: { output: unknown }) => {
          const { text, failed } = resultOf(output);
          return { type: failed ? 'error-text' : 'text', value: text };
        },
      }),
    ]),
  );
}

function resultOf(output: unknown) {
  const { text, isError } = output as Awaited<ReturnType<AgentTool['run']>>;
  return { type: 'result' as const, text, failed: isError === true };
}

const LEAST_ANSWER = 256; // An answer that has less room is not worth its question.
const LONG_ANSWER = 16_000; // Above this an answer needs no bound of ours.
const TOKEN_CHARS = 3; // Characters of a token, rather too few.

interface Tightest {
  what: 'tokens' | 'cost';
  left: LeftOver;
  room: number; // For the next answer, in tokens of output, estimated so that no bound is passed.
}

/** The budget that leaves the next answer the least room; null where none bounds it. */
function tightestBudget({ instructions, tools, input }: AnswersInput, messages: readonly ModelMessage[]) {
  const { tokens = null, costUsd = null } = input.budgetLeft?.() ?? {};
  const { prices } = input.agent;
  // Each request contains the definitions of all tools.
  const shapes = tools.reduce((sum, each) => sum + JSON.stringify(each).length, 0);
  const question = Math.ceil((instructions.length + shapes + JSON.stringify(messages).length) / TOKEN_CHARS);
  const rooms: Tightest[] = [];
  if (tokens !== null) rooms.push({ what: 'tokens', left: tokens, room: tokens.amount - question });
  if (costUsd !== null && prices !== null && prices.output > 0) {
    const room = Math.floor((costUsd.amount * MILLION - question * prices.input) / prices.output);
    rooms.push({ what: 'cost', left: costUsd, room });
  }
  return rooms.toSorted((a, b) => a.room - b.room)[0] ?? null;
}

/** What is left is too little for another answer. */
function budgetOutcome({ left, what }: Tightest): Outcome {
  const amount = what === 'tokens' ? `${left.amount} tokens` : `$${left.amount.toFixed(4)}`;
  const whose = left.of === 'task' ? "task's" : "day's";
  const message = `what is left of the ${whose} budget (${amount}) is too little for another answer`;
  // Nothing was passed, so that nobody else sees the budget as used up.
  if (left.of === 'task') return failure('refused', `${message}; resuming it grants as much again`);
  return { ...outcomeFor('budget', message), until: left.until };
}
