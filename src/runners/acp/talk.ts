// The conversation beside its process: begun with it, ended before it by the protocol's own means, and never without it.
import type { SessionNotification } from '@agentclientprotocol/sdk';
import { sleep } from '../../effects.ts';
import type { Fields } from '../command/reading/fields.ts';
import type { ProgramPipes } from '../process/run-process.ts';
import { type RunInput, resumedSession, StopTurn, type TurnMcpServer } from '../runner.ts';
import { type Conversation, startConversation } from './conversation.ts';
import { createDoorkeeper } from './doorkeeper.ts';
import { type MessageStream, openMessages } from './message-stream.ts';
import type { ConversationEnd, Said } from './outcome.ts';
import { type CallBook, createCallBook } from './permission.ts';
import { createPlanKeeper, type PlanKeeper, readPlanEntries } from './plan-steps.ts';
import type { SessionWords } from './programs.ts';

/** How long an agent may take to answer that it canceled its turn. */
const CANCEL_MS = 3_000;
/** How long it may take to end by itself once nothing more comes. */
const FAREWELL_MS = 1_000;
/** How long the last of its words may take to be read once it is gone. */
const LAST_WORDS_MS = 1_000;

interface TalkSetup {
  /** Null where the program has it already, or the agent none. */
  mcp: TurnMcpServer | null;
  words: SessionWords;
  /** Id of the mode that the agent is put into; null for its own choice. */
  mode: string | null;
  /** Whether its program was told which model it is to use. */
  namesModel: boolean;
}

interface Ways {
  input: RunInput;
  cwd: string;
  setup: TalkSetup;
  plan: PlanKeeper | null;
  /** Aborted to end the process. */
  halt: AbortController;
  /** Aborted to end the conversation. */
  stop: AbortController;
  /** Aborted when the process is gone. */
  gone: AbortController;
  onAsked(): void;
}

/** @param halt aborted when the conversation is over: the process is to end then */
export function createTalk(input: RunInput, cwd: string, setup: TalkSetup, halt: AbortController) {
  const said: Said = { end: null, asked: false };
  const stop = new AbortController();
  const gone = new AbortController();
  const plan = input.task ? createPlanKeeper(input.services) : null;
  const onAsked = () => {
    said.asked = true;
    stop.abort();
  };
  let conducting: Promise<ConversationEnd> | null = null;
  return {
    begin(pipes: ProgramPipes) {
      conducting = conduct({ input, cwd, setup, plan, halt, stop, gone, onAsked }, pipes);
      conducting.catch(() => {});
    },
    /** Ends the turn though nobody asked for it. */
    stop: () => stop.abort(),
    /** To be called once the process is gone. */
    async end() {
      gone.abort();
      const end = await conducting;
      await plan?.settled();
      return { ...said, end };
    },
  };
}

async function conduct(ways: Ways, pipes: ProgramPipes): Promise<ConversationEnd> {
  const { input, halt, stop, gone } = ways;
  const { effects, signal } = input;
  let messages: MessageStream | null = null;
  try {
    messages = await openMessages(pipes, input.dir);
    const conversation = converse(ways, messages);
    const stops = AbortSignal.any([signal, stop.signal]);
    await Promise.race([conversation.finished, aborted(stops), aborted(gone.signal)]);
    if (stops.aborted) {
      void conversation.cancel();
      await Promise.race([conversation.finished, sleep(effects, CANCEL_MS, gone.signal)]);
    } else {
      messages.end();
      await sleep(effects, FAREWELL_MS, gone.signal);
    }
    halt.abort(signal.reason ?? new StopTurn('interrupted'));
    await aborted(gone.signal);
    // What it said last may still be on its way, or its pipe be held by somebody it left behind.
    await Promise.race([conversation.finished, sleep(effects, LAST_WORDS_MS)]);
    await messages.close();
    return await conversation.finished;
  } catch (error) {
    // A disk that takes nothing more.
    if (typeof (error as NodeJS.ErrnoException).code !== 'string') throw error;
    return { kind: 'failed', message: (error as Error).message };
  } finally {
    halt.abort(new StopTurn('interrupted'));
    await messages?.close();
  }
}

function converse({ input, cwd, setup, plan, onAsked }: Ways, messages: MessageStream): Conversation {
  const calls = createCallBook();
  // The agent is to know that its turn is over before it hears that its call is not allowed.
  const endOverQuestion = async () => {
    await conversation.cancel();
    onAsked();
  };
  const conversation = startConversation(messages, {
    cwd,
    prompt: input.prompt,
    session: resumedSession(input),
    model: setup.namesModel ? null : input.agent.model,
    mcp: setup.mcp,
    words: setup.words,
    mode: setup.mode,
    effects: input.effects,
    onUpdate: (update) => takeUpdate(update, calls, plan),
    onPermission: createDoorkeeper(input, cwd, messages, calls, endOverQuestion),
  });
  return conversation;
}

type UpdateKind = SessionNotification['update']['sessionUpdate'];

function takeUpdate(update: Fields, calls: CallBook, plan: PlanKeeper | null): void {
  const kind = update.sessionUpdate as UpdateKind;
  if (kind === 'plan') plan?.take(readPlanEntries(update.entries));
  if (kind === 'tool_call' || kind === 'tool_call_update') calls.note(update);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
