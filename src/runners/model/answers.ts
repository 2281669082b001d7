// A model's answers one after the other, each with the calls it makes, until it makes none. Between two answers all is on
// disk, what was used is told, and the budgets are looked at.
import { jsonSchema, type LanguageModel, type ModelMessage, streamText, type ToolSet, tool } from 'ai';
import type { TurnUsage } from '../../core/rules/turn.ts';
import { inputLine } from '../command/reading/fields.ts';
import type { AgentTool, BudgetLeft } from '../runner.ts';
import type { AnswerUsage } from './spending.ts';
import { addUsage, estimateTokens, mayAsk, type NextAnswer, NOTHING_USED, toldCost } from './spending.ts';
import type { TurnLog } from './turn-log.ts';

export interface AnswersInput {
  model: LanguageModel;
  instructions: string;
  /** The conversation so far, the turn's prompt last; what comes is added to it. */
  messages: ModelMessage[];
  tools: readonly AgentTool[];
  maxSteps: number;
  prices: Parameters<typeof addUsage>[2];
  log: TurnLog;
  signal: AbortSignal;
  budgetLeft(): BudgetLeft;
  /** The conversation within its bounds, put on disk. */
  keep(messages: readonly ModelMessage[]): Promise<ModelMessage[]>;
}

export type AnswersEnd =
  | { kind: 'through' }
  /** It was asked as often as it may be. */
  | { kind: 'steps' }
  /** An answer ended in the middle, or was withheld. */
  | { kind: 'cut'; why: string }
  | { kind: 'budget'; next: Extract<NextAnswer, { may: false }> };

/** Rejects with what the server, or the network, says. Settles only when no call it made is under way any more. */
export async function runAnswers(input: AnswersInput): Promise<AnswersEnd> {
  const calls = new Set<Promise<unknown>>();
  try {
    return await answerAll(input, toolSet(input, calls));
  } finally {
    // A stream that is cut does not wait for them.
    await Promise.allSettled(calls);
  }
}

async function answerAll(input: AnswersInput, tools: ToolSet): Promise<AnswersEnd> {
  const { log, prices } = input;
  let messages = await input.keep(input.messages);
  let used: TurnUsage = NOTHING_USED;
  for (let step = 0; step < input.maxSteps; step += 1) {
    const next = mayAsk(input.budgetLeft(), questionTokens(input, messages), prices);
    if (!next.may) return { kind: 'budget', next };
    const answer = await oneAnswer(input, messages, tools, next.maxTokens);
    used = addUsage(used, answer.usage, prices);
    await log.say({ type: 'usage', usage: used });
    log.tell({ type: 'usage', usage: used });
    messages = await input.keep([...messages, ...answer.messages]);
    if (answer.calls > 0) continue;
    if (answer.reason === 'stop') return { kind: 'through' };
    return { kind: 'cut', why: WHY[answer.reason] ?? `its answer ended: ${answer.reason}` };
  }
  return { kind: 'steps' };
}

const WHY: Readonly<Record<string, string>> = {
  length: 'its answer grew longer than it may',
  'content-filter': 'its answer was withheld by its provider',
};

interface Answer {
  usage: AnswerUsage;
  messages: ModelMessage[];
  calls: number;
  reason: string;
}

async function oneAnswer(
  { model, instructions, signal, log }: AnswersInput,
  messages: ModelMessage[],
  tools: ToolSet,
  maxTokens: number | null,
): Promise<Answer> {
  const result = streamText({
    model,
    instructions,
    messages,
    tools,
    abortSignal: signal,
    // The room tries again as well, later.
    maxRetries: 1,
    toolCallConcurrency: 1,
    ...(maxTokens === null ? {} : { maxOutputTokens: maxTokens }),
    providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } },
    // Told by the stream; it would also be written to the runtime's own output.
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
    else if (part.type === 'tool-error')
      await log.say({
        type: 'result',
        text: String((part.error as Error)?.message ?? part.error),
        failed: true,
      });
    else if (part.type === 'reasoning-start') await log.say({ type: 'alive' });
    else if (part.type === 'error') throw part.error;
  }
  signal.throwIfAborted();
  const usage = await result.usage;
  return {
    usage: {
      inputTokens: usage.inputTokens ?? 0,
      outputTokens: usage.outputTokens ?? 0,
      cachedTokens: usage.inputTokenDetails.cacheReadTokens ?? 0,
      costUsd: toldCost(usage.raw),
    },
    messages: await result.responseMessages,
    calls,
    reason: await result.finishReason,
  };
}

interface Told {
  text: string;
  isError?: boolean;
}

function resultOf(output: unknown) {
  const { text, isError } = output as Told;
  return { type: 'result' as const, text, failed: isError === true };
}

/** @param calls has those under way */
function toolSet({ tools, signal }: AnswersInput, calls: Set<Promise<unknown>>): ToolSet {
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
          const { text, isError } = output as Told;
          return isError === true ? { type: 'error-text', value: text } : { type: 'text', value: text };
        },
      }),
    ]),
  );
}

/** What a question takes of tokens, about: its tools count each time. */
function questionTokens({ instructions, tools }: AnswersInput, messages: readonly ModelMessage[]): number {
  const shapes = tools.reduce((sum, each) => sum + JSON.stringify(each).length, 0);
  return estimateTokens(instructions.length + shapes + JSON.stringify(messages).length);
}
