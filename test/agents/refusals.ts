// What the providers answer when they refuse a request: status, headers and body as each of them sends it.

/** How requests are answered: by the model, or refused. */
export type Mood =
  | 'works'
  | 'wrong key'
  | 'usage limit'
  | 'unknown model'
  | 'context full'
  | 'no money'
  | 'overloaded'
  | 'wrong country';

type Refusal = { status: number; headers: Record<string, string>; body: unknown };

type Wire = 'anthropic' | 'openai' | 'gemini';

/** The refusal of this mood, in the words of the provider that the path belongs to; null to let the request pass. */
export function refusalOf(mood: Mood, path: string, resetsAt: number): Refusal | null {
  if (mood === 'works') return null;
  const wire = wireOf(path);
  return wire === null ? null : REFUSALS[wire](mood, resetsAt);
}

function wireOf(path: string): Wire | null {
  if (path.includes('/messages')) return 'anthropic';
  if (/\/(responses|chat\/completions)/.test(path)) return 'openai';
  return /generateContent|streamGenerateContent/i.test(path) ? 'gemini' : null;
}

const REFUSALS: Record<Wire, (mood: Mood, resetsAt: number) => Refusal> = {
  anthropic(mood, resetsAt) {
    const say = (status: number, type: string, message: string, headers = {}): Refusal => ({
      status,
      headers: { 'request-id': 'req_1', ...headers },
      body: { type: 'error', error: { type, message }, request_id: 'req_1' },
    });
    if (mood === 'wrong key') return say(401, 'authentication_error', 'invalid x-api-key');
    if (mood === 'unknown model') return say(404, 'not_found_error', 'model: no-such-model');
    if (mood === 'no money')
      return say(
        400,
        'invalid_request_error',
        'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.',
      );
    if (mood === 'overloaded') return say(529, 'overloaded_error', 'Overloaded');
    if (mood === 'wrong country') return say(403, 'forbidden', 'Request not allowed');
    if (mood === 'context full')
      return say(400, 'invalid_request_error', 'prompt is too long: 250000 tokens > 200000 maximum');
    const seconds = String(Math.floor(resetsAt / 1000));
    return say(429, 'rate_limit_error', "This request would exceed your account's rate limit.", {
      'anthropic-ratelimit-unified-status': 'rejected',
      'anthropic-ratelimit-unified-reset': seconds,
      'anthropic-ratelimit-unified-representative-claim': 'five_hour',
      'retry-after': String(Math.max(1, Math.round((resetsAt - Date.now()) / 1000))),
      'x-should-retry': 'false',
    });
  },
  openai(mood, resetsAt) {
    const say = (status: number, error: object, headers = {}): Refusal => ({
      status,
      headers,
      body: { error },
    });
    if (mood === 'wrong key')
      return say(401, {
        message:
          'Incorrect API key provided: sk-wrong. You can find your API key at https://platform.openai.com/account/api-keys.',
        type: 'invalid_request_error',
        param: null,
        code: 'invalid_api_key',
      });
    if (mood === 'unknown model')
      return say(404, {
        message: 'The model `no-such-model` does not exist or you do not have access to it.',
        type: 'invalid_request_error',
        param: null,
        code: 'model_not_found',
      });
    if (mood === 'context full')
      return say(400, {
        message:
          'Your input exceeds the context window of this model. Please adjust your input and try again.',
        type: 'invalid_request_error',
        param: 'input',
        code: 'context_length_exceeded',
      });
    if (mood === 'no money')
      return say(429, {
        message: 'You exceeded your current quota, please check your plan and billing details.',
        type: 'insufficient_quota',
        param: null,
        code: 'insufficient_quota',
      });
    if (mood === 'overloaded')
      return say(503, {
        message: 'The server is currently overloaded with other requests.',
        type: 'server_error',
        param: null,
        code: null,
      });
    if (mood === 'wrong country')
      return say(403, {
        message: 'Country, region, or territory not supported',
        type: 'request_forbidden',
        param: null,
        code: 'unsupported_country_region_territory',
      });
    const inSeconds = Math.max(1, Math.round((resetsAt - Date.now()) / 1000));
    return say(
      429,
      {
        message: 'The usage limit has been reached',
        type: 'usage_limit_reached',
        plan_type: 'plus',
        resets_at: Math.floor(resetsAt / 1000),
        resets_in_seconds: inSeconds,
      },
      { 'retry-after': String(inSeconds) },
    );
  },
  gemini(mood, resetsAt) {
    const say = (code: number, status: string, message: string, details: object[] = []): Refusal => ({
      status: code,
      headers: {},
      body: { error: { code, message, status, details } },
    });
    if (mood === 'wrong key')
      return say(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.', [
        { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' },
      ]);
    if (mood === 'unknown model')
      return say(404, 'NOT_FOUND', 'models/no-such-model is not found for API version v1beta');
    if (mood === 'context full')
      return say(
        400,
        'INVALID_ARGUMENT',
        'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
      );
    if (mood === 'no money')
      return say(429, 'RESOURCE_EXHAUSTED', 'Your prepayment credits are depleted. Please go to AI Studio.');
    if (mood === 'overloaded')
      return say(503, 'UNAVAILABLE', 'The model is overloaded. Please try again later.');
    if (mood === 'wrong country')
      return say(403, 'PERMISSION_DENIED', 'Your project has been denied access.');
    const seconds = Math.max(1, Math.round((resetsAt - Date.now()) / 1000));
    return say(429, 'RESOURCE_EXHAUSTED', `You exceeded your current quota. Please retry in ${seconds}s.`, [
      {
        '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
        violations: [{ quotaId: 'GenerateRequestsPerDayPerProjectPerModel' }],
      },
      { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${seconds}s` },
    ]);
  },
};
