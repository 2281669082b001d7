// The model of an agent's file, behind whatever API its server speaks; loaded when a turn needs it.
import { APICallError, type LanguageModel } from 'ai';
import type { AgentConfig } from '../../core/config/agent-config.ts';
import { keyVariable } from '../../core/config/agent-env.ts';
import type { Effects } from '../../effects.ts';
import { fieldsOf, parseFields, textOf } from '../command/reading/fields.ts';

/** A limit that is over sooner is waited for within the turn. */
const SHORT_WAIT_S = 20;

export async function loadModel(agent: AgentConfig, effects: Effects): Promise<LanguageModel> {
  // It would write of settings that a model does not know to the runtime's own output.
  (globalThis as { AI_SDK_LOG_WARNINGS?: boolean }).AI_SDK_LOG_WARNINGS = false;
  const variable = keyVariable(agent);
  const apiKey = (variable === null ? undefined : effects.env[variable]) ?? 'none';
  const address = agent.baseUrl === null ? {} : { baseURL: agent.baseUrl };
  const settings = { apiKey, fetch: boundedFetch(effects.fetch), ...address };
  const model = agent.model!;
  switch (agent.api!) {
    case 'anthropic':
      return (await import('@ai-sdk/anthropic')).createAnthropic(settings)(model);
    case 'openai':
      return (await import('@ai-sdk/openai')).createOpenAI(settings)(model);
    case 'openai-compatible': {
      const server = { name: 'compatible', baseURL: agent.baseUrl!, includeUsage: true };
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
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
      message: textOf(fieldsOf(parseFields(responseBody)?.error).message) || 'too many requests',
      url: String(input instanceof Request ? input.url : input),
      requestBodyValues: {},
      statusCode: response.status,
      responseHeaders: Object.fromEntries(response.headers),
      responseBody,
      isRetryable: false,
    });
  };
}
