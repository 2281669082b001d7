// What an agent's words of failure mean. Pure. A status of its provider decides where one is told, else the words.
import type { AgentTrouble, TroubleKind } from '../../../core/rules/agent-event.ts';
import { readEpoch, readLimitEnd, type WordClock } from './limit-time.ts';

export interface TroubleFacts {
  kind?: TroubleKind;
  status?: unknown;
  /** When a limit ends, epoch in seconds or ms, where the agent says so beside its words. */
  until?: unknown;
}

const LONGEST = 500;

// The first that fits. Words of the five programs and their providers, as recorded in the tests' fixtures.
const WORDS: readonly (readonly [TroubleKind, RegExp])[] = [
  [
    'credentials',
    /\b403\b|\bforbidden\b|(country|region|territory|location).{0,20}not (supported|available)|permission.?denied|denied access/i,
  ],
  ['overload', /overloaded|\b(503|529)\b|service unavailable|(high|too much) demand|at capacity/i],
  [
    'limit',
    /(usage|rate|request|token|session|weekly|hourly|daily|spend(ing)?) limit|hit your .*limit|limit (has been )?reached|quota|too many requests|resource.?exhausted|out of (extra )?usage|rate.?limited/i,
  ],
  [
    'context',
    /prompt (is|as) too long|context (window|length|limit)|input (token count|is too long)|exceeds? the (maximum number of tokens|model'?s? (max|token|context))|maximum (prompt|context) (length|size)|context_length_exceeded|ran out of room/i,
  ],
  [
    'credentials',
    /api[ _-]?key|x-api-key|unauthori[sz]ed|not (logged|signed) in|log ?in|authenticat|authori[sz]ation|credentials?\b|access token|(oauth|refresh) token|\/login|GEMINI_API_KEY|auth method/i,
  ],
  [
    'session',
    /no (conversation|rollout|session|saved session)s? found|session (not found|.*does not exist)|invalid session|no session,? task|error resuming session/i,
  ],
  [
    'model',
    /model.{0,80}(not (found|supported|available|exist)|does(n't| not) exist|no access|invalid|unknown|may not)|(unknown|invalid|unsupported|no such) model|issue with the selected model|ProviderModelNotFound/i,
  ],
  [
    'network',
    /ENOTFOUND|ECONNREFUSED|ECONNRESET|EAI_AGAIN|ETIMEDOUT|fetch failed|connection (error|refused|reset|closed|failed)|stream (disconnected|error|closed)|error sending request|(unable|failed|can.?t|cannot|could not) (to )?connect|network|dns|socket hang ?up|timed? ?out/i,
  ],
];

/** Nothing left to pay with; where the words also say when it goes on, it is a limit like any other. */
const UNPAID =
  /credit balance|insufficient.{0,20}(funds|balance|credits?|quota)|out of (extra )?credits|(credits?|balance|funds).{0,30}(depleted|exhausted|used up|too low)|\b402\b|payment required|plan and billing|billing (hard )?limit/i;

export function troubleOf(words: unknown, facts: TroubleFacts, clock: WordClock): AgentTrouble {
  const message = oneLine(words);
  const told = facts.kind ?? kindOfStatus(facts.status, message) ?? kindOfWords(message);
  const end = told === 'limit' ? (readEpoch(facts.until, clock) ?? readLimitEnd(message, clock)) : null;
  const kind = told === 'limit' && end === null && UNPAID.test(message) ? 'credits' : told;
  return { kind, message, until: end };
}

function kindOfStatus(status: unknown, message: string): TroubleKind | null {
  if (status === 401 || status === 403) return 'credentials';
  if (status === 402) return 'credits';
  if (status === 429) return 'limit';
  if (status === 503 || status === 529) return 'overload';
  if (status === 413) return 'context';
  // A model that is not there is a 404; so is a wrong address.
  return status === 404 && /model/i.test(message) ? 'model' : null;
}

export function kindOfWords(message: string): TroubleKind {
  const found = WORDS.find(([, words]) => words.test(message))?.[0] ?? 'other';
  return found !== 'limit' && UNPAID.test(message) ? 'credits' : found;
}

function oneLine(words: unknown): string {
  const whole = typeof words === 'string' ? words : words === undefined ? '' : (JSON.stringify(words) ?? '');
  const text = messageIn(whole) ?? whole;
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= LONGEST ? line : `${line.slice(0, LONGEST - 1)}…`;
}

/** Of an answer of the provider that is quoted whole, what it says. */
function messageIn(words: string): string | null {
  const quoted = /"message":\s*("(?:[^"\\]|\\.)*")/.exec(words)?.[1];
  if (quoted === undefined) return null;
  try {
    return JSON.parse(quoted) as string;
  } catch {
    // Cut short, or escaped another way.
    return null;
  }
}
