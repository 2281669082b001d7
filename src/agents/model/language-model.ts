// The model of an agent's file, behind whatever API its server speaks; loaded when a turn needs it.
import { APICallError, type LanguageModel } from 'ai';
import type { AgentConfig } from '../../core/config/agent-config.ts';
import { keyVariable } from '../../core/config/agent-env.ts';
import type { Effects } from '../../effects.ts';

/** A limit that is over sooner is waited for within the turn. */
const SHORT_WAIT_S = 20;

export async function loadModel(agent: AgentConfig, effects: Effects): Promise<LanguageModel> {
  // It would write of settings that a model does not know to the runtime's own output.
  (globalThis as { AI_SDK_LOG_WARNINGS?: boolean }).AI_SDK_LOG_WARNINGS = false;
  const variable = keyVariable(agent);
  const apiKey = (variable === null ? undefined : effects.env[variable]) ?? 'none';
  const settings = { apiKey, fetch: boundedFetch(effects.fetch) };
  const address = agent.baseUrl === null ? {} : { baseURL: agent.baseUrl };
  const model = agent.model!;
  switch (agent.api!) {
    case 'anthropic': {
      const { createAnthropic } = await import('@ai-sdk/anthropic');
      return createAnthropic({ ...settings, ...address })(model);
    }
    case 'openai': {
      const { createOpenAI } = await import('@ai-sdk/openai');
      return createOpenAI({ ...settings, ...address })(model);
    }
    case 'openai-compatible': {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
      const server = { name: 'compatible', baseURL: agent.baseUrl!, includeUsage: true };
      return createOpenAICompatible({ ...settings, ...server })(model);
    }
  }
}

/** A limit that lasts is told at once, and not tried again within the turn as if it were over in a moment. */
function boundedFetch(send: Effects['fetch']): Effects['fetch'] {
  return async (input, init) => {
    const response = await send(input, init);
    if (response.status !== 429 && response.status !== 529) return response;
    const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
    if (seconds <= SHORT_WAIT_S) return response;
    const responseBody = await response.text();
    throw new APICallError({
      message: messageIn(responseBody) ?? 'too many requests',
      url: String(input instanceof Request ? input.url : input),
      requestBodyValues: {},
      statusCode: response.status,
      responseHeaders: Object.fromEntries(response.headers),
      responseBody,
      isRetryable: false,
    });
  };
}

function messageIn(body: string): string | null {
  try {
    const { error } = JSON.parse(body) as { error?: { message?: unknown } };
    return typeof error?.message === 'string' ? error.message : null;
  } catch {
    return null;
  }
}
