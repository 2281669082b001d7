// A model server on this machine for the tests of the model runner: it answers what a test tells it to, in the wire format
// of each provider.
import { createRequire } from 'node:module';
import type { AgentConfig } from '../../../src/core/config/agent-config.ts';
import { type ModelAnswer, type ModelRequest, type ModelServer, startModelServer } from '../model-server.ts';

export interface ToldModel extends ModelServer {
  /** What it answers to each request; by default it says that it is done. */
  think: (request: ModelRequest) => ModelAnswer;
}

export async function startToldModel(): Promise<ToldModel> {
  const library = createRequire(import.meta.url).resolve('@copilotkit/aimock');
  const server = (await startModelServer(library, (request) => server.think(request))) as ToldModel;
  server.think = () => ({ content: 'Done.' });
  return server;
}

/** An agent whose model is behind this server. */
export function agentOf(url: string, api: AgentConfig['api'] = 'openai-compatible'): Partial<AgentConfig> {
  return { runner: 'model', api, model: 'told', baseUrl: `${url}/v1`, apiKey: 'MODEL_KEY' };
}

export const KEY = { MODEL_KEY: 'sk-test' };

/** One answer after the other; the last one again and again. */
export function inOrder(...answers: ModelAnswer[]): () => ModelAnswer {
  let at = 0;
  return () => answers[Math.min(at++, answers.length - 1)]!;
}

export function call(name: string, input: object): ModelAnswer {
  return { toolCalls: [{ name, arguments: JSON.stringify(input) }] };
}

/** What tools answered to the model so far, as the newest request says it. */
export function answersIn(request: ModelRequest): string[] {
  return request.messages
    .filter(({ role }) => role === 'tool')
    .map(({ content }) =>
      typeof content === 'string' ? content : (content ?? []).map(({ text }) => text ?? '').join(''),
    );
}
